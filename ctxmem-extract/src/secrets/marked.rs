//! Words of a text with what they mean for secrets.
//!
//! It splits texts itself: `:` and `=` are words here, the parts of `User=app;Password=…` stand
//! apart, and a password keeps the marks inside it. `text/words.rs` drops all of that, and reads
//! only what is left when the secrets are out.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::LazyLock;

use super::commands;
use crate::hash::WordMap;
use crate::sections::{section_words, sections};

/// The roles of a word in texts that give secrets away: a bit for each section of the file.
pub(super) type Kinds = u32;

/// The sections by their bits.
const SECTIONS: [&str; 21] = [
    "labels",
    "phrase kinds",
    "belongs",
    "still",
    "open codes",
    "code names",
    "code fillers",
    "key kinds",
    "code labels",
    "code kinds",
    "links",
    "remarks",
    "subjects",
    "locks",
    "number kinds",
    "number words",
    "numbers",
    "passports",
    "passwords",
    "little words",
    "networks",
];
pub(super) const LABEL: Kinds = 1;
pub(super) const PHRASE_KIND: Kinds = 1 << 1;
pub(super) const BELONGS: Kinds = 1 << 2;
pub(super) const STILL: Kinds = 1 << 3;
pub(super) const OPEN_CODE: Kinds = 1 << 4;
pub(super) const CODE_NAME: Kinds = 1 << 5;
pub(super) const CODE_FILLER: Kinds = 1 << 6;
pub(super) const KEY_KIND: Kinds = 1 << 7;
pub(super) const CODE_LABEL: Kinds = 1 << 8;
pub(super) const CODE_KIND: Kinds = 1 << 9;
pub(super) const LINK: Kinds = 1 << 10;
pub(super) const REMARK: Kinds = 1 << 11;
pub(super) const SUBJECT: Kinds = 1 << 12;
pub(super) const LOCK: Kinds = 1 << 13;
pub(super) const NUMBER_KIND: Kinds = 1 << 14;
pub(super) const NUMBER_WORD: Kinds = 1 << 15;
pub(super) const NUMBER: Kinds = 1 << 16;
pub(super) const PASSPORT: Kinds = 1 << 17;
pub(super) const PASSWORD: Kinds = 1 << 18;
pub(super) const LITTLE: Kinds = 1 << 19;
pub(super) const NETWORK: Kinds = 1 << 20;
pub(super) const RECOVERY: Kinds = 1 << 21;
pub(super) const COMMAND: Kinds = 1 << 22;

static KINDS: LazyLock<WordMap<&str, Kinds>> = LazyLock::new(|| {
    let mut kinds: WordMap<&str, Kinds> = WordMap::default();
    for (section, line) in sections(include_str!("../../data/gate/labels.txt")) {
        let bit = SECTIONS.iter().position(|name| *name == section);
        for word in line.split(' ') {
            *kinds.entry(word).or_default() |= bit.map_or(0, |bit| 1 << bit);
        }
    }
    for word in section_words(include_str!("../../data/gate/recovery_words.txt"), "words") {
        *kinds.entry(word).or_default() |= RECOVERY;
    }
    for command in commands::programs() {
        *kinds.entry(command).or_default() |= COMMAND;
    }
    kinds
});

pub(super) fn kinds(word: &str) -> Kinds {
    KINDS.get(word).copied().unwrap_or_default()
}

pub(super) struct MarkedWord<'a> {
    pub(super) text: &'a str,
    pub(super) low: Cow<'a, str>,
    pub(super) kinds: Kinds,
    /// Whether a clause ends behind it.
    pub(super) ends: bool,
}

impl<'a> MarkedWord<'a> {
    fn new(text: &'a str) -> Self {
        let is_low = !text.contains(char::is_uppercase);
        let low = if is_low {
            text.into()
        } else {
            Cow::Owned(text.to_lowercase())
        };
        Self {
            text,
            kinds: kinds(&low),
            low,
            ends: false,
        }
    }

