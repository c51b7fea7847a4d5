//! The first stage: decides without a model whether a message can hold anything durable.
//!
//! Most messages of a conversation are questions, thanks, requests and code. Dropping them
//! here costs microseconds; a model call costs money and a second. A fact that is dropped
//! here is lost, so in doubt a message goes on: the classifier has to be sure that no sentence is durable.

use std::sync::LazyLock;

use unicode_normalization::char::is_combining_mark;

use crate::endings::{PERSONS, WHOSE, tells_of_a_change};
use crate::hash::WordSet;
use crate::orders::gives_orders;
use crate::requests::{is_off_the_record, orders_memory, requests};
use crate::sections::section_words;
use crate::slots::fill;
use crate::statements::author::speaks_of_itself;
use crate::statements::{KEPT, PERSONAL_WORTH_ASKING, WORTH_ASKING};
use crate::taking_back::{gives_other_orders, take_back};
use crate::text::TEXT_LISTS;
use crate::text::words::{Word, Words};
use crate::text::{Prose, Reading, Sentence};

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on to extraction.
    Extract(Evidence),
    /// It holds nothing durable.
    Filtered(Reason),
}

/// What in a message may hold something durable. It names a kind, never content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// It says something.
    Statement,
    /// It says something to the memory: what is to be remembered or forgotten.
    Instruction,
}

impl Evidence {
    /// A short name for logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Statement => "statement",
            Self::Instruction => "instruction",
        }
    }
}

/// Why a message holds nothing durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nothing but white space.
    Empty,
    /// Greetings, thanks, requests for this one answer: nothing that lasts.
    SmallTalk,
    /// It only asks.
    Question,
    /// Code, logs or configuration without a word of prose.
    CodeOrLog,
    /// Only somebody else's words.
    Quoted,
    /// A secret and nothing else of interest.
    SecretOnly,
    /// It gives orders to the memory.
    MemoryOrder,
    /// Its author does not want it kept.
    OffTheRecord,
}

impl Reason {
    /// A short name for logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::SmallTalk => "small_talk",
            Self::Question => "question",
            Self::CodeOrLog => "code_or_log",
            Self::Quoted => "quoted",
            Self::SecretOnly => "secret_only",
            Self::MemoryOrder => "memory_order",
            Self::OffTheRecord => "off_the_record",
        }
    }
}

/// Judges a user's message that has not been read yet.
pub fn judge_message(message: &str) -> Verdict {
    judge(&Reading::of(&Prose::of(message)))
}

/// Judges a user's message.
pub fn judge(message: &Reading<'_>) -> Verdict {
    let prose = message.prose;
    if prose.part.trim().is_empty() {
        return Verdict::Filtered(Reason::Empty);
    }
    if is_off_the_record(message) {
        return Verdict::Filtered(Reason::OffTheRecord);
    }
    let mut facts = Vec::new();
    let mut before: Option<&Words<'_>> = None;
    for sentence in &message.sentences {
        let previous = before.replace(&sentence.words);
        if gives_other_orders(sentence) || is_courtesy(sentence.text()) {
            continue;
        }
        take_back(sentence, previous, &mut facts);
        if !facts.is_empty() {
            return Verdict::Extract(Evidence::Instruction);
        }
        let words = &sentence.words;
        if tells_of_a_change(sentence, previous) {
            return Verdict::Extract(Evidence::Statement);
        }
        let least = if is_personal(words) {
            PERSONAL_WORTH_ASKING
        } else {
            WORTH_ASKING
        };
        if sentence.judgement.at_length >= least
            || sentence.judgement.durable >= KEPT
            || announces(words)
            || names_its_own(words)
            || !fill(sentence, true, false, false).facts.is_empty()
        {
            return Verdict::Extract(Evidence::Statement);
        }
    }
    let asked = requests(message);
    if asked.iter().any(|request| !gives_orders(&request.content)) && !prose.secret {
        return Verdict::Extract(Evidence::Instruction);
    }
    let only_asks = !message.sentences.is_empty() && message.sentences.iter().all(Sentence::asks);
    Verdict::Filtered(
        if orders_memory(prose.part) || !asked.is_empty() && !prose.secret {
            Reason::MemoryOrder
        } else if prose.secret {
            Reason::SecretOnly
        } else if only_asks {
            Reason::Question
        } else if prose.code {
            Reason::CodeOrLog
        } else if prose.quoted {
            Reason::Quoted
        } else {
            Reason::SmallTalk
        },
    )
}

