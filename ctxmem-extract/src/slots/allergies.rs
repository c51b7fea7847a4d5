//! Allergies: each thing that people name as an allergen becomes a separate fact.

use std::ops::Range;

use ctxmem_types::Scope;

use super::ALLERGY;
use super::lists::is_in;
use super::names::capitalised;
use crate::Candidate;
use crate::endings::PERSONS;
use crate::text::words::Words;

/// The longest name of something, in words: of scripts with spaces, and of others.
const MOST_WORDS: usize = 4;
const MOST_CHARACTERS: usize = 8;

/// Adds the things of a list, and answers behind which word it ends.
pub(super) fn take(words: &Words<'_>, taken: &Range<usize>, facts: &mut Vec<Candidate>) -> usize {
    let mut end = taken.start;
    let mut at = taken.start;
    while at < taken.end {
        while at < taken.end && (is_in("small", words.low(at)) || is_between(words, at)) {
            at += 1;
        }
        let start = at;
        while at < taken.end && goes_on(words, at) {
            at += 1;
        }
        let is_spaced = words
            .each
            .get(start)
            .is_some_and(|word| word.text.chars().count() > 1);
        let most = if is_spaced {
            MOST_WORDS
        } else {
            MOST_CHARACTERS
        };
        if at == start || at - start > most {
            break;
        }
        // "My sister has a bad allergy"
        if PERSONS.contains(words.low(start)) && matches!(words.low(at), "has" | "had" | "is") {
            break;
        }
        // "Keine Allergie"
        if is_in("not allergens", words.low(start)) || is_in("denied", words.low(start)) {
            break;
        }
        let value = words.text(start..at);
        // "Penicillinallergie" is one word.
        let is_compound = value.to_lowercase().ends_with("allergie");
        let stem = value.len() - usize::from(is_compound) * "allergie".len();
        let value = value.get(..stem).unwrap_or(value).trim_end_matches('-');
        let value = capitalised(value);
        let fact = Candidate::slot(Scope::Preferences, ALLERGY, value);
        if !facts.contains(&fact) {
            facts.push(fact);
        }
        end = at;
        if !is_between(words, at) {
            break;
        }
    }
    end
}

/// Whether a word or mark stands between the things of a list.
pub(super) fn is_between(words: &Words<'_>, at: usize) -> bool {
    matches!(words.low(at), "," | "/" | "&" | "+" | "、" | "，") || is_in("between", words.low(at))
}

/// Whether a word belongs to the name of a thing.
fn goes_on(words: &Words<'_>, at: usize) -> bool {
    let low = words.low(at);
    let word = words.each.get(at);
    // "E-numbers", "red dye no. 40"
    word.is_some_and(|word| !word.is_mark())
        && !is_between(words, at)
        && !is_in("ends", low)
        && !low.contains(' ')
        && !matches!(
            low,
            "allergic" | "allergy" | "allergies" | "过" | "過" | "過敏" | "ア"
        )
}
