//! Plain sentences of other languages: name, home, tools, projects and people. Whoever needs
//! more uses a model.
//!
//! Each language is a table of its own; what its rows say is the same everywhere.

mod french;
mod german;
mod others;
mod spanish;

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::capture::capital;
use super::pattern::{Match, Table, is_negation};
use super::phrase::shortened;
use super::tools::uses;
use crate::Candidate;
use crate::text::{Clause, Word, first_words, join, words};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    Name,
    Home,
    Uses,
    /// A standing instruction, as it is stored.
    Style(&'static str),
    Colleague(&'static str),
    /// A project, from the verb on.
    Doing,
    /// A task, when it has a date.
    Dated,
    /// The capture is the goal.
    Goal,
    Deadline,
    Blocker,
    /// A decision.
    Decision,
    /// A completed event, when it has a date or is said to be done.
    Event,
}

/// A language.
struct Language {
    rows: &'static [(&'static str, Says)],
    /// Words that fix a date.
    times: &'static [&'static str],
    /// Words in front of a date by which something is to be done.
    leads: &'static [&'static str],
    /// Words that point at the conversation.
    pointing: &'static [&'static str],
    /// Words that say that something is done.
    done: &'static [&'static str],
    /// Words in front of the verb that a fact does without.
    subjects: &'static [&'static str],
}

static LANGUAGES: LazyLock<Vec<(&Language, Table<Says>)>> = LazyLock::new(|| {
    [
        &spanish::LANGUAGE,
        &german::LANGUAGE,
        &french::LANGUAGE,
        &others::LANGUAGE,
    ]
    .into_iter()
    .map(|language| (language, Table::new(language.rows)))
    .collect()
});

/// Facts in plain sentences of other languages.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    if clause.words.iter().any(is_negation) || clause.words.iter().any(Word::is_quote) {
        return;
    }
    for (language, table) in LANGUAGES.iter() {
        for (at, says) in table.find(clause) {
            language.take(clause, &at, says, found);
        }
    }
}

impl Language {
    fn take(&self, clause: &Clause, at: &Match, says: Says, found: &mut Vec<Candidate>) {
        let rest = at.text(0);
        let unfit = || {
            first_words(rest, 1)
                .first()
                .is_some_and(|word| word.is_any(self.pointing))
        };
        let goal = match says {
            Says::Name => {
                found.push(Candidate::slot(Scope::General, "name", rest));
                None
            }
            Says::Home => {
                found.push(Candidate::slot(Scope::General, "location", rest));
                None
            }
            Says::Uses => {
                at.tools(0).iter().for_each(|tool| uses(tool, found));
                None
            }
            Says::Style(instruction) => {
                push(found, Scope::CommunicationStyle, instruction);
                None
            }
            Says::Colleague(what) => {
                push(found, Scope::Relationships, &format!("{rest}, {what}"));
                None
            }
            Says::Doing => (!unfit()).then(|| self.told_from_verb(clause, at)),
            Says::Dated => (!unfit() && self.has_deadline(rest)).then(|| capital(rest)),
            Says::Goal => (!unfit()).then(|| capital(rest)),
            Says::Deadline => Some(format!("Deadline {rest}")),
            Says::Blocker => (!unfit()).then(|| format!("Blocked by {rest}")),
            Says::Decision | Says::Event => {
                let lasting = says == Says::Decision
                    || self.has_time(&join(&clause.words))
                    || clause.words.iter().any(|word| word.is_any(self.done));
                if lasting && !unfit() {
                    push(found, Scope::History, &self.told_from_verb(clause, at));
                }
                None
            }
        };
        if let Some(goal) = goal {
            push(found, Scope::Goals, &goal);
        }
    }

    /// The words of the match without the subject.
    fn told_from_verb(&self, clause: &Clause, at: &Match) -> String {
        let told = clause.words.get(at.start..at.end).unwrap_or_default();
        let verb = told
            .iter()
            .take_while(|word| word.is_any(self.subjects))
            .count();
        capital(&join(told.get(verb..).unwrap_or_default()))
    }

    fn has_time(&self, phrase: &str) -> bool {
        words(phrase).iter().any(|word| {
            word.is_any(self.times)
                || (word.low().len() == 4
                    && word.low().starts_with("20")
                    && word.low().chars().all(|c| c.is_ascii_digit()))
        })
    }

    fn has_deadline(&self, phrase: &str) -> bool {
        words(phrase).iter().any(|word| word.is_any(self.leads)) && self.has_time(phrase)
    }
}

fn push(found: &mut Vec<Candidate>, scope: Scope, value: &str) {
    let fact = Candidate::item(scope, shortened(value));
    let known = found
        .iter()
        .any(|other| other.scope == scope && other.value.contains(&fact.value));
    if !known {
        found.push(fact);
    }
}
