//! What a row can't say: lists of tools that belong in different slots, and what the user wants
//! remembered or forgotten.

use ctxmem_types::Scope;

use super::capture;
use super::dates::{self, Weekdays};
use super::kind::Handler;
use super::lexicon::{self, Tool};
use super::person;
use super::{Finder, capitalised};
use crate::language::Language;
use crate::lists::List;
use crate::slots::ALLERGY;
use crate::text::{Class, Gap, Word, join};
use crate::{Candidate, Op};

impl Handler {
    /// Adds the facts in the words from `start` to `end`.
    pub(super) fn run(self, finder: &mut Finder<'_>, start: usize, end: usize) {
        match self {
            Self::Tools => {
                for tool in lexicon::tools_in(finder.reading, start, end) {
                    finder.add_tool(tool);
                }
            }
            Self::NoTools => {
                for tool in lexicon::tools_in(finder.reading, start, end) {
                    finder.add(Candidate::removal(tool.scope, None, tool.name.clone()));
                    let value = format!("Does not use {}", tool.name);
                    finder.add(match tool.scope {
                        Scope::Preferences => {
                            Candidate::slot(Scope::Preferences, format!("no {}", tool.name), value)
                        }
                        scope => Candidate::item(scope, value),
                    });
                }
            }
            Self::Stopped => {
                for tool in lexicon::tools_in(finder.reading, start, end) {
                    finder.add(Candidate::removal(tool.scope, None, tool.name));
                }
            }
            Self::Knows => {
                for tool in lexicon::tools_in(finder.reading, start, end) {
                    finder.add(Candidate::item(Scope::Knowledge, tool.name));
                }
            }
            Self::Tongues => tongues(finder, start, end),
            Self::Allergies => {
                for (from, to) in listed(finder, List::Allergens, start, end) {
                    let value = capitalised(&join(&finder.reading.words[from..to]));
                    finder.add(Candidate::slot(Scope::Preferences, ALLERGY, value));
                }
            }
            Self::RememberBack => finder.remember_back(start),
            Self::Apposed => apposed(finder, start, end),
            Self::Remember => finder.remember(start, end),
            Self::Forget => forget(finder, start, end),
        }
    }
}

impl Finder<'_> {
    /// Adds a tool where it belongs. Two tools for one slot share it.
    fn add_tool(&mut self, tool: Tool) {
        let candidate = match tool.scope {
            Scope::Preferences => Candidate::slot(tool.scope, tool.slot, tool.name),
            scope => Candidate::item(scope, tool.name),
        };
        let same_slot = |known: &&mut Candidate| {
            known.op == Op::Set
                && known.scope == candidate.scope
                && candidate.key.is_some()
                && known.key == candidate.key
        };
        match self.found.iter_mut().find(same_slot) {
            Some(known) if !crate::holds_several(known.scope, tool.slot) => {
                if !known.value.contains(&candidate.value) {
                    known.value = format!("{} and {}", known.value, candidate.value);
                }
            }
            _ => self.add(candidate),
        }
    }
}

/// Longest message, in words, in which "keep that in mind" is about its author.
const MOST_WORDS_BEFORE: usize = 60;

/// The phrases of a list between two words.
fn listed(finder: &Finder<'_>, list: List, start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = start;
    while at < end {
        match lexicon::longest(list, &finder.reading.words, at, end) {
            Some(to) => {
                // "Cat fur" is one.
                match found.last_mut() {
                    Some((_, end)) if *end == at && finder.reading.words[at].gap <= Gap::Space => {
                        *end = to;
                    }
                    _ => found.push((at, to)),
                }
                at = to;
            }
            None => at += 1,
        }
    }
    found
}

fn tongues(finder: &mut Finder<'_>, start: usize, end: usize) {
    let mut from = start;
    for (at, to) in listed(finder, List::Tongues, start, end) {
        let words = &finder.reading.words;
        let little = words[from..at].iter().any(|word| word.is_in(List::Little));
        let tongue = capitalised(&join(&words[at..to]));
        from = to;
        finder.add(Candidate::item(
            Scope::Knowledge,
            if little {
                format!("Speaks some {tongue}")
            } else {
                format!("Speaks {tongue}")
            },
        ));
    }
}

