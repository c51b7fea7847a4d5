//! What the user works with, changed to and gave up.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::frames::{self, Says};
use super::habits;
use super::lexicon::{self, Tool};
use super::pattern::{Match, Table};
use super::slots;
use crate::lists::WordList;
use crate::text::{Clause, Gap, words};
use crate::{Candidate, Op};

static STATED: LazyLock<Table<Says>> =
    LazyLock::new(|| Table::new(&[frames::USE, frames::SLOTS, frames::CHANGES].concat()));

static PRESUPPOSED: LazyLock<Table<()>> = LazyLock::new(|| Table::new(frames::PRESUPPOSED));

static LISTED: LazyLock<Table<()>> = LazyLock::new(|| Table::new(frames::LISTED));

/// "Editor: Helix" is cut into two clauses at the colon; here they become "Editor is Helix".
pub(super) fn labelled(clauses: Vec<Clause>) -> Vec<Clause> {
    let mut out: Vec<Clause> = Vec::with_capacity(clauses.len());
    for mut clause in clauses {
        let named = clause
            .words
            .first()
            .is_some_and(|word| word.gap == Gap::Break)
            && lexicon::tool_at(&clause.words, 0).is_some();
        let label = out.last_mut().filter(|label| {
            named
                && slots::slot_at(&label.words, 0).is_some_and(|(end, _)| end == label.words.len())
        });
        match label {
            Some(label) => {
                label.words.extend(words("is"));
                if let Some(first) = clause.words.first_mut() {
                    first.gap = Gap::None;
                }
                label.words.append(&mut clause.words);
            }
            None => out.push(clause),
        }
    }
    out
}

/// Tools that the user is said to have, even in a question.
pub(super) fn find_presupposed(clause: &Clause, found: &mut Vec<Candidate>) {
    for (at, ()) in PRESUPPOSED.find(clause) {
        at.tools(0)
            .iter()
            .filter(|tool| tool.sure)
            .for_each(|tool| uses(tool, found));
    }
}

/// What the user works with, changed to and gave up.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    find_presupposed(clause, found);
    for (at, ()) in LISTED.find(clause) {
        let tools = at.tools(0);
        if tools.len() > 1 && tools.iter().any(|tool| tool.sure) {
            for tool in tools {
                uses(tool, found);
            }
        }
        tools
            .iter()
            .filter(|tool| habits::is_habit(tool) && tool.entry.slot != "working_method")
            .for_each(|tool| uses(tool, found));
    }
    let matches = STATED.find(clause);
    // Words that one reading gives up must not be taken for use by another.
    let given_up = |at: &Match| {
        matches.iter().any(|(other, says)| {
            matches!(
                says,
                Says::GaveUp | Says::Avoids | Says::FromTo | Says::ForTo
            ) && other.start < at.end
                && at.start < other.end
        })
    };
    for (at, says) in &matches {
        match says {
            Says::Uses | Says::Prefers if given_up(at) => {}
            Says::Uses => at
                .tools(0)
                .iter()
                .chain(at.tools(1))
                .for_each(|tool| uses(tool, found)),
            Says::Prefers => at
                .tools(0)
                .iter()
                .filter(|tool| tool.entry.scope == Scope::Preferences)
                .for_each(|tool| uses(tool, found)),
            Says::Habit => at
                .tools(0)
                .iter()
                .filter(|tool| habits::is_habit(tool))
                .for_each(|tool| uses(tool, found)),
            Says::FromTo => changed(at.tools(0), at.tools(1), found),
            Says::ForTo => changed(at.tools(1), at.tools(0), found),
            Says::GaveUp
                if matches
                    .iter()
                    .any(|(_, says)| matches!(says, Says::FromTo | Says::ForTo)) => {}
            Says::GaveUp => at.tools(0).iter().for_each(|tool| gave_up(tool, found)),
            Says::Avoids => at.tools(0).iter().for_each(|tool| avoids(tool, found)),
            Says::Slot => holds(at.text(0), at.text(1), found),
            Says::SlotOf => holds(at.text(1), at.text(0), found),
            Says::UsesFor => uses_for(at.text(0), at.text(1), found),
            Says::DoesIn => uses_for(at.text(1), at.text(0), found),
            Says::DeploysTo => uses_for(at.text(0), "deploy_target", found),
            Says::Abstains => habits::diet(format!("No {}", at.text(0)), at.text(0), found),
            Says::Allergic => {
                habits::diet(format!("Allergic to {}", at.text(0)), at.text(0), found);
            }
            Says::Rather => habits::rather(at.text(0), found),
            Says::Schedule => {
                let said = clause.words.get(at.start..at.end).unwrap_or_default();
                habits::schedule(said, found);
            }
            Says::Never => {
                let said = clause.words.get(at.start..at.end).unwrap_or_default();
                habits::never(said, at.text(0), found);
            }
        }
    }
    habits::further(clause, found);
}

