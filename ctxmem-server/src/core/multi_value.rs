//! Names in `preferences` that hold several values, each of them a fact. Pure.

use ctxmem_types::{Fact, Scope, SourceType};

use crate::extract::{ALLERGY, Candidate, Op, holds_several};
use crate::store::StoredFact;

/// Separates values that are shown together.
pub(super) const JOINT: &str = "; ";

/// How many allergies are kept. They stand in every prompt, and none is dropped for another, so an
/// allergy beyond these is not stored.
pub(super) const MAX_ALLERGIES: usize = 32;

/// Separates name and value in a slot. No name holds it: names are letters, digits
/// and `_`.
const SEPARATOR: char = ':';

/// Whether a candidate joins the values of its name instead of replacing one.
pub(super) fn joins(candidate: &Candidate) -> bool {
    let key = candidate.key.as_ref();
    key.is_some_and(|key| holds_several(candidate.scope, key))
}

/// The slot of one of several values.
pub(super) fn slot(name: &str, folded: &str) -> String {
    format!("{name}{SEPARATOR}{folded}")
}

/// Whether a fact is an allergy: nothing replaces or drops it but its own retraction.
pub(super) fn is_allergy(fact: &StoredFact) -> bool {
    fact.scope == Scope::Preferences && fact.name.as_deref() == Some(ALLERGY)
}

/// Whether a candidate says that the user has an allergy.
pub(super) fn says_allergy(candidate: &Candidate) -> bool {
    candidate.op == Op::Set
        && candidate.scope == Scope::Preferences
        && candidate.key.as_deref() == Some(ALLERGY)
}

/// The name whose facts never make room in a full scope.
pub(super) fn spared(scope: Scope) -> Option<&'static str> {
    (scope == Scope::Preferences).then_some(ALLERGY)
}

/// One entry of all values of a name. It counts as corrected by the user only if all of them
/// are.
pub(super) fn joined(mut facts: Vec<&StoredFact>) -> Fact {
    facts.sort_by_key(|fact| fact.position);
    let values: Vec<&str> = facts.iter().map(|fact| fact.value.as_str()).collect();
    let sources = || facts.iter().map(|fact| &fact.source_type);
    let source = sources()
        .find(|source| **source != SourceType::Edited)
        .unwrap_or(&SourceType::Edited);
    Fact::new(values.join(JOINT), source.clone())
}
