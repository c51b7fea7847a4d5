//! Relevance ranking: BM25 over the words of the facts, in memory, for one request. Pure.
//!
//! No index is kept: the facts of a user are few hundred, and what is decrypted for a request goes
//! with it.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::render::label;
use super::wording;
use crate::extract::{Known, is_unspaced};
use crate::store::StoredFact;

/// How soon saying a word again adds nothing more, and how much long facts lose.
const SATURATION: f32 = 1.2;
const BY_LENGTH: f32 = 0.75;

/// Words that say nothing of what a text is about.
const COMMON: &str = "a about am an and any are as at be been but by can could did do does doing \
    don for from get got had has have having he her here hers him his how i if in into is it its \
    just ll m me more my no not now of on or our out re s she should so some t than that the their \
    them then there these they this those to too up us user ve was we were what when where which \
    who whom whose why will with would you your yours \
    aber als am an auch auf aus bei bin bist das dass dein dem den der des die dir doch du ein eine \
    einem einen einer er es für habe haben hat hier ich ihr im in ist ja kein keine man mein meine \
    mich mir mit nach nicht noch nur oder sein sich sie sind so und uns vom von war was wenn wer wie \
    wir wird wo zu zum zur \
    au aux avec ce ces cette dans de des du elle en est et il ils j je l la le les leur lui ma mais \
    me mes moi mon n ne nous ou où par pas pour qu que qui sa se ses son sont sur ta te tu un une \
    vous y \
    al como con cual cuál de del el ella en eres es esta este esto la las le lo los más me mi mis \
    muy no nos o para pero por qué que quién se si sin soy su sus te tu tus un una y ya yo";

/// Something with words, of which some bear on a text and others don't.
pub(super) trait Worded {
    /// The texts that hold its words.
    fn texts(&self) -> [&str; 2];
}

impl Worded for &StoredFact {
    fn texts(&self) -> [&str; 2] {
        [label(self).unwrap_or_default(), &self.value]
    }
}

impl Worded for Known {
    fn texts(&self) -> [&str; 2] {
        [self.key.as_deref().unwrap_or_default(), &self.value]
    }
}

/// How the words begin that are asked for. To make the stem of each word of each fact, or to look each up among the
/// common ones, would cost several times as much as all else.
struct Beginnings<'a> {
    /// By their first byte: nearly all words of facts begin otherwise.
    by_byte: [Vec<&'a str>; 256],
}

impl<'a> Beginnings<'a> {
    fn of(stems: impl Iterator<Item = &'a String>) -> Self {
        let mut by_byte = [const { Vec::new() }; 256];
        for stem in stems {
            // A stem is how its words begin, but for a `y` that stands for `ie`.
            let beginning = stem.strip_suffix('y').unwrap_or(stem);
            let first = beginning.bytes().next().map_or(0, usize::from);
            if let Some(same) = by_byte.get_mut(first) {
                same.push(beginning);
            }
        }
        Self { by_byte }
    }

    fn fits(&self, word: &str) -> bool {
        let first = word.bytes().next().map_or(0, usize::from);
        let same = self.by_byte.get(first);
        same.is_some_and(|same| same.iter().any(|beginning| word.starts_with(beginning)))
    }
}

/// Those that bear on a text, in the order in which they do: their numbers. What bears on it equally
/// is in the order that it came in, the last first.
pub(super) fn ranked<T: Worded>(text: &str, of: &[T]) -> Vec<usize> {
    let mut asked: HashMap<String, usize> = HashMap::new();
    for word in words(text) {
        let number = asked.len();
        asked.entry(word).or_insert(number);
    }
    if asked.is_empty() {
        return Vec::new();
    }
    let asked_for = Beginnings::of(asked.keys());
    // Of each, how many words it has, and how often those that are asked for.
    let mut lengths: Vec<f32> = Vec::with_capacity(of.len());
    let mut counts: Vec<HashMap<usize, f32>> = Vec::with_capacity(of.len());
    let mut holding = vec![0.0_f32; asked.len()];
    for item in of {
        let mut count: HashMap<usize, f32> = HashMap::new();
        let mut length = 0;
        let mut note = |word: &str, is_whole: bool| {
            length += 1;
            let number = if !is_whole {
                asked.get(word)
            } else if asked_for.fits(word) && !is_common(word) {
                asked.get(&stem(word))
            } else {
                None
            };
            if let Some(number) = number {
                *count.entry(*number).or_default() += 1.0;
            }
        };
        for text in item.texts() {
            every_word(text, &mut note);
        }
        for number in count.keys() {
            if let Some(holding) = holding.get_mut(*number) {
                *holding += 1.0;
            }
        }
        lengths.push(float(length));
        counts.push(count);
    }
    let all = float(of.len());
    let average = (lengths.iter().sum::<f32>() / all.max(1.0)).max(1.0);
    let weights: Vec<f32> = holding
        .iter()
        .map(|holding| (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln())
        .collect();
    let mut scored: Vec<(usize, f32)> = counts
        .iter()
        .zip(lengths)
        .map(|(count, length)| {
            let norm = SATURATION * (1.0 - BY_LENGTH + BY_LENGTH * length / average);
            let of_word = |(number, times): (&usize, &f32)| {
                let weight = weights.get(*number).copied().unwrap_or_default();
                weight * times * (SATURATION + 1.0) / (times + norm)
            };
            count.iter().map(of_word).sum()
        })
        .enumerate()
        .filter(|(_, score)| *score > 0.0)
        .collect();
    scored.reverse();
    scored.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    scored.into_iter().map(|(n, _)| n).collect()
}

/// The words of a text as they are compared, but for those that say nothing of what it is about.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    every_word(text, |word, is_whole| {
        if !is_whole {
            words.push(word.to_owned());
        } else if !is_common(word) {
            words.push(stem(word));
        }
    });
    words
}