/// A tool in use: a preference with its slot, or knowledge.
pub(super) fn uses(tool: &Tool, found: &mut Vec<Candidate>) {
    let candidate = match tool.entry.scope {
        Scope::Preferences => Candidate::slot(Scope::Preferences, tool.entry.slot, &tool.name),
        _ if matches!(tool.entry.slot, "spoken_language" | "topic") => return,
        scope => Candidate::item(scope, &tool.name),
    };
    if !found.contains(&candidate) {
        found.push(candidate);
    }
}

fn changed(from: &[Tool], to: &[Tool], found: &mut Vec<Candidate>) {
    // "We moved from SAS to Julia in 2019" is an event: the old name stays in the history, so
    // only the slot is emptied, which the new tool may fill again.
    for tool in from {
        gave_up(tool, found);
    }
    for tool in to {
        uses(tool, found);
    }
}

/// A tool given up goes from preferences and from knowledge, wherever it was put.
fn gave_up(tool: &Tool, found: &mut Vec<Candidate>) {
    let slot = (tool.entry.scope == Scope::Preferences).then_some(tool.entry.slot);
    found.push(Candidate::removal(Scope::Preferences, slot, tool.plain));
    found.push(Candidate::removal(Scope::Knowledge, None, tool.plain));
}

/// Dislike is worth a slot of its own; it doesn't say that the tool was ever used.
fn avoids(tool: &Tool, found: &mut Vec<Candidate>) {
    found.push(Candidate::slot(
        Scope::Preferences,
        format!("avoid_{}", tool.plain),
        format!("No {}", tool.plain),
    ));
}

/// "My editor is kakoune": the sentence names the slot, so the tool may be unknown.
fn holds(slot: &str, value: &str, found: &mut Vec<Candidate>) {
    let words = words(value);
    let known = lexicon::tool_at(&words, 0).map(|(_, tool)| tool);
    let candidate = match (slot, known) {
        ("language" | "framework" | "database", Some(tool))
            if tool.entry.scope == Scope::Knowledge =>
        {
            if tool.entry.slot != "spoken_language" {
                uses(&tool, found);
            }
            return;
        }
        (slot, Some(tool)) if tool.entry.scope == Scope::Preferences => {
            Candidate::slot(Scope::Preferences, slot, tool.name)
        }
        // "my pipeline is failing since noon" and the like are no names
        _ if words.len() > 2
            && words
                .iter()
                .all(|word| word.text.chars().all(char::is_lowercase)) =>
        {
            return;
        }
        _ if words
            .first()
            .is_some_and(|word| word.low().ends_with("ing") || word.is_any(&STATES)) =>
        {
            return;
        }
        (slot, _) => Candidate::slot(Scope::Preferences, slot, value),
    };
    if candidate.op == Op::Set {
        found.push(candidate);
    }
}

/// What people say of their tools without naming them.
static STATES: WordList = WordList::new(&[
    "down",
    "broken",
    "slow",
    "fine",
    "full",
    "old",
    "new",
    "red",
    "green",
    "stuck",
    "hanging",
    "great",
    "bad",
    "good",
    "different",
    "different",
    "similar",
    "correct",
    "wrong",
    "empty",
    "dead",
    "always",
    "never",
    "still",
    "set",
    "open",
    "closed",
    "gone",
    "here",
    "there",
    "live",
    "ready",
    "big",
    "small",
    "huge",
    "pretty",
    "quite",
    "really",
    "in",
    "on",
    "up",
    "done",
    "configured",
    "installed",
    "missing",
    "outdated",
    "your",
    "my",
    "our",
    "his",
    "her",
    "their",
    "like",
    "just",
    "all",
]);

/// "I use Fantastical for appointments": an unknown name, and the slot after its purpose.
fn uses_for(name: &str, purpose: &str, found: &mut Vec<Candidate>) {
    let name_words = words(name);
    let purposes = words(purpose);
    let no_purpose = purposes.len() > 3
        || purposes.first().is_none_or(|word| {
            word.low().ends_with("ing") && purposes.len() > 2
                || word.is_any(&NO_PURPOSES)
                || word.text.chars().any(|c| c.is_ascii_digit())
        });
    let no_tool = lexicon::place_at(&name_words, 0).is_some()
        || lexicon::is_no_name(&name_words, 0)
        || found.iter().any(|fact| fact.value == name);
    if no_purpose || no_tool {
        return;
    }
    // A slot is a word of its own; what isn't one is named after the purpose.
    let slot = if slots::is_slot(purpose) {
        purpose.to_owned()
    } else {
        format!("{purpose} tool")
    };
    let taken = found
        .iter()
        .any(|fact| fact.key.as_deref() == Some(slot.as_str()));
    if !taken {
        found.push(Candidate::slot(Scope::Preferences, slot, name));
    }
}

/// What follows "for" and is no purpose: "for years", "for work".
static NO_PURPOSES: WordList = WordList::new(&[
    "years",
    "months",
    "this",
    "that",
    "it",
    "everything",
    "now",
    "ages",
    "work",
    "life",
    "fun",
    "a",
    "an",
    "one",
    "two",
    "weeks",
    "example",
    "some",
    "most",
    "decades",
]);
