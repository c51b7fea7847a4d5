//! Reading a message: the user's own words apart from code, quotations and pasted texts, and their
//! sentences, each judged by the classifier.

mod prose;
pub(crate) mod sentences;
pub(crate) mod words;

use std::borrow::Cow;
use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization as _;

use crate::orders::gives_orders;
use crate::slots::{Found, found_in};
use crate::statements::classifier::{Judgement, judge};
use crate::statements::features::{Context, Tokens};
use words::Words;

/// Words that tell how texts are built.
pub(crate) const TEXT_LISTS: &str = include_str!("../../data/text.txt");

/// Stands where a quotation or a piece of code was.
pub(crate) const QUOTE: char = '\u{FFFC}';

/// Longest message that is read, in bytes. It bounds the time for a message.
pub(crate) const MAX_READ: usize = 16 * 1024;

/// The user's own words of a message, extracted once for all later steps.
pub struct Prose<'a> {
    /// The part of the message that is read.
    pub(crate) part: &'a str,
    /// One line per line of prose, with [`QUOTE`] in place of quotations and code.
    pub(crate) text: Cow<'a, str>,
    /// A secret was left out.
    pub(crate) secret: bool,
    /// Something was left out as code or log output.
    pub(crate) code: bool,
    /// Something was left out as quoted or pasted.
    pub(crate) quoted: bool,
}

impl<'a> Prose<'a> {
    /// Takes the user's own words out of a message.
    pub fn of(message: &'a str) -> Self {
        prose::prose(readable(message))
    }
}

/// The part of a text that is read at all, by rules or by a model: the first 16 KiB.
pub fn readable(text: &str) -> &str {
    cut_bytes(text, MAX_READ)
}

/// A text whose letters are composed (NFC), as everything here expects them.
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || unicode_normalization::is_nfc(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// A sentence of the user's own words.
pub(crate) struct Sentence<'p> {
    pub(crate) words: Words<'p>,
    pub(crate) judgement: Judgement,
    /// What its author asks follows in the same sentence.
    pub(crate) is_before_question: bool,
    /// The slots whose patterns it fits, and whether it gives orders, once somebody has asked.
    slots: OnceLock<Vec<Found>>,
    orders: OnceLock<bool>,
}

impl<'p> Sentence<'p> {
    pub(crate) fn text(&self) -> &'p str {
        self.words.sentence
    }

    pub(crate) fn asks(&self) -> bool {
        self.text().ends_with(['?', '？', '؟'])
    }

    pub(crate) fn slots(&self) -> &[Found] {
        self.slots.get_or_init(|| found_in(&self.words))
    }

    pub(crate) fn gives_orders(&self) -> bool {
        *self.orders.get_or_init(|| gives_orders(self.text()))
    }
}

/// The sentences of a message.
pub struct Reading<'p> {
    pub(crate) prose: &'p Prose<'p>,
    pub(crate) sentences: Vec<Sentence<'p>>,
}

impl<'p> Reading<'p> {
    /// Reads what the user wrote.
    pub fn of(prose: &'p Prose<'p>) -> Self {
        let texts: Vec<(&str, bool)> = sentences::sentences(&prose.text)
            .flat_map(|sentence| {
                let (told, asked) = sentences::told_and_asked(sentence);
                let asked = asked.map(|asked| (asked, false));
                [(told, asked.is_some())].into_iter().chain(asked)
            })
            .collect();
        let tokens: Vec<Tokens> = texts.iter().map(|(text, _)| Tokens::of(text)).collect();
        let judged = texts.iter().zip(&tokens).enumerate().map(
            |(n, ((text, is_before_question), sentence))| Sentence {
                words: Words::of(text),
                is_before_question: *is_before_question,
                slots: OnceLock::new(),
                orders: OnceLock::new(),
                judgement: judge(&Context {
                    sentence,
                    before: n.checked_sub(1).and_then(|before| tokens.get(before)),
                    behind: tokens.get(n + 1),
                    of: tokens.len(),
                }),
            },
        );
        Self {
            prose,
            sentences: judged.collect(),
        }
    }
}

/// The beginning of the text, cut between characters.
pub(crate) fn cut_bytes(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut at = max;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    text.get(..at).unwrap_or_default()
}
