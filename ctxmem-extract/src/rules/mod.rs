//! Extraction without a model: finds what people state plainly, and next to nothing else.
//!
//! Patterns are rows of data (`data/<language>/patterns.txt`, explained in `src/grammar.rs`) that
//! match from the beginning of a clause. Questions, suppositions, quotations, code, irony and other
//! people's words are skipped, except by rows that say so. From a sentence that no row fits,
//! nothing is stored.

mod capture;
mod dates;
mod handlers;
mod kind;
mod lexicon;
mod person;
mod table;

use chrono::NaiveDate;
use ctxmem_types::{Scope, SliceKind};

use crate::grammar::Mode;
use crate::language::Language;
use crate::lists::{self, List};
use crate::orders::gives_orders;
use crate::text::{Class, Clause, Gap, Mood, Reading, join, phrase_at, vocabulary};
use crate::{Candidate, Interaction, Op};
use dates::Weekdays;
use kind::{Handler, Kind};
use table::{CompiledOutput, Match, Table, table};

/// Most candidates of one message.
const MAX_CANDIDATES: usize = 64;

/// Longest message, in words, whose enumerations count as what its author uses.
const MOST_WORDS_OF_STACKS: usize = 60;

/// Longest value that a rule makes, in characters. A longer one is no plain statement.
const LONGEST_VALUE: usize = 200;

/// The candidates of one message.
pub fn extract(reading: &Reading<'_>, interaction: &Interaction<'_>) -> Vec<Candidate> {
    let mut finder = Finder {
        reading,
        table: table(reading.prose.language),
        today: interaction.today,
        found: Vec::new(),
        read_to: 0,
        stated: false,
    };
    finder.read_stacks();
    for clause in &reading.clauses {
        if finder.found.len() >= MAX_CANDIDATES {
            break;
        }
        if clause.start >= finder.read_to {
            finder.read_clause(clause);
        }
    }
    let mut found = finder.found;
    // Somebody who gives orders in one clause may do so in the next, so such a message says nothing
    // about how its author likes to be answered.
    let is_style = |fact: &Candidate| fact.scope == Scope::CommunicationStyle;
    if found.iter().any(is_style) && gives_orders(reading.prose.part) {
        found.retain(|fact| !is_style(fact));
    }
    settle(found)
}

/// Whether the rules find any fact.
pub(crate) fn finds_anything(reading: &Reading<'_>) -> bool {
    let interaction = Interaction {
        user_message: reading.prose.part,
        agent_response: "",
        known: &[],
        today: NaiveDate::default(),
    };
    !extract(reading, &interaction).is_empty()
}

/// The end of the words from `at` on that name somebody close to the user: "my sister".
pub(crate) fn relation_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    if !reading.is(at, Class::Own) {
        return None;
    }
    let listed = |list| lexicon::longest(list, &reading.words, at + 1, limit);
    listed(List::Relations).or_else(|| listed(List::Groups))
}

/// Looks for facts in one message.
struct Finder<'r> {
    reading: &'r Reading<'r>,
    table: &'static Table,
    today: NaiveDate,
    found: Vec<Candidate>,
    /// The words before this one have been read.
    read_to: usize,
    /// Whether a row was found that a clause begins with.
    stated: bool,
}

