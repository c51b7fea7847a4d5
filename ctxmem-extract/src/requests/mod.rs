//! Requests that people make to the memory itself: to remember something, not to remember it, or to forget it. The
//! wordings are in `data/requests.txt`.

mod asked;
mod meant;
mod wordings;

use crate::address::{is_verb, means_several};
use crate::orders::{addresses_memory, gives_orders};
use crate::statements::author::speaks_of_itself;
use crate::statements::features::is_unspaced;
use crate::taking_back::forgotten;
use crate::text::Reading;
use crate::text::sentences::sentences;
use crate::text::words::Words;
pub(crate) use asked::back;
use asked::{asks, without_your};
use meant::{add_with_what_follows, asks_for_something, first_told, meant_behind};
pub(crate) use wordings::{Fit, fit, is_in, may_open};

/// The longest message, in words, in which a weak wording counts by itself.
const SHORT: usize = 150;
/// How many sentences at the beginning and the end of a longer one may hold a request that is not likely to be
/// durable.
const EDGE: usize = 2;
/// Most sentences that are meant where several are.
const MOST_TOLD: usize = 6;
/// How likely to be durable a sentence has to be elsewhere.
const LIKELY: f32 = 0.08;

/// Something that is to be remembered, literally.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) content: String,
    /// Whether it says how things should always be done.
    pub(crate) is_standing: bool,
}

/// What a message wants remembered. The words are taken from the message as it was written, where the
/// request itself is in the user's own words.
pub(crate) fn requests(reading: &Reading<'_>) -> Vec<Request> {
    let (message, own) = (reading.prose.part, &*reading.prose.text);
    if !reading
        .sentences
        .iter()
        .any(|sentence| asks(&sentence.words).is_some() || back(&sentence.words).is_some())
    {
        return Vec::new();
    }
    let is_short = message.split_whitespace().nth(SHORT).is_none();
    let mut found: Vec<Request> = Vec::new();
    let mut before: Option<&str> = None;
    let mut read_to = 0;
    let all: Vec<&str> = sentences(message).collect();
    for (n, text) in all.iter().copied().enumerate() {
        let at = offset(message, text);
        if at < read_to {
            continue;
        }
        // In the middle of a long message stands what was pasted, or belongs to its task.
        let is_at_edge = n < EDGE || n + EDGE >= all.len();
        if !is_short && !is_at_edge && durable(reading, text) < LIKELY {
            before = Some(text);
            continue;
        }
        let words = Words::of(text);
        let refers_back = back(&words);
        if refers_back.is_none()
            && let Some(asked) = asks(&words)
            && (asked.is_strong() || !gives_orders(&asked.without_address(text)))
            && own.contains(words.text(asked.opening.clone()))
            && asked.counts(
                is_short && (asked.is_wish || !asked.is_standing && speaks_of_itself(&words)),
                || durable(reading, text) >= LIKELY,
            )
        {
            // "Can you remember that …?" asks for that, not for what is meant.
            let content = asked.content(text);
            let asks = |c| c == '?' && !asked.is_standing;
            let content = content.trim_end_matches(asks);
            // All that follows a colon is meant, up to the next blank line.
            if words.text(asked.opening.clone()).ends_with([':', '：'])
                || content.starts_with([':', '：', '\n'])
                || content.is_empty()
            {
                let rest = meant_behind(message, at + asked.begins);
                sentences(rest).for_each(|content| add(&mut found, content, false));
                read_to = offset(message, rest) + rest.len();
            } else if asked.is_standing
                && refers(&words)
                && let Some(before) =
                    before.filter(|before| own.contains(before) && !gives_orders(before))
            {
                let both = offset(message, before)..at + text.len();
                add(&mut found, message.get(both).unwrap_or(text), true);
            } else if is_short && (!asked.is_weak || asked.is_standing) {
                let behind = all.get(n + 1..).unwrap_or_default();
                add_with_what_follows(&mut found, content, &asked, behind, reading);
            } else {
                add(&mut found, content, asked.is_standing);
            }
        } else if let Some(start) = refers_back {
            let said = words.each.get(start).map_or(0, |word| word.place.start);
            let here = text
                .get(..said)
                .unwrap_or_default()
                .trim_end_matches([',', '，', '、', '-', '–', '—', ';', '(', ' ']);
            let here = here.strip_suffix(" so").unwrap_or(here);
            let told_here = Words::of(here);
            // "Keep this format in mind and use it" says nothing before its last words.
            let says_something = !is_verb(told_here.low(0))
                && (here.split_whitespace().nth(2).is_some()
                    || here.chars().filter(|c| is_unspaced(*c)).count() > 3
                    || (here.contains(' ') && speaks_of_itself(&told_here)));
            let content = if is_supposed(&told_here) {
                None
            } else if says_something {
                Some(here)
            } else if let Some(before) = before {
                let told = all.get(n.saturating_sub(MOST_TOLD)..n);
                let told = told.filter(|_| means_several(&words, start));
                let first = told.and_then(|told| first_told(message, told));
                let begins = first.unwrap_or_else(|| offset(message, before));
                message.get(begins..at).map(str::trim)
            } else {
                // "Store this for me, will you? I take size 43."
                let rest = meant_behind(message, at + text.len());
                let told = sentences(rest).take_while(|next| !asks_for_something(next));
                for content in told.take(MOST_TOLD) {
                    add(&mut found, content, false);
                }
                None
            };
            if let Some(content) = content
                .filter(|content| !content.ends_with('?') || durable(reading, content) >= LIKELY)
            {
                add(&mut found, content, false);
            }
        }
        before = Some(text);
    }
    found
}

