//! How one works and lives: practices, diet, working hours.

use ctxmem_types::Scope;

use super::capture::capital;
use super::grammar::verbs;
use super::lexicon::{self, Tool};
use super::phrase::fact;
use crate::lists::WordList;
use crate::text::{Clause, Gap, Word, join, words};
use crate::{Candidate, Op};

/// Slots whose values say how one works or lives, not which tool one takes.
const HABITS: &[&str] = &[
    "diet",
    "units",
    "indentation",
    "quotes",
    "semicolons",
    "merge_method",
    "branching_strategy",
    "commit_message_format",
    "working_method",
];

/// Food, not "I don't touch the config".
pub(super) fn diet(value: String, food: &str, found: &mut Vec<Candidate>) {
    let plain = words(food).len() <= 2
        && words(food)
            .iter()
            .all(|word| word.low().chars().all(char::is_alphabetic) && !word.is_any(&NO_FOOD));
    if plain {
        found.push(Candidate::slot(Scope::Preferences, "diet", value));
    }
}

static NO_FOOD: WordList = WordList::new(&[
    "much",
    "enough",
    "breakfast",
    "lunch",
    "dinner",
    "anything",
    "out",
    "today",
    "yet",
    "well",
    "my",
    "your",
    "too",
    "often",
    "there",
    "here",
    "all",
    "that",
    "this",
    "it",
    "them",
    "early",
    "late",
    "alone",
]);

/// "I'd rather self-host than pay for it."
pub(super) fn rather(said: &str, found: &mut Vec<Candidate>) {
    let said_words = words(said);
    let Some(than) = said_words.iter().position(|word| word.low() == "than") else {
        return;
    };
    let habitual = said_words.first().is_some_and(|word| {
        ["work", "use", "deploy"]
            .iter()
            .any(|class| verbs(class).contains(&word.low()))
            || word.low() == "self"
    });
    let (wanted, other) = said_words.split_at(than);
    if habitual && wanted.len() <= 8 && said_words.len() <= 14 {
        let key = join(wanted.get(..wanted.len().min(2)).unwrap_or_default());
        let value = fact(&format!("{} rather {}", join(wanted), join(other)));
        found.push(Candidate::slot(Scope::Preferences, key, value));
    }
}

/// "We release every second Thursday."
pub(super) fn schedule(said: &[Word], found: &mut Vec<Candidate>) {
    let Some(every) = said.iter().position(|word| word.is_any(&["every", "each"])) else {
        return;
    };
    let (Some(verb), Some(day)) = (
        every.checked_sub(1).and_then(|at| said.get(at)),
        said.iter().skip(every + 1).take(3).position(is_time),
    ) else {
        return;
    };
    let what = said.get(every - 1..=every + 1 + day).unwrap_or_default();
    let key = format!("{} schedule", verb.low());
    found.push(Candidate::slot(
        Scope::Preferences,
        key,
        capital(&join(what)),
    ));
}

/// A day, a part of one or an hour.
fn is_time(word: &Word) -> bool {
    DAYS.has(word.low().trim_end_matches('s'))
        || word.text.starts_with(|c: char| c.is_ascii_digit())
}

static DAYS: WordList = WordList::new(&[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "day",
    "weekday",
    "week",
    "fortnight",
    "month",
    "morning",
    "evening",
    "quarter",
    "weekend",
    "noon",
    "lunch",
    "midnight",
]);

/// "I don't do calls before 10", "I never work on weekends": what comes behind the verb.
pub(super) fn never(said: &[Word], what: &str, found: &mut Vec<Candidate>) {
    let mut what = words(what);
    if said.iter().any(|word| word.low() == "work")
        && let Some(work) = said.iter().find(|word| word.low() == "work")
    {
        what.insert(0, work.clone());
    }
    let time = what.iter().take(4).enumerate().position(|(n, word)| {
        n > 0 && word.is_any(&["before", "after", "on"]) && what.get(n + 1).is_some_and(is_time)
    });
    if let (Some(time), Some(subject)) = (time, what.first()) {
        let key = format!("{} hours", subject.low());
        let value = format!("No {}", join(what.get(..=time + 1).unwrap_or_default()));
        found.push(Candidate::slot(Scope::Preferences, key, value));
    }
}

/// Whether the name is one of a practice.
pub(super) fn is_habit(tool: &Tool) -> bool {
    HABITS.contains(&tool.entry.slot)
}

/// "Our team does trunk-based development, short-lived branches, squash on merge": further
/// members of a list of habits.
pub(super) fn further(clause: &Clause, found: &mut Vec<Candidate>) {
    let is_habit = |fact: &Candidate| {
        fact.op == Op::Set && fact.key.as_deref().is_some_and(|key| HABITS.contains(&key))
    };
    if !found.iter().any(is_habit) {
        return;
    }
    for (n, word) in clause.words.iter().enumerate() {
        if word.gap == Gap::Comma
            && let Some((_, tool)) = lexicon::tool_at(&clause.words, n)
            && HABITS.contains(&tool.entry.slot)
        {
            super::tools::uses(&tool, found);
        }
    }
}
