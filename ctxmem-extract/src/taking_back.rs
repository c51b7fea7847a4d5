//! Retractions: "forget …", "I no longer …", "X instead of Y". Only the words are found here; which of the stored facts
//! they mean is decided where the facts are known.

use std::ops::Range;

use ctxmem_types::Scope;

use crate::endings::{AUTHOR, OTHERS, PERSONS, WHOSE};
use crate::orders::gives_orders;
use crate::requests::{Fit, fit, is_in, may_open};
use crate::text::Sentence;
use crate::text::words::{Word, Words};
use crate::{Candidate, Op};

/// What people take back when they move to another place: every statement of where they lived.
pub const HOME: &str = "where I live";

/// Whether a sentence is an order to forget what was just said, which reads like one to the memory itself.
pub(crate) fn takes_back_what_was_said(words: &Words<'_>) -> bool {
    fit("forget back", words, |start| may_open(words, start)).is_some()
}

/// Whether a sentence gives orders other than to forget something: "delete my salary from your memory" gives none.
pub(crate) fn gives_other_orders(sentence: &Sentence<'_>) -> bool {
    let text = sentence.text();
    let words = &sentence.words;
    let forgets = || {
        takes_back_what_was_said(words)
            || forgotten(words).is_some()
                && !gives_orders(&text.to_lowercase().replace("your memory", "memory"))
    };
    sentence.gives_orders() && !forgets()
}

/// Adds what a sentence takes back, of which `before` is the sentence before it. Whether it says nothing more than
/// that.
pub(crate) fn take_back(
    sentence: &Sentence<'_>,
    before: Option<&Words<'_>>,
    facts: &mut Vec<Candidate>,
) -> bool {
    let words = &sentence.words;
    if takes_back_what_was_said(words) {
        if let Some(before) = before {
            add(before, &(0..before.each.len()), true, facts);
        }
        return true;
    }
    let names_memory = || {
        [" forget ", " your memory "]
            .iter()
            .any(|named| words.folded.contains(named))
    };
    if sentence.asks() && !names_memory() {
        return false;
    }
    if let Some(meant) = forgotten(words) {
        let found = facts.len();
        add(words, &meant, true, facts);
        // "Forget everything about Oslo."
        if (0..meant.start).any(|n| is_in("all of it", words.low(n))) {
            facts
                .iter_mut()
                .skip(found)
                .for_each(|fact| fact.op = Op::TakeBackAll);
        }
        return true;
    }
    let given_up = || fit("given up", words, |start| may_open(words, start));
    let no_longer = fit("no longer", words, |start| !is_of_others(words, start));
    if let Some(fit) = no_longer.or_else(given_up)
        && !is_talk(words, &fit)
        && let Some(old) = fit.old.clone().or(fit.meant.clone())
    {
        let found = facts.len();
        add(words, &old, false, facts);
        say_whose(words, old.start, facts.get_mut(found..).unwrap_or_default());
        return says_only_that(words, &fit);
    } else if (0..words.each.len()).any(|n| is_in("instead", words.low(n)))
        && sentence.judgement.durable >= 0.08
    {
        add(words, &(0..words.each.len()), false, facts);
    }
    // A goal that was reached is no longer one.
    let finished = fit("finished", words, |start| !is_of_others(words, start));
    if let Some(meant) = finished
        .filter(|fit| !is_talk(words, fit))
        .and_then(|fit| fit.meant)
    {
        let before = facts.len();
        let is_study = meant.clone().any(|n| is_in("studies", words.low(n)));
        add(words, &meant, false, facts);
        let mut number = 0..;
        facts.retain(|fact| {
            number.next().is_some_and(|n| n < before) || is_study || fact.scope == Scope::Goals
        });
    }
    false
}

/// What an order to forget names: "forget what I said about Oslo".
pub(crate) fn forgotten(words: &Words<'_>) -> Option<Range<usize>> {
    let meant = fit("forget", words, |start| may_open(words, start))?.meant?;
    (!is_in("not forgotten", words.low(meant.start))).then_some(meant)
}

