//! The merge of a turn's candidates with the stored facts: what changes. Pure.

mod changed;
mod duplicates;
mod taken_back;

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;

use ctxmem_types::{Delta, DeltaValue, Fact, FactMap, Scope, SliceKind, SourceType};
use indexmap::IndexMap;

use super::importance::Importance;
use super::{multi_value, wording};
use crate::extract::{Candidate, Known, Op};
use crate::store::{BlockedFacts, StoredFact};

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

/// What identifies a fact of a user: its scope and its slot.
pub(super) type FactKey = (Scope, String);

pub(super) fn fact_key(fact: &StoredFact) -> FactKey {
    (fact.scope, fact.slot.clone())
}

/// The keys that a candidate says something about, except those that it removes by its words.
pub(super) fn fact_keys(candidate: &Candidate) -> Vec<FactKey> {
    let stated = (candidate.op == Op::Set).then(|| slots(candidate));
    let stated = stated.into_iter().flatten();
    let stated = stated.map(|slot| (candidate.scope, slot));
    let meant = candidate.known.as_ref().map(key_of_known);
    stated.chain(meant).collect()
}

/// How many facts a scope holds, where that has a limit; `list` is the one of lists. When it
/// is full, what matters least makes room ([`to_evict`]).
pub(super) fn cap(scope: Scope, list: Option<NonZeroU32>) -> Option<i64> {
    match scope {
        // Both stand in every prompt, whatever its budget.
        Scope::General => Some(16),
        Scope::CommunicationStyle => Some(10),
        Scope::Preferences => Some(128),
        // Life goes on.
        Scope::History => list.map(|cap| 2 * i64::from(cap.get())),
        Scope::Knowledge | Scope::Relationships | Scope::Goals => list.map(|cap| cap.get().into()),
    }
}

/// Those of a scope's facts that make room for others, so many of them: what matters least, and of
/// that what was longest not confirmed. Allergies never do, and what was stored just now (`new`) only
/// where nothing else is left.
pub(super) fn to_evict(
    mut facts: Vec<StoredFact>,
    count: usize,
    new: &HashSet<FactKey>,
) -> Vec<StoredFact> {
    facts.retain(|fact| !multi_value::is_allergy(fact));
    facts.sort_by_cached_key(|fact| {
        let is_new = new.contains(&fact_key(fact));
        let importance = Importance::of(fact);
        (is_new, importance, fact.confirmed_at, fact.position)
    });
    facts.truncate(count);
    facts
}

/// The slot of a candidate: what a newer fact would replace. Under a name that holds several
/// values each value has a slot of its own.
pub(super) fn slot(candidate: &Candidate) -> String {
    match (&candidate.key, candidate.scope.kind()) {
        (Some(key), SliceKind::Map) if multi_value::joins(candidate) => {
            multi_value::slot(key, &wording::fold(candidate.scope, &candidate.value))
        }
        (Some(key), SliceKind::Map) => key.clone(),
        _ => wording::fold(candidate.scope, &candidate.value),
    }
}

/// The slots in which what a candidate says may stand: its own, and the name alone where that
/// holds several values, for a value that was stored before it did.
pub(super) fn slots(candidate: &Candidate) -> impl Iterator<Item = String> {
    let name = candidate.key.clone();
    let name = name.filter(|_| multi_value::joins(candidate));
    std::iter::once(slot(candidate)).chain(name)
}

/// The key of a candidate: the one under which the same is stored already, or its own.
fn key_of(candidate: &Candidate, stored: &HashMap<FactKey, StoredFact>) -> FactKey {
    let says_so = |key: &FactKey| {
        let fact = stored.get(key);
        fact.is_some_and(|fact| wording::same(&fact.value, candidate))
    };
    slots(candidate)
        .map(|slot| (candidate.scope, slot))
        .find(says_so)
        .unwrap_or_else(|| (candidate.scope, slot(candidate)))
}

