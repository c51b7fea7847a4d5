//! Resolution of changes that are told in passing: which stored fact is over by "not a nurse any more", and which is said
//! anew by "therapy is on Fridays now". It has to share a word that says something, be about the same person, and, where
//! a number is said anew, have another of its kind. Pure.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ctxmem_types::{Scope, SourceType};

use super::FactKey;
use super::taken_back::{VAGUE, is_form_of, other_words, words};
use crate::core::multi_value;
use crate::extract::{Candidate, Op, is_post, quotation, subject_phrases, tells_an_end, weekdays};
use crate::store::StoredFact;

/// The sections of words that belong to one subject, of which people say that something ended without naming it as they
/// did before.
const SUBJECTS: [&str; 4] = ["partner", "diet", "smoking", "work"];

/// The last of them.
const WORK: usize = SUBJECTS.len() - 1;

/// The phrases of each subject, and last of where somebody lives, as they stand in [`Told::text`].
static PHRASES: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let subjects = SUBJECTS.map(|name| subject_phrases(name).map(spaced).collect());
    let homes = subject_phrases("homes").chain(subject_phrases("moves"));
    subjects
        .into_iter()
        .chain([homes.map(spaced).collect()])
        .collect()
});
static PARTNERS: LazyLock<HashSet<&str>> = LazyLock::new(|| subject_phrases("partner").collect());
static MOVES: LazyLock<Vec<&str>> = LazyLock::new(|| subject_phrases("moves").collect());
static LIVED_IN: LazyLock<Vec<&str>> = LazyLock::new(|| subject_phrases("lived in").collect());
static FAVOURITES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| subject_phrases("favourites").collect());
static FAVOURITES_BEHIND: LazyLock<HashSet<&str>> =
    LazyLock::new(|| subject_phrases("favourites behind").collect());
static OF_TIME: LazyLock<HashSet<String>> =
    LazyLock::new(|| subject_phrases("times").flat_map(words).collect());
static WEEKDAYS: LazyLock<HashSet<&str>> = LazyLock::new(|| weekdays().collect());
static WHO: LazyLock<HashSet<&str>> = LazyLock::new(|| subject_phrases("persons").collect());
static WHOSE: LazyLock<HashSet<&str>> = LazyLock::new(|| subject_phrases("possessives").collect());
static IS: LazyLock<Vec<String>> =
    LazyLock::new(|| subject_phrases("somebody is").map(spaced).collect());
static COMMON: LazyLock<HashSet<String>> =
    LazyLock::new(|| subject_phrases("common").flat_map(words).collect());
static LINKS: LazyLock<HashSet<&str>> = LazyLock::new(|| subject_phrases("is called").collect());

/// A phrase as it stands in [`Told::text`].
fn spaced(phrase: &str) -> String {
    format!(" {} ", phrase.replace('\'', " "))
}

/// Stored facts, each of which is read once, and not before something is held against it.
pub(super) struct Facts<'s> {
    stored: &'s HashMap<FactKey, StoredFact>,
    read: OnceCell<Vec<(&'s FactKey, &'s StoredFact, Told)>>,
}

impl<'s> Facts<'s> {
    pub(super) fn of(stored: &'s HashMap<FactKey, StoredFact>) -> Self {
        Self {
            stored,
            read: OnceCell::new(),
        }
    }

    fn each(&self) -> &[(&'s FactKey, &'s StoredFact, Told)] {
        self.read.get_or_init(|| {
            let facts = self.stored.iter();
            facts
                .map(|(key, fact)| (key, fact, Told::of_fact(fact)))
                .collect()
        })
    }

