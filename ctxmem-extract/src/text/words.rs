//! Words of a message: contractions spelled out, punctuation kept as gaps.
//!
//! Whatever reads a message goes by these. Four places split text in another way, because they ask
//! another question: `folded_words.rs` (is it the same text however it is spelled?),
//! `secrets/labels.rs` and `orders.rs` (which must not be misled by punctuation), and
//! [`Vocabulary::language`], which runs before the language is known.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::QUOTE;
use super::vocabulary::{self, Vocabulary, lower};
use crate::language::Language;
use crate::lists::{self, List, Table};

/// What stands before a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    /// An apostrophe: `l'` and `équipe`.
    Glued,
    /// A space.
    Space,
    /// A comma, or the slash of a list.
    Comma,
    /// A bracket.
    Bracket,
    /// A colon, semicolon or dash.
    Break,
    /// The end of the sentence before.
    Sentence,
}

impl Gap {
    /// How it is written between two words.
    pub(crate) const fn written(self) -> &'static str {
        match self {
            Self::Glued => "'",
            Self::Space | Self::Sentence => " ",
            Self::Comma | Self::Bracket => ", ",
            Self::Break => ": ",
        }
    }
}

/// One word.
#[derive(Clone)]
pub(crate) struct Word<'t> {
    /// As written, without surrounding punctuation.
    pub(crate) text: &'t str,
    /// In lower case.
    pub(crate) low: Cow<'t, str>,
    /// Its number in the [`Vocabulary`]; 0 for a word that no pattern and no list of words has.
    pub(crate) id: u32,
    /// What stands before it.
    pub(crate) gap: Gap,
    /// Written with a possessive ending, which is cut off.
    pub(crate) possessive: bool,
    /// Behind it the sentence ends with a question mark.
    pub(crate) asks: bool,
}

impl Word<'_> {
    /// Whether it begins with a capital letter.
    pub(crate) fn is_capitalised(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether a quotation or a piece of code stood there.
    pub(crate) fn is_quote(&self) -> bool {
        !self.text.is_ascii() && self.text.contains(QUOTE)
    }

    /// Adds another word in the place of this one, with the possessive ending that this one has.
    pub(crate) fn write_as(&self, other: &str, text: &mut String) {
        text.push_str(other);
        if self.possessive {
            text.push_str("'s");
        }
    }

    /// Whether the word is on a list.
    pub(crate) fn is_in(&self, list: List) -> bool {
        lists::has(list, &self.low)
    }
}

/// The words as text again, commas included.
pub(crate) fn join(words: &[Word<'_>]) -> String {
    let mut text = String::new();
    for (n, word) in words.iter().enumerate() {
        if n > 0 {
            text.push_str(word.gap.written());
        }
        word.write_as(word.text, &mut text);
    }
    text
}

/// How many words the longest phrase of a list has that begins with the word at `at`, whatever
/// stands between them.
pub(crate) fn phrase_at(words: &[Word<'_>], at: usize, list: List) -> Option<usize> {
    let word = |n: usize| words.get(at + n).map(|word| &*word.low);
    lists::phrases(list)
        .longest(word)
        .map(|(length, ())| length)
}

/// How short forms of a language are spelled out.
struct Spelling {
    short: HashMap<&'static str, Vec<&'static str>>,
    /// Endings behind an apostrophe.
    endings: HashMap<&'static str, &'static str>,
    /// Verbs that change before "n't".
    before_nt: HashMap<&'static str, &'static str>,
}

static SPELLINGS: LazyLock<[Spelling; Language::COUNT]> = LazyLock::new(|| {
    Language::ALL.map(|language| {
        let pairs = |table| lists::pairs(table, language);
        Spelling {
            short: pairs(Table::SpelledOut)
                .map(|(short, words)| (short, words.split(' ').collect()))
                .collect(),
            endings: pairs(Table::Endings).collect(),
            before_nt: pairs(Table::BeforeNt).collect(),
        }
    })
});

/// Splits a text into words.
pub(crate) fn split_words(text: &str, language: Language) -> Vec<Word<'_>> {
    let mut splitter = Splitter {
        vocabulary: vocabulary::get(),
        language,
        words: Vec::with_capacity(text.len() / 5 + 1),
        gap: Gap::Sentence,
    };
    for line in text.lines() {
        splitter.gap = Gap::Sentence;
        for chunk in line.split_whitespace() {
            splitter.chunk(chunk);
        }
    }
    splitter.words
}

/// Splits a text, and numbers its words.
struct Splitter<'t> {
    vocabulary: &'static Vocabulary,
    language: Language,
    words: Vec<Word<'t>>,
    gap: Gap,
}

/// Marks that may stand around a word.
fn is_mark(c: char) -> bool {
    !(c.is_alphanumeric() || matches!(c, '#' | '+' | '@' | '$' | '€' | '%' | '&' | '_' | QUOTE))
}

impl<'t> Splitter<'t> {
    /// What stands between two spaces.
    fn chunk(&mut self, chunk: &'t str) {
        let plain = chunk.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if plain {
            self.word(chunk);
            return;
        }
        // `vim/emacs`, `TypeScript,React`, and dashes without spaces: words of their own.
        let url = chunk.contains("://");
        let mut from = 0;
        for (at, c) in chunk.char_indices() {
            let divides = match c {
                ',' | ';' | '(' | ')' | '\u{2014}' | '\u{2013}' | '…' | '|' | '[' | ']' | '{'
                | '}' => true,
                '/' => !url && chunk.len() > at + 1 && at > 0,
                _ => false,
            };
            if divides {
                self.piece(chunk.get(from..at).unwrap_or_default());
                self.note(match c {
                    ',' | '/' => Gap::Comma,
                    '(' | ')' | '[' | ']' | '{' | '}' => Gap::Bracket,
                    _ => Gap::Break,
                });
                from = at + c.len_utf8();
            }
        }
        self.piece(chunk.get(from..).unwrap_or_default());
    }

