//! The form that adds a fact, and the scopes to choose from.

use ctxmem_types::{Scope, SliceKind};

use crate::http::pages::{FormProblem, scopes};
use crate::http::words::Phrase;

/// The form that adds a fact.
pub(super) struct AddForm {
    pub(super) scopes: Vec<ScopeOption>,
    pub(super) name: String,
    pub(super) value: String,
    pub(super) problem: FormProblem,
}

/// A scope to choose.
pub(super) struct ScopeOption {
    pub(super) name: &'static str,
    pub(super) title: Phrase,
    pub(super) chosen: bool,
    /// Whether its facts have names.
    pub(super) is_named: bool,
}

impl ScopeOption {
    pub(super) fn all(chosen: Option<Scope>) -> Vec<Self> {
        let scopes = Scope::ALL.map(|scope| Self {
            name: scope.name(),
            title: scopes::title(scope),
            chosen: Some(scope) == chosen,
            is_named: scope.kind() == SliceKind::Map,
        });
        scopes.into()
    }
}

impl AddForm {
    pub(super) fn empty() -> Self {
        Self::of(None, String::new(), String::new(), FormProblem::default())
    }

    pub(super) fn of(
        scope: Option<Scope>,
        name: String,
        value: String,
        problem: FormProblem,
    ) -> Self {
        Self {
            scopes: ScopeOption::all(scope),
            name,
            value,
            problem,
        }
    }
}