fn key_of_known(known: &Known) -> FactKey {
    (known.scope, known.slot.clone())
}

/// Works out the changes. `stored` holds the facts in the [`fact_keys`] of the candidates and all
/// facts of the scopes from which something is removed by its words, or in which what is said stands
/// beside other values; new facts take positions from `next_position` on.
///
/// A known fact that a candidate points to counts only while it is stored as it was when the
/// extractor was shown it. A pointer that is void changes nothing; what is said besides, holds.
/// Nor does a pointer replace an allergy: what points there joins it.
///
/// What the user wrote by hand is replaced and removed only by what the user says in so many words
/// ([`is_express`]), and what the user does not want to be saved again is not.
///
/// What a turn says in several scopes is stored in one of them, see [`duplicates`]. Of allergies only
/// so many are stored, see [`multi_value::MAX_ALLERGIES`].
pub(super) fn merge<'c>(
    stored: Vec<StoredFact>,
    candidates: &'c [Candidate],
    blocked_facts: &BlockedFacts,
    next_position: i64,
    now: i64,
) -> Vec<Change> {
    let stored: HashMap<FactKey, StoredFact> = stored
        .into_iter()
        .map(|fact| (fact_key(&fact), fact))
        .collect();
    let candidates: Vec<&'c Candidate> = candidates
        .iter()
        .filter(|said| may_count(said, candidates, &stored, blocked_facts))
        .collect();
    // Said twice in one turn: the last word counts, in the place of the first.
    let of = |op: Op| candidates.iter().copied().filter(move |said| said.op == op);
    let keyed = |said: &'c Candidate| (key_of(said, &stored), said);
    let mut said: IndexMap<FactKey, &Candidate> = of(Op::Set).map(keyed).collect();
    let taken_back = taken_back::find(
        of(Op::TakeBack).chain(of(Op::TakeBackAll)),
        &stored,
        |key| said.contains_key(key),
    );
    let facts = changed::Facts::of(&stored);
    // What is named as it was stored needs no guess.
    let ended = if taken_back.is_empty() {
        let told = of(Op::End).chain(of(Op::Change));
        facts.changed(told, |key| said.contains_key(key))
    } else {
        Vec::new()
    };
    let instead: Vec<&Candidate> = if ended.is_empty() && taken_back.is_empty() {
        facts.news(of(Op::SetInstead)).collect()
    } else {
        of(Op::SetInstead).collect()
    };
    for (key, instead) in instead.into_iter().map(keyed) {
        said.entry(key).or_insert(instead);
    }
    let meant = |candidate: &Candidate| {
        let known = candidate.known.as_ref()?;
        let key = key_of_known(known);
        let fact = stored.get(&key)?;
        (fact.value == known.value && !said.contains_key(&key)).then_some(fact)
    };
    let retracted: HashSet<FactKey> = stored
        .iter()
        .filter(|(key, fact)| {
            !said.contains_key(*key) && candidates.iter().any(|c| takes_back(c, fact))
        })
        .map(|(key, _)| key.clone())
        .chain(of(Op::Remove).filter_map(meant).map(fact_key))
        .chain(taken_back)
        .chain(ended)
        .filter(|key| !said.contains_key(key))
        .collect();
    let refused = excess(&said, &stored, &retracted);
    let duplicates = duplicates::find(&said, |key| stored.contains_key(key));
    let mut position = next_position;
    let mut changes: Vec<Change> = Vec::new();
    let mut gone: HashSet<FactKey> = HashSet::new();
    for (key, candidate) in &said {
        if refused.contains(key) {
            continue;
        }
        let (scope, _) = key;
        let here = stored.get(key);
        let replaced = meant(candidate)
            .or_else(|| succeeded(candidate, &stored, |key| said.contains_key(key)))
            .filter(|fact| !multi_value::is_allergy(fact));
        if duplicates.iter().any(|duplicate| duplicate.left_out == key) {
            gone.extend(replaced.map(fact_key));
            continue;
        }
        let stands_for = duplicates.iter().filter(|duplicate| duplicate.stays == key);
        let mut asked = stands_for.map(|duplicate| said[duplicate.left_out].requested);
        let requested = candidate.requested || asked.any(|requested| requested);
        // What it replaces leaves it its position, to the first that asks.
        let left = replaced.filter(|fact| gone.insert(fact_key(fact)) && fact.scope == *scope);
        let at = here.or(left).map_or(position, |fact| fact.position);
        changes.push(stated(here, key, candidate, requested, (at, now)));
        position += i64::from(here.or(left).is_none());
    }
    gone.extend(retracted);
    let mut confirmed: IndexMap<FactKey, StoredFact> = IndexMap::new();
    for said in of(Op::Confirm) {
        if let Some(fact) = meant(said) {
            let known = confirmed.entry(fact_key(fact));
            known.or_insert_with(|| fact.clone()).requested |= said.requested;
        }
    }
    let mut removed: Vec<&StoredFact> = stored
        .iter()
        .filter(|(key, _)| gone.contains(*key))
        .map(|(_, fact)| fact)
        .collect();
    removed.sort_by_key(|fact| (fact.scope, fact.position));
    confirmed.retain(|key, _| removed.iter().all(|fact| *key != fact_key(fact)));
    changes.extend(confirmed.into_values().map(Change::Confirm));
    changes.extend(removed.into_iter().cloned().map(Change::Remove));
    changes
}