    fn note(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// A word with the marks around it.
    fn piece(&mut self, piece: &'t str) {
        let begun = piece.trim_start_matches(|c| is_mark(c) && c != '.' && c != '-' && c != '¿');
        let lead = piece.len() - begun.len();
        if piece.get(..lead).unwrap_or_default().contains(':') {
            self.note(Gap::Break);
        }
        let begun = begun.trim_start_matches('¿');
        let bare = begun.trim_end_matches(is_mark);
        if bare.is_empty() || !bare.contains(|c: char| c.is_alphanumeric() || c == QUOTE) {
            // A dash or a dot that stands alone.
            if let Some(c) = piece.chars().next() {
                self.close(c, piece, "");
            }
            return;
        }
        // `.NET` keeps its dot, `-option` its dash; nothing else does.
        let bare = match bare.strip_prefix(['.', '-']) {
            Some(rest) if !rest.starts_with(|c: char| c.is_alphanumeric()) => {
                rest.trim_start_matches(is_mark)
            }
            _ => bare,
        };
        self.word(bare);
        let marks = begun.get(begun.trim_end_matches(is_mark).len()..);
        for c in marks.unwrap_or_default().chars() {
            self.close(c, marks.unwrap_or_default(), bare);
        }
    }

    /// A mark behind a word.
    fn close(&mut self, c: char, marks: &str, word: &str) {
        match c {
            '.' if marks == "." && self.is_abbreviation(word) => {}
            // "am 9. August"
            '.' if marks == "."
                && self.language == Language::German
                && word.len() <= 2
                && word.bytes().all(|byte| byte.is_ascii_digit()) => {}
            '.' | '!' | '。' | '！' => self.note(Gap::Sentence),
            '?' | '？' => {
                self.note(Gap::Sentence);
                if let Some(last) = self.words.last_mut() {
                    last.asks = true;
                }
            }
            ',' | '、' => self.note(Gap::Comma),
            ':' | ';' | '-' => self.note(Gap::Break),
            _ => {}
        }
    }

    fn is_abbreviation(&self, word: &str) -> bool {
        let initial = word.len() == 1 && word != "I" && word.chars().all(char::is_uppercase);
        initial
            || self
                .words
                .last()
                .is_some_and(|last| last.is_in(List::Abbreviations))
    }

    fn word(&mut self, text: &'t str) {
        let low = lower(text);
        if let Some(spelled) = SPELLINGS[self.language as usize].short.get(&*low) {
            for word in spelled {
                self.push(word, lower(word));
            }
            return;
        }
        if let Some((at, mark)) = text
            .char_indices()
            .find(|(_, c)| matches!(c, '\'' | '\u{2019}' | '`' | '´'))
        {
            let (head, tail) = (
                text.get(..at).unwrap_or_default(),
                text.get(at + mark.len_utf8()..).unwrap_or_default(),
            );
            if self.with_apostrophe(text, head, tail) {
                return;
            }
        }
        self.push(text, low);
    }

    /// Whether the word was taken apart at its apostrophe.
    fn with_apostrophe(&mut self, whole: &'t str, head: &'t str, tail: &'t str) -> bool {
        let (low_head, low_tail) = (lower(head), lower(tail));
        if self.language == Language::French
            && lists::has(List::Elided, &low_head)
            && !tail.is_empty()
        {
            self.push(head, low_head);
            self.gap = Gap::Glued;
            self.push(tail, low_tail);
            return true;
        }
        // Germans write "'s" too, and mix English in.
        if self.language != Language::English && self.language != Language::German {
            return false;
        }
        let spelling = &SPELLINGS[Language::English as usize];
        if &*low_tail == "t"
            && let Some(verb) = head.strip_suffix(['n', 'N'])
        {
            let whole = spelling.before_nt.get(&*low_head).copied().unwrap_or(verb);
            self.push(whole, lower(whole));
            self.push("not", Cow::Borrowed("not"));
        } else if let Some(verb) = spelling.endings.get(&*low_tail) {
            let head = if &*low_head == "i" { "I" } else { head };
            self.push(head, lower(head));
            self.push(verb, Cow::Borrowed(verb));
        } else if &*low_tail == "s" && lists::has(List::IsAfter, &low_head) {
            self.push(head, low_head);
            self.push("is", Cow::Borrowed("is"));
        } else if &*low_tail == "s" && !head.is_empty() {
            self.push(head, low_head);
            if let Some(last) = self.words.last_mut() {
                last.possessive = true;
            }
        } else {
            let _ = whole;
            return false;
        }
        true
    }

    fn push(&mut self, text: &'t str, low: Cow<'t, str>) {
        let gap = std::mem::replace(&mut self.gap, Gap::Space);
        let gap = if self.words.is_empty() {
            Gap::Sentence
        } else {
            gap
        };
        self.words.push(Word {
            id: self.vocabulary.id(&low),
            text,
            low,
            gap,
            possessive: false,
            asks: false,
        });
    }
}