/// Visits the words of a text: whole ones, and pairs of characters of scripts without spaces.
fn every_word(text: &str, mut visit: impl FnMut(&str, bool)) {
    wording::each_word(text, |word| {
        if !word.is_ascii() && word.chars().any(is_unspaced) {
            pairs(word, &mut visit);
        } else {
            visit(word, true);
        }
    });
}

fn is_common(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| COMMON.split_whitespace().collect());
    static LONGEST: LazyLock<usize> = LazyLock::new(|| {
        WORDS
            .iter()
            .map(|word| word.len())
            .max()
            .unwrap_or_default()
    });
    word.len() <= *LONGEST && WORDS.contains(word)
}

/// The characters of a word in pairs; what stands between them in other scripts, whole.
fn pairs(word: &str, visit: &mut impl FnMut(&str, bool)) {
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let unspaced = is_unspaced(first);
        let end = rest.find(|c| is_unspaced(c) != unspaced);
        let (run, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        if !unspaced {
            if run.chars().any(char::is_alphanumeric) {
                visit(run, true);
            }
            continue;
        }
        let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).collect();
        if starts.len() == 1 {
            visit(run, false);
        }
        for pair in 2..=starts.len() {
            let end = starts.get(pair).copied().unwrap_or(run.len());
            if let Some(pair) = starts.get(pair - 2).and_then(|start| run.get(*start..end)) {
                visit(pair, false);
            }
        }
    }
}

/// A word without common English endings, so that "hiking", "hikes" and "hiked" are one. It need not
/// be a word, and is as good as nothing in other languages, where it rarely does harm.
fn stem(word: &str) -> String {
    let singular = wording::singular(word);
    let mut stem: &str = &singular;
    let without = ["ing", "ed", "ly"]
        .iter()
        .find_map(|ending| stem.strip_suffix(ending))
        .filter(|rest| rest.chars().count() >= 3);
    if let Some(rest) = without {
        stem = rest;
        let mut last = stem.chars().rev();
        if let (Some(a), Some(b)) = (last.next(), last.next())
            && a == b
            && !"lsz".contains(a)
        {
            stem = &stem[..stem.len() - a.len_utf8()];
        }
    }
    if stem.chars().count() > 3 {
        stem = stem.strip_suffix('e').unwrap_or(stem);
    }
    stem.to_owned()
}

#[expect(clippy::cast_precision_loss, reason = "these are small numbers")]
fn float(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use ctxmem_types::Scope;

    use super::*;

    fn known(values: &[&str]) -> Vec<Known> {
        let known = values.iter().map(|value| Known {
            scope: Scope::History,
            slot: (*value).to_owned(),
            key: None,
            value: (*value).to_owned(),
        });
        known.collect()
    }

    fn found<'v>(text: &str, values: &[&'v str]) -> Vec<&'v str> {
        let ranked = ranked(text, &known(values));
        ranked.into_iter().map(|n| values[n]).collect()
    }

    #[test]
    fn what_shares_rare_words_comes_first() {
        let values = [
            "Hiked the Jakobsweg in 2024 with my sister",
            "Plays the cello on Sundays with friends",
            "My sister plays chess",
            "Allergic to penicillin",
        ];
        assert_eq!(found("Is she hiking this year?", &values), [values[0]]);
        assert_eq!(
            found("What does my sister play?", &values),
            [values[2], values[1], values[0]]
        );
        assert!(found("What is it about?", &values).is_empty());
        assert!(found("", &values).is_empty());
        assert!(found("hike", &[]).is_empty());
    }

    #[test]
    fn of_what_is_equal_the_last_comes_first() {
        let values = ["Red car", "Blue car"];
        assert_eq!(found("car", &values), [values[1], values[0]]);
    }

    #[test]
    fn scripts_without_spaces_are_searched_too() {
        let values = [
            "我对花生过敏",
            "我住在上海",
            "ピーナッツのアレルギーがあります",
        ];
        assert_eq!(found("这个菜有花生吗？", &values), [values[0]]);
        assert_eq!(found("アレルギーは？", &values), [values[2]]);
        assert_eq!(found("Ich habe in 上海 gewohnt", &values), [values[1]]);
    }

    #[test]
    fn forms_of_a_word_are_one() {
        for (one, other) in [
            ("hiking", "hikes"),
            ("hiked", "hike"),
            ("running", "run"),
            ("allergies", "allergy"),
            ("called", "call"),
            ("Kochen", "kochen"),
        ] {
            assert_eq!(words(one), words(other), "{one}");
        }
        assert_ne!(words("king"), words("k"));
    }
}
