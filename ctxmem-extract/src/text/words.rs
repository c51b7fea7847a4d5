//! Words of a sentence, with contractions spelled out and punctuation kept as gaps.

use std::borrow::Cow;

use super::QUOTE;
use crate::lists::{WordList, lower, same, sign};

/// What stands before a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    /// A space.
    None,
    /// A comma, or the slash of a list.
    Comma,
    /// A colon, semicolon, dash or bracket.
    Break,
}

/// One word.
#[derive(Clone)]
pub(crate) struct Word {
    /// As written, without surrounding punctuation.
    pub(crate) text: String,
    /// In lower case, where that is something else.
    low: Option<String>,
    /// The sign of [`Word::low`], for look-ups.
    pub(crate) sign: u64,
    /// What stands before it.
    pub(crate) gap: Gap,
    /// Written with a possessive ending, which is cut off.
    pub(crate) possessive: bool,
}

impl Word {
    fn new(text: &str, gap: Gap) -> Self {
        let low = match lower(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(low) => Some(low),
        };
        Self {
            text: text.to_owned(),
            sign: sign(low.as_deref().unwrap_or(text)),
            low,
            gap,
            possessive: false,
        }
    }

    /// In lower case.
    pub(crate) fn low(&self) -> &str {
        self.low.as_deref().unwrap_or(&self.text)
    }

    /// Whether it begins with a capital letter.
    pub(crate) fn is_capitalised(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether the word is one of these, in lower case.
    pub(crate) fn is_any(&self, words: &(impl Listed + ?Sized)) -> bool {
        words.lists(self)
    }

    /// Whether a quotation or a piece of code stood there.
    pub(crate) fn is_quote(&self) -> bool {
        !self.text.is_ascii() && self.text.contains(QUOTE)
    }
}

/// Words to compare with: a few as they are, or a [`WordList`] of many.
pub(crate) trait Listed {
    /// Whether the word is one of them.
    fn lists(&self, word: &Word) -> bool;
}

impl Listed for [&str] {
    fn lists(&self, word: &Word) -> bool {
        let low = word.low();
        self.iter().any(|listed| same(listed, low))
    }
}

impl<const N: usize> Listed for [&str; N] {
    fn lists(&self, word: &Word) -> bool {
        self.as_slice().lists(word)
    }
}

impl Listed for WordList {
    fn lists(&self, word: &Word) -> bool {
        self.has_signed(word.low(), word.sign)
    }
}

/// The words as text again, commas included.
pub(crate) fn join(words: &[Word]) -> String {
    let mut text = String::new();
    for (n, word) in words.iter().enumerate() {
        if n > 0 {
            text.push_str(match word.gap {
                Gap::None => " ",
                Gap::Comma => ", ",
                Gap::Break => ": ",
            });
        }
        text.push_str(&word.text);
        if word.possessive {
            text.push_str("'s");
        }
    }
    text
}

/// Words that lost their apostrophe and words that take two.
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
];

/// Those of them without an apostrophe.
static SHORTENED: WordList = WordList::new(&[
    "im", "ive", "dont", "doesnt", "didnt", "isnt", "arent", "cant", "cannot", "wont", "wouldnt",
    "thats", "whats", "gonna", "wanna",
]);

/// Words whose `'s` means "is".
static IS_AFTER: WordList = WordList::new(&[
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
    "deadline",
    "goal",
    "editor",
]);

/// Cuts a sentence into words.
pub(crate) fn words(sentence: &str) -> Vec<Word> {
    first_words(sentence, usize::MAX)
}

/// The first words of a text, so many at most.
pub(crate) fn first_words(text: &str, most: usize) -> Vec<Word> {
    // Words are longer than four letters as a rule, the space included.
    let mut out = Vec::with_capacity(most.min(text.len() / 4 + 1));
    let mut gap = Gap::None;
    for chunk in text.split_whitespace() {
        if out.len() >= most {
            break;
        }
        let (before, core, after) = bare(chunk);
        gap = gap.max(before);
        if core.is_empty() {
            // A dash or slash of its own separates; smileys and the like vanish.
            match chunk {
                "-" | "--" | "\u{2013}" | "\u{2014}" | ":" | "|" | "->" => gap = Gap::Break,
                "/" | "\u{B7}" => gap = gap.max(Gap::Comma),
                "&" | "+" => out.push(Word::new("and", gap)),
                _ => gap = gap.max(after),
            }
            continue;
        }
        push(&mut out, core, gap);
        gap = after;
    }
    out.truncate(most);
    out
}