impl Finder<'_> {
    /// Adds the facts of a clause.
    fn read_clause(&mut self, clause: &Clause) {
        let modes: &[Mode] = match clause.mood {
            Mood::Statement => &[Mode::Statement, Mode::Asked, Mode::Any],
            Mood::Question => &[Mode::Asked, Mode::Any],
            Mood::Condition => &[Mode::Any],
            Mood::Reported | Mood::Doubtful | Mood::NotMeant => &[],
        };
        if clause.mood == Mood::NotMeant {
            return;
        }
        let best = self.best(clause, modes);
        let matched = best.is_some();
        if let Some(best) = best {
            self.stated = true;
            self.add_outputs(&best);
        } else if clause.mood == Mood::Statement
            && let Some(best) = self.without_subject(clause)
        {
            self.stated = true;
            self.add_outputs(&best);
        }
        if clause.mood == Mood::Condition || (matched && self.read_to > clause.start) {
            return;
        }
        // What somebody said is not the user's statement, but who they are is.
        let end = if clause.mood == Mood::Reported {
            let said = (clause.start..clause.end).find(|n| self.reading.is(*n, Class::Reporting));
            said.unwrap_or(clause.start)
        } else {
            clause.end
        };
        let mut at = clause.start;
        while at < end {
            let found = self.table.find(self.reading, clause, at, Mode::Anywhere);
            at = match found {
                Some(found) => {
                    self.add_outputs(&found);
                    found.end.max(at + 1)
                }
                None => at + 1,
            };
        }
    }

    /// Adds the tools of sentences that enumerate them: "fastapi, python 3.12, uv".
    fn read_stacks(&mut self) {
        let reading = self.reading;
        for sentence in reading
            .clauses
            .chunk_by(|one, other| one.sentence == other.sentence)
        {
            let stacked = |clause: &&Clause| {
                let tools = lexicon::tools_in(reading, clause.start, clause.end);
                let all = tools.last().is_some_and(|last| last.end >= clause.end);
                clause.mood == Mood::Statement && all && tools.iter().all(lexicon::Tool::is_plain)
            };
            // "My setup: Fedora, fish, Helix"
            let led = sentence.get(1).is_some_and(|second| {
                let first = second.start.saturating_sub(1);
                reading.words[second.start].gap == Gap::Break
                    && (sentence[0].start..=first)
                        .all(|n| lexicon::tool_at(&reading.words, n, first + 1).is_none())
            });
            let clauses: Vec<&Clause> = sentence
                .iter()
                .skip(usize::from(led))
                .take_while(stacked)
                .collect();
            // Logs and papers enumerate too, and at length.
            let commas = |clause: &&Clause| {
                !matches!(reading.words[clause.start].gap, Gap::Bracket | Gap::Break)
            };
            let long = reading.words.len() > MOST_WORDS_OF_STACKS;
            if clauses.len() < 2 || long || !clauses.iter().skip(usize::from(led)).all(commas) {
                continue;
            }
            for clause in clauses {
                Handler::Tools.run(self, clause.start, clause.end);
            }
        }
    }

    /// The row that matches most words, from any place where the clause may begin.
    fn best(&self, clause: &Clause, modes: &[Mode]) -> Option<Match> {
        let mut best: Option<Match> = None;
        for at in self.opened(clause) {
            for mode in modes {
                let found = self.table.find(self.reading, clause, at, *mode);
                if let Some(found) = found
                    && best.as_ref().is_none_or(|best| found.end > best.end)
                {
                    best = Some(found);
                }
            }
        }
        best
    }

    /// A clause that leaves out its subject: behind "and", or as people write notes.
    fn without_subject(&self, clause: &Clause) -> Option<Match> {
        let at = self.opened(clause).last().copied().unwrap_or(clause.start);
        if let Some(subject) = clause.elided {
            let id = self.reading.words.get(subject)?.id;
            let found = self.table.find_behind(self.reading, clause, at, &[id]);
            // "I'm Ada, based in Leeds"
            let am = [id, vocabulary().id("am")];
            let said_am = self
                .reading
                .words
                .get(subject + 1)
                .is_some_and(|word| &*word.low == "am");
            let bare = said_am && !self.reading.is(at, Class::Article);
            return found.or_else(|| {
                bare.then(|| self.table.find_behind(self.reading, clause, at, &am))
                    .flatten()
            });
        }
        // Only at the beginning of a message: further on, "building the image" is a heading or a
        // log.
        let (at, bare) = match at.checked_sub(1) {
            Some(filler) if self.reading.is(filler, Class::Bare) => (at, true),
            _ => (at, self.reading.is(at, Class::Bare)),
        };
        // Past events are noted like that anywhere: "Studied architecture in Nairobi."
        let word = &self.reading.words[at];
        let past =
            (word.low.ends_with("ed") && !word.is_in(List::NoPast)) || word.is_in(List::PastNotes);
        let begins = self.reading.words[clause.start].gap == Gap::Sentence
            && past
            && !self.reading.prose.code;
        if (at > 4 && !begins) || !bare {
            return None;
        }
        self.table.left_out.iter().find_map(|words| {
            let found = self.table.find_behind(self.reading, clause, at, words)?;
            // "Building a family takes time" is not about what the user builds.
            let says_more = (at..clause.end).any(|n| self.reading.is(n, Class::Copula));
            (!says_more).then_some(found)
        })
    }

    /// Where a clause begins: at its first word, behind openers, and at the subject behind an
    /// adverbial ("at work I …").
    fn opened(&self, clause: &Clause) -> Vec<usize> {
        let reading = self.reading;
        let mut starts = vec![clause.start];
        let mut at = clause.start;
        while at + 1 < clause.end
            && (reading.is(at, Class::Opener) || reading.is(at, Class::Filler))
        {
            at += 1;
            starts.push(at);
        }
        // "No, I said I'm allergic to walnuts"
        if reading.is(at, Class::Subject)
            && reading
                .words
                .get(at + 1)
                .is_some_and(|word| word.is_in(List::Saying))
            && at + 2 < clause.end
        {
            starts.push(at + 2);
        }
        let ahead = |class| (at + 1..clause.end.min(at + 10)).find(|n| reading.is(*n, class));
        let subject = ahead(Class::Subject).or_else(|| ahead(Class::Own));
        if let Some(subject) = subject
            && reading.is(at, Class::Lead)
            && !(at..subject)
                .any(|n| reading.is(n, Class::Pronoun) || reading.is(n, Class::Condition))
        {
            starts.push(subject);
        }
        starts
    }

    /// The clause that holds the word at `at`, cut at `end`.
    fn clause_at(&self, at: usize, end: usize) -> Clause {
        let clauses = &self.reading.clauses;
        let n = clauses.partition_point(|clause| clause.end <= at);
        let mut clause = clauses.get(n).copied().unwrap_or(Clause {
            start: at,
            end,
            sentence: end,
            mood: Mood::Statement,
            elided: None,
        });
        clause.end = clause.end.min(end);
        clause.sentence = clause.sentence.min(end);
        clause
    }

    /// Adds what a row finds.
    fn add_outputs(&mut self, found: &Match) {
        for output in found.rule.outputs {
            match output {
                CompiledOutput::Handler(handler, label) => {
                    if let Some(captured) = found.captured(label) {
                        handler.run(self, captured.start, captured.end);
                    }
                }
                CompiledOutput::Template {
                    forget,
                    scope,
                    slot,
                    parts,
                } => self.fill(found, *forget, *scope, *slot, parts),
            }
        }
    }

    /// Adds the fact of a template.
    fn fill(
        &mut self,
        found: &Match,
        forget: bool,
        scope: Scope,
        slot: Option<&str>,
        parts: &[&str],
    ) {
        let mut value = String::new();
        for (n, part) in parts.iter().enumerate() {
            if n % 2 == 0 {
                value.push_str(part);
            } else if let Some(captured) = found.captured(part) {
                let mut start = captured.start;
                // "I passed the exam" removes a goal that may say "my exam" or "an exam".
                while forget && start + 1 < captured.end && self.reading.is_determiner(start) {
                    start += 1;
                }
                value.push_str(&self.text(captured.kind, start, captured.end));
            }
        }
        // A slot may have the name that the user gives it: `preferences.{slot}`.
        let slot = slot.map(|slot| {
            match slot
                .strip_prefix('{')
                .and_then(|slot| slot.strip_suffix('}'))
            {
                Some(label) => found.captured(label).map_or_else(String::new, |captured| {
                    let words = &self.reading.words[captured.start..captured.end];
                    let known = lexicon::slot(words).map(str::to_owned);
                    known.unwrap_or_else(|| join(words).to_lowercase())
                }),
                None => slot.to_owned(),
            }
        });
        let weekdays = if scope == Scope::History {
            Weekdays::Past
        } else {
            Weekdays::Upcoming
        };
        let value = if forget {
            value
        } else {
            capitalised(&self.dated(&value, weekdays))
        };
        if value.is_empty() || value.chars().count() > LONGEST_VALUE {
            return;
        }
        if scope == Scope::CommunicationStyle && self.is_for_once(found) {
            return;
        }
        // Somebody who has died is history, not a relation.
        if scope == Scope::Relationships && !forget && self.tells_of_death(found) {
            return self.add(Candidate::item(Scope::History, format!("Lost {value}")));
        }
        let map = scope.kind() == SliceKind::Map;
        self.add(match (forget, slot) {
            (true, slot) => Candidate::removal(scope, slot.as_deref(), value),
            (false, Some(slot)) if map => Candidate::slot(scope, slot, value),
            (false, _) => Candidate::item(scope, value),
        });
    }

    /// Whether a wish is for one answer: "this time in a table".
    fn is_for_once(&self, found: &Match) -> bool {
        let words = &self.reading.words;
        let sentence = self
            .clause_at(found.end.saturating_sub(1), words.len())
            .sentence;
        (found.end.saturating_sub(8)..sentence.min(found.end + 12))
            .any(|n| phrase_at(words, n, List::ForOnce).is_some())
    }

    /// Whether the sentence of a match says that somebody has died.
    fn tells_of_death(&self, found: &Match) -> bool {
        let words = &self.reading.words;
        let first = found.captures.first().map_or(0, |captured| captured.start);
        let sentence = self.clause_at(first, words.len()).sentence;
        let lost = first
            .checked_sub(2)
            .is_some_and(|n| words[n].is_in(List::Losing));
        lost || (first..sentence.min(first + 30)).any(|n| {
            words[n].is_in(List::Death)
                // "We had to put her to sleep"
                || &*words[n].low == "put"
                    && words.get(n + 2).is_some_and(|word| &*word.low == "sleep")
        })
    }

    /// The words of a capture as they stand in a fact.
    fn text(&self, kind: Kind, start: usize, end: usize) -> String {
        let words = &self.reading.words[start..end];
        match kind {
            Kind::Tool => lexicon::tool_at(&self.reading.words, start, end)
                .map(|tool| tool.name)
                .unwrap_or_default(),
            Kind::Tools => {
                let tools = lexicon::tools_in(self.reading, start, end);
                tools
                    .into_iter()
                    .map(|tool| tool.name)
                    .collect::<Vec<_>>()
                    .join(", ")
            }
            Kind::Relation | Kind::Groups => {
                let said = join(words);
                // In German it is a noun in capitals.
                let said = if self.reading.prose.language == Language::German {
                    said
                } else {
                    said.to_lowercase()
                };
                said.trim_end_matches("'s").to_owned()
            }
            Kind::OwnName | Kind::Place | Kind::KnownPlace => {
                let name = |word: &str| match word {
                    _ if lists::has(List::ShortPlaces, word) => word.to_uppercase(),
                    "the" => word.to_owned(),
                    _ if word.contains(char::is_uppercase) => word.to_owned(),
                    _ => capitalised(word),
                };
                join(words)
                    .split(' ')
                    .map(name)
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            Kind::Name => {
                let mut name = join(words);
                if words.last().is_some_and(|word| word.possessive) {
                    name.truncate(name.len() - 2);
                }
                name
            }
            Kind::Zone => {
                let zone = join(words);
                let zone = zone.replace(", ", "/");
                if zone.len() <= 5 {
                    zone.to_uppercase()
                } else {
                    capitalised(&zone)
                }
            }
            Kind::Diet | Kind::Condition if words.first().is_some_and(|word| &*word.low == "a") => {
                join(&words[1..])
            }
            _ => person::third(words, self.reading.prose.language, false),
        }
    }

    /// The text with its relative days as dates.
    fn dated(&self, text: &str, weekdays: Weekdays) -> String {
        dates::resolve(text, self.today, weekdays, self.reading.prose.language)
    }

    fn add(&mut self, candidate: Candidate) {
        if self.found.len() < MAX_CANDIDATES {
            self.found.push(candidate);
        }
    }
}

/// The text with a capital letter first.
fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if first.is_lowercase() && !has_own_case(text) => {
            first.to_uppercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

/// Names such as `iOS` and `npm run` keep the letters that they have.
fn has_own_case(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    first.chars().skip(1).any(char::is_uppercase)
}

/// Leaves out what is said twice, in one scope or in several. The longer wording stays.
fn settle(found: Vec<Candidate>) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::with_capacity(found.len());
    for fact in found {
        let low = fact.value.to_lowercase();
        let same = |known: &Candidate| {
            known.op == fact.op
                && (known.scope == fact.scope
                    || known.scope.kind() == SliceKind::List
                        && fact.scope.kind() == SliceKind::List)
                && known.key == fact.key
                && (known.scope != fact.scope && known.value.to_lowercase() == low
                    || known.scope == fact.scope && holds(&known.value.to_lowercase(), &low))
        };
        if fact.op == Op::Set && kept.iter().any(same) {
            continue;
        }
        kept.push(fact);
    }
    kept
}

/// Whether a text holds another one as whole words.
fn holds(text: &str, part: &str) -> bool {
    text.match_indices(part).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + part.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric)
            && !after.is_some_and(|c| c.is_alphanumeric() || matches!(c, '+' | '#'))
    })
}
