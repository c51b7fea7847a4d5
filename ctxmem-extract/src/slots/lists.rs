//! Matches of the patterns in `data/slots.txt` within a sentence, and the lists of words and phrases there.

use std::ops::Range;
use std::sync::LazyLock;

use crate::hash::{WordMap, WordSet};
use crate::patterns::{SLOT_KINDS, SLOTS, captures_at, each_fit};
use crate::sections::sections;
use crate::text::words::Words;

const NAMES: &str = include_str!("../../data/names.txt");

/// How often one pattern is looked for in a sentence.
const MOST_TIMES: usize = 4;

/// The lists of words and phrases, by name: each phrase by its first word, with the number of its words.
static LISTS: LazyLock<WordMap<&str, List>> = LazyLock::new(|| {
    let mut lists: WordMap<&str, List> = WordMap::default();
    let lines = sections(SLOTS)
        .chain(sections(NAMES))
        .filter(|(name, _)| !SLOT_KINDS.contains(name));
    for (name, line) in lines {
        let list = lists.entry(name).or_default();
        let by_comma = line.contains(", ");
        let entries: Vec<&str> = if by_comma {
            line.split(", ").collect()
        } else {
            line.split(' ').collect()
        };
        for entry in entries {
            let words = Words::of(entry).folded.trim().to_owned();
            list.longest = list.longest.max(words.split(' ').count());
            list.entries.insert(words);
        }
    }
    lists
});

#[derive(Default)]
struct List {
    entries: WordSet<String>,
    longest: usize,
}

/// Whether a word, as it is compared, is on a list.
pub(super) fn is_in(list: &str, low: &str) -> bool {
    LISTS
        .get(list)
        .is_some_and(|list| list.entries.contains(low))
}

/// Behind the longest phrase of a list that begins with a word.
pub(super) fn listed_at(words: &Words<'_>, start: usize, list: &str) -> Option<usize> {
    let list = LISTS.get(list)?;
    let mut phrase = String::new();
    let mut end = None;
    for number in start..words.each.len().min(start + list.longest) {
        if number > start {
            phrase.push(' ');
        }
        phrase.push_str(words.low(number));
        if list.entries.contains(&phrase) {
            end = Some(number + 1);
        }
    }
    end
}

/// A pattern that a sentence fits.
pub(crate) struct Found {
    pub(super) slot: &'static str,
    /// The first word of what fits.
    pub(super) start: usize,
    /// The words that are taken.
    pub(super) taken: Range<usize>,
}

/// The patterns that a sentence fits, where it states something.
pub(crate) fn found_in(words: &Words<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for (slot, regex) in each_fit(words, |kind| SLOT_KINDS.contains(&kind)) {
        // What is taken goes on to the end of the sentence, so the next one may begin in it.
        let mut from = 0;
        for _ in 0..MOST_TIMES {
            let Some(captures) = captures_at(regex, &words.folded, from) else {
                break;
            };
            let (Some(whole), Some(taken)) = (captures.get(0), captures.name("x")) else {
                break;
            };
            let takes_the_beginning = whole.start() + 1 == taken.start();
            from = whole.start() + 1;
            let start = words.number(from);
            let mut taken = words.number(taken.start())..words.number(taken.end());
            if takes_the_beginning {
                taken.start = behind_topic(words, taken.clone());
            }
            // "I was living in Rome."
            let before = start.checked_sub(1).map_or("", |before| words.low(before));
            let is_past = slot == "location" && matches!(before, "was" | "were");
            if states(words, start)
                && !is_past
                && !(takes_the_beginning && is_of_somebody(words, &taken))
            {
                found.push(Found { slot, start, taken });
            }
            // All that begins later is a part of the same.
            if takes_the_beginning {
                break;
            }
        }
    }
    found
}

/// Where what is taken begins, if it stands before the words that say so, as in Japanese: behind the last comma, and
/// behind whom the sentence is about. "私は横浜" is about me, "はまぐり" about clams.
fn behind_topic(words: &Words<'_>, taken: Range<usize>) -> usize {
    let is_comma = |n: &usize| matches!(words.low(*n), "、" | "，" | ",");
    let clause = taken.clone().rfind(is_comma).map_or(taken.start, |n| n + 1);
    let marks_topic = |n: &usize| {
        is_in("topic", words.low(*n)) || *n > clause && matches!(words.low(*n), "は" | "が")
    };
    (clause..taken.end)
        .find(marks_topic)
        .map_or(clause, |n| n + 1)
}

/// Whether somebody else is the subject of what is taken: "아들이 땅콩" is of a son.
fn is_of_somebody(words: &Words<'_>, taken: &Range<usize>) -> bool {
    let is_subject = |n: usize| words.low(n).ends_with(['이', '가', '은', '는']);
    (taken.start..taken.end.saturating_sub(1)).any(is_subject)
}

/// Whether what begins with a word is stated there, and not asked, supposed or told of somebody.
fn states(words: &Words<'_>, start: usize) -> bool {
    let before = (0..start).map(|number| words.low(number));
    let is_supposed = before.clone().any(|low| is_in("nowhere behind", low));
    let mut before = before;
    // "Don't" is one word.
    let asks = before.next_back().is_some_and(|low| {
        low.split(' ').any(|part| is_in("not behind", part))
            || low == "no" && !is_in("english openings", words.low(start))
    });
    !is_supposed && !asks
}
