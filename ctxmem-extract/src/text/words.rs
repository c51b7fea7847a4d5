//! Words of a message: contractions spelled out, punctuation kept as gaps.

use std::borrow::Cow;

use super::QUOTE;
use super::vocabulary::{self, Language, Vocabulary};

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

    /// Whether the word is one of these, in lower case.
    pub(crate) fn is_any(&self, words: &[&str]) -> bool {
        words.contains(&&*self.low)
    }
}

/// The words as text again, commas included.
pub(crate) fn join(words: &[Word<'_>]) -> String {
    let mut text = String::new();
    for (n, word) in words.iter().enumerate() {
        if n > 0 {
            text.push_str(word.gap.written());
        }
        text.push_str(word.text);
        if word.possessive {
            text.push_str("'s");
        }
    }
    text
}

/// The text in lower case, which most words are.
pub(crate) fn lower(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        Cow::Owned(text.to_lowercase())
    } else if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// Short forms and what they stand for.
const SPELLED_OUT: &[(&str, &[&str])] = &[
    ("im", &["I", "am"]),
    ("ive", &["I", "have"]),
    ("dont", &["do", "not"]),
    ("doesnt", &["does", "not"]),
    ("didnt", &["did", "not"]),
    ("isnt", &["is", "not"]),
    ("arent", &["are", "not"]),
    ("cant", &["can", "not"]),
    ("cannot", &["can", "not"]),
    ("wont", &["will", "not"]),
    ("wouldnt", &["would", "not"]),
    ("thats", &["that", "is"]),
    ("whats", &["what", "is"]),
    ("won't", &["will", "not"]),
    ("can't", &["can", "not"]),
    ("ain't", &["is", "not"]),
    ("i'm", &["I", "am"]),
    ("gonna", &["going", "to"]),
    ("wanna", &["want", "to"]),
    ("pls", &["please"]),
    ("plz", &["please"]),
    ("u", &["you"]),
    ("ur", &["your"]),
];

/// English endings behind an apostrophe.
const ENDINGS: &[(&str, &str)] = &[
    ("m", "am"),
    ("re", "are"),
    ("ve", "have"),
    ("ll", "will"),
    ("d", "would"),
];

/// Words whose `'s` means "is".
const IS_AFTER: &[&str] = &[
    "it",
    "that",
    "there",
    "here",
    "he",
    "she",
    "who",
    "what",
    "where",
    "how",
    "name",
    "this",
    "everything",
    "timezone",
    "zone",
    "deadline",
    "goal",
    "editor",
    "birthday",
    "when",
];

/// French words that lose their vowel before another.
const ELIDED: &[&str] = &[
    "j", "m", "l", "d", "n", "s", "t", "c", "qu", "jusqu", "aujourd",
];

/// Dots behind these end no sentence.
const ABBREVIATIONS: &[&str] = &[
    "dr", "mr", "mrs", "ms", "prof", "st", "vs", "etc", "e.g", "i.e", "bzw", "z.b", "sr", "sra",
    "mme", "mlle", "approx", "no", "nr", "usw", "ca", "jr",
];

/// Splits a text into words.
pub(crate) fn words(text: &str, language: Language) -> Vec<Word<'_>> {
    let mut reader = Reader {
        vocabulary: vocabulary::get(),
        language,
        words: Vec::with_capacity(text.len() / 5 + 1),
        gap: Gap::Sentence,
    };
    for line in text.lines() {
        reader.gap = Gap::Sentence;
        for chunk in line.split_whitespace() {
            reader.chunk(chunk);
        }
    }
    reader.words
}

struct Reader<'t> {
    vocabulary: &'static Vocabulary,
    language: Language,
    words: Vec<Word<'t>>,
    gap: Gap,
}

/// Marks that may stand around a word.
fn is_mark(c: char) -> bool {
    !(c.is_alphanumeric() || matches!(c, '#' | '+' | '@' | '$' | '€' | '%' | '&' | '_' | QUOTE))
}

impl<'t> Reader<'t> {
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
                .is_some_and(|last| ABBREVIATIONS.contains(&&*last.low))
    }

    fn word(&mut self, text: &'t str) {
        let low = lower(text);
        if self.language == Language::English
            && let Some((_, spelled)) = SPELLED_OUT.iter().find(|(short, _)| *short == &*low)
        {
            for word in *spelled {
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
        if self.language == Language::French && ELIDED.contains(&&*low_head) && !tail.is_empty() {
            self.push(head, low_head);
            self.gap = Gap::Glued;
            self.push(tail, low_tail);
            return true;
        }
        if self.language != Language::English && self.language != Language::German {
            return false;
        }
        if &*low_tail == "t"
            && let Some(verb) = head.strip_suffix(['n', 'N'])
        {
            let whole = match &*low_head {
                "won" => "will",
                "can" => "can",
                "ain" => "is",
                _ => verb,
            };
            self.push(whole, lower(whole));
            self.push("not", Cow::Borrowed("not"));
        } else if let Some((_, verb)) = ENDINGS.iter().find(|(ending, _)| *ending == &*low_tail) {
            let head = if &*low_head == "i" { "I" } else { head };
            self.push(head, lower(head));
            self.push(verb, Cow::Borrowed(verb));
        } else if &*low_tail == "s" && IS_AFTER.contains(&&*low_head) {
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
