//! What a turn changes: candidates against what is stored. Pure.

use std::collections::HashMap;

use ctxmem_types::{Delta, DeltaValue, Fact, FactMap, Scope, SliceKind, SourceType};
use indexmap::IndexMap;

use crate::extract::{Candidate, Op};
use crate::store::StoredFact;

/// One change to what is stored.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// A new fact, or a new value in a slot.
    Put(StoredFact),
    /// A known fact that was said again.
    Confirm(StoredFact),
    /// A fact that the user took back.
    Remove(StoredFact),
}

/// The slot of a candidate: what a newer fact would replace.
pub(super) fn slot(candidate: &Candidate) -> String {
    match (&candidate.key, candidate.scope.kind()) {
        (Some(key), SliceKind::Map) => key.clone(),
        _ => normalise(&candidate.value),
    }
}

/// Works out the changes. `stored` holds the facts in the slots that are set and all facts
/// of the scopes from which something is removed; new facts take positions from
/// `next_position` on.
pub(super) fn merge(
    stored: Vec<StoredFact>,
    candidates: &[Candidate],
    next_position: i64,
    now: i64,
) -> Vec<Change> {
    let stored: HashMap<(Scope, String), StoredFact> = stored
        .into_iter()
        .map(|fact| ((fact.scope, fact.slot.clone()), fact))
        .collect();
    // Said twice in one turn: the last word counts, in the place of the first.
    let said: IndexMap<(Scope, String), &Candidate> = candidates
        .iter()
        .filter(|candidate| candidate.op == Op::Set)
        .map(|candidate| ((candidate.scope, slot(candidate)), candidate))
        .collect();
    let mut position = next_position;
    let mut changes: Vec<Change> = Vec::new();
    for ((scope, slot), candidate) in &said {
        let known = stored.get(&(*scope, slot.clone()));
        changes.push(match known {
            Some(fact) if normalise(&fact.value) == normalise(&candidate.value) => {
                Change::Confirm(fact.clone())
            }
            _ => Change::Put(StoredFact {
                scope: *scope,
                slot: slot.clone(),
                name: candidate.key.clone(),
                value: candidate.value.clone(),
                source_type: SourceType::Observed,
                position: known.map_or(position, |fact| fact.position),
                confirmed_at: now,
            }),
        });
        position += i64::from(known.is_none());
    }

    let mut removed: Vec<StoredFact> = stored
        .into_iter()
        .filter(|(place, fact)| {
            !said.contains_key(place) && candidates.iter().any(|c| takes_back(c, fact))
        })
        .map(|(_, fact)| fact)
        .collect();
    removed.sort_by_key(|fact| (fact.scope, fact.position));
    changes.extend(removed.into_iter().map(Change::Remove));
    changes
}

fn takes_back(candidate: &Candidate, fact: &StoredFact) -> bool {
    candidate.op == Op::Remove
        && candidate.scope == fact.scope
        && candidate.key.as_ref().is_none_or(|key| *key == fact.slot)
        && mentions(&fact.value, &candidate.value)
}

/// Whether a text holds a phrase as whole words, whatever the case.
fn mentions(text: &str, phrase: &str) -> bool {
    let text = format!(" {} ", words(text));
    let phrase = words(phrase);
    !phrase.is_empty() && text.contains(&format!(" {phrase} "))
}

fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || "+#.-".contains(c)))
        .map(|word| word.trim_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// The form in which values are compared: case, white space and closing punctuation make
/// no difference.
fn normalise(value: &str) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    words
        .join(" ")
        .trim_end_matches(['.', ',', ';', ':', '!'])
        .to_lowercase()
}

/// Facts as a delta, by storage key in prompt order.
pub(super) fn delta<'a>(facts: impl IntoIterator<Item = &'a StoredFact>) -> Delta {
    let facts: Vec<&StoredFact> = facts.into_iter().collect();
    let mut delta = Delta::default();
    for scope in Scope::ALL {
        let slice: Vec<&StoredFact> = facts
            .iter()
            .copied()
            .filter(|fact| fact.scope == scope)
            .collect();
        if !slice.is_empty() {
            delta
                .0
                .insert(scope.storage_key().to_owned(), value(scope.kind(), &slice));
        }
    }
    delta
}

fn value(kind: SliceKind, facts: &[&StoredFact]) -> DeltaValue {
    match kind {
        SliceKind::Map => DeltaValue::Map(map(facts.iter().copied())),
        SliceKind::Text => DeltaValue::Text(text(facts.iter().copied()).into()),
        SliceKind::List => DeltaValue::List(facts.iter().map(|fact| wire(fact)).collect()),
    }
}

/// A fact as it stands on the wire.
pub(super) fn wire(fact: &StoredFact) -> Fact {
    Fact::new(fact.value.clone(), fact.source_type.clone())
}

/// Facts by name.
pub(super) fn map<'a>(facts: impl IntoIterator<Item = &'a StoredFact>) -> FactMap {
    facts
        .into_iter()
        .map(|fact| {
            let name = fact.name.clone().unwrap_or_else(|| fact.slot.clone());
            (name, wire(fact))
        })
        .collect()
}

