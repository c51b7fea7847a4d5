//! Reading a message: prose apart from code and quotes, words, clauses and their mood.
//!
//! Shared by the first stage, which only asks what kinds of clauses there are, and by the
//! rules, which look for facts in them.

mod class;
mod clauses;
mod prose;
mod vocabulary;
mod words;

use std::borrow::Cow;

use crate::language::Language;
pub(crate) use class::Class;
pub(crate) use clauses::{Clause, Mood};
pub(crate) use vocabulary::{Vocabulary, lower};
pub(crate) use words::{Gap, Word, join, phrase_at};

/// Stands where a quotation or a piece of code was.
pub(crate) const QUOTE: char = '\u{FFFC}';

/// Longest message that is read, in bytes. It bounds the time for a message, and what people say
/// about themselves comes early.
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
    /// The language of most of it.
    pub(crate) language: Language,
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

/// The words and clauses of a message.
pub struct Reading<'p> {
    pub(crate) prose: &'p Prose<'p>,
    pub(crate) words: Vec<Word<'p>>,
    pub(crate) clauses: Vec<Clause>,
    /// Whether capitals tell names apart, which they don't in a message that shouts.
    pub(crate) capitals_tell: bool,
}

impl<'p> Reading<'p> {
    /// Reads what the user wrote.
    pub fn of(prose: &'p Prose<'p>) -> Self {
        let words = words::split_words(&prose.text, prose.language);
        let clauses = clauses::clauses(&words, prose.language);
        let long = |word: &&Word<'_>| word.text.len() > 2;
        let shouted = |word: &&Word<'_>| !word.text.contains(char::is_lowercase);
        let all = words.iter().filter(long).count();
        let capitals_tell = words.iter().filter(long).filter(shouted).count() * 2 <= all;
        Self {
            prose,
            words,
            clauses,
            capitals_tell,
        }
    }

    /// Whether the word at `at` is an article or a possessive: "the", "my".
    pub(crate) fn is_determiner(&self, at: usize) -> bool {
        self.is(at, Class::Article) || self.is(at, Class::Own)
    }

    /// Whether a clause begins with the word at `at`.
    pub(crate) fn begins(&self, at: usize) -> bool {
        self.clauses
            .binary_search_by_key(&at, |clause| clause.start)
            .is_ok()
    }

    /// Whether the word at `at` is of the class, in the language of the message.
    pub(crate) fn is(&self, at: usize, class: Class) -> bool {
        self.words
            .get(at)
            .is_some_and(|word| vocabulary::get().is(word.id, class, self.prose.language))
    }
}

/// The vocabulary of all languages.
pub(crate) fn vocabulary() -> &'static Vocabulary {
    vocabulary::get()
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
