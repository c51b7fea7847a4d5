//! Rules.

use futures_util::future::BoxFuture;

use crate::run::Run;
use crate::verdict::Finding;

/// One rule of the interface.
pub struct Rule {
    /// Its id: section, dot, name. It never changes once it is published.
    pub id: &'static str,
    /// The rule in a short sentence.
    pub text: &'static str,
    pub(crate) check: Check,
}

pub(crate) type Check = for<'r> fn(&'r Run) -> BoxFuture<'r, Finding>;
