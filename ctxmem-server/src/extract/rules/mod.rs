//! Extraction without a model: a small grammar over ordinary sentences.
//!
//! A message is read clause by clause (see `text`). Each family of recognisers holds a table
//! of patterns that read as the sentences they find; word lists are data files. Only what the
//! user states is taken: questions, suppositions, quotations, code, irony and what others said
//! never reach the recognisers. Where a sentence is not understood, nothing is extracted.

mod capture;
mod deeds;
mod foreign;
mod frames;
mod goals;
mod grammar;
mod habits;
mod history;
mod identity;
mod knowledge;
mod labels;
mod lexicon;
mod location;
mod open;
mod pattern;
mod people;
mod phrase;
mod skills;
mod slots;
mod style;
mod taken_up;
mod tools;
mod zones;

use std::panic;

use async_trait::async_trait;

use ctxmem_types::Scope;

use super::orders::gives_orders;
use super::text::{Clause, Mood, Reading, read_part};
use super::{Candidate, ExtractError, Extractor, Interaction, Op};

/// The built-in extractor. It needs no model and no configuration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules;

#[async_trait]
impl Extractor for Rules {
    async fn extract(&self, interaction: &Interaction<'_>) -> Result<Vec<Candidate>, ExtractError> {
        let message = interaction.user_message;
        if message.len() <= QUICK_BYTES {
            return Ok(read(message, interaction.agent_response));
        }
        let message = message.to_owned();
        let answer = interaction.agent_response.to_owned();
        match tokio::task::spawn_blocking(move || read(&message, &answer)).await {
            Ok(found) => Ok(found),
            Err(error) => panic::resume_unwind(error.into_panic()),
        }
    }

    async fn extract_read(
        &self,
        interaction: &Interaction<'_>,
        reading: Reading<'_>,
    ) -> Result<Vec<Candidate>, ExtractError> {
        if self.is_instant(interaction) {
            return Ok(facts(reading, interaction.agent_response));
        }
        self.extract(interaction).await
    }

    fn is_instant(&self, interaction: &Interaction<'_>) -> bool {
        interaction.user_message.len() <= QUICK_BYTES
    }

    async fn probe(&self) -> Option<bool> {
        None
    }
}

/// A longer message is read on a thread that may block: a hostile one takes long enough to
/// hold up others.
const QUICK_BYTES: usize = 2048;

/// Most candidates of one message.
const MAX_CANDIDATES: usize = 64;

/// The candidates of one message; the agent's answer only helps to understand it.
pub(super) fn read(message: &str, answer: &str) -> Vec<Candidate> {
    facts(Reading::of(message), answer)
}

/// The same of a message that has been read.
fn facts(message: Reading<'_>, answer: &str) -> Vec<Candidate> {
    let mut found = Vec::new();
    let clauses = tools::labelled(labels::joined(message.clauses));
    for clause in &clauses {
        if found.len() >= MAX_CANDIDATES {
            break;
        }
        read_clause(clause, &mut found);
    }
    taken_up::find(&message.prose.text, &clauses, read_part(answer), &mut found);
    // Whoever tries to give orders in one clause may do so in the next: such a message tells
    // nothing about how its author likes to be answered.
    let is_style = |fact: &Candidate| fact.scope == Scope::CommunicationStyle;
    if found.iter().any(is_style) && gives_orders(message.part) {
        found.retain(|fact| !is_style(fact));
    }
    settle(found)
}

fn read_clause(clause: &Clause, found: &mut Vec<Candidate>) {
    if let Some(told) = to_forget(clause) {
        let mut facts = Vec::new();
        read_clause(&told, &mut facts);
        found.extend(facts.into_iter().map(forgotten));
        return;
    }
    // "When I run npm install …" sets a scene; only instructions are told that way.
    if clause.words.first().is_some_and(|word| {
        word.is_any(&["when", "whenever"])
            || (word.low() == "if" && clause.mood != Mood::Hypothesis)
    }) {
        style::find(clause, found);
        return;
    }
    match clause.mood {
        Mood::Statement => {
            identity::find(clause, found);
            location::find(clause, found);
            tools::find(clause, found);
            knowledge::find(clause, found);
            people::find(clause, found);
            style::find(clause, found);
            goals::find(clause, found);
            history::find(clause, found);
            foreign::find(clause, found);
            open::find(clause, found);
        }
        Mood::Request => {
            identity::find_in_request(clause, found);
            tools::find_presupposed(clause, found);
            people::find_presupposed(clause, found);
            style::find(clause, found);
        }
        Mood::Question => {
            tools::find_presupposed(clause, found);
            people::find_presupposed(clause, found);
            style::find_wish(clause, found);
        }
        Mood::Hypothesis => style::find_condition(clause, found),
        Mood::Reported => people::find_speaker(clause, found),
        Mood::Sarcasm => {}
    }
}

/// "Forget that I live in Berlin": what is told after "that".
fn to_forget(clause: &Clause) -> Option<Clause> {
    let [forget, that, told @ ..] = clause.words.as_slice() else {
        return None;
    };
    (forget.low() == "forget" && that.low() == "that" && !told.is_empty()).then(|| Clause {
        words: told.to_vec(),
        mood: Mood::Statement,
    })
}

/// The removal of a fact. People are found again by their name, whatever was stored of them.
fn forgotten(fact: Candidate) -> Candidate {
    let value = match fact.scope {
        Scope::Relationships => fact.value.split(',').next().unwrap_or_default().to_owned(),
        _ => fact.value,
    };
    Candidate {
        value,
        op: Op::Remove,
        ..fact
    }
}

/// Brings what was found into the order in which it is to be applied: removals first, nothing
/// twice, nothing that the same message takes back.
fn settle(found: Vec<Candidate>) -> Vec<Candidate> {
    let (removals, facts): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|candidate| candidate.op == Op::Remove);
    let mut settled: Vec<Candidate> = Vec::with_capacity(removals.len() + facts.len());
    for removal in removals {
        if !settled.contains(&removal) {
            settled.push(removal);
        }
    }
    for fact in facts {
        let taken_back = settled.iter().any(|other| {
            other.op == Op::Remove
                && other.scope == fact.scope
                && other.value.eq_ignore_ascii_case(&fact.value)
        });
        // A later word on the same slot is the user's last word.
        if fact.key.is_some() {
            settled.retain(|other| {
                other.op == Op::Remove || other.scope != fact.scope || other.key != fact.key
            });
        }
        if !taken_back && !settled.contains(&fact) {
            settled.push(fact);
        }
    }
    settled.truncate(MAX_CANDIDATES);
    settled
}

#[cfg(test)]
mod held_out;
#[cfg(test)]
mod tests;
