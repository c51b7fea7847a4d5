//! Goals that are told by what they are about: "the beta goes live on 2 December", "the
//! trailer is what I need to finish".

use std::sync::LazyLock;

use super::words::UNDERTAKINGS;
use crate::lists::WordList;
use crate::rules::pattern::{Table, is_negation};
use crate::rules::phrase::{fact, has_deadline, points_at_the_conversation};
use crate::text::{Clause, Mood, Word, join};

/// Words with which what is spoken of begins.
static BEGINNINGS: WordList = WordList::new(&["my", "our", "the", "a", "an"]);

/// "The beta goes live on 2 December": something with a date, in the user's own words.
pub(super) fn scheduled(clause: &Clause) -> Option<String> {
    let all = clause.words.as_slice();
    (0..all.len().min(40)).find_map(|verb| {
        let from = verb.saturating_sub(7);
        let article = all
            .get(from..verb)?
            .iter()
            .rposition(|word| word.is_any(&BEGINNINGS))?;
        let begins = from + article == 0
            || all
                .get(from + article - 1)
                .is_some_and(|before| before.is_any(&["and", "but", "so", "since", "as"]));
        let subject = all.get(from + article + 1..verb)?;
        (begins && !subject.is_empty())
            .then(|| scheduled_at(all, subject, all.get(verb..)?))
            .flatten()
    })
}

fn scheduled_at(all: &[Word], subject: &[Word], tail: &[Word]) -> Option<String> {
    let low: Vec<&str> = tail.iter().map(Word::low).take(3).collect();
    if subject.iter().any(|word| word.is_any(&["deadline", "due"])) {
        return None;
    }
    let undertaking = subject.iter().any(|word| word.is_any(&UNDERTAKINGS));
    let ours = undertaking
        || all
            .iter()
            .any(|word| word.is_any(&["my", "our", "we", "i"]));
    let sets = match low.as_slice() {
        ["is" | "are", "due", ..] => true,
        ["is" | "are", "scheduled" | "planned" | "booked" | "set", ..]
        | ["goes" | "go", "live" | "out" | "public", ..]
        | ["launches" | "ships", ..]
        | ["has" | "have" | "needs", "to", "be", ..]
        | ["must" | "should" | "will", "be", ..] => ours,
        [
            "is" | "are" | "starts" | "opens" | "ends",
            "in" | "on" | "at" | "from" | "next",
            ..,
        ] => undertaking,
        _ => false,
    };
    let text = join(tail);
    let what = join(subject);
    if !sets
        || !has_deadline(&text)
        || all.iter().any(is_negation)
        || points_at_the_conversation(&what)
    {
        return None;
    }
    let text = ["is due ", "are due "]
        .iter()
        .find_map(|due| text.strip_prefix(due))
        .map_or_else(|| text.clone(), |date| format!("due {date}"));
    Some(fact(&format!("{what} {text}")))
}

static FRONTED: LazyLock<Table<bool>> = LazyLock::new(|| {
    Table::new(&[
        ("^ what i|we need|have|want|must|got|plan to? <do>", true),
        (
            "^ the|my|our one|only|main|top|big|biggest|number|first|next|current? thing|project|goal|priority|focus",
            false,
        ),
    ])
});

/// "The trailer is what I need to finish this week", "the newsletter is my only project".
pub(super) fn fronted(clause: &Clause) -> Option<String> {
    let all = clause.words.as_slice();
    let is = all
        .iter()
        .take(8)
        .position(|word| word.is_any(&["is", "are"]))?;
    let subject = all.get(..is).filter(|subject| !subject.is_empty())?;
    let mut what = join(subject);
    if subject
        .first()
        .is_some_and(|word| word.is_any(&["the", "my", "our"]))
    {
        what = what
            .to_lowercase()
            .split(' ')
            .take(1)
            .chain(what.split(' ').skip(1))
            .collect::<Vec<_>>()
            .join(" ");
    }
    if points_at_the_conversation(&what)
        || all.iter().any(is_negation)
        || is_label(subject)
        || subject
            .iter()
            .any(|word| word.is_any(&["what", "who", "there"]))
    {
        return None;
    }
    let tail = Clause {
        words: all.get(is + 1..)?.to_vec(),
        mood: Mood::Statement,
    };
    let (at, to_do) = FRONTED.find(&tail).into_iter().next()?;
    let mine = tail
        .words
        .iter()
        .any(|word| word.is_any(&["i", "we", "my", "our"]));
    if !mine {
        return None;
    }
    Some(if to_do {
        let when = join(tail.words.get(at.end..).unwrap_or_default());
        let when = if when.is_empty() {
            when
        } else {
            format!(" {when}")
        };
        fact(&format!("{} {what}{when}", at.text(0)))
    } else {
        fact(&format!("main goal: {what}"))
    })
}

/// "My goal is the …" is read by the table.
fn is_label(subject: &[Word]) -> bool {
    subject.last().is_some_and(|word| {
        word.is_any(&[
            "goal", "priority", "focus", "plan", "project", "task", "deadline", "blocker",
        ])
    })
}
