//! What a fake remembers.

use std::fmt;

use ctxmem_types::{Scope, SliceKind};

/// A fact that a [`FakeMemory`](super::FakeMemory) remembers or learns.
#[derive(Clone, PartialEq, Eq)]
pub struct FakeFact {
    scope: Scope,
    name: Option<String>,
    value: String,
}

/// `Debug` shows neither name nor value, as everywhere in this crate.
impl fmt::Debug for FakeFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeFact")
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

impl FakeFact {
    /// A fact of a scope in which facts have no names.
    ///
    /// # Panics
    ///
    /// In the scopes `general` and `preferences` facts have names: see
    /// [`named`](Self::named).
    pub fn new(scope: Scope, value: impl AsRef<str>) -> Self {
        assert!(
            scope.kind() != SliceKind::Map,
            "facts of the scope {scope} have names: FakeFact::named(scope, name, value)"
        );
        Self {
            scope,
            name: None,
            value: one_line(value.as_ref()),
        }
    }

    /// A fact with a name, of the scope `general` or `preferences`. A later one of the same
    /// name replaces it.
    ///
    /// # Panics
    ///
    /// In the other scopes facts have no names: see [`new`](Self::new).
    pub fn named(scope: Scope, name: impl Into<String>, value: impl AsRef<str>) -> Self {
        assert!(
            scope.kind() == SliceKind::Map,
            "facts of the scope {scope} have no names: FakeFact::new(scope, value)"
        );
        Self {
            scope,
            name: Some(name.into()),
            value: one_line(value.as_ref()),
        }
    }

    /// The scope to which it belongs.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Its name, in the scopes `general` and `preferences`.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What is known, on one line.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// What a newer fact of the same scope would replace.
    fn slot(&self) -> String {
        self.name.clone().unwrap_or_else(|| normal(&self.value))
    }

    /// Whether one of them replaces the other.
    pub(super) fn is_in_slot_of(&self, other: &Self) -> bool {
        self.scope == other.scope && self.slot() == other.slot()
    }

    /// Whether they say the same; case, white space and closing punctuation make no
    /// difference.
    pub(super) fn says_the_same_as(&self, other: &Self) -> bool {
        normal(&self.value) == normal(&other.value)
    }
}

/// A fact is data: it can't start a line of its own in a prompt.
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
    fn a_name_that_is_missing_is_told() {
        let _ = FakeFact::new(Scope::General, "Ada");
    }

    #[test]
    #[should_panic(expected = "FakeFact::new(scope, value)")]
    fn a_name_too_many_is_told() {
        let _ = FakeFact::named(Scope::Goals, "beta", "Ship");
    }
}