/// How likely a sentence is durable, or what is told in it before a question, if it is one of the user's own.
fn durable(reading: &Reading<'_>, text: &str) -> f32 {
    let mut sentences = reading.sentences.iter();
    let own = sentences.find(|sentence| {
        sentence.text() == text || sentence.is_before_question && text.starts_with(sentence.text())
    });
    own.map_or(0.0, |sentence| sentence.judgement.at_length)
}

fn offset(message: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(message.as_ptr() as usize)
}

fn add(found: &mut Vec<Request>, content: &str, is_standing: bool) {
    let content = content
        .trim()
        .trim_start_matches([':', ',', '，', '、', '：', '-', '#', ' '])
        .trim_end_matches(['.', '。', ' ']);
    let has_words = content.split_whitespace().nth(1).is_some()
        || content.chars().filter(|c| is_unspaced(*c)).count() > 3;
    if has_words && found.iter().all(|request| request.content != content) {
        found.push(Request {
            content: content.to_owned(),
            is_standing,
        });
    }
}

/// Whether a message gives orders to the memory, apart from asking it to remember something: "add to your memory: I
/// have two dogs" gives none.
pub(crate) fn orders_memory(message: &str) -> bool {
    let without_address = |sentence: &str| {
        let words = Words::of(sentence);
        let refers_back = back(&words).and_then(|start| words.each.get(start));
        match (refers_back, asks(&words)) {
            (Some(word), _) => {
                let (before, asks) = sentence.split_at(word.place.start);
                before.to_owned() + &without_your(asks)
            }
            (None, Some(asked)) => asked.without_address(sentence),
            (None, None) => sentence.to_owned(),
        }
    };
    addresses_memory(message) && {
        let without: Vec<String> = sentences(message).map(without_address).collect();
        addresses_memory(&without.join("\n"))
    }
}

/// "Never do that again" says little without what stands before it.
fn refers(words: &Words<'_>) -> bool {
    fit("refers", words, |start| may_open(words, start)).is_some()
}

/// "Imagine my wife is a spy", "what if I quit tomorrow".
pub(crate) fn is_supposed(words: &Words<'_>) -> bool {
    matches!(words.low(0), "if" | "wenn" | "если")
        || words.sentence.starts_with("如果")
        || is_in("supposing", words.low(0))
        || (words.low(0) == "what" && words.low(1) == "if")
        || words.folded.contains(" pretend ")
}

/// Whether a message, or what follows in it, is not to be kept.
pub(crate) fn is_off_the_record(reading: &Reading<'_>) -> bool {
    // "Forget what I said about Oslo, I'd rather you didn't keep that."
    let says = |words: &Words<'_>| {
        fit("off the record", words, |_| true).is_some() && forgotten(words).is_none()
    };
    reading
        .sentences
        .iter()
        .any(|sentence| !is_reported(&sentence.words) && says(&sentence.words))
}

fn is_reported(words: &Words<'_>) -> bool {
    words.sentence.ends_with('?') && !words.folded.contains(" please ")
}

/// Whether people explicitly ask to remember something: "please note that …", "merk dir, …". "Do you remember …?"
/// asks for nothing.
pub fn asks_to_remember(text: &str) -> bool {
    sentences(text).any(|sentence| {
        let words = Words::of(sentence);
        asks(&words).is_some() || back(&words).is_some()
    })
}