/// What a candidate changes in its slot: a new value at this position and time, or nothing where the same stands there.
fn stated(
    here: Option<&StoredFact>,
    (scope, slot): &FactKey,
    candidate: &Candidate,
    requested: bool,
    (position, now): (i64, i64),
) -> Change {
    match here {
        Some(fact) if wording::same(&fact.value, candidate) => Change::Confirm(StoredFact {
            // What was asked for once stays so.
            requested: fact.requested || requested,
            ..fact.clone()
        }),
        _ => Change::Put(StoredFact {
            slot: slot.clone(),
            requested,
            position,
            ..StoredFact::observed(*scope, candidate.key.as_deref(), &candidate.value, now)
        }),
    }
}

/// The value that a candidate takes the place of, of those that stand beside it under its name.
fn succeeded<'s>(
    candidate: &Candidate,
    stored: &'s HashMap<FactKey, StoredFact>,
    is_said: impl Fn(&FactKey) -> bool,
) -> Option<&'s StoredFact> {
    let may_go = |(key, fact): &(&FactKey, &StoredFact)| {
        let by_hand = fact.source_type == SourceType::Edited && !is_express(candidate);
        !is_said(key) && !by_hand && multi_value::succeeds(candidate, fact)
    };
    stored.iter().find(may_go).map(|(_, fact)| fact)
}

/// Whether a candidate may change anything, as far as it is certain and the user has not decided by hand about what
/// it is about.
fn may_count(
    said: &Candidate,
    turn: &[Candidate],
    stored: &HashMap<FactKey, StoredFact>,
    blocked_facts: &BlockedFacts,
) -> bool {
    if said.tentative && stored.contains_key(&key_of(said, stored)) {
        return false;
    }
    if matches!(
        said.op,
        Op::Confirm | Op::TakeBack | Op::TakeBackAll | Op::End | Op::Change
    ) || is_express(said)
    {
        return true;
    }
    let by_hand = |key: &FactKey| {
        let fact = stored.get(key)?;
        (fact.source_type == SourceType::Edited).then_some(fact)
    };
    // "I moved from Helix to Zed" takes back the one and states the other.
    let is_taken_back = |fact: &StoredFact| turn.iter().any(|other| takes_back(other, fact));
    let stands_against = |fact: &StoredFact| {
        let confirms = said.op == Op::Set && wording::same(&fact.value, said);
        !confirms && !is_taken_back(fact)
    };
    let meant = said.known.as_ref().map(key_of_known);
    if meant.as_ref().and_then(by_hand).is_some_and(stands_against) {
        return false;
    }
    if said.op == Op::Remove {
        return true;
    }
    let own = key_of(said, stored);
    match stored.get(&own) {
        Some(_) => !by_hand(&own).is_some_and(stands_against),
        None => !slots(said).any(|slot| blocked_facts.contains(said.scope, &slot)),
    }
}

