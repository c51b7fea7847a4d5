//! Reading a message: prose apart from code and quotes, sentences, clauses and their mood.
//!
//! Shared by the first stage, which only asks what kinds of clauses there are, and by the
//! rules, which look for facts in them.

mod clauses;
mod mood;
mod phrases;
mod segments;
mod words;

pub(super) use clauses::{Clause, clauses};
pub(super) use mood::Mood;
pub(super) use phrases::{PhraseList, Phrases, holds, is_joined};
pub(super) use segments::{Prose, QUOTE, prose};
pub(super) use words::{Gap, Listed, Word, first_words, join, words};

/// Longest message that is read, in bytes. What people tell about themselves comes early, and
/// the time spent on a message stays bounded.
const MAX_READ: usize = 16 * 1024;

/// A user's message, taken apart once for all who look for something in it.
pub struct Reading<'a> {
    /// The part of the message that is read.
    pub(super) part: &'a str,
    pub(super) prose: Prose,
    pub(super) clauses: Vec<Clause>,
}

impl<'a> Reading<'a> {
    /// Reads a message.
    pub fn of(message: &'a str) -> Self {
        let part = read_part(message);
        let prose = prose(part);
        let clauses = clauses(&prose.text);
        Self {
            part,
            prose,
            clauses,
        }
    }
}

/// The part of a message that is read.
pub(super) fn read_part(message: &str) -> &str {
    cut_bytes(message, MAX_READ)
}

/// The beginning of the text, cut between characters.
pub(super) fn cut_bytes(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut at = max;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    text.get(..at).unwrap_or_default()
}
