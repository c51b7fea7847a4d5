//! What a request means beyond its own sentence: the sentences behind it in which it goes on, a list, and what was told
//! before it.

use super::asked::{Asked, asks, back, is_question_by_its_end};
use super::wordings::{fit, is_in};
use super::{LIKELY, Request, add, durable, offset};
use crate::orders::gives_orders;
use crate::statements::KEPT;
use crate::statements::author::is_task;
use crate::text::Reading;
use crate::text::sentences::{begins_question, sentences};
use crate::text::words::{Word, Words};

/// Most bytes behind a colon that are meant whatever their paragraphs.
const SHORT_REST: usize = 480;

/// The longest message, in words, all of whose sentences belong to the wish before them.
const BRIEF: usize = 40;

/// How a sentence belongs to a request in front of it.
enum Follows {
    /// It says little without that: "It has to be signed."
    Joined,
    /// It is a request of its own, a standing wish or not: "Star speaks with lots of slang."
    Apart(bool),
}

/// Adds what is meant with the sentences behind it in which the request goes on, in the same paragraph.
pub(super) fn add_with_what_follows(
    found: &mut Vec<Request>,
    content: &str,
    asked: &Asked,
    behind: &[&str],
    reading: &Reading<'_>,
) {
    let is_standing = asked.is_standing;
    let message = reading.prose.part;
    let begins = offset(message, content);
    let mut ends = begins + content.len();
    let mut read_to = ends;
    let mut apart = Vec::new();
    for next in behind {
        let at = offset(message, next);
        let between = message.get(read_to..at);
        read_to = at + next.len();
        if between.is_none_or(|between| between.contains("\n\n")) {
            break;
        }
        let words = Words::of(next);
        if asks(&words).is_some() {
            // It is found as a request of its own.
            continue;
        }
        match follows(reading, &words, asked) {
            Some(Follows::Joined) if apart.is_empty() => ends = read_to,
            Some(Follows::Joined) => apart.push((*next, is_standing)),
            Some(Follows::Apart(is_standing)) => apart.push((*next, is_standing)),
            None => break,
        }
    }
    add(
        found,
        message.get(begins..ends).unwrap_or(content),
        is_standing,
    );
    for (next, is_standing) in apart {
        add(found, next, is_standing);
    }
}

/// How a sentence goes on with a request in front of it. One that asks for something now does not.
fn follows(reading: &Reading<'_>, words: &Words<'_>, asked: &Asked) -> Option<Follows> {
    let next = words.sentence;
    if asks_or_orders(next) || !reading.prose.text.contains(next) || back(words).is_some() {
        return None;
    }
    let begins = |kind| fit(kind, words, |start| start == 0).is_some();
    // "Star speaks with lots of slang."
    let tells_of_others = || {
        let verb = words.low(1);
        let is_name = words.each.first().is_some_and(Word::is_capitalised);
        is_name && verb.ends_with('s') && !verb.ends_with("ss") && verb.len() > 3
    };
    let is_wish = || begins("goes on as a wish");
    let wishes = || is_in("wishing", words.low(0)) && is_wish();
    // "Commas or full stops only.": in a few words nothing else is spoken of.
    let is_brief = || reading.prose.part.split_whitespace().nth(BRIEF).is_none();
    let goes_on = || {
        let is_meant = asked.is_standing && (asked.is_wish || !asked.is_weak) && is_brief();
        let is_apart = is_task(words) || begins_question(next) || durable(reading, next) >= KEPT;
        (is_meant && !is_apart).then_some(Follows::Joined)
    };
    if asked.is_weak {
        wishes().then_some(Follows::Apart(true)).or_else(goes_on)
    } else if begins("goes on") {
        Some(Follows::Joined)
    } else if asked.is_standing {
        is_wish().then_some(Follows::Apart(true)).or_else(goes_on)
    } else if wishes() {
        Some(Follows::Apart(true))
    } else {
        (durable(reading, next) >= LIKELY || tells_of_others()).then_some(Follows::Apart(false))
    }
}

/// What is meant behind a place of a message: a paragraph or a list, or all the rest if that begins on a line of its own,
/// is short and asks for nothing.
pub(super) fn meant_behind(message: &str, place: usize) -> &str {
    let rest = message.get(place..).unwrap_or_default();
    let behind = rest
        .trim_start_matches([':', '：', ' ', '\n', '\r'])
        .trim_end();
    let before = message.get(..offset(message, behind)).unwrap_or_default();
    let is_apart = before.trim_end_matches(' ').ends_with('\n');
    if is_apart && behind.len() <= SHORT_REST && !sentences(behind).any(asks_for_something) {
        return behind;
    }
    let end = behind.find("\n\n").unwrap_or(behind.len());
    behind.get(..end).unwrap_or(behind)
}

/// Where the first of the sentences begins that belong to the last of them: those of its paragraph that ask for
/// nothing.
pub(super) fn first_told(message: &str, told: &[&str]) -> Option<usize> {
    let mut begins = None;
    for sentence in told.iter().rev() {
        let at = offset(message, sentence);
        let between = begins.and_then(|next| message.get(at + sentence.len()..next));
        let is_apart = between.is_some_and(|between| between.contains("\n\n"));
        if is_apart || asks_for_something(sentence) {
            break;
        }
        begins = Some(at);
    }
    begins
}

/// Whether a sentence asks for something now.
pub(super) fn asks_for_something(sentence: &str) -> bool {
    asks_or_orders(sentence) || is_task(&Words::of(sentence))
}

fn asks_or_orders(sentence: &str) -> bool {
    sentence.ends_with(['?', '？']) || is_question_by_its_end(sentence) || gives_orders(sentence)
}