/// Standing instructions as one text.
pub(super) fn text<'a>(facts: impl IntoIterator<Item = &'a StoredFact>) -> String {
    let values: Vec<&str> = facts.into_iter().map(|fact| fact.value.as_str()).collect();
    values.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(scope: Scope, key: Option<&str>, value: &str) -> Candidate {
        Candidate {
            scope,
            key: key.map(Into::into),
            value: value.into(),
            op: Op::Set,
        }
    }

    fn remove(scope: Scope, key: Option<&str>, value: &str) -> Candidate {
        Candidate {
            op: Op::Remove,
            ..set(scope, key, value)
        }
    }

    fn stored(scope: Scope, name: Option<&str>, value: &str, position: i64) -> StoredFact {
        StoredFact {
            scope,
            slot: name.map_or_else(|| normalise(value), Into::into),
            name: name.map(Into::into),
            value: value.into(),
            source_type: SourceType::Observed,
            position,
            confirmed_at: 1,
        }
    }

    /// What a merge did, in words.
    fn told(stored: Vec<StoredFact>, candidates: &[Candidate]) -> Vec<String> {
        merge(stored, candidates, 10, 2)
            .iter()
            .map(|change| match change {
                Change::Put(fact) => format!("put {} at {}", fact.value, fact.position),
                Change::Confirm(fact) => format!("confirm {}", fact.value),
                Change::Remove(fact) => format!("remove {}", fact.value),
            })
            .collect()
    }

    #[test]
    fn new_facts_take_the_next_positions() {
        let candidates = [
            set(Scope::Knowledge, None, "Rust"),
            set(Scope::General, Some("name"), "Ada"),
        ];
        assert_eq!(
            told(vec![], &candidates),
            ["put Rust at 10", "put Ada at 11"]
        );
    }

    #[test]
    fn a_named_fact_is_replaced_in_its_place() {
        let editor = stored(Scope::Preferences, Some("editor"), "VS Code", 3);
        let candidates = [set(Scope::Preferences, Some("editor"), "Helix")];
        assert_eq!(told(vec![editor], &candidates), ["put Helix at 3"]);
    }

    #[test]
    fn what_is_known_is_confirmed_whatever_its_case_and_spacing() {
        let known = vec![
            stored(Scope::Knowledge, None, "Rust", 1),
            stored(Scope::General, Some("name"), "Ada", 2),
        ];
        let candidates = [
            set(Scope::Knowledge, None, " rust. "),
            set(Scope::General, Some("name"), "ADA"),
        ];
        assert_eq!(told(known, &candidates), ["confirm Rust", "confirm Ada"]);
    }

    #[test]
    fn the_last_word_of_a_turn_counts() {
        let candidates = [
            set(Scope::General, Some("location"), "Porto"),
            set(Scope::Knowledge, None, "Go"),
            set(Scope::General, Some("location"), "Lisbon"),
        ];
        assert_eq!(
            told(vec![], &candidates),
            ["put Lisbon at 10", "put Go at 11"]
        );
        // Also when it is what was known before.
        let known = vec![stored(Scope::General, Some("location"), "Lisbon", 1)];
        assert_eq!(told(known, &candidates), ["confirm Lisbon", "put Go at 10"]);
    }

    #[test]
    fn removal_finds_whole_words_in_the_slot_or_anywhere() {
        let known = || {
            vec![
                stored(Scope::Preferences, Some("container"), "Docker Compose", 1),
                stored(Scope::Preferences, Some("ci"), "Dockerhub builds", 2),
                stored(Scope::Knowledge, None, "Docker", 3),
            ]
        };
        let anywhere = [remove(Scope::Preferences, None, "docker")];
        assert_eq!(told(known(), &anywhere), ["remove Docker Compose"]);
        let other_slot = [remove(Scope::Preferences, Some("ci"), "docker")];
        assert!(told(known(), &other_slot).is_empty());
        let list = [remove(Scope::Knowledge, None, "Docker")];
        assert_eq!(told(known(), &list), ["remove Docker"]);
    }

    #[test]
    fn what_a_turn_sets_it_does_not_remove() {
        let editor = stored(Scope::Preferences, Some("editor"), "VS Code", 3);
        let candidates = [
            set(Scope::Preferences, Some("editor"), "Helix"),
            remove(Scope::Preferences, Some("editor"), "VS Code"),
        ];
        assert_eq!(told(vec![editor], &candidates), ["put Helix at 3"]);
    }

    #[test]
    fn symbols_in_names_are_part_of_the_word() {
        assert!(mentions("C++ and C#.", "c#"));
        assert!(!mentions("C++", "C"));
        assert!(mentions("Uses Node.js.", "node.js"));
        assert!(!mentions("anything", ""));
    }

    #[test]
    fn a_delta_has_the_form_of_each_slice() {
        let facts = [
            stored(Scope::Goals, None, "Ship", 1),
            stored(Scope::CommunicationStyle, None, "Short answers", 2),
            stored(Scope::CommunicationStyle, None, "No emoji", 3),
            stored(Scope::General, Some("name"), "Ada", 4),
        ];
        let json = serde_json::to_string(&delta(&facts)).unwrap();
        assert_eq!(
            json,
            r#"{"general":{"name":{"value":"Ada","source_type":"observed"}},"communication_style":"Short answers; No emoji","ongoing_tasks":[{"value":"Ship","source_type":"observed"}]}"#
        );
    }
}