/// "Coach Brandt, my running coach": the name right before says who it is.
fn apposed(finder: &mut Finder<'_>, start: usize, end: usize) {
    let words = &finder.reading.words;
    // The user's own word stands between the two: "my", or "my new".
    let replaces = start > 0 && words[start - 1].is_in(List::New);
    let Some(own) = start.checked_sub(1 + usize::from(replaces)) else {
        return;
    };
    if words[own].gap < Gap::Comma || words[own].gap == Gap::Sentence {
        return;
    }
    let named = |n: &usize| {
        let known = words[*n].is_in(List::FirstNames) || words[*n].is_in(List::Titles);
        known && capture::name_end(finder.reading, *n, own) == Some(own)
    };
    let name = (own.saturating_sub(3)..own).find(named);
    if let Some(name) = name {
        let relation = join(&words[start..end]).to_lowercase();
        let value = format!("{}, {relation}", join(&words[name..own]));
        if replaces {
            finder.add(Candidate::removal(Scope::Relationships, None, relation));
        }
        finder.add(Candidate::item(Scope::Relationships, value));
    }
}

/// "Forget what I said about X": every fact that mentions X.
fn forget(finder: &mut Finder<'_>, start: usize, end: usize) {
    let words: &[Word<'_>] = &finder.reading.words;
    let mut start = start;
    while start < end && finder.reading.is(start, Class::Article) {
        start += 1;
    }
    let phrase = join(&words[start..end]);
    if phrase.is_empty() {
        return;
    }
    for scope in Scope::ALL {
        finder.add(Candidate::removal(scope, None, phrase.clone()));
    }
}

impl Finder<'_> {
    /// "I have no car, keep that in mind": what stands before it, in its sentence or in the last.
    fn remember_back(&mut self, at: usize) {
        let clauses = &self.reading.clauses;
        let here = clauses.partition_point(|clause| clause.end < at);
        let Some(before) = here.checked_sub(1).and_then(|n| clauses.get(n)) else {
            return;
        };
        let sentence = before.sentence;
        let first = clauses.iter().find(|clause| clause.sentence == sentence);
        let start = first.map_or(before.start, |clause| clause.start);
        let (end, read_to) = (before.end, self.read_to);
        // In a long message it is kept for the task that is described there.
        let own = |n: usize| self.reading.is(n, Class::Subject) || self.reading.is(n, Class::Own);
        if !(start..end).any(own) || self.reading.words.len() > MOST_WORDS_BEFORE {
            return;
        }
        // Facts that the rules found there already count as requested, too.
        let known = self.found.len();
        self.remember(start, end);
        self.read_to = read_to;
        let asked: Vec<Candidate> = self.found.drain(known..).collect();
        for fact in asked {
            let same = |old: &&mut Candidate| old.scope == fact.scope && old.value == fact.value;
            match self.found.iter_mut().find(same) {
                Some(old) => old.requested = true,
                None => self.found.push(fact),
            }
        }
    }
}

impl Finder<'_> {
    /// What somebody wants remembered: by a rule if one fits, else in the user's words.
    fn remember(&mut self, start: usize, end: usize) {
        let reading = self.reading;
        let mut start = start;
        while start < end && reading.words[start].is_in(List::BeforeRemembered) {
            start += 1;
        }
        if start >= end {
            return;
        }
        let before = self.found.len();
        self.stated = false;
        let mut at = start;
        while at < end {
            let mut clause = self.clause_at(at, end);
            clause.mood = crate::text::Mood::Statement;
            clause.start = at;
            self.read_clause(&clause);
            at = clause.end.max(at + 1);
        }
        // Whose birthday it is says less than the sentence does.
        if !self.stated || self.found[before..].iter().all(|fact| fact.op != Op::Set) {
            let said = person::third(&reading.words[start..end], reading.prose.language, true);
            // "The garage is closed on Tuesday" holds of any; "I move on Friday" of one.
            let own = reading.is(start, Class::Subject)
                || reading.is(start, Class::Own)
                || reading.prose.language != Language::English;
            let recurs = (start..end).any(|n| reading.words[n].is_in(List::Always));
            let weekdays = if own && !recurs {
                Weekdays::Upcoming
            } else {
                Weekdays::Recurring
            };
            let said = dates::resolve(&said, self.today, weekdays, reading.prose.language);
            let lasting = said.split_whitespace().count() >= 2 || said.chars().count() > 20;
            if lasting {
                self.add(Candidate::item(Scope::History, capitalised(&said)));
            }
        }
        for fact in &mut self.found[before..] {
            fact.requested = true;
        }
        self.read_to = self.read_to.max(end);
    }
}