    /// The keys of the facts that are over or said anew: of those that fit equally well the latest, one for each thing
    /// that was said.
    pub(super) fn changed<'c>(
        &self,
        said: impl Iterator<Item = &'c Candidate>,
        is_said: impl Fn(&FactKey) -> bool,
    ) -> Vec<FactKey> {
        let mut scopes: HashMap<(&str, bool), HashSet<Scope>> = HashMap::new();
        for candidate in said {
            let said = (&*candidate.value, candidate.op == Op::Change);
            scopes.entry(said).or_default().insert(candidate.scope);
        }
        let found = scopes.into_iter().filter_map(|((text, is_anew), scopes)| {
            let said = Told::of(text);
            let fitting = self.each().iter().filter(|(key, fact, _)| {
                // What was written by hand gives way to no guess.
                fact.source_type != SourceType::Edited
                    && scopes.contains(&fact.scope)
                    && !is_said(key)
                    && (said.text.contains("allerg") || !multi_value::is_allergy(fact))
            });
            let fitting = fitting.filter_map(|(key, fact, told)| {
                let (shared, of_user) = said.fits(told, is_anew)?;
                // "I lost my job" is no end of what says so already.
                if has_ended(&fact.value) {
                    return None;
                }
                let is_new = said.has_another_number(told) || said.is_another_favourite(told);
                let rank = (shared, of_user, fact.confirmed_at, fact.position, *key);
                (is_new || !is_anew).then_some(rank)
            });
            fitting.max().map(|(.., key)| FactKey::clone(key))
        });
        found.collect()
    }

    /// Those of these sentences that share a telling word with a fact: where they end nothing, what they say is news.
    pub(super) fn news<'c>(
        &self,
        said: impl Iterator<Item = &'c Candidate>,
    ) -> impl Iterator<Item = &'c Candidate> {
        said.filter(|candidate| {
            let text = quotation(&candidate.value).map_or(&*candidate.value, |(said, _)| said);
            let said = Told::of(text);
            let mut telling = said.words.iter().filter(|word| !COMMON.contains(*word));
            telling.any(|word| {
                let mut own = self.each().iter().flat_map(|(.., fact)| &fact.words);
                own.any(|own| is_form_of(word, own))
            })
        })
    }
}

/// A text without the dates that stand beside "tomorrow" and the like: they are no numbers that anybody said.
fn without_dates(mut value: &str) -> String {
    let mut kept = String::new();
    while let Some((before, rest)) = value.split_once('[') {
        kept.push_str(before);
        value = rest.split_once(']').map_or("", |(_, behind)| behind);
    }
    kept + value
}

/// Whether a fact says that something is over, other than a home that was left for another.
fn has_ended(value: &str) -> bool {
    let lower = value.to_lowercase();
    tells_an_end(value) && !MOVES.iter().any(|words| lower.contains(words))
}

/// A text, and what it is about.
pub(super) struct Told {
    /// In lower case, with a space before and behind each word.
    text: String,
    words: HashSet<String>,
    /// Whom it is about, if not its author.
    person: Option<String>,
    /// What this person is called.
    named: Option<String>,
    subjects: Vec<usize>,
    is_home: bool,
    numbers: HashSet<String>,
    days: HashSet<String>,
}

impl Told {
    pub(super) fn of_fact(fact: &StoredFact) -> Self {
        let value = quotation(&fact.value).map_or(&*fact.value, |(said, _)| said);
        let value = without_dates(value);
        let name = fact.name.as_deref().unwrap_or_default().replace('_', " ");
        let mut told = Self::of(&format!("{value} {name} {}", other_words(fact)));
        // A model writes "vet at Pfotenhaus", people "I work as a vet" and "I'm a vet".
        let is_anything = || IS.iter().any(|words| told.text.starts_with(&**words));
        if fact.scope == Scope::Knowledge && (is_post(&value) || is_anything()) {
            told.subjects.push(WORK);
        }
        told.is_home = fact.name.as_deref() == Some("location");
        if told.is_home {
            told.subjects.push(SUBJECTS.len());
        }
        told
    }