    pub(super) fn digits(&self) -> usize {
        self.text.bytes().filter(u8::is_ascii_digit).count()
    }

    /// Letters and digits.
    pub(super) fn is_mixed(&self) -> bool {
        self.digits() > 0 && self.text.chars().any(char::is_alphabetic)
    }
}

/// The words of a text, asked about by their place. Whatever the text, no question that is asked of
/// each word looks at all the others: a long one would otherwise keep a processor busy.
pub(super) struct MarkedText<'a> {
    pub(super) words: Vec<MarkedWord<'a>>,
    /// For each place the first from there on where no link stands.
    past_links: Vec<usize>,
    /// Whether a word says that the text is about a password, once somebody has asked.
    names_password: OnceCell<bool>,
}

impl<'a> MarkedText<'a> {
    fn new(words: Vec<MarkedWord<'a>>) -> Self {
        let mut past_links: Vec<usize> = (0..words.len()).collect();
        let mut past = words.len();
        for (n, word) in words.iter().enumerate().rev() {
            if word.kinds & LINK == 0 {
                past = n;
            }
            past_links[n] = past;
        }
        Self {
            names_password: OnceCell::new(),
            past_links,
            words,
        }
    }

    /// Whether the word at `n` is one of these.
    pub(super) fn is(&self, n: usize, kinds: Kinds) -> bool {
        self.words
            .get(n)
            .is_some_and(|word| word.kinds & kinds != 0)
    }

    pub(super) fn low(&self, n: usize) -> &str {
        self.words.get(n).map_or("", |word| &word.low)
    }

    /// The first place from `n` on where none of these stands.
    pub(super) fn skip(&self, mut n: usize, kinds: Kinds) -> usize {
        while self.is(n, kinds) {
            n += 1;
        }
        n
    }

    pub(super) fn names_password(&self) -> bool {
        let names = |word: &MarkedWord<'_>| word.low.contains("pass") || word.low == "kennwort";
        *self
            .names_password
            .get_or_init(|| self.words.iter().any(names))
    }

    /// The first place from `n` on where no link stands.
    pub(super) fn skip_links(&self, n: usize) -> usize {
        self.past_links.get(n).copied().unwrap_or(n)
    }
}

/// Words, with `:` and `=` as words of their own and without surrounding punctuation.
pub(super) fn marked_words<'t>(text: &'t str) -> MarkedText<'t> {
    // Room for all at once: words have four letters or more as a rule, the space included.
    let mut words = Vec::with_capacity(text.len() / 4 + 1);
    let mut push = |word: &'t str, ends: bool| {
        let bare = bare(word);
        if !bare.is_empty() {
            words.push(MarkedWord {
                ends: ends || word.ends_with(['.', ',', '!', '?', ')']),
                ..MarkedWord::new(bare)
            });
        }
    };
    // `User=app;Password=…`, `?user=app&password=…`
    let parts = |c: char| c.is_whitespace() || matches!(c, ';' | '&');
    for chunk in text.split_inclusive(parts) {
        let ends = chunk.ends_with(['\n', ';', '&']);
        for piece in chunk.trim_end_matches(parts).split_inclusive(MARKS) {
            let (word, mark) = piece.split_at(piece.trim_end_matches(MARKS).len());
            push(word, ends && mark.is_empty());
            push(mark, false);
        }
    }
    MarkedText::new(words)
}

/// Marks that are words of their own.
const MARKS: [char; 2] = ['=', ':'];

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    // An opening quote stays: a quoted word after a label is the secret, not a remark.
    word.trim_start_matches(['(', '[', '{', '<', ','])
        .trim_end_matches(|c: char| {
            matches!(
                c,
                '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ',' | ';' | '#'
            )
        })
        .trim_end_matches(['.', '!', '?'])
        .trim_end_matches(['"', '\''])
}
