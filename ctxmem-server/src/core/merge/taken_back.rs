//! Resolution of retractions: which stored fact people mean by "forget what I said about Oslo" or "I no longer work at
//! Acme". A wrong removal is worse than a missed one, so nearly all of the words have to match. Pure.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::FactKey;
use super::changed::Told;
use crate::core::{multi_value, relevance};
use crate::extract::{Candidate, HOME, Op, quotation, subject_groups, subject_phrases};
use crate::store::StoredFact;

/// Other words for the names of slots: "forget where I live".
const NAMES: [(&str, &str); 3] = [
    ("location", "live home city address"),
    ("name", "called"),
    ("timezone", "time zone"),
];

pub(super) fn other_words(fact: &StoredFact) -> &'static str {
    let mut named = NAMES.into_iter();
    let named = named.find(|(name, _)| fact.name.as_deref() == Some(name));
    named.map_or("", |(_, words)| words)
}

/// The keys of the facts that are taken back: one for each thing that was said, of those that fit equally well the
/// latest, and all that fit where all are to be forgotten ([`Op::TakeBackAll`]).
pub(super) fn find<'c>(
    said: impl Iterator<Item = &'c Candidate>,
    stored: &HashMap<FactKey, StoredFact>,
    is_said: impl Fn(&FactKey) -> bool,
) -> Vec<FactKey> {
    let mut scopes: HashMap<(&str, Op, bool), HashSet<Scope>> = HashMap::new();
    for candidate in said {
        let said = (&*candidate.value, candidate.op, candidate.requested);
        scopes.entry(said).or_default().insert(candidate.scope);
    }
    let mut found = Vec::new();
    if scopes.remove(&(HOME, Op::TakeBack, false)).is_some() {
        let homes: Vec<&str> = subject_phrases("homes").collect();
        let tells_of_home = |fact: &StoredFact| {
            let value = fact.value.to_lowercase();
            quotation(&value).is_some()
                && homes.iter().any(|words| value.contains(words))
                && Told::of_fact(fact).is_about_its_user()
        };
        let told = stored
            .iter()
            .filter(|(key, fact)| !is_said(key) && tells_of_home(fact));
        found.extend(told.map(|(key, _)| key.clone()));
    }
    for ((value, op, is_asked), scopes) in scopes {
        let may_be_meant = stored
            .iter()
            .filter(|(key, fact)| scopes.contains(&fact.scope) && !is_said(key));
        found.extend(named(value, op, is_asked, may_be_meant));
    }
    found
}

/// Those of these facts that somebody names by a text.
fn named<'s>(
    text: &str,
    op: Op,
    is_asked: bool,
    facts: impl Iterator<Item = (&'s FactKey, &'s StoredFact)>,
) -> Vec<FactKey> {
    // It is no word of the fact itself.
    let all: HashSet<String> = words(text)
        .filter(|word| !word.starts_with("allerg"))
        .collect();
    let rare: HashSet<String> = all
        .iter()
        .filter(|word| !VAGUE.contains(&&***word))
        .cloned()
        .collect();
    let words = if rare.is_empty() { all } else { rare };
    let about_allergies = text.to_lowercase().contains("allerg");
    if words.is_empty() && about_allergies {
        return only_allergies(facts);
    }
    let told = Told::of(text);
    let fitting = facts.filter(|(_, fact)| about_allergies || !multi_value::is_allergy(fact));
    let fitting = fitting.filter_map(|(key, fact)| {
        let shared = fit(&words, fact)?;
        if op == Op::TakeBackAll && shared < words.len() {
            return None;
        }
        let own = Told::of_fact(fact);
        let rank = (
            shared,
            own.is_about_its_user(),
            fact.confirmed_at,
            fact.position,
            key,
        );
        Some((rank, told.is_about_the_person_of(&own)))
    });
    let (mut fitting, of_others): (Vec<_>, Vec<_>) =
        fitting.partition(|(_, is_about_them)| *is_about_them);
    // "Forget the school I mentioned" may be that of a child, if there is no other.
    if fitting.is_empty() && is_asked && of_others.len() == 1 {
        fitting = of_others;
    }
    fitting.sort_unstable();
    let first = match op {
        Op::TakeBackAll => 0,
        _ => fitting.len().saturating_sub(1),
    };
    let fitting = fitting.into_iter().skip(first);
    fitting.map(|((.., key), _)| key.clone()).collect()
}

/// "Scratch what I said about the allergy": which one is known only where all were told at once.
fn only_allergies<'s>(facts: impl Iterator<Item = (&'s FactKey, &'s StoredFact)>) -> Vec<FactKey> {
    let is_told = |fact: &StoredFact| {
        multi_value::is_allergy(fact)
            || fact.value.to_lowercase().contains("allerg")
                && Told::of_fact(fact).is_about_its_user()
    };
    let told: Vec<_> = facts.filter(|(_, fact)| is_told(fact)).collect();
    let times: HashSet<_> = told.iter().map(|(_, fact)| fact.confirmed_at).collect();
    let told = told.into_iter().filter(|_| times.len() == 1);
    told.map(|(key, _)| key.clone()).collect()
}

