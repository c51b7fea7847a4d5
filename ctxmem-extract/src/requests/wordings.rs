//! The words and patterns of `data/requests.txt`.

use std::sync::LazyLock;

use crate::hash::{WordMap, WordSet};
use crate::patterns::{REQUESTS, captures_at, each_fit};
use crate::sections::section_words;
use crate::text::words::{Word, Words};

/// The sections that hold words.
const WORDS: [&str; 19] = [
    "no request",
    "no wish",
    "replies",
    "tells",
    "openers",
    "adverbs",
    "leads",
    "not forgotten",
    "all of it",
    "instead",
    "asking",
    "reminds",
    "kept when given up",
    "supposing",
    "wishing",
    "passing",
    "moving",
    "logins",
    "studies",
];

static LISTS: LazyLock<WordMap<&str, WordSet<&str>>> = LazyLock::new(|| {
    WORDS
        .into_iter()
        .map(|name| (name, section_words(REQUESTS, name).collect()))
        .collect()
});

pub(crate) fn is_in(list: &str, low: &str) -> bool {
    LISTS.get(list).is_some_and(|list| list.contains(low))
}

/// A pattern that fits.
pub(crate) struct Fit {
    /// The first word of it.
    pub(crate) start: usize,
    /// The words of `{}`, and of `{old}`.
    pub(crate) meant: Option<std::ops::Range<usize>>,
    pub(crate) old: Option<std::ops::Range<usize>>,
}

/// The pattern of a kind that fits a sentence, the first that begins where `may_begin` says.
pub(crate) fn fit(
    kind: &'static str,
    words: &Words<'_>,
    may_begin: impl Fn(usize) -> bool,
) -> Option<Fit> {
    each_fit(words, |other| other == kind).find_map(|(_, regex)| {
        let captures = captures_at(regex, &words.folded, 0)?;
        let start = words.number(captures.get(0)?.start() + 1);
        let range = |name| {
            let part = captures.name(name)?;
            Some(words.number(part.start())..words.number(part.end()))
        };
        may_begin(start).then(|| Fit {
            start,
            meant: range("x"),
            old: range("old"),
        })
    })
}

/// Whether a request may begin with a word: at the beginning of the sentence, behind a mark or an opener, and behind an
/// adverb where one may begin with that.
pub(crate) fn may_open(words: &Words<'_>, start: usize) -> bool {
    start.checked_sub(1).is_none_or(|before| {
        let low = words.low(before);
        // "*Always* use tabs", but not "it can *remember* facts".
        let is_emphasis = matches!(low, "*" | "_");
        (words.each.get(before).is_some_and(Word::is_mark) && !is_emphasis)
            || if is_emphasis || is_in("adverbs", low) {
                may_open(words, before)
            } else {
                // "The best way to understand and remember" asks for nothing.
                let is_infinitive = low == "and"
                    && before
                        .checked_sub(2)
                        .is_some_and(|to| words.low(to) == "to");
                is_in("openers", low) && !is_infinitive
            }
    })
}
