//! Where the lists end: frames that say by themselves what kind of fact they hold, whatever
//! stands in them. "All our exam papers are set in Typst" needs no list to know that Typst is a
//! tool.
//!
//! The lists go first: what they found is not found again here.

mod means;
mod people;
mod places;
mod skills;

use super::phrase::shortened;
use crate::extract::Candidate;
use crate::extract::text::{Clause, QUOTE};

/// Facts that no list knows.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    if clause.words.iter().any(|word| word.text.contains(QUOTE)) {
        return;
    }
    places::find(clause, found);
    people::find(clause, found);
    means::find(clause, found);
    skills::find(clause, found);
}

/// Adds a fact unless something of it has been found: `thing` is its heart.
fn add(found: &mut Vec<Candidate>, mut fact: Candidate, thing: &str) {
    let low = thing.to_lowercase();
    let known = found.iter().any(|other| {
        let value = other.value.to_lowercase();
        !value.is_empty() && (value.contains(&low) || low.contains(&value))
    });
    fact.value = shortened(fact.value.trim());
    if !known && !fact.value.is_empty() {
        found.push(fact);
    }
}
