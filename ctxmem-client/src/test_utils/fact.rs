//! Facts of the fake memory.

use std::fmt;

use ctxmem_types::{Scope, SliceKind};

/// A fact that a [`FakeMemory`](super::FakeMemory) knows or learns.
#[derive(Clone, PartialEq, Eq)]
pub struct FakeFact {
    pub(super) scope: Scope,
    pub(super) name: Option<String>,
    pub(super) value: String,
}

/// As everywhere in this crate, `Debug` shows neither name nor value.
impl fmt::Debug for FakeFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeFact")
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

impl FakeFact {
    /// A fact in a scope whose facts have no names.
    ///
    /// # Panics
    ///
    /// Panics for the scopes `general` and `preferences`, whose facts have names: see
    /// [`named`](Self::named).
    pub fn new(scope: Scope, value: impl Into<String>) -> Self {
        assert!(
            scope.kind() != SliceKind::Map,
            "facts in the scope {scope} have names: FakeFact::named(scope, name, value)"
        );
        Self {
            scope,
            name: None,
            value: value.into(),
        }
    }

    /// A fact with a name, in the scope `general` or `preferences`. A later fact with the same
    /// name replaces it.
    ///
    /// # Panics
    ///
    /// Panics for the other scopes, whose facts have no names: see [`new`](Self::new).
    pub fn named(scope: Scope, name: impl Into<String>, value: impl Into<String>) -> Self {
        assert!(
            scope.kind() == SliceKind::Map,
            "facts in the scope {scope} have no names: FakeFact::new(scope, value)"
        );
        Self {
            scope,
            name: Some(name.into()),
            value: value.into(),
        }
    }

    /// Whether both have the same name in the same scope, so that one replaces the other.
    pub(super) fn replaces(&self, other: &Self) -> bool {
        self.name.is_some() && self.scope == other.scope && self.name == other.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "FakeFact::named(scope, name, value)")]
    fn a_missing_name_is_reported() {
        let _ = FakeFact::new(Scope::General, "Ada");
    }

    #[test]
    #[should_panic(expected = "FakeFact::new(scope, value)")]
    fn an_unexpected_name_is_reported() {
        let _ = FakeFact::named(Scope::Goals, "beta", "Ship");
    }
}
