//! Wire types of ctxmem.

mod scope;

pub use scope::{Scope, ScopeName, ScopeSet, SliceKind, UnknownScope};