/// How many words fit; `None` if too few do.
fn fit(said: &HashSet<String>, fact: &StoredFact) -> Option<usize> {
    let name = fact.name.as_deref().unwrap_or_default();
    let own = format!("{name} {} {}", other_words(fact), fact.value);
    let own: HashSet<String> = words(&own).collect();
    let shared = said
        .iter()
        .filter(|word| own.iter().any(|own| is_form_of(word, own)))
        .count();
    let needed = match said.len() {
        0 => return None,
        all @ 1..=2 => all,
        3 => 2,
        all => all.div_ceil(2),
    };
    (shared >= needed).then_some(shared)
}

/// Whether two words are forms of one: "smoke" and "smoking".
pub(super) fn is_form_of(one: &str, other: &str) -> bool {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    let (same, longest) = (same.count(), one.chars().count().max(other.chars().count()));
    one == other || (same >= 4 && 3 * same >= 2 * longest)
}

/// The words of a text, without days and small numbers: a port says what is meant, a year doesn't.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let words = relevance::words(text).into_iter();
    let words = words.map(|word| SAME.get(&word).cloned().unwrap_or(word));
    words.filter(|word| {
        let is_port = word.len() > 2 && word.bytes().all(|c| c.is_ascii_digit());
        let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
        (is_port && !is_year) || !word.chars().any(|c| c.is_ascii_digit())
    })
}

/// Words for one thing, each with the one that stands for all of them.
static SAME: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let mut same = HashMap::new();
    for group in subject_groups("same") {
        let mut group = group.into_iter().flat_map(relevance::words);
        if let Some(first) = group.next() {
            same.extend(group.map(|word| (word, first.clone())));
        }
    }
    same
});

/// Words that fit too much, without their endings: "I no longer use Helix" is about Helix.
pub(super) const VAGUE: [&str; 33] = [
    "use", "us", "live", "liv", "work", "own", "hav", "do", "go", "play", "like", "lik", "said",
    "say", "told", "tell", "everyth", "thing", "know", "longer", "anymor", "hab", "habe", "hatt",
    "bin", "last", "next", "really", "real", "good", "great", "giv", "up",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn taken_back(said: &str, facts: &[(&str, &str)]) -> Vec<String> {
        found(Op::TakeBack, said, facts)
    }

    fn found(op: Op, said: &str, facts: &[(&str, &str)]) -> Vec<String> {
        let facts = facts.iter().zip(1..).map(|((name, value), at)| {
            let fact = match *name {
                "" => StoredFact::observed(Scope::Knowledge, None, value, at),
                name => StoredFact::observed(Scope::Preferences, Some(name), value, at),
            };
            (super::super::fact_key(&fact), fact)
        });
        let facts: HashMap<FactKey, StoredFact> = facts.collect();
        let said = Scope::ALL.map(|scope| Candidate {
            op,
            ..Candidate::item(scope, said)
        });
        let found = find(said.iter(), &facts, |_| false);
        found.iter().map(|key| facts[key].value.clone()).collect()
    }

    #[test]
    fn the_fact_whose_words_fit_is_meant_and_no_other() {
        let work = ("", "“I work at Acme as a nurse.” (2026-03-05)");
        let again = ("", "“I work at Acme.” (2026-04-05)");
        let editor = ("editor", "Helix");
        let nuts = ("allergy", "Nuts");
        assert_eq!(taken_back("work at Acme", &[work, editor]), [work.1]);
        assert_eq!(taken_back("work at Acme", &[work, again]), [again.1]);
        assert_eq!(
            taken_back("what I said about Helix", &[work, editor]),
            [editor.1]
        );
        assert_eq!(taken_back("use Helix at work", &[work]), [""; 0]);
        assert_eq!(taken_back("my keys at home", &[work, editor]), [""; 0]);
        assert_eq!(taken_back("eat nuts", &[nuts]), [""; 0]);
        assert_eq!(
            taken_back("allergic to nuts", &[("allergy", "Nuts"), editor]),
            ["Nuts"]
        );
        assert_eq!(taken_back("2026", &[work]), [""; 0]);
    }

    #[test]
    fn an_allergy_that_is_not_named_goes_if_there_is_one() {
        let (nuts, own) = (
            ("allergy", "Nuts"),
            ("", "“I have a nut allergy.” (2026-03-05)"),
        );
        assert_eq!(
            taken_back("allergy", &[nuts, ("editor", "Helix")]),
            [nuts.1]
        );
        assert_eq!(
            taken_back("allergy", &[nuts, ("allergy", "Latex")]),
            [""; 0]
        );
        assert_eq!(taken_back("allergy", &[own]), [own.1]);
    }

    #[test]
    fn another_word_for_the_same_names_it() {
        let boss = ("", "“My boss Helen counts my breaks.” (2026-03-05)");
        assert_eq!(found(Op::TakeBackAll, "manager", &[boss]), [boss.1]);
        assert_eq!(found(Op::TakeBackAll, "landlord", &[boss]), [""; 0]);
    }

    #[test]
    fn all_that_names_it_goes_where_everything_is_to_be_forgotten() {
        let facts = [
            ("", "“I work at Acme.” (2026-03-05)"),
            ("", "“Acme is in Oslo.” (2026-03-06)"),
            ("", "“I like Oslo.” (2026-03-07)"),
        ];
        assert_eq!(found(Op::TakeBackAll, "Acme", &facts).len(), 2);
        assert_eq!(found(Op::TakeBack, "Acme", &facts), [facts[1].1]);
        assert_eq!(found(Op::TakeBackAll, "Acme in Oslo", &facts), [facts[1].1]);
        assert_eq!(found(Op::TakeBackAll, "me", &facts), [""; 0]);
    }
}
