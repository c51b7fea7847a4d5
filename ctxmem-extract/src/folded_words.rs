//! Folded words: a normal form by which texts are compared word by word.
//!
//! Case, diacritics, white space, quotation marks and dashes make no difference. A model repeats
//! what it was shown with all of these changed. The words of `text/words.rs` keep them, since they
//! tell names and clauses apart.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::sections::{section, section_words};
use crate::hash::WordSet;

const LISTS: &str = include_str!("../data/gate/evidence.txt");

static INSIGNIFICANT: LazyLock<WordSet<&str>> =
    LazyLock::new(|| section_words(LISTS, "insignificant").collect());
static NEGATIVE: LazyLock<WordSet<&str>> =
    LazyLock::new(|| section_words(LISTS, "negative").collect());
static KINDS: LazyLock<WordSet<&str>> = LazyLock::new(|| section(LISTS, "kinds").collect());

/// Whether a word denies something.
pub(crate) fn is_negative(word: &str) -> bool {
    NEGATIVE.contains(word)
}

/// Whether a word says nothing by itself.
pub(crate) fn is_insignificant(word: &str) -> bool {
    INSIGNIFICANT.contains(word)
}

/// How many letters two forms of one word may differ in at the end.
const ENDING: usize = 3;

static LEAVING: LazyLock<WordSet<&str>> =
    LazyLock::new(|| section_words(LISTS, "leaving").collect());

/// The words of a text, spelled in one way, with a space before and after each.
#[derive(PartialEq, Eq)]
pub(crate) struct FoldedWords(String);

impl FoldedWords {
    pub(crate) fn of(text: &str) -> Self {
        let mut words = Self(String::with_capacity(text.len() + 2));
        words.0.push(' ');
        if text.is_ascii() {
            text.chars()
                .for_each(|c| words.push(c.to_ascii_lowercase()));
        } else {
            let letters = text.nfkd().filter(|c| !is_combining_mark(*c));
            letters
                .flat_map(char::to_lowercase)
                .for_each(|c| words.push(c));
        }
        words.end();
        words
    }

    fn push(&mut self, c: char) {
        let alone = is_word(c);
        let goes_on = c.is_alphanumeric() || matches!(c, '+' | '#');
        if alone || !goes_on {
            self.end();
        }
        if goes_on {
            self.0.push(c);
        }
        if alone {
            self.end();
        }
    }

    fn end(&mut self) {
        if !self.0.ends_with(' ') {
            self.0.push(' ');
        }
    }

    /// All of them, with a space before and after each.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The words, one after the other.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split_ascii_whitespace()
    }

    /// Whether this text contains the quote word by word. Anything may stand in place of `…`, and
    /// the quote has to say more than "I am".
    pub(crate) fn contains_quote(&self, quote: &str) -> bool {
        let mut rest = self.0.as_str();
        let mut said = false;
        for part in quote.replace("...", "…").split('…').map(Self::of) {
            let Some(found) = rest.find(&part.0) else {
                return false;
            };
            // The space after this part is also the space before the next one.
            rest = rest.get(found + part.0.len() - 1..).unwrap_or_default();
            said = said || part.iter().count() > 2 || part.significant().next().is_some();
        }
        said
    }

    /// Whether the other words stand in this text in a row.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        self.0.contains(&other.0)
    }

    /// Whether this text begins with the other words.
    pub(crate) fn begins_with(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    /// These words and then others.
    pub(crate) fn followed_by(&self, other: &Self) -> Self {
        Self(format!("{}{}", self.0.trim_end(), other.0))
    }

    /// How many significant words the other text shares. A text without significant words, such as
    /// "C", counts as one if the other contains it whole.
    pub(crate) fn count_shared(&self, other: &Self) -> usize {
        if self.significant().next().is_none() {
            return usize::from(self.iter().next().is_some() && other.contains(self));
        }
        let shared = self
            .significant()
            .filter(|word| other.iter().any(|it| alike(it, word)));
        shared.count()
    }

    /// Whether the other text shares all significant words of this one, which has at least one.
    pub(crate) fn all_are_in(&self, other: &Self) -> bool {
        let all = self.significant().count().max(1);
        self.count_shared(other) == all
    }

    /// Whether the text denies something.
    pub(crate) fn denies(&self) -> bool {
        self.iter().any(|word| NEGATIVE.contains(word))
    }

    /// Whether the text says that somebody left.
    pub(crate) fn tells_of_leaving(&self) -> bool {
        self.iter().any(|word| LEAVING.contains(word))
    }

    /// Whether the text is a name for a kind of fact, which models use as a key.
    pub(crate) fn names_a_kind(&self) -> bool {
        KINDS.contains(self.0.trim())
    }

    /// Whether both begin with the same name: "Priya" and "Priya Shah", "Mrs Brandt" and "Brandt".
    pub(crate) fn begins_like(&self, other: &Self) -> bool {
        match (self.significant().next(), other.significant().next()) {
            (Some(one), Some(other)) => alike(one, other),
            _ => self.iter().next() == other.iter().next(),
        }
    }

    /// The words that say something by themselves.
    pub(crate) fn significant(&self) -> impl Iterator<Item = &str> {
        self.iter().filter(|word| {
            !INSIGNIFICANT.contains(word) && (word.len() > 1 || word.parse::<u8>().is_ok())
        })
    }
}

/// Whether two words are forms of the same word.
fn alike(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let ending = long
        .strip_prefix(short)
        .map(|ending| ending.chars().count());
    ending == Some(0) || (short.len() > ENDING && ending.is_some_and(|rest| rest <= ENDING))
}

/// Characters of scripts that put no spaces between words.
fn is_word(c: char) -> bool {
    c.is_alphanumeric()
        && matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
            | '\u{2E80}'..='\u{A4CF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::samples;

    #[test]
    fn a_quote_stands_in_a_message_however_it_is_spelt() {
        for (message, quote) in samples(LISTS, "sample quotes") {
            assert!(FoldedWords::of(&message).contains_quote(&quote), "{quote}");
        }
        for (message, quote) in samples(LISTS, "sample misquotes") {
            assert!(!FoldedWords::of(&message).contains_quote(&quote), "{quote}");
        }
    }

    #[test]
    fn significant_words_are_shared() {
        for (one, other) in samples(LISTS, "sample alike") {
            assert!(
                FoldedWords::of(&one).count_shared(&FoldedWords::of(&other)) > 0,
                "{one}"
            );
        }
        for (one, other) in samples(LISTS, "sample different") {
            assert_eq!(
                FoldedWords::of(&one).count_shared(&FoldedWords::of(&other)),
                0,
                "{one}"
            );
        }
    }

    #[test]
    fn names_begin_alike() {
        for (one, other) in samples(LISTS, "sample same person") {
            assert!(
                FoldedWords::of(&one).begins_like(&FoldedWords::of(&other)),
                "{one}"
            );
        }
        for (one, other) in samples(LISTS, "sample other person") {
            assert!(
                !FoldedWords::of(&one).begins_like(&FoldedWords::of(&other)),
                "{one}"
            );
        }
    }
}
