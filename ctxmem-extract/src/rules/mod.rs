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

use ctxmem_types::Scope;

use crate::orders::gives_orders;
use crate::text::{Clause, Mood, Reading, read_part};
use crate::{Candidate, Interaction, Op};

/// Most candidates of one message.
const MAX_CANDIDATES: usize = 64;

/// The candidates of one message, which has been read.
pub fn extract(_reading: &Reading<'_>, interaction: &Interaction<'_>) -> Vec<Candidate> {
    read(interaction.user_message, interaction.agent_response)
}

fn read(message: &str, answer: &str) -> Vec<Candidate> {
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