    pub(super) fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let each: Vec<&str> = lower
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let text = format!(" {} ", each.join(" "));
        let subjects: Vec<usize> = (0..)
            .zip(&*PHRASES)
            .filter(|(_, phrases)| phrases.iter().any(|phrase| text.contains(phrase)))
            .map(|(number, _)| number)
            .collect();
        // "My sister", "my little sister".
        let whose = |n: usize| each.get(n).is_some_and(|word| WHOSE.contains(word));
        let person = (1..each.len()).find(|n| {
            each.get(*n).is_some_and(|word| WHO.contains(word))
                && (whose(n - 1) || *n > 1 && whose(n - 2))
        });
        let named = person.and_then(|at| {
            let mut behind = each.get(at + 1..)?.iter();
            behind
                .find(|word| !LINKS.contains(*word))
                .map(|word| (*word).to_owned())
        });
        let (numbers, days) = numbers(&each);
        Self {
            words: words(&text)
                .filter(|word| !VAGUE.contains(&&**word) && !OF_TIME.contains(word))
                .collect(),
            person: person
                .and_then(|at| each.get(at))
                .map(|word| (*word).to_owned()),
            named,
            subjects,
            is_home: false,
            numbers,
            days,
            text,
        }
    }

    /// How well what was said fits what is told of a fact: how many words, and whether it is about its user.
    fn fits(&self, fact: &Self, is_anew: bool) -> Option<(usize, bool)> {
        let is_told = |word: &&String| fact.words.iter().any(|own| is_form_of(word, own));
        let mut shared: Vec<&String> = self.words.iter().filter(is_told).collect();
        let subject = self
            .subjects
            .iter()
            .any(|subject| fact.subjects.contains(subject));
        if !self.is_about_the_person_of(fact) {
            return None;
        }
        // A place is named for many reasons.
        if fact.is_home {
            let is_left = MOVES.iter().any(|words| self.has(words));
            let is_lived_in = LIVED_IN.iter().any(|words| self.has(words)) && !shared.is_empty();
            return (is_left || is_lived_in).then_some((1, true));
        }
        // To name a person says nothing of what is told of them.
        let is_partner = subject && fact.has_partner();
        if let (Some(name), false) = (&fact.named, is_partner || is_anew) {
            let name: HashSet<String> = words(name).collect();
            let person = fact.person.as_ref();
            if !person.is_some_and(|person| self.has(person))
                && shared.iter().all(|word| name.contains(*word))
            {
                return None;
            }
        }
        shared.retain(|word| word.chars().count() > 2);
        // Where much is said, one word of it is named for many reasons.
        let telling = |words: usize, all: usize| words > 0 && (is_anew || 2 * words >= all);
        let is_telling = |word: &&String| !COMMON.contains(*word);
        let of_those = shared.iter().copied().filter(is_telling).count();
        let all = self.words.iter().filter(is_telling).count();
        let count = shared.len() + usize::from(subject);
        (subject || telling(of_those, all)).then_some((count, fact.person.is_none()))
    }

    pub(super) fn is_about_its_user(&self) -> bool {
        self.person.is_none()
    }

    /// Whether it may be about the person a fact is about.
    pub(super) fn is_about_the_person_of(&self, fact: &Self) -> bool {
        if let Some(person) = &self.person
            && !fact.names(person)
        {
            return false;
        }
        let Some(person) = &fact.person else {
            return true;
        };
        let is_named = fact.named.as_ref().is_some_and(|name| self.has(name));
        // The name of a person stands for them, what they do does not.
        let is_partner = fact.has_partner() && self.subjects.contains(&0);
        self.names(person) || is_named || is_partner
    }

    /// Whether it names somebody by this word or another for the same.
    fn names(&self, person: &str) -> bool {
        self.has(person) || words(person).any(|person| self.words.contains(&person))
    }

    /// Whether both tell what is liked best of one kind: "my favourite colour". Of some there are more: "one of my
    /// favourite songs".
    fn is_another_favourite(&self, other: &Self) -> bool {
        let kinds = [self, other].map(Self::favourite);
        matches!(kinds, [Some(one), Some(other)] if is_form_of(one, other))
    }

    /// What kind of thing is liked best: "my favourite colour", "mi color favorito", "meine Lieblingsfarbe".
    fn favourite(&self) -> Option<&str> {
        if ["one of my", "some of my"]
            .iter()
            .any(|many| self.has(many))
        {
            return None;
        }
        let each: Vec<&str> = self.text.split_whitespace().collect();
        let compound = each.iter().find_map(|word| word.strip_prefix("lieblings"));
        let named = || {
            let mut pairs = each.windows(2).filter_map(|pair| match pair {
                [word, kind] if FAVOURITES.contains(word) => Some(*kind),
                [kind, word] if FAVOURITES_BEHIND.contains(word) => Some(*kind),
                _ => None,
            });
            pairs.next()
        };
        let kind = compound.or_else(named)?;
        (!kind.is_empty() && !LINKS.contains(kind)).then_some(kind)
    }

    fn has_partner(&self) -> bool {
        let person = self.person.as_deref();
        person.is_some_and(|person| PARTNERS.contains(person))
    }

    fn has(&self, phrase: &str) -> bool {
        self.text.contains(&spaced(phrase))
    }

    /// Whether both have numbers or days, and each one that the other has not.
    fn has_another_number(&self, other: &Self) -> bool {
        // "The 14th, not the 4th."
        let denies = ["not", "nicht", "pas", "no"]
            .iter()
            .any(|word| self.has(word));
        let differ = |one: &HashSet<String>, other: &HashSet<String>| {
            one.difference(other).next().is_some()
                && (other.difference(one).next().is_some() || denies && !other.is_empty())
        };
        differ(&self.numbers, &other.numbers) || differ(&self.days, &other.days)
    }
}

