//! Names in `preferences` that hold several values, each of them a fact. Pure.

use std::collections::HashSet;
use std::sync::LazyLock;

use ctxmem_types::{Fact, Scope, SourceType};

use crate::extract::{ALLERGY, Candidate, Op, holds_several, subject_groups, weekdays};
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

/// Ways to eat of which somebody has one, a group for each.
static DIETS: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| subject_groups("diets").collect());

/// The days of the week, and what is said beside times.
static TIMES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| weekdays().chain(["am", "pm", "only", "every"]).collect());

/// Whether a value takes the place of one that stands beside it under its name: another diet of its kind, or the same
/// habit with another number or day ("5 coffees a day" and "2 coffees a day").
pub(super) fn succeeds(candidate: &Candidate, fact: &StoredFact) -> bool {
    if !joins(candidate) || candidate.scope != fact.scope || candidate.key != fact.name {
        return false;
    }
    let (new, old) = (&*candidate.value, &*fact.value);
    match candidate.key.as_deref() {
        Some("diet") => is_other_diet(new, old),
        // Elsewhere a number tells things apart: "project 7", "ticket 12".
        Some("hobby" | "routine") => is_other_time(new, old),
        _ => false,
    }
}

fn is_other_diet(new: &str, old: &str) -> bool {
    let (new, old) = (words(new), words(old));
    DIETS.iter().any(|group| {
        let named = |words: &[String]| -> Option<&str> {
            let is_named = |diet: &&&str| words.iter().any(|word| word == *diet);
            group.iter().find(is_named).copied()
        };
        let (new, old) = (named(&new), named(&old));
        new.is_some() && old.is_some() && new != old
    })
}

/// Whether two values have numbers or days, and one says nothing else that the other doesn't.
fn is_other_time(new: &str, old: &str) -> bool {
    let split = |text: &str| -> (HashSet<String>, HashSet<String>) {
        let words = words(text)
            .into_iter()
            .filter(|word| word.len() > 2 || word.parse::<u8>().is_ok());
        words.partition(|word| {
            let day = word.strip_suffix('s').unwrap_or(word);
            word.bytes().any(|c| c.is_ascii_digit()) || TIMES.contains(day)
        })
    };
    let ((new_times, new), (old_times, old)) = (split(new), split(old));
    !new_times.is_empty()
        && !old_times.is_empty()
        && new.len().min(old.len()) > 1
        && (new.is_subset(&old) || old.is_subset(&new))
}

/// The words in lower case, with the hyphens in them.
fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_diet_or_time_takes_the_place_and_another_habit_stands_beside() {
        let is_next = |key: &str, old: &str, new: &str| {
            let candidate = Candidate::slot(Scope::Preferences, key, new);
            let fact = StoredFact::observed(Scope::Preferences, Some(key), old, 1);
            succeeds(&candidate, &fact)
        };
        for (key, old, new) in [
            ("diet", "vegetarian", "pescatarian since January"),
            ("diet", "keto", "Mediterranean"),
            ("routine", "5 coffees a day, before noon", "2 coffees a day"),
            (
                "routine",
                "class on Mondays, downtown",
                "class on Tuesdays, downtown",
            ),
            (
                "routine",
                "works on the game 11pm to 2am",
                "works on the game at 6am",
            ),
        ] {
            assert!(is_next(key, old, new), "{old}: {new}");
        }
        for (key, old, new) in [
            ("diet", "vegan", "halal"),
            ("diet", "vegan", "vegan, no sugar"),
            ("hobby", "vegan", "vegetarian"),
            ("routine", "gym on Mondays", "pottery on Mondays"),
            ("routine", "runs 5k every morning", "swims 2k every morning"),
            ("allergy", "2 kinds of nuts", "3 kinds of nuts"),
            (
                "prefers",
                "My project 100 is called P100",
                "My project 101 is called P101",
            ),
        ] {
            assert!(!is_next(key, old, new), "{old}: {new}");
        }
    }
}
