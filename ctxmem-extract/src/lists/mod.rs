//! The lists of words in `data/`, a line each: `name: word, several words, …`.
//!
//! Words of a [`List`] count in every language, since people mix them; those of a [`Table`] belong
//! to one.

mod list;
mod phrases;

use std::sync::LazyLock;

use crate::grammar;
use crate::language::{Language, NAMES};
pub(crate) use list::{List, Table};
pub(crate) use phrases::Phrases;

static LISTS: LazyLock<Vec<Phrases<()>>> = LazyLock::new(|| {
    let mut lists: Vec<Phrases<()>> = List::ALL.iter().map(|_| Phrases::default()).collect();
    let of_languages = Language::ALL
        .into_iter()
        .flat_map(|language| language.files().lists);
    for file in of_languages.map(|(_, file)| file).chain([NAMES]) {
        for (name, entries) in lines(file) {
            let Some(list) = List::named(name) else {
                continue;
            };
            for phrase in entries.split(", ") {
                add(&mut lists[list as usize], phrase);
            }
        }
    }
    for slots in Language::ALL.map(|language| language.files().slots) {
        for (_, phrases) in slots.lines().filter_map(|line| line.split_once(" | ")) {
            for phrase in phrases.split(", ") {
                add(&mut lists[List::Slots as usize], phrase);
            }
        }
    }
    lists
});

/// Adds a phrase, or all that one with alternatives stands for: `(what|even) if`.
fn add(list: &mut Phrases<()>, phrase: &'static str) {
    if !phrase.contains('(') {
        return list.add(phrase, ());
    }
    for way in grammar::ways(phrase, &[]).unwrap_or_default() {
        let words = way.iter().filter_map(grammar::Element::word);
        list.add_words(words, ());
    }
}

/// The lists of a file, by their names.
pub(crate) fn lines(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(": "))
}

/// The phrases of a list.
pub(crate) fn phrases(list: List) -> &'static Phrases<()> {
    &LISTS[list as usize]
}

/// Whether a word or phrase, in lower case, is on a list.
pub(crate) fn has(list: List, low: &str) -> bool {
    phrases(list).has(low)
}

/// Whether a word ends like one of the list.
pub(crate) fn ends_with(list: List, low: &str) -> bool {
    phrases(list).single_words().any(|end| low.ends_with(end))
}

/// The entries of a table in a language.
pub(crate) fn entries(table: Table, language: Language) -> impl Iterator<Item = &'static str> {
    let files = language.files().lists.into_iter();
    let found = files
        .flat_map(|(_, file)| lines(file))
        .find(|(name, _)| Table::named(name) == Some(table));
    found
        .into_iter()
        .flat_map(|(_, entries)| entries.split(", "))
}

/// The entries of a table that holds pairs.
pub(crate) fn pairs(
    table: Table,
    language: Language,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    entries(table, language).filter_map(|entry| entry.split_once(" = "))
}

/// Phrases for relative days and what they mean, a line each.
pub(crate) fn relative_days(
    language: Language,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let files = language.files().lists.into_iter();
    let dates = files.filter(|(name, _)| *name == "dates.txt");
    let lines = dates.flat_map(|(_, file)| file.lines());
    let phrases = lines.filter(|line| !line.starts_with('#') && !line.contains(": "));
    phrases.filter_map(|line| line.split_once(" = "))
}
