//! The words of a sentence, spelled in one way, and where they stand in it.
//!
//! Case and the accents of Latin letters make no difference, short forms are spelled out ("I'm" is "i am"),
//! and marks are words of their own, so that a pattern can look for `i am allergic to` and find what was written as
//! "I'm allergic to …". Scripts without spaces give a word for each character.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::TEXT_LISTS;
use crate::address::Address;
use crate::hash::WordMap;
use crate::sections::section;
use crate::statements::features::is_unspaced;

/// Short forms and what they stand for.
static SHORT_FORMS: LazyLock<WordMap<&str, &str>> = LazyLock::new(|| {
    section(TEXT_LISTS, "short forms")
        .filter_map(|line| line.split_once(" = "))
        .collect()
});

/// A word or a mark.
#[derive(Clone, Debug)]
pub(crate) struct Word<'t> {
    /// As it was written.
    pub(crate) text: &'t str,
    /// Where it stands in the sentence.
    pub(crate) place: Range<usize>,
    /// Where it stands in [`Words::folded`].
    at: usize,
}

impl Word<'_> {
    /// Whether it begins with a capital letter.
    pub(crate) fn is_capitalised(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// Whether it is a mark.
    pub(crate) fn is_mark(&self) -> bool {
        !self.text.contains(char::is_alphanumeric)
    }

    /// Whether its script has no capitals.
    pub(crate) fn has_no_case(&self) -> bool {
        self.text
            .starts_with(|c: char| c.is_alphabetic() && !c.is_uppercase() && !c.is_lowercase())
    }
}

/// The words of a sentence.
#[derive(Clone, Debug)]
pub(crate) struct Words<'t> {
    pub(crate) sentence: &'t str,
    /// All of them with a space before and behind each.
    pub(crate) folded: String,
    pub(crate) each: Vec<Word<'t>>,
    /// The numbers of the patterns that may fit, once they have been looked for.
    pub(crate) patterns: OnceLock<Vec<usize>>,
    /// The address to the memory, once it has been looked for.
    pub(crate) address: OnceLock<Option<Address>>,
}

impl<'t> Words<'t> {
    pub(crate) fn of(sentence: &'t str) -> Self {
        let mut words = Self {
            sentence,
            folded: String::with_capacity(sentence.len() + 16),
            each: Vec::with_capacity(sentence.len() / 5 + 1),
            patterns: OnceLock::new(),
            address: OnceLock::new(),
        };
        words.folded.push(' ');
        let mut start = None;
        let mut chars = sentence.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            let joins =
                |other: Option<char>| other.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
            let is_inside = !is_unspaced(c)
                && (c.is_alphanumeric()
                    || is_combining_mark(c)
                    || matches!(c, '_')
                    || (start.is_some() && matches!(c, '+' | '#'))
                    || (matches!(c, '.' | '-' | '\'' | '\u{2019}' | '&' | '@')
                        && start.is_some()
                        && joins(next))
                    || (c == '.' && start.is_none() && joins(next)));
            if is_inside {
                start.get_or_insert(at);
                continue;
            }
            if let Some(start) = start.take() {
                words.push(start..at);
            }
            if !c.is_whitespace() && !is_combining_mark(c) {
                words.push(at..at + c.len_utf8());
            }
        }
        if let Some(start) = start {
            words.push(start..sentence.len());
        }
        words
    }

    fn push(&mut self, place: Range<usize>) {
        let text = self.sentence.get(place.clone()).unwrap_or_default();
        let at = self.folded.len();
        if text.is_ascii() {
            self.folded.push_str(text);
            if let Some(low) = self.folded.get_mut(at..) {
                low.make_ascii_lowercase();
            }
        } else {
            self.folded.push_str(&folded(text));
        }
        let low = self.folded.get(at..).unwrap_or_default();
        let spelled_out = match SHORT_FORMS.get(low) {
            Some(spelled_out) => Some(Cow::Borrowed(*spelled_out)),
            None => low.contains('\'').then(|| low.replace('\'', " ").into()),
        };
        if let Some(spelled_out) = spelled_out {
            self.folded.truncate(at);
            self.folded.push_str(&spelled_out);
        }
        self.folded.push(' ');
        self.each.push(Word { text, place, at });
    }

    /// The number of the word that stands at a place of the folded text, or of the next.
    pub(crate) fn number(&self, at: usize) -> usize {
        self.each.partition_point(|word| word.at < at)
    }

    /// Where a word stands in the folded text.
    pub(crate) fn at(&self, number: usize) -> usize {
        let word = self.each.get(number);
        word.map_or(self.folded.len(), |word| word.at)
    }

    /// The folded text of some words, with a space before and behind each.
    pub(crate) fn folded_part(&self, of: &Range<usize>) -> &str {
        let start = self.at(of.start).saturating_sub(1);
        self.folded.get(start..self.at(of.end)).unwrap_or_default()
    }

    /// A word in the spelling that is compared.
    pub(crate) fn low(&self, number: usize) -> &str {
        let place = self.at(number)..self.at(number + 1);
        self.folded.get(place).unwrap_or_default().trim_end()
    }

    /// What stands in the sentence from one word up to another.
    pub(crate) fn text(&self, of: Range<usize>) -> &'t str {
        let Some(last) = of.end.checked_sub(1).and_then(|last| self.each.get(last)) else {
            return "";
        };
        let start = self
            .each
            .get(of.start)
            .map_or(last.place.end, |word| word.place.start);
        self.sentence.get(start..last.place.end).unwrap_or_default()
    }

    /// These words, one behind the other, as they stand in the sentence: with spaces where its script has some.
    pub(crate) fn joined(&self, numbers: impl Iterator<Item = usize>) -> String {
        let mut joined = String::new();
        for number in numbers {
            let word = self.text(number..number + 1);
            let is_glued = joined.ends_with(is_unspaced) && word.starts_with(is_unspaced);
            if !joined.is_empty() && !is_glued {
                joined.push(' ');
            }
            joined.push_str(word);
        }
        joined
    }
}

/// A word in lower case and without the accents of Latin letters.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let letters = text.nfkd().filter(|c| !matches!(c, '\u{300}'..='\u{36f}'));
    let low = letters
        .flat_map(char::to_lowercase)
        .map(|c| if c == '\u{2019}' { '\'' } else { c });
    low.nfc().collect::<String>().replace('ß', "ss")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_spelled_in_one_way() {
        for (text, folded) in [
            ("I'm Ada, don’t ask.", " i am ada , do not ask . "),
            ("J'habite à Orléans", " j habite a orleans "),
            ("C++, C#, Node.js & .NET 8", " c++ , c# , node.js & .net 8 "),
            ("gluten-free (mostly)", " gluten-free ( mostly ) "),
            ("我叫李明", " 我 叫 李 明 "),
        ] {
            assert_eq!(Words::of(text).folded, folded);
        }
    }

    #[test]
    fn places_lead_back_to_what_was_written() {
        let words = Words::of("Well, I'm allergic to Cat Fur.");
        let at = words.folded.find("cat").unwrap();
        let number = words.number(at);
        assert_eq!(words.text(number..number + 2), "Cat Fur");
        assert_eq!((words.low(number), words.low(2)), ("cat", "i am"));
    }
}
