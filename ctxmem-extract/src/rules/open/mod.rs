//! Where the lists end: frames that say by themselves what kind of fact they hold, whatever
//! stands in them. "All our exam papers are set in Typst" needs no list to know that Typst is a
//! tool.
//!
//! The lists go first: what they found is not found again here.

mod events;
mod lists;
mod manners;
mod means;
mod people;
mod places;
mod plans;
mod selves;
mod skills;

use super::phrase::shortened;
use crate::Candidate;
use crate::text::{Clause, Gap, Word};

/// Facts that no list knows.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    if clause.words.iter().any(Word::is_quote) {
        return;
    }
    selves::find(clause, found);
    places::find(clause, found);
    people::find(clause, found);
    means::find(clause, found);
    skills::find(clause, found);
    lists::find(clause, found);
    manners::find(clause, found);
    plans::find(clause, found);
    events::find(clause, found);
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

/// Adds a fact unless one of its scope says the same, however the other scopes tell it.
fn add_of_its_kind(found: &mut Vec<Candidate>, mut fact: Candidate) {
    fact.value = shortened(fact.value.trim());
    let low = fact.value.to_lowercase();
    let known = found.iter().any(|other| {
        let value = other.value.to_lowercase();
        other.scope == fact.scope && alike(&value, &low)
    });
    if !known && !low.is_empty() {
        found.push(fact);
    }
}

/// Whether most words of the shorter one are words of the longer one.
fn alike(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let all: Vec<&str> = long.split([' ', ',']).collect();
    let words: Vec<&str> = short.split([' ', ',']).filter(|w| w.len() > 2).collect();
    let shared = words.iter().filter(|word| all.contains(word)).count();
    shared * 2 > words.len()
}

/// Index of the first word of the piece, between commas and breaks, that leads up to `at`.
fn piece_start(words: &[Word], at: usize) -> usize {
    words
        .get(..=at)
        .unwrap_or(words)
        .iter()
        .rposition(|word| word.gap != Gap::None)
        .unwrap_or(0)
}