/// Whether the user asked for it to be remembered, or said that it changed. What is taken back by its
/// words ("I no longer …") always is express.
fn is_express(said: &Candidate) -> bool {
    said.requested || said.changed || (said.op == Op::Remove && said.known.is_none())
}

/// The keys of new allergies that are too many.
fn excess(
    said: &IndexMap<FactKey, &Candidate>,
    stored: &HashMap<FactKey, StoredFact>,
    retracted: &HashSet<FactKey>,
) -> HashSet<FactKey> {
    let kept = stored
        .iter()
        .filter(|(key, fact)| multi_value::is_allergy(fact) && !retracted.contains(*key));
    let room = multi_value::MAX_ALLERGIES.saturating_sub(kept.count());
    said.iter()
        .filter(|(key, candidate)| {
            multi_value::says_allergy(candidate) && !stored.contains_key(*key)
        })
        .skip(room)
        .map(|(key, _)| key.clone())
        .collect()
}

/// Whether a removal by words means a fact.
fn takes_back(candidate: &Candidate, fact: &StoredFact) -> bool {
    candidate.op == Op::Remove
        && candidate.known.is_none()
        && candidate.scope == fact.scope
        && match &candidate.key {
            Some(key) => *key == *name(fact),
            // "I no longer eat nuts" says nothing of an allergy.
            None => !multi_value::is_allergy(fact),
        }
        && mentions(&fact.value, &candidate.value)
}

/// Whether a text holds a phrase as whole words, whatever the case.
fn mentions(text: &str, phrase: &str) -> bool {
    let text = format!(" {} ", spaced_words(text));
    let phrase = spaced_words(phrase);
    !phrase.is_empty() && text.contains(&format!(" {phrase} "))
}

/// The words in lower case, a space between them. Hyphens stay: "x-ray" does not mention "ray".
fn spaced_words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || "+#.-".contains(c)))
        .map(|word| word.trim_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// Facts as a delta, by storage key in the order of the scopes.
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

/// A fact in the form of the interface.
pub(super) fn wire(fact: &StoredFact) -> Fact {
    Fact::new(fact.value.clone(), fact.source_type.clone())
}

/// The name of a fact, in maps.
fn name(fact: &StoredFact) -> &str {
    fact.name.as_ref().unwrap_or(&fact.slot)
}

/// Facts by name; the values of a name that holds several are joined in the order in which they
/// were stored.
pub(super) fn map<'a>(facts: impl IntoIterator<Item = &'a StoredFact>) -> FactMap {
    let mut names: IndexMap<&str, Vec<&StoredFact>> = IndexMap::new();
    for fact in facts {
        names.entry(name(fact)).or_default().push(fact);
    }
    names
        .into_iter()
        .map(|(name, facts)| (name.to_owned(), multi_value::joined(facts)))
        .collect()
}

