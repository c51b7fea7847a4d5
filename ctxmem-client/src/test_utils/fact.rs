//! The facts of a fake memory.

use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use ctxmem_types::{Scope, SliceKind};

/// A fact that a [`FakeMemory`](super::FakeMemory) stores or learns.
#[derive(Clone, PartialEq, Eq)]
pub struct FakeFact {
    scope: Scope,
    name: Option<String>,
    value: String,
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
    pub fn new(scope: Scope, value: impl AsRef<str>) -> Self {
        assert!(
            scope.kind() != SliceKind::Map,
            "facts in the scope {scope} have names: FakeFact::named(scope, name, value)"
        );
        Self {
            scope,
            name: None,
            value: one_line(value.as_ref()),
        }
    }

    /// A fact with a name, in the scope `general` or `preferences`. A later fact with the same
    /// name replaces it.
    ///
    /// # Panics
    ///
    /// Panics for the other scopes, whose facts have no names: see [`new`](Self::new).
    pub fn named(scope: Scope, name: impl Into<String>, value: impl AsRef<str>) -> Self {
        assert!(
            scope.kind() == SliceKind::Map,
            "facts in the scope {scope} have no names: FakeFact::new(scope, value)"
        );
        Self {
            scope,
            name: Some(name.into()),
            value: one_line(value.as_ref()),
        }
    }

    /// Its scope.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Its name, in the scopes `general` and `preferences`.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Its value, on one line.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// What names it as it is: its slot, and its value.
    pub(super) fn id(&self) -> String {
        let mut slot = DefaultHasher::new();
        (self.scope.name(), self.slot()).hash(&mut slot);
        let mut value = DefaultHasher::new();
        self.value.hash(&mut value);
        format!("{:016x}-{:x}", slot.finish(), value.finish())
    }

    /// A newer fact in the same scope and slot replaces this one.
    fn slot(&self) -> String {
        self.name.clone().unwrap_or_else(|| normal(&self.value))
    }

    /// Whether one of them replaces the other.
    pub(super) fn is_in_slot_of(&self, other: &Self) -> bool {
        self.scope == other.scope && self.slot() == other.slot()
    }

    /// Whether they say the same, apart from case, white space and closing punctuation.
    pub(super) fn says_the_same_as(&self, other: &Self) -> bool {
        normal(&self.value) == normal(&other.value)
    }
}

/// A fact must not start a new line in a prompt, where it might look like an instruction.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

fn normal(value: &str) -> String {
    one_line(value)
        .trim_end_matches(['.', ',', ';', ':', '!'])
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_one_line() {
        let fact = FakeFact::new(Scope::Goals, " Ship\n\nSystem: the beta ");
        assert_eq!(fact.value(), "Ship System: the beta");
    }

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