/// A chunk without its punctuation, and the gaps that the punctuation makes.
fn bare(chunk: &str) -> (Gap, &str, Gap) {
    if let [first, .., last] | [first @ last] = chunk.as_bytes()
        && first.is_ascii_alphanumeric()
        && last.is_ascii_alphanumeric()
    {
        return (Gap::None, chunk, Gap::None);
    }
    let core =
        chunk.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '\u{FFFC}'));
    let core = match core.strip_prefix('.') {
        Some(rest) if !core.to_lowercase().starts_with(".net") => rest.trim_start_matches('.'),
        _ => core,
    };
    let head_len = chunk.len() - core.len();
    let head = chunk.get(..head_len).unwrap_or_default();
    let end = core
        .char_indices()
        .rev()
        .find(|(_, c)| c.is_alphanumeric() || matches!(c, '+' | '#' | '\u{FFFC}'))
        .map_or(0, |(at, c)| at + c.len_utf8());
    let (core, tail) = core.split_at_checked(end).unwrap_or((core, ""));
    (gap_of(head), core, gap_of(tail))
}

fn gap_of(punctuation: &str) -> Gap {
    if punctuation.is_empty() {
        Gap::None
    } else if punctuation.contains([
        '¿', ';', ':', '(', ')', '[', ']', '\u{2014}', '\u{2013}', '\u{2026}',
    ]) || punctuation.contains("--")
        || punctuation.contains("..")
    {
        Gap::Break
    } else if punctuation.contains(',') {
        Gap::Comma
    } else {
        Gap::None
    }
}

/// Adds one chunk as the words that it stands for.
fn push(out: &mut Vec<Word>, core: &str, gap: Gap) {
    if core.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        let word = Word::new(core, gap);
        if !word.is_any(&SHORTENED) {
            out.push(word);
            return;
        }
    }
    // "Kotlin/Android", "tool—another"
    if let Some((left, right)) = core.split_once(['\u{2014}', '\u{2026}'])
        && !left.is_empty()
        && !right.is_empty()
    {
        push(out, left, gap);
        push(out, right, Gap::Break);
        return;
    }
    if let Some((left, right)) = core.split_once([',', ';'])
        && left.chars().all(char::is_alphabetic)
        && right.starts_with(char::is_alphabetic)
    {
        push(out, left, gap);
        push(out, right, Gap::Comma);
        return;
    }
    let straight = if core.is_ascii() {
        Cow::Borrowed(core)
    } else {
        Cow::Owned(core.replace(['\u{2019}', '\u{2018}', '\u{B4}'], "'"))
    };
    let low = lower(&straight);
    if let Some((_, parts)) = SPELLED_OUT.iter().find(|(short, _)| *short == low) {
        for (n, part) in parts.iter().enumerate() {
            out.push(Word::new(part, if n == 0 { gap } else { Gap::None }));
        }
        return;
    }
    let mut add = |base: &str, second: &str| {
        out.push(Word::new(base, gap));
        out.push(Word::new(second, Gap::None));
    };
    let Some((base, ending)) = straight.rsplit_once('\'') else {
        out.push(Word::new(&straight, gap));
        return;
    };
    let base_low = base.to_lowercase();
    match ending.to_lowercase().as_str() {
        "m" if base_low == "i" => add(base, "am"),
        "re" => add(base, "are"),
        "ve" => add(base, "have"),
        "ll" => add(base, "will"),
        "d" => add(base, "would"),
        "t" if base_low.ends_with('n') && base_low.len() > 2 => {
            add(base.get(..base.len() - 1).unwrap_or(base), "not");
        }
        "s" if IS_AFTER.has(base_low.as_str()) => add(base, "is"),
        "s" | "" => {
            let mut word = Word::new(base, gap);
            word.possessive = true;
            out.push(word);
        }
        _ => out.push(Word::new(&straight, gap)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lows(text: &str) -> String {
        words(text)
            .iter()
            .map(Word::low)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn contractions_are_spelled_out() {
        for (text, expected) in [
            ("I'm Ada", "i am ada"),
            ("I’ve used it", "i have used it"),
            ("we don't, ever", "we do not ever"),
            ("my name's Ada", "my name is ada"),
            ("im on fedora", "i am on fedora"),
            ("my brother's bike", "my brother bike"),
            ("Nils' shop", "nils shop"),
            ("it isn’t mine", "it is not mine"),
            ("j'habite à Lyon", "j'habite à lyon"),
        ] {
            assert_eq!(lows(text), expected, "{text}");
        }
    }

    #[test]
    fn names_keep_their_signs() {
        assert_eq!(
            lows("C++, C# and .NET on Fly.io!"),
            "c++ c# and .net on fly.io"
        );
        assert_eq!(lows("(really) \"great\" :)"), "really great");
        assert_eq!(lows("west + ninja"), "west and ninja");
    }

    #[test]
    fn punctuation_is_a_gap() {
        let gaps: Vec<Gap> = words("Rust, Go - and: so (yes) Kotlin / Java")
            .iter()
            .map(|word| word.gap)
            .collect();
        assert_eq!(
            gaps,
            [
                Gap::None,
                Gap::Comma,
                Gap::Break,
                Gap::Break,
                Gap::Break,
                Gap::Break,
                Gap::Comma
            ]
        );
    }

    #[test]
    fn words_come_back_as_text() {
        assert_eq!(join(&words("the  demo, on Steam")), "the demo, on Steam");
    }
}