/// Standing instructions as one text.
pub(super) fn text<'a>(facts: impl IntoIterator<Item = &'a StoredFact>) -> String {
    let values: Vec<&str> = facts.into_iter().map(|fact| fact.value.as_str()).collect();
    values.join(multi_value::JOINT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(scope: Scope, key: Option<&str>, value: &str) -> Candidate {
        Candidate {
            key: key.map(Into::into),
            ..Candidate::item(scope, value)
        }
    }

    fn known(fact: &StoredFact) -> Known {
        fact.clone().into()
    }

    fn remove(scope: Scope, key: Option<&str>, value: &str) -> Candidate {
        Candidate {
            op: Op::Remove,
            ..set(scope, key, value)
        }
    }

    fn stored(scope: Scope, name: Option<&str>, value: &str, position: i64) -> StoredFact {
        StoredFact {
            slot: slot(&set(scope, name, value)),
            first_stored_at: 1,
            confirmed_at: 1,
            ..StoredFact::observed(scope, name, value, position)
        }
    }

    fn changes(stored: Vec<StoredFact>, candidates: &[Candidate]) -> Vec<Change> {
        merge(stored, candidates, &BlockedFacts::default(), 10, 2)
    }

    /// What a merge did, in words.
    fn merged(stored: Vec<StoredFact>, candidates: &[Candidate]) -> Vec<String> {
        changes(stored, candidates)
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
            merged(vec![], &candidates),
            ["put Rust at 10", "put Ada at 11"]
        );
    }

    #[test]
    fn a_named_fact_is_replaced_in_its_place() {
        let editor = stored(Scope::Preferences, Some("editor"), "VS Code", 3);
        let candidates = [set(Scope::Preferences, Some("editor"), "Helix")];
        assert_eq!(merged(vec![editor], &candidates), ["put Helix at 3"]);
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
        assert_eq!(merged(known, &candidates), ["confirm Rust", "confirm Ada"]);
    }

    #[test]
    fn the_last_word_of_a_turn_counts() {
        let candidates = [
            set(Scope::General, Some("location"), "Porto"),
            set(Scope::Knowledge, None, "Go"),
            set(Scope::General, Some("location"), "Lisbon"),
        ];
        assert_eq!(
            merged(vec![], &candidates),
            ["put Lisbon at 10", "put Go at 11"]
        );
        // Also when it is what was known before.
        let known = vec![stored(Scope::General, Some("location"), "Lisbon", 1)];
        assert_eq!(
            merged(known, &candidates),
            ["confirm Lisbon", "put Go at 10"]
        );
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
        assert_eq!(merged(known(), &anywhere), ["remove Docker Compose"]);
        let other_slot = [remove(Scope::Preferences, Some("ci"), "docker")];
        assert!(merged(known(), &other_slot).is_empty());
        let list = [remove(Scope::Knowledge, None, "Docker")];
        assert_eq!(merged(known(), &list), ["remove Docker"]);
    }

    #[test]
    fn what_a_turn_sets_it_does_not_remove() {
        let editor = stored(Scope::Preferences, Some("editor"), "VS Code", 3);
        let candidates = [
            set(Scope::Preferences, Some("editor"), "Helix"),
            remove(Scope::Preferences, Some("editor"), "VS Code"),
        ];
        assert_eq!(merged(vec![editor], &candidates), ["put Helix at 3"]);
    }

    #[test]
    fn a_list_keeps_a_fact_once_whatever_its_wording() {
        let rust = || vec![stored(Scope::Goals, None, "Ship the code-review tool", 1)];
        let again = [set(Scope::Goals, None, "ship our code review tools.")];
        assert_eq!(
            merged(rust(), &again),
            ["confirm Ship the code-review tool"]
        );
        // A name is what the user says it is.
        let jame = stored(Scope::General, Some("name"), "Jame", 1);
        let james = [set(Scope::General, Some("name"), "James")];
        assert_eq!(merged(vec![jame], &james), ["put James at 1"]);
    }

    #[test]
    fn what_is_only_likely_gives_way_to_what_is_stored() {
        let likely = Candidate {
            tentative: true,
            // Not even "now" or "remember that" make it certain.
            changed: true,
            requested: true,
            ..set(Scope::General, Some("location"), "Porto")
        };
        let certain = set(Scope::General, Some("location"), "Braga");
        let lisbon = || vec![stored(Scope::General, Some("location"), "Lisbon", 1)];
        assert_eq!(
            merged(vec![], std::slice::from_ref(&likely)),
            ["put Porto at 10"]
        );
        assert_eq!(merged(lisbon(), std::slice::from_ref(&likely)), [""; 0]);
        assert_eq!(merged(lisbon(), &[certain, likely]), ["put Braga at 1"]);
    }

    #[test]
    fn a_number_replaces_in_place_and_what_it_replaces_is_gone() {
        let (beta, cake) = (
            stored(Scope::Goals, None, "Ship the beta", 3),
            stored(Scope::Goals, None, "Bake a cake", 4),
        );
        let release = set(Scope::Goals, None, "Ship 1.0").replacing(known(&beta));
        let both = || vec![beta.clone(), cake.clone()];
        assert_eq!(
            merged(both(), std::slice::from_ref(&release)),
            ["put Ship 1.0 at 3", "remove Ship the beta"]
        );
        // Two facts may take the place of one.
        let party = set(Scope::Goals, None, "Party").replacing(known(&beta));
        assert_eq!(
            merged(both(), &[release.clone(), party]),
            [
                "put Ship 1.0 at 3",
                "put Party at 10",
                "remove Ship the beta"
            ]
        );
        // What it is replaced by may be known as well.
        let cake = set(Scope::Goals, None, "bake cake").replacing(known(&beta));
        assert_eq!(
            merged(both(), &[cake]),
            ["confirm Bake a cake", "remove Ship the beta"]
        );
        // The same in other words is no replacement.
        let same = set(Scope::Goals, None, "ship our beta").replacing(known(&beta));
        assert_eq!(merged(both(), &[same]), ["confirm Ship the beta"]);
    }

    #[test]
    fn a_number_removes_and_confirms_one_fact() {
        let (beta, docs) = (
            stored(Scope::Goals, None, "Ship the beta", 3),
            stored(Scope::Goals, None, "Write docs on the beta", 4),
        );
        let both = || vec![beta.clone(), docs.clone()];
        let remove = Candidate::of_known(Op::Remove, known(&beta));
        let confirm = Candidate::of_known(Op::Confirm, known(&docs));
        assert_eq!(
            merged(both(), &[remove.clone(), confirm.clone(), confirm.clone()]),
            ["confirm Write docs on the beta", "remove Ship the beta"]
        );
        // What a turn sets it neither removes nor confirms besides.
        let again = set(Scope::Goals, None, "Ship the beta!");
        assert_eq!(
            merged(both(), &[remove.clone(), again]),
            ["confirm Ship the beta"]
        );
        let of_beta = Candidate::of_known(Op::Confirm, known(&beta));
        assert_eq!(merged(both(), &[of_beta, remove]), ["remove Ship the beta"]);
    }

    #[test]
    fn a_number_is_void_once_the_fact_has_changed() {
        let editor = stored(Scope::Preferences, Some("editor"), "VS Code", 3);
        let now = stored(Scope::Preferences, Some("editor"), "Helix", 3);
        for stored in [vec![], vec![now]] {
            for op in [Op::Remove, Op::Confirm] {
                let candidate = Candidate::of_known(op, known(&editor));
                assert!(merged(stored.clone(), &[candidate]).is_empty());
            }
            let ide = set(Scope::Preferences, Some("ide"), "Zed").replacing(known(&editor));
            assert_eq!(merged(stored, &[ide]), ["put Zed at 10"]);
        }
    }

    fn preference(name: &str, value: &str, position: i64) -> StoredFact {
        stored(Scope::Preferences, Some(name), value, position)
    }

    /// A value that was stored before its name held several.
    fn stored_before(name: &str, value: &str, position: i64) -> StoredFact {
        StoredFact {
            slot: name.to_owned(),
            ..preference(name, value, position)
        }
    }

    #[test]
    fn a_name_that_holds_several_values_is_joined_not_replaced() {
        let diet = |value: &str| set(Scope::Preferences, Some("diet"), value);
        for vegan in [
            preference("diet", "Vegan", 3),
            stored_before("diet", "Vegan", 3),
        ] {
            let merged = |candidates: &[Candidate]| merged(vec![vegan.clone()], candidates);
            assert_eq!(merged(&[diet("halal")]), ["put halal at 10"]);
            assert_eq!(merged(&[diet("vegan.")]), ["confirm Vegan"]);
            assert_eq!(
                merged(&[diet("halal"), diet("no sugar"), diet("Halal")]),
                ["put Halal at 10", "put no sugar at 11"]
            );
            let gone = remove(Scope::Preferences, Some("diet"), "vegan");
            assert_eq!(merged(std::slice::from_ref(&gone)), ["remove Vegan"]);
            assert_eq!(
                merged(&[diet("halal"), gone.clone()]),
                ["put halal at 10", "remove Vegan"]
            );
            // What a turn says it does not take back.
            assert_eq!(merged(&[diet("a vegan"), gone]), ["confirm Vegan"]);
            // A number still replaces one of them.
            let instead = diet("Vegetarian").replacing(known(&vegan));
            assert_eq!(merged(&[instead]), ["put Vegetarian at 3", "remove Vegan"]);
        }
    }

    #[test]
    fn an_allergy_goes_by_its_own_retraction_only() {
        let set = |name, value| set(Scope::Preferences, Some(name), value);
        let remove = |name| remove(Scope::Preferences, name, "peanuts");
        for peanuts in [
            preference("allergy", "Peanuts", 3),
            stored_before("allergy", "Peanuts", 3),
        ] {
            let merged = |candidate| merged(vec![peanuts.clone()], &[candidate]);
            assert_eq!(merged(set("allergy", "cats")), ["put cats at 10"]);
            assert_eq!(merged(set("diet", "vegan")), ["put vegan at 10"]);
            for name in ["allergy", "diet"] {
                let pointing = set(name, "tree nuts").replacing(known(&peanuts));
                assert_eq!(merged(pointing), ["put tree nuts at 10"]);
            }
            assert!(merged(remove(None)).is_empty());
            assert!(merged(remove(Some("diet"))).is_empty());
            assert_eq!(merged(remove(Some("allergy"))), ["remove Peanuts"]);
            let retracted = Candidate::of_known(Op::Remove, known(&peanuts));
            assert_eq!(merged(retracted), ["remove Peanuts"]);
        }
    }

    #[test]
    fn of_allergies_only_so_many_are_kept() {
        let allergy = |n: usize| set(Scope::Preferences, Some("allergy"), &format!("food {n}"));
        let known = |count| -> Vec<StoredFact> {
            (0..count)
                .map(|n| preference("allergy", &format!("food {n}"), 0))
                .collect()
        };
        let many: Vec<Candidate> = (0..multi_value::MAX_ALLERGIES + 2).map(allergy).collect();
        let changes = merged(vec![], &many);
        assert_eq!(changes.len(), multi_value::MAX_ALLERGIES);
        assert_eq!(changes.last().unwrap(), "put food 31 at 41");

        let full = || known(multi_value::MAX_ALLERGIES);
        let vegan = || set(Scope::Preferences, Some("diet"), "vegan");
        // All else is stored as ever, and what is known is confirmed.
        assert_eq!(
            merged(full(), &[allergy(99), vegan(), allergy(7)]),
            ["put vegan at 10", "confirm food 7"]
        );
        // What is not stored replaces nothing.
        let editor = preference("editor", "Helix", 3);
        let instead = allergy(99).replacing(self::known(&editor));
        let mut all = full();
        all.push(editor);
        assert!(merged(all, &[instead]).is_empty());
        // A retraction makes room, by words or by number.
        let by_words = remove(Scope::Preferences, Some("allergy"), "food 7");
        let by_number = Candidate::of_known(Op::Remove, self::known(&full()[7]));
        for gone in [by_words, by_number] {
            assert_eq!(
                merged(full(), &[allergy(98), allergy(99), gone]),
                ["put food 98 at 10", "remove food 7"]
            );
        }
        // Where more stand, from before, they stay.
        assert!(merged(known(40), &[allergy(99)]).is_empty());
    }

    #[test]
    fn a_fact_is_stored_in_one_scope() {
        let said = |scope, value| set(scope, None, value);
        let goal = || said(Scope::Goals, "Start learning German");
        let knows = || said(Scope::Knowledge, "Learning German since 2024");
        let put = ["put Learning German since 2024 at 10"];
        assert_eq!(merged(vec![], &[goal(), knows()]), put);
        assert_eq!(merged(vec![], &[knows(), goal()]), put);
        // What is stored stays where it is.
        let known_goal = || stored(Scope::Goals, None, "Learning German", 3);
        let learns = said(Scope::Knowledge, "Learning German");
        assert_eq!(
            merged(vec![known_goal()], &[goal(), learns]),
            ["confirm Learning German"]
        );
        // What is left out still replaces, and still was asked for.
        let old = stored(Scope::Goals, None, "Learning Spanish", 3);
        let instead = Candidate {
            requested: true,
            ..goal().replacing(known(&old))
        };
        let changes = changes(vec![old], &[instead, knows()]);
        let [Change::Put(put), Change::Remove(gone)] = &changes[..] else {
            panic!("{} changes", changes.len());
        };
        assert!(put.requested && put.scope == Scope::Knowledge);
        assert_eq!(gone.value, "Learning Spanish");
    }

    #[test]
    fn another_date_replaces_knowledge_in_its_place() {
        let german = || stored(Scope::Knowledge, None, "Learning German since 2024", 3);
        let says = |value| merged(vec![german()], &[set(Scope::Knowledge, None, value)]);
        let known = ["confirm Learning German since 2024"];
        assert_eq!(says("Started learning German"), known);
        assert_eq!(says("Learning German last year"), known);
        assert_eq!(
            says("Learning German since 2023"),
            ["put Learning German since 2023 at 3"]
        );
    }

    #[test]
    fn the_values_of_a_name_are_one_entry_in_the_order_of_storing() {
        let edited = |value, position| StoredFact {
            source_type: SourceType::Edited,
            ..preference("diet", value, position)
        };
        let json = |facts: &[StoredFact]| serde_json::to_string(&map(facts)).unwrap();
        assert_eq!(
            json(&[
                edited("halal", 7),
                preference("editor", "Helix", 5),
                preference("diet", "vegan", 2)
            ]),
            r#"{"diet":{"value":"vegan; halal","source_type":"observed"},"editor":{"value":"Helix","source_type":"observed"}}"#
        );
        assert_eq!(
            json(&[edited("a", 1), edited("b", 2)]),
            r#"{"diet":{"value":"a; b","source_type":"edited"}}"#
        );
    }

    #[test]
    fn what_was_asked_for_once_stays_so_until_its_value_changes() {
        let editor = |value: &str, requested| Candidate {
            requested,
            ..set(Scope::Preferences, Some("editor"), value)
        };
        let known = |requested| StoredFact {
            requested,
            ..preference("editor", "Helix", 3)
        };
        let again = |requested| Candidate {
            requested,
            ..Candidate::of_known(Op::Confirm, self::known(&known(false)))
        };
        for (before, said, after) in [
            (false, editor("Helix", false), false),
            (false, editor("Helix", true), true),
            (false, again(true), true),
            (true, again(false), true),
            (true, editor("Helix", false), true),
            (true, editor("Zed", false), false),
            (false, editor("Zed", true), true),
        ] {
            let changes = changes(vec![known(before)], &[said]);
            let requested = changes.iter().map(|change| match change {
                Change::Put(fact) | Change::Confirm(fact) | Change::Remove(fact) => fact.requested,
            });
            assert_eq!(requested.collect::<Vec<_>>(), [after]);
        }
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
