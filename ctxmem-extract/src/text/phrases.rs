//! Phrases that words are compared with: by their first word, so that most are out at once.

use super::words::{Gap, Word};
use crate::lists::{Index, Marks, same, sign};

/// Phrases that are compiled in, words in lower case.
pub(crate) struct PhraseList {
    phrases: &'static [&'static [&'static str]],
    /// The first words.
    firsts: Marks,
    /// Of each phrase the tag of its first word, by which most of them are passed over.
    tags: [u8; MOST_PHRASES],
}

/// Most phrases of a list.
const MOST_PHRASES: usize = 64;

/// A few bits of a sign, and not those that [`Marks`] looks at.
const fn tag(sign: u64) -> u8 {
    (sign >> 56) as u8
}

impl PhraseList {
    /// Takes note of the first words.
    pub(crate) const fn new(phrases: &'static [&'static [&'static str]]) -> Self {
        assert!(phrases.len() <= MOST_PHRASES, "too many phrases");
        let mut firsts = Marks::NONE;
        let mut tags = [0; MOST_PHRASES];
        let mut n = 0;
        while n < phrases.len() {
            if let [first, ..] = phrases[n] {
                firsts = firsts.with(sign(first));
                tags[n] = tag(sign(first));
            }
            n += 1;
        }
        Self {
            phrases,
            firsts,
            tags,
        }
    }

    /// Whether one of the phrases stands somewhere in the words.
    pub(crate) fn is_in(&self, words: &[Word]) -> bool {
        (0..words.len()).any(|n| self.begins(words.get(n..).unwrap_or_default()).is_some())
    }

    /// The phrase with which the words begin.
    pub(crate) fn begins(&self, words: &[Word]) -> Option<&'static [&'static str]> {
        self.find(words, |phrase| starts(words, phrase))
    }

    /// Whether the words are one of the phrases and nothing else.
    pub(crate) fn has(&self, words: &[Word]) -> bool {
        self.find(words, |phrase| {
            phrase.len() == words.len() && starts(words, phrase)
        })
        .is_some()
    }

    /// The first phrase that fits, of those that may have the first word of these.
    fn find(
        &self,
        words: &[Word],
        fits: impl Fn(&[&str]) -> bool,
    ) -> Option<&'static [&'static str]> {
        let first = words.first().filter(|first| self.firsts.has(first.sign))?;
        let tag = tag(first.sign);
        self.phrases
            .iter()
            .zip(&self.tags)
            .filter(|(_, one)| **one == tag)
            .map(|(phrase, _)| *phrase)
            .find(|phrase| fits(phrase))
    }
}

/// Whether the words begin with the phrase.
fn starts(words: &[Word], phrase: &[&str]) -> bool {
    words.get(..phrase.len()).is_some_and(|run| {
        run.iter()
            .zip(phrase)
            .all(|(word, low)| same(word.low(), low))
    })
}

/// Whether the phrase stands somewhere in the words.
pub(crate) fn holds(words: &[Word], phrase: &[&str]) -> bool {
    (0..words.len()).any(|n| starts(words.get(n..).unwrap_or_default(), phrase))
}

/// Phrases from a list that is read at the start, each with what it means.
pub(crate) struct Phrases<T>(Index<u64, Vec<Phrase<T>>>);

struct Phrase<T> {
    words: Box<[Box<str>]>,
    meaning: T,
}

impl<T> Default for Phrases<T> {
    fn default() -> Self {
        Self(Index::default())
    }
}

impl<T> Phrases<T> {
    /// Adds a phrase in lower case; where it is known, `known` says what it means now.
    pub(crate) fn add(&mut self, phrase: &str, meaning: T, known: impl FnOnce(&mut T, T)) {
        let words: Box<[Box<str>]> = phrase.split(' ').map(Box::from).collect();
        let first = words.first().map_or(0, |first| sign(first));
        let all = self.0.entry(first).or_default();
        if let Some(phrase) = all.iter_mut().find(|phrase| phrase.words == words) {
            known(&mut phrase.meaning, meaning);
        } else {
            // The longest first.
            let at = all.partition_point(|phrase| phrase.words.len() >= words.len());
            all.insert(at, Phrase { words, meaning });
        }
    }

    /// What the phrases mean, in no order.
    pub(crate) fn meanings(&self) -> impl Iterator<Item = &T> {
        self.0.values().flatten().map(|phrase| &phrase.meaning)
    }

    /// The phrases that begin at `at`, the longest first: the index behind each and what it
    /// means. Gaps between their words are for the caller to judge.
    pub(crate) fn at<'a>(
        &'a self,
        words: &'a [Word],
        at: usize,
    ) -> impl Iterator<Item = (usize, &'a T)> {
        let rest = words.get(at..).unwrap_or_default();
        let all = rest.first().and_then(|first| self.0.get(&first.sign));
        all.map_or(&[][..], Vec::as_slice)
            .iter()
            .filter_map(move |phrase| {
                let run = rest.get(..phrase.words.len())?;
                let same = run
                    .iter()
                    .zip(&phrase.words)
                    .all(|(word, low)| same(word.low(), low));
                same.then_some((at + run.len(), &phrase.meaning))
            })
    }
}

/// Whether nothing stands between the words of a phrase but spaces.
pub(crate) fn is_joined(run: &[Word]) -> bool {
    run.iter().skip(1).all(|word| word.gap == Gap::None)
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn phrases_are_found_wherever_they_stand() {
        static LIST: PhraseList = PhraseList::new(&[&["from", "now", "on"], &["so"]]);
        for (text, holds) in [
            ("From now on, be brief", true),
            ("be brief so", true),
            ("from now", false),
            ("now on", false),
        ] {
            assert_eq!(LIST.is_in(&words(text)), holds, "{text}");
        }
        for (text, is_one) in [
            ("From now on", true),
            ("so", true),
            ("so from now on", false),
        ] {
            assert_eq!(LIST.has(&words(text)), is_one, "{text}");
        }
    }

    #[test]
    fn the_longest_phrase_comes_first() {
        let mut phrases = Phrases::default();
        for (phrase, n) in [
            ("new", 0),
            ("new york city", 1),
            ("new york", 2),
            ("york", 3),
        ] {
            phrases.add(phrase, n, |_, _| ());
        }
        phrases.add("new york", 10, |known, more| *known += more);
        let words = words("In New York now");
        let found: Vec<(usize, usize)> = phrases.at(&words, 1).map(|(end, n)| (end, *n)).collect();
        assert_eq!(found, [(3, 12), (2, 0)]);
        assert_eq!(phrases.at(&words, 3).count(), 0);
    }
}
