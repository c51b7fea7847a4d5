//! The slots of preferences, by what people call them and what tools are for.

use std::sync::LazyLock;

use crate::text::{Phrases, Word};

/// Words for slots: "my *editor* is …".
static SLOTS: LazyLock<Phrases<&'static str>> =
    LazyLock::new(|| slots(include_str!("../../data/slots.txt")));

/// What tools are used for: "I use … for *invoices*".
static PURPOSES: LazyLock<Phrases<&'static str>> =
    LazyLock::new(|| slots(include_str!("../../data/purposes.txt")));

fn slots(list: &'static str) -> Phrases<&'static str> {
    let mut phrases = Phrases::default();
    for (slot, names) in lines(list) {
        for name in names.split(',') {
            phrases.add(name.trim(), slot, |known, slot| *known = slot);
        }
    }
    phrases
}

/// The lines of a list: each a slot and what it is called.
fn lines(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    list.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter_map(|line| line.split_once('|'))
        .map(|(slot, names)| (slot.trim(), names))
}

/// The slot that the words at `at` name, and the index behind them.
pub(super) fn slot_at(words: &[Word], at: usize) -> Option<(usize, &'static str)> {
    phrase_at(&SLOTS, words, at)
}

/// The slot for what the words at `at` name as a purpose, and the index behind them.
pub(super) fn purpose_at(words: &[Word], at: usize) -> Option<(usize, &'static str)> {
    let all = words.get(at).is_some_and(|word| word.low() == "all");
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
        .meanings()
        .chain(PURPOSES.meanings())
        .any(|slot| *slot == name)
}

/// Most words of the name of a slot.
const LONGEST: usize = 3;

fn phrase_at(
    phrases: &Phrases<&'static str>,
    words: &[Word],
    at: usize,
) -> Option<(usize, &'static str)> {
    phrases
        .at(words, at)
        .find(|(end, _)| end - at <= LONGEST)
        .map(|(end, slot)| (end, *slot))
}
