//! Phrases that are looked up word by word.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::hash::Fnv;

/// The words of phrases behind the first, and what each phrase stands for.
type Rests<T> = Vec<(Vec<&'static str>, T)>;

/// Phrases by their first word.
pub(crate) struct Phrases<T>(HashMap<&'static str, Rests<T>, BuildHasherDefault<Fnv>>);

impl<T> Default for Phrases<T> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<T> Phrases<T> {
    /// Adds a phrase. Of two that are the same the first one counts.
    pub(crate) fn add(&mut self, phrase: &'static str, meaning: T) {
        self.add_words(phrase.split(' '), meaning);
    }

    /// Adds a phrase by its words.
    pub(crate) fn add_words(&mut self, words: impl IntoIterator<Item = &'static str>, meaning: T) {
        let mut words = words.into_iter();
        let of_first = self.0.entry(words.next().unwrap_or_default()).or_default();
        let rest: Vec<&str> = words.collect();
        if of_first.iter().all(|(known, _)| *known != rest) {
            let at = of_first.partition_point(|(known, _)| known.len() >= rest.len());
            of_first.insert(at, (rest, meaning));
        }
    }

    /// How many words the longest phrase has that begins here, and what it stands for. `word`
    /// gives the first word, the second and so on.
    pub(crate) fn longest<'w>(
        &self,
        word: impl Fn(usize) -> Option<&'w str>,
    ) -> Option<(usize, &T)> {
        self.0.get(word(0)?)?.iter().find_map(|(rest, meaning)| {
            let fits = (1..).zip(rest).all(|(n, known)| word(n) == Some(*known));
            fits.then_some((1 + rest.len(), meaning))
        })
    }

    /// Whether this very phrase is among them.
    pub(crate) fn has(&self, phrase: &str) -> bool {
        let (first, rest) = phrase.split_once(' ').unwrap_or((phrase, ""));
        self.0.get(first).is_some_and(|phrases| {
            phrases.iter().any(|(known, _)| match known[..] {
                [] => rest.is_empty(),
                _ => known.iter().copied().eq(rest.split(' ')),
            })
        })
    }

    /// The phrases that are a single word.
    pub(crate) fn single_words(&self) -> impl Iterator<Item = &'static str> {
        let single = self
            .0
            .iter()
            .filter(|(_, phrases)| phrases.iter().any(|(rest, _)| rest.is_empty()));
        single.map(|(word, _)| *word)
    }
}