/// "My daughter's on the saxophone now, not the clarinet": what is taken back is the daughter's.
fn say_whose(words: &Words<'_>, end: usize, taken_back: &mut [Candidate]) {
    // "Daughter's", "I'm"
    let first = |n: usize| {
        words
            .low(n)
            .split([' ', '\'', '’'])
            .next()
            .unwrap_or_default()
    };
    let is_own = |n: &usize| WHOSE.contains(words.low(n - 1)) && PERSONS.contains(first(*n));
    let Some(whose) = (1..end).find(is_own) else {
        return;
    };
    // "My wife and I no longer eat meat." In French "on" is we, in English it is not.
    if (whose..end).all(|n| first(n) == "on" || !AUTHOR.contains(first(n))) {
        for fact in taken_back {
            fact.value = format!("{} {}", first(whose), fact.value);
        }
    }
}

/// "My sister swapped her phone for another": what is done there is done by somebody else.
fn is_of_others(words: &Words<'_>, start: usize) -> bool {
    let is_other = |low: &str| PERSONS.contains(low) || OTHERS.contains(low);
    !AUTHOR.contains(words.low(start)) && (0..start).any(|n| is_other(words.low(n)))
}

/// Whether what fits says something else: "I won't quit", "my mother, who died", "dropped off a cake", "reached out".
fn is_talk(words: &Words<'_>, fit: &Fit) -> bool {
    let meant = fit.old.as_ref().or(fit.meant.as_ref());
    let mut low = meant.into_iter().cloned().flatten().map(|n| words.low(n));
    let first = low.clone().next().unwrap_or_default();
    matches!(first, "off" | "out" | "by" | "in" | "into")
        || low.any(|low| matches!(low, "not" | "never" | "who" | "will not" | "do not"))
}

/// What somebody no longer eats is worth keeping; what tool they no longer use is not.
fn says_only_that(words: &Words<'_>, fit: &Fit) -> bool {
    let mut each = words.folded.split(' ');
    words.each.len() <= 9
        && fit.old.is_none()
        && !each.any(|word| is_in("kept when given up", word))
}

/// Takes back where the user lived, if a sentence that names a place tells of a move.
pub(crate) fn take_back_home(words: &Words<'_>, facts: &mut Vec<Candidate>) {
    if facts.iter().any(Candidate::is_home) && tells_of_move(words) {
        facts.extend(in_every_scope(HOME, false));
    }
}

/// Whether a sentence has a word for moving to another place.
pub(crate) fn tells_of_move(words: &Words<'_>) -> bool {
    let moves = |low: &str| is_in("moving", low);
    // Where each character is a word, it takes two of them.
    (0..words.each.len()).any(|n| moves(words.low(n)) || moves(words.text(n..n + 2)))
}

/// Adds what is meant, up to the end of its clause and without words of time.
fn add(words: &Words<'_>, meant: &Range<usize>, is_asked: bool, facts: &mut Vec<Candidate>) {
    let is_end = |n: &usize| {
        words.each.get(*n).is_some_and(Word::is_mark)
            || matches!(
                words.low(*n),
                "because" | "since" | "weil" | "porque" | "parce"
            )
            // "Delete my salary from what you know."
            || matches!(
                (words.low(*n), words.low(n + 1)),
                ("from", "what" | "whatever" | "your" | "memory")
                    | ("off" | "out", "your" | "of")
                    | ("aus", "deiner" | "deinem")
                    | ("de", "ta" | "tes" | "tu" | "tus")
            )
    };
    let end = meant.clone().skip(1).find(is_end).unwrap_or(meant.end);
    let is_passing = |n: &usize| {
        let low = words.low(*n);
        is_in("passing", low)
            || low.bytes().all(|c| c.is_ascii_digit()) && low.len() < 3
            || words.each.get(*n).is_some_and(Word::is_mark)
    };
    let start = (meant.start..end).find(|n| !is_passing(n));
    let last = (meant.start..end).rfind(|n| !is_passing(n));
    let (Some(start), Some(last)) = (start, last) else {
        return;
    };
    // Words of time may also stand between.
    let kept = (start..=last).filter(|n| !is_passing(n));
    let value = words.joined(kept);
    if value.contains(char::is_alphanumeric) {
        facts.extend(in_every_scope(&value, is_asked));
    }
}

/// In every scope, since it isn't known where the fact stands.
fn in_every_scope(value: &str, is_asked: bool) -> [Candidate; 7] {
    Scope::ALL.map(|scope| Candidate {
        op: Op::TakeBack,
        requested: is_asked,
        ..Candidate::item(scope, value)
    })
}
