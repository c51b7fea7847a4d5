//! The slots of preferences, by what people call them and what tools are for.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::extract::text::Word;

/// Words for slots: "my *editor* is …".
static SLOTS: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| slots(include_str!("../../../data/slots.txt")));

/// What tools are used for: "I use … for *invoices*".
static PURPOSES: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| slots(include_str!("../../../data/purposes.txt")));

fn slots(list: &'static str) -> HashMap<&'static str, &'static str> {
    list.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter_map(|line| line.split_once('|'))
        .flat_map(|(slot, phrases)| {
            phrases
                .split(',')
                .map(move |phrase| (phrase.trim(), slot.trim()))
        })
        .collect()
}

/// The slot that the words at `at` name, and the index behind them.
pub(super) fn slot_at(words: &[Word], at: usize) -> Option<(usize, &'static str)> {
    phrase_at(&SLOTS, words, at)
}

/// The slot for what the words at `at` name as a purpose, and the index behind them.
pub(super) fn purpose_at(words: &[Word], at: usize) -> Option<(usize, &'static str)> {
    let all = words.get(at).is_some_and(|word| word.low == "all");
    let at = at + usize::from(all);
    let own = words
        .get(at)
        .is_some_and(|word| word.is_any(&["my", "our", "the"]));
    let at = at + usize::from(own);
    phrase_at(&PURPOSES, words, at).or_else(|| slot_at(words, at))
}

/// Whether a slot bears this name.
pub(super) fn is_slot(name: &str) -> bool {
    SLOTS
        .values()
        .chain(PURPOSES.values())
        .any(|slot| *slot == name)
}

fn phrase_at(
    phrases: &HashMap<&'static str, &'static str>,
    words: &[Word],
    at: usize,
) -> Option<(usize, &'static str)> {
    (1..=3).rev().find_map(|len| {
        let run = words.get(at..at + len)?;
        let phrase = run
            .iter()
            .map(|word| word.low.as_str())
            .collect::<Vec<_>>()
            .join(" ");
        phrases.get(phrase.as_str()).map(|slot| (at + len, *slot))
    })
}
