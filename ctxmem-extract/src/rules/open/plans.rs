//! What the user is to get done, told with a date or as what comes next.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::{add_of_its_kind, piece_start};
use crate::Candidate;
use crate::rules::pattern::{Match, Table, is_negation};
use crate::rules::phrase::{fact, has_deadline, has_time, points_at_the_conversation};
use crate::text::{Clause, Word, join};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// They have to do it by a date.
    Dated,
    /// It is what comes next.
    Next,
    /// A thing is due: the subject and the date.
    Due,
    /// They take something over.
    Taking,
    /// It blocks them.
    Blocked,
    /// What stands before it blocks them.
    Blocks,
    /// It rests.
    Rests,
    /// Its date moved.
    Pushed,
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        (
            "i|we have|need|want|wanted|got|must|plan|hope|aim|intend|mean|ought to <rest>",
            Says::Dated,
        ),
        (
            "i|we am|are supposed|due|planning|hoping|aiming|going|meant|expected|trying to <rest>",
            Says::Dated,
        ),
        (
            "^ want|wants|need|have|hoping|trying to <rest>",
            Says::Dated,
        ),
        (
            "by|before|until * i|we need|want|have|must|hope|plan to <rest>",
            Says::Next,
        ),
        ("what is left|next for|with? me|us? is <rest>", Says::Next),
        (
            "^ next up|on? my|our|the? list|agenda|plate|roadmap? is <rest>",
            Says::Next,
        ),
        (
            "the|my|our big|biggest|main|next|only|last thing|task|job|goal|step|project|piece now|left|ahead? is to? <rest>",
            Says::Next,
        ),
        ("^ goal|aim is to? <rest>", Says::Next),
        ("is|are due <rest>", Says::Due),
        ("due <rest>", Says::Due),
        ("goes|go|going live|public|out on|in|by <rest>", Says::Due),
        (
            "has|have|needs|need|must|is|are supposed? to? be|go <rest>",
            Says::Due,
        ),
        (
            "exam|interview|talk|presentation|concert|recital|audit|demo|release|launch|wedding|exhibition|defence|defense|viva is|are on|in <rest>",
            Says::Due,
        ),
        ("i|we am|are taking over <rest>", Says::Taking),
        ("^ taking over <rest>", Says::Taking),
        ("blocked|stuck|waiting on|by <rest>", Says::Blocked),
        (
            "is what is|are blocking|holding|killing|blocks|stopping me|us",
            Says::Blocks,
        ),
        ("is on hold", Says::Rests),
        (
            "they|we|i have? pushed|postponed|rescheduled the|our|my <rest>",
            Says::Pushed,
        ),
        ("i|we want the|my|our <rest>", Says::Dated),
    ])
});

pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    // "…, due on 20 October": the clause alone doesn't say what is.
    if clause.words.first().is_some_and(|word| word.low() == "due") {
        found.retain(|fact| fact.scope != Scope::Goals || !fact.value.starts_with("Deadline"));
        return;
    }
    for (at, says) in STATED.find(clause) {
        let rest = at.text(0).trim_matches(',').trim();
        let told = join(clause.words.get(at.start..at.end).unwrap_or_default());
        let before = clause.words.get(..at.start.min(6)).unwrap_or_default();
        let leads = before
            .first()
            .is_some_and(|word| word.is_any(&["this", "next", "by", "before", "until"]));
        let dated = has_deadline(&told)
            || has_time(rest)
            || (leads && says == Says::Dated && has_time(&join(before)));
        match says {
            Says::Dated if dated && !past(clause, &at) => goal(found, rest),
            Says::Next => goal(found, rest),
            Says::Due if dated => due(clause, &at, found),
            Says::Taking => goal(found, &format!("Taking over {rest}")),
            Says::Blocked if points_at_the_conversation(rest) => {}
            Says::Blocked => goal(found, &format!("Blocked on {rest}")),
            Says::Blocks => {
                let thing = subject(clause, at.start);
                goal(found, &format!("Blocked on {}", join(thing)));
            }
            Says::Rests => goal(
                found,
                &format!("{}, on hold", join(subject(clause, at.start))),
            ),
            Says::Pushed if dated && rest.contains(" to ") => goal(found, rest),
            Says::Dated | Says::Due | Says::Pushed => {}
        }
    }
}

/// "I wanted to" and "I have to say".
fn past(clause: &Clause, at: &Match) -> bool {
    let words = clause.words.get(at.start..at.end).unwrap_or_default();
    words.iter().any(|word| {
        word.is_any(&[
            "say",
            "admit",
            "ask",
            "know",
            "wanted",
            "understand",
            "thank",
        ])
    })
}

/// What stands before the word in its piece of the clause; without a subject there, the piece
/// before as well.
fn subject(clause: &Clause, at: usize) -> &[Word] {
    let words = clause.words.as_slice();
    let mut from = piece_start(words, at);
    let told = words.get(from..at).unwrap_or_default();
    let empty = told.is_empty()
        || told.first().is_some_and(|word| {
            word.is_any(&[
                "it", "that", "which", "this", "and", "so", "they", "i", "we",
            ])
        });
    if empty && from > 0 {
        from = piece_start(words, from - 1);
    }
    words.get(from..at).unwrap_or_default()
}

/// "The backfill for 2021, due the 18th".
fn due(clause: &Clause, at: &Match, found: &mut Vec<Candidate>) {
    let told = subject(clause, at.start);
    let from = told
        .iter()
        .rposition(|word| word.is_any(&["is", "are", "was"]))
        .map_or(0, |n| n + 1);
    let told = told.get(from..).unwrap_or_default();
    let no_subject = told.is_empty() || told.iter().any(is_negation) || told.len() > 10;
    if no_subject || points_at_the_conversation(&join(told)) {
        return;
    }
    let behind = clause.words.get(at.start..at.end).unwrap_or_default();
    let first = behind.first().is_some_and(|word| word.low() == "due");
    let value = format!(
        "{}{} {}",
        join(told),
        if first { "," } else { "" },
        join(behind)
    );
    let rest = at.text(0).to_lowercase();
    // "Deadline on 20 October" alone doesn't say of what.
    found.retain(|other| {
        let low = other.value.to_lowercase();
        let bare = low.strip_prefix("deadline").unwrap_or_default().trim();
        other.scope != Scope::Goals || bare.is_empty() || !rest.contains(bare)
    });
    goal(found, &value);
}

fn goal(found: &mut Vec<Candidate>, told: &str) {
    let value = fact(told);
    let wide = value.split(' ').count() >= 2;
    // "One view per region" points at nothing.
    let counted = value.starts_with("One ");
    if wide && (counted || !points_at_the_conversation(&value)) {
        add_of_its_kind(found, Candidate::item(Scope::Goals, value));
    }
}