/// The numbers of a text, and its days of the week.
fn numbers(each: &[&str]) -> (HashSet<String>, HashSet<String>) {
    let number = |word: &&str| {
        let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
        (!digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit()))
            .then(|| digits.to_owned())
    };
    let day = |word: &&str| {
        let named = [Some(*word), word.strip_suffix('s')];
        let mut named = named.into_iter().flatten();
        named
            .find_map(|word| WEEKDAYS.get(word))
            .map(|day| (*day).to_owned())
    };
    (
        each.iter().filter_map(number).collect(),
        each.iter().filter_map(day).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(said: &str, op: Op, facts: &[&str]) -> Vec<String> {
        let facts = facts.iter().zip(1..).map(|(value, at)| {
            let value = format!("“{value}” (2026-03-05)");
            let fact = StoredFact::observed(Scope::Knowledge, None, &value, at);
            (super::super::fact_key(&fact), fact)
        });
        let facts: HashMap<FactKey, StoredFact> = facts.collect();
        let said = Scope::ALL.map(|scope| Candidate {
            op,
            ..Candidate::item(scope, said)
        });
        let found = Facts::of(&facts).changed(said.iter(), |_| false);
        let found = found.iter().filter_map(|key| quotation(&facts[key].value));
        found.map(|(value, _)| value.to_owned()).collect()
    }

    #[test]
    fn what_is_over_is_the_fact_about_the_same_person_that_shares_a_word() {
        for (said, facts, gone) in [
            (
                "nurse any more",
                ["I work as a nurse.", "My sister is a nurse."],
                Some(0),
            ),
            (
                "my sister a nurse any more",
                ["I work as a nurse.", "My sister is a nurse."],
                Some(1),
            ),
            (
                "Dave eats meat no longer",
                ["My roommate is called Dave.", "I live alone."],
                None,
            ),
            (
                "Tom broke up",
                ["My boyfriend is Tom.", "I met Tom in Rome."],
                Some(0),
            ),
            (
                "quit tennis",
                ["My son plays tennis.", "I like golf."],
                None,
            ),
            (
                "quit tennis",
                ["My little sister plays tennis.", "I like golf."],
                None,
            ),
            (
                "moved out",
                ["I live in Oslo.", "My parents live in Bergen."],
                Some(0),
            ),
            (
                "gave up the dream of a home",
                ["I dream of a home of my own.", "I enjoy life at home."],
                None,
            ),
            (
                "I lost my job",
                ["I love my job.", "I lost my job at Acme."],
                Some(0),
            ),
            (
                "since I lost my job last month",
                ["I lost my job.", "We went sailing last year."],
                None,
            ),
        ] {
            let gone: Vec<&str> = gone.map(|gone: usize| facts[gone]).into_iter().collect();
            assert_eq!(found(said, Op::End, &facts), gone, "{said}");
        }
    }

    #[test]
    fn a_change_is_news_where_it_speaks_of_a_stored_fact() {
        let fact = "I work as a nurse and build a site with my brother.";
        let fact = StoredFact::observed(Scope::Knowledge, None, fact, 1);
        let facts = HashMap::from([(super::super::fact_key(&fact), fact)]);
        for (said, is_news) in [
            ("“not a nurse any more, a paramedic now” (2026-03-05)", true),
            ("“sold the boat on Friday, a van now” (2026-03-05)", false),
        ] {
            let said = Candidate::item(Scope::Knowledge, said);
            let news = Facts::of(&facts).news([&said].into_iter()).count();
            assert_eq!(news == 1, is_news);
        }
    }

    #[test]
    fn what_was_written_by_hand_stays() {
        let mut fact = StoredFact::observed(Scope::Knowledge, None, "I work as a nurse.", 1);
        let said = Scope::ALL.map(|scope| Candidate {
            op: Op::End,
            ..Candidate::item(scope, "nurse any more")
        });
        for (source_type, gone) in [(SourceType::Observed, 1), (SourceType::Edited, 0)] {
            fact.source_type = source_type;
            let facts = HashMap::from([(super::super::fact_key(&fact), fact.clone())]);
            let changed = Facts::of(&facts).changed(said.iter(), |_| false);
            assert_eq!(changed.len(), gone);
        }
    }

    #[test]
    fn what_is_said_anew_has_another_number_or_day() {
        let facts = [
            "I have therapy every Wednesday.",
            "My daughter Mia is 5.",
            "The dentist sees me on 9 June.",
        ];
        for (said, gone) in [
            ("therapy is on Fridays now", Some(0)),
            ("therapy is on Wednesdays now", None),
            ("Mia turned 6 today", Some(1)),
            ("the oculist moved me to 21 June", None),
            ("actually the dentist is on the 21st", Some(2)),
        ] {
            let gone: Vec<&str> = gone.map(|gone: usize| facts[gone]).into_iter().collect();
            assert_eq!(found(said, Op::Change, &facts), gone, "{said}");
        }
    }

    #[test]
    fn a_date_that_was_added_is_no_number_that_was_said() {
        let said = "the shelter opens on the 21st now";
        let added = "I was at the shelter yesterday [2026-03-04].";
        assert_eq!(found(said, Op::Change, &[added]), [""; 0]);
        let told = "The shelter opens on the 4th.";
        assert_eq!(found(said, Op::Change, &[told]), [told]);
    }

    #[test]
    fn of_one_kind_one_is_liked_best() {
        let facts = [
            "My favourite colour is blue.",
            "Mein Lieblingsessen ist Pho.",
            "One of my favourite songs is Creep.",
            "Mi libro favorito es Rayuela.",
        ];
        for (said, gone) in [
            ("my favorite colour is green", Some(0)),
            ("my favorite song is Creep", None),
            ("Lieblingsessen: Ramen", Some(1)),
            ("one of my favourite songs is Karma", None),
            ("my favourite is green", None),
            ("mi libro favorito es Ficciones", Some(3)),
        ] {
            let gone: Vec<&str> = gone.map(|gone: usize| facts[gone]).into_iter().collect();
            assert_eq!(found(said, Op::Change, &facts), gone, "{said}");
        }
    }
}
