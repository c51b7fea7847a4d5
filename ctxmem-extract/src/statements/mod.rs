//! Statements: the sentences of a message that say something durable about its author, kept as they were
//! said, in quotation marks and with the day. Nothing is rewritten, so nothing can be garbled.

pub(crate) mod author;
pub mod classifier;
pub mod features;
pub(crate) mod masks;

use std::sync::LazyLock;

use chrono::NaiveDate;
use ctxmem_types::Scope;
use regex::Regex;

use crate::Candidate;
use crate::days::with_days;
use crate::patterns::{expression, regex};
use crate::sections::sections;
use crate::text::QUOTE;
use crate::text::words::Words;
use classifier::Judgement;

/// How likely a sentence has to be durable to be kept.
pub(crate) const KEPT: f32 = 0.25;

/// How likely one has to be for a model to be asked.
pub(crate) const WORTH_ASKING: f32 = 0.06;

/// The same for a sentence that speaks of its author or names somebody.
pub(crate) const PERSONAL_WORTH_ASKING: f32 = 0.015;

/// Longest statement, in characters.
const LONGEST: usize = 300;

/// Longest of what people ask to remember: with the day it has room in a value.
const LONGEST_REQUEST: usize = 480;

/// Under which names statements of taste are kept, and how they are worded.
const ATTITUDES: &str = include_str!("../../data/attitudes.txt");

static ATTITUDE: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    sections(ATTITUDES)
        .map(|(name, line)| (name, regex(&expression(line))))
        .collect()
});

/// A sentence as a fact.
pub(crate) fn statement(words: &Words<'_>, judgement: Judgement, today: NaiveDate) -> Candidate {
    let said = masks::masked(&with_days(words, today));
    let said = cut(&said.replace(QUOTE, "[…]"), LONGEST);
    placed(words, judgement.scope, &said, today)
}

/// What people want remembered as a fact, literally.
pub(crate) fn requested(content: &str, scope: Scope, today: NaiveDate) -> Candidate {
    let words = Words::of(content);
    let said = cut(&with_days(&words, today), LONGEST_REQUEST);
    let mut fact = placed(&words, scope, &said, today);
    fact.requested = true;
    fact
}

/// What somebody else wrote of the user, as it is.
pub(crate) fn noted(text: &str, scope: Scope) -> Candidate {
    let said = cut(text, LONGEST_REQUEST);
    let mut fact = match scope {
        Scope::Preferences => Candidate::slot(scope, attitude(&Words::of(text)), said),
        _ => Candidate::item(scope, said),
    };
    fact.requested = true;
    fact
}

/// What a value quotes of the user and the day on which they said it, if it is a quotation.
pub fn quotation(value: &str) -> Option<(&str, &str)> {
    value
        .strip_prefix('“')?
        .strip_suffix(')')?
        .rsplit_once("” (")
}

/// The fact in its scope: standing wishes as they are, all else as a quotation.
fn placed(words: &Words<'_>, scope: Scope, said: &str, today: NaiveDate) -> Candidate {
    match scope {
        Scope::CommunicationStyle => Candidate::item(scope, said),
        Scope::Preferences => Candidate::slot(scope, attitude(words), quoted(said, today)),
        // It holds names only.
        Scope::General => Candidate::item(Scope::History, quoted(said, today)),
        _ => Candidate::item(scope, quoted(said, today)),
    }
}

/// The user's own words with the day on which they were said.
fn quoted(said: &str, today: NaiveDate) -> String {
    format!("“{}” ({today})", said.replace(['“', '”'], "\""))
}

/// The name under which a taste is kept: the first in the file that fits.
fn attitude(words: &Words<'_>) -> &'static str {
    worded_attitude(words).unwrap_or("prefers")
}

/// The same, if one fits.
pub(crate) fn worded_attitude(words: &Words<'_>) -> Option<&'static str> {
    let mut each = ATTITUDE.iter();
    let first = each.find(|(_, regex)| regex.is_match(&words.folded));
    first.map(|(name, _)| *name)
}

/// At most so many characters, whole words where there are any.
fn cut(text: &str, most: usize) -> String {
    let text = text.trim();
    let Some((end, _)) = text.char_indices().nth(most) else {
        return text.to_owned();
    };
    let head = text.get(..end).unwrap_or_default();
    let word = head.rfind(char::is_whitespace).filter(|at| *at > end / 2);
    format!(
        "{}…",
        head.get(..word.unwrap_or(end))
            .unwrap_or_default()
            .trim_end()
    )
}