static COURTESY: LazyLock<WordSet<&str>> =
    LazyLock::new(|| section_words(TEXT_LISTS, "courtesy").collect());

/// Whether a sentence only greets or thanks.
fn is_courtesy(sentence: &str) -> bool {
    let bare = sentence.trim_matches(|c: char| !c.is_alphanumeric() && !is_combining_mark(c));
    COURTESY.contains(&*bare.to_lowercase())
}

/// How many letters a thank-you has in scripts without capitals.
const THANK_YOU: usize = 12;

/// Whether a sentence speaks of its author, or names somebody behind its first word. Letters in capitals name no one:
/// "an ASCII cat".
fn is_personal(words: &Words<'_>) -> bool {
    let names_someone = |(n, word): (usize, &Word<'_>)| {
        n > 0 && word.is_capitalised() && word.text.contains(char::is_lowercase)
    };
    // Without capitals and mostly without pronouns: whatever is longer than a thank-you.
    let caseless = words.each.iter().filter(|word| word.has_no_case());
    let caseless: usize = caseless.map(|word| word.text.chars().count()).sum();
    speaks_of_itself(words)
        || caseless > THANK_YOU
        || words.each.iter().enumerate().any(names_someone)
}

static ANNOUNCES: LazyLock<WordSet<&str>> =
    LazyLock::new(|| section_words(TEXT_LISTS, "announces").collect());
static CONCERNED: LazyLock<WordSet<&str>> =
    LazyLock::new(|| section_words(TEXT_LISTS, "concerned").collect());

/// Whether a sentence begins like a question and then answers it: "What's blocking us: the vendor's SDK crashes".
fn announces(words: &Words<'_>) -> bool {
    let Some(colon) = words.each.iter().position(|word| word.text == ":") else {
        return false;
    };
    if colon + 2 >= words.each.len() || words.sentence.ends_with('?') {
        return false;
    }
    let announcement = Words::of(words.text(0..colon));
    let mut parts = announcement.folded.split(|c: char| !c.is_alphabetic());
    parts
        .find(|part| !part.is_empty())
        .is_some_and(|first| ANNOUNCES.contains(first))
        && (parts.any(|part| CONCERNED.contains(part)) || speaks_of_itself(&announcement))
}

/// Whether a sentence says by the way who somebody is: "Can my cat Luna eat tuna?"
fn names_its_own(words: &Words<'_>) -> bool {
    let is_name = |n: usize| {
        words
            .each
            .get(n)
            .is_some_and(|word| word.is_capitalised() && word.text.contains(char::is_lowercase))
    };
    (1..words.each.len()).any(|n| {
        PERSONS.contains(words.low(n))
            && WHOSE.contains(words.low(n - 1))
            && (is_name(n + 1)
                || words.each.get(n + 1).is_some_and(Word::is_mark) && is_name(n + 2))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_to_forget_what_was_just_said_is_heard() {
        let heard = judge_message("It rained. Take that out of your memory please.");
        assert_eq!(heard, Verdict::Extract(Evidence::Instruction));
    }

    #[test]
    fn what_is_said_by_the_way_in_a_question_is_heard() {
        let heard = Verdict::Extract(Evidence::Statement);
        for message in [
            "what's blocking us: the vendor's SDK crashes on ARM",
            "was uns fehlt: ein Prüfstand in Halle 4",
            "Can my cat Luna eat tuna?",
            "How do I tell my manager, Petra, that the slot is too early?",
        ] {
            assert_eq!(judge_message(message), heard, "{message}");
        }
        let asked = Verdict::Filtered(Reason::Question);
        for message in [
            "what's the difference: tabs or spaces?",
            "How do I explain recursion to my son?",
            "What do we call this: a closure or a lambda?",
        ] {
            assert_eq!(judge_message(message), asked, "{message}");
        }
    }
}
