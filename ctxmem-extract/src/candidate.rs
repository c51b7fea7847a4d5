//! Candidates: what an extractor proposes to remember or to forget.

use std::fmt;

use ctxmem_types::Scope;

use super::Known;

/// What to do with a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Remember the value. In map scopes it replaces what the slot held.
    Set,
    /// Forget. In map scopes: empty the slot named by the key if what it holds mentions the
    /// value; without a key, every slot that mentions it. In list and text scopes: drop every
    /// fact that mentions the value as a word. Of a known fact: drop that one and no other.
    Remove,
    /// A known fact was said again.
    Confirm,
    /// Forget the one fact, of all scopes in which the same is said, whose words fit the value best; where
    /// none fits, none. What was asked for ([`Candidate::requested`]) is an order to forget.
    TakeBack,
    /// Forget every fact, of whatever scope, that all words of the value name: "forget everything about Oslo".
    TakeBackAll,
    /// Forget the one fact that words of the value name best, where they name one: the value is a clause that says
    /// of something that it is over.
    End,
    /// Forget the one fact that the value, a sentence, says with another number or day.
    Change,
    /// Remember the value if the same turn ends or changes something ([`Op::End`], [`Op::Change`]), or if it speaks of
    /// what is stored.
    SetInstead,
}

/// One fact, proposed by an extractor and not yet stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The slice it belongs to.
    pub scope: Scope,
    /// The slot, in map scopes only. A [`Op::Remove`] may leave it open.
    pub key: Option<String>,
    /// The fact, or for [`Op::Remove`] what no longer holds.
    pub value: String,
    /// Remember, forget or confirm.
    pub op: Op,
    /// The stored fact that this refers to: for [`Op::Set`] the fact in the same slice that the
    /// value replaces, otherwise the fact that is confirmed or no longer holds.
    pub known: Option<Known>,
    /// Whether the user explicitly asked to remember it. Such facts come first where a prompt has
    /// no room for all.
    pub requested: bool,
    /// Whether the user said in so many words that this is no longer as it was. What users wrote by
    /// hand gives way to nothing less.
    pub changed: bool,
    /// Whether it is only likely, and gives way to what its slot holds.
    pub tentative: bool,
}

impl Candidate {
    /// A fact to remember in a slot of a map scope.
    pub fn slot(scope: Scope, key: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            key: Some(key.into()),
            ..Self::item(scope, value)
        }
    }

    /// A fact to remember in a list or text scope.
    pub fn item(scope: Scope, value: impl Into<String>) -> Self {
        Self {
            scope,
            key: None,
            value: value.into(),
            op: Op::Set,
            known: None,
            requested: false,
            changed: false,
            tentative: false,
        }
    }

    /// Whether it says where the user lives.
    pub(crate) fn is_home(&self) -> bool {
        self.op == Op::Set
            && !self.tentative
            && self.scope == Scope::General
            && self.key.as_deref() == Some("location")
    }

    /// Something to forget.
    pub fn removal(scope: Scope, key: Option<&str>, value: impl Into<String>) -> Self {
        Self {
            key: key.map(str::to_owned),
            op: Op::Remove,
            ..Self::item(scope, value)
        }
    }

    /// A known fact that was said again ([`Op::Confirm`]) or that no longer holds ([`Op::Remove`]).
    pub fn of_known(op: Op, known: Known) -> Self {
        Self {
            key: known.key.clone(),
            op,
            ..Self::item(known.scope, known.value.clone())
        }
        .replacing(known)
    }

    /// The same as a replacement of a known fact.
    #[must_use]
    pub fn replacing(self, known: Known) -> Self {
        Self {
            known: Some(known),
            ..self
        }
    }
}

/// Key and value are personal, so they are left out.
impl fmt::Debug for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Candidate")
            .field("scope", &self.scope)
            .field("op", &self.op)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_fact() {
        let fact = Candidate::slot(Scope::General, "location", "Lisbon");
        let shown = format!("{fact:?}");
        assert!(shown.contains("General") && shown.contains("Set"));
        assert!(!shown.contains("Lisbon") && !shown.contains("location"));
    }
}
