//! The names that the rules know: tools, languages, systems, places, relations.
//!
//! The lists are data files, one name a line: `Canonical | alias, other alias`. A line
//! `@ scope slot` says where the names below it belong; `!` before a name or an alias says
//! that it is an ordinary word too and counts only where the sentence makes clear what is meant;
//! `~` says the same of names that people bear too.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use crate::lists::WordList;
use crate::text::{Gap, Phrases, Word, is_joined};

/// Lists of tools, in the order in which they win when two know the same name.
const TOOL_LISTS: &[&str] = &[
    include_str!("../../data/editors.txt"),
    include_str!("../../data/operating_systems.txt"),
    include_str!("../../data/shells.txt"),
    include_str!("../../data/hosting.txt"),
    include_str!("../../data/package_managers.txt"),
    include_str!("../../data/development.txt"),
    include_str!("../../data/office.txt"),
    include_str!("../../data/practices.txt"),
    include_str!("../../data/languages.txt"),
    include_str!("../../data/frameworks.txt"),
    include_str!("../../data/databases.txt"),
    include_str!("../../data/spoken_languages.txt"),
];

/// One known name.
#[derive(Debug)]
pub(super) struct Entry {
    name: &'static str,
    /// Where it belongs.
    pub(super) scope: Scope,
    /// The slot in preferences, or the kind of knowledge.
    pub(super) slot: &'static str,
}

/// A known name found in a sentence.
#[derive(Clone)]
pub(super) struct Tool {
    /// Canonical name, with the version that was told.
    pub(super) name: String,
    /// Canonical name without a version.
    pub(super) plain: &'static str,
    /// Its entry.
    pub(super) entry: &'static Entry,
    /// No ordinary word in lower case.
    pub(super) sure: bool,
}

struct Lexicon {
    entries: Vec<Entry>,
    /// The names and their aliases: index of the entry, and what else the alias is.
    aliases: Phrases<(usize, Also)>,
}

/// Most words of a name.
const LONGEST_NAME: usize = 4;

/// What a name is beside being one of a tool.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Also {
    Nothing,
    /// An ordinary word.
    Word,
    /// A person's name.
    Person,
}

impl Also {
    /// Takes the mark off a name or an alias.
    fn marked(alias: &str) -> (&str, Self) {
        match alias.strip_prefix(['!', '~']) {
            None => (alias, Self::Nothing),
            Some(name) if alias.starts_with('!') => (name, Self::Word),
            Some(name) => (name, Self::Person),
        }
    }
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon {
        entries: Vec::new(),
        aliases: Phrases::default(),
    };
    for list in TOOL_LISTS {
        let mut place = (Scope::Knowledge, "");
        for line in list.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(header) = line.strip_prefix('@') {
                let mut parts = header.split_whitespace();
                let scope = parts.next().and_then(Scope::from_name);
                place = (
                    scope.unwrap_or(Scope::Knowledge),
                    parts.next().unwrap_or_default(),
                );
                continue;
            }
            let (name, aliases) = split_line(line);
            let index = lexicon.entries.len();
            lexicon.entries.push(Entry {
                name: Also::marked(name).0,
                scope: place.0,
                slot: place.1,
            });
            for alias in std::iter::once(name).chain(aliases) {
                let (alias, also) = Also::marked(alias);
                // Of two with the same name the first one has it.
                lexicon
                    .aliases
                    .add(&alias.to_lowercase(), (index, also), |_, _| ());
            }
        }
    }
    lexicon
});

fn split_line(line: &'static str) -> (&'static str, impl Iterator<Item = &'static str>) {
    let (name, aliases) = line.split_once('|').unwrap_or((line, ""));
    (
        name.trim(),
        aliases
            .split(',')
            .map(str::trim)
            .filter(|alias| !alias.is_empty()),
    )
}

/// The known name that begins with the word at `at`, and the index behind it.
pub(super) fn tool_at(words: &[Word], at: usize) -> Option<(usize, Tool)> {
    let (end, entry, also) = known_at(words, at)?;
    let sure = also == Also::Nothing || words.get(at..end)?.iter().all(Word::is_capitalised);
    let (end, name) = with_version(entry, words, end);
    let tool = Tool {
        name,
        plain: entry.name,
        entry,
        sure,
    };
    Some((end, tool))
}

/// Whether a known name begins with the word at `at`.
pub(super) fn is_tool_at(words: &[Word], at: usize) -> bool {
    known_at(words, at).is_some()
}

/// The entry of the known name that begins with the word at `at`, and the index behind it.
fn known_at(words: &[Word], at: usize) -> Option<(usize, &'static Entry, Also)> {
    LEXICON
        .aliases
        .at(words, at)
        .find_map(|(end, (entry, also))| {
            let entry = LEXICON.entries.get(*entry)?;
            let run = words.get(at..end)?;
            let whole = run.len() <= LONGEST_NAME
                && is_joined(run)
                && !run.iter().rev().skip(1).any(|word| word.possessive);
            let meant = *also == Also::Nothing || is_meant(run, words.get(end), words.get(end + 1));
            (whole && meant).then_some((end, entry, *also))
        })
}

/// What follows names, and seldom the ordinary words that some of them are.
static AFTER_NAMES: WordList = WordList::new(&[
    "and",
    "or",
    "for",
    "on",
    "with",
    "as",
    "in",
    "at",
    "since",
    "these",
    "every",
    "mostly",
    "only",
    "now",
    "because",
    "instead",
    "already",
    "lately",
    "currently",
    "mostly",
    "over",
    "everywhere",
    "daily",
    "from",
    "here",
    "is",
    "but",
    "plus",
    "anymore",
    "any",
    "too",
    "by",
    "at",
    "developer",
    "dev",
    "user",
    "programmer",
    "engineer",
    "when",
    "all",
    "so",
    "right",
    "always",
    "this",
    "last",
    "today",
    "years",
    "exclusively",
    "rather",
    "tests",
    "inside",
    "person",
    "shop",
    "house",
    "household",
    "guy",
    "fan",
    "team",
    "of",
    "until",
    "before",
    "after",
    "who",
    "where",
    "btw",
    "myself",
]);

/// Whether an ordinary word is meant as a name: it is capitalised, or the sentence doesn't go
/// on with something that it could describe ("fish" against "fish sauce").
fn is_meant(run: &[Word], next: Option<&Word>, behind: Option<&Word>) -> bool {
    let capitalised = run
        .iter()
        .all(|word| word.is_capitalised() || word.low().chars().all(|c| c.is_ascii_digit()));
    let ends = next.is_none_or(|next| {
        next.gap != Gap::None
            || next.is_any(&AFTER_NAMES)
            || next.text.chars().all(|c| c.is_ascii_digit() || c == '.')
    });
    // "from go to rust", but not "use go to skip lines"
    let to_another =
        next.is_some_and(|next| next.low() == "to") && behind.is_some_and(is_name_by_itself);
    capitalised || ends || to_another
}

/// Whether the word alone is a name, whatever else it is.
fn is_name_by_itself(word: &Word) -> bool {
    let word = std::slice::from_ref(word);
    LEXICON.aliases.at(word, 0).next().is_some()
}

/// Slots whose names are worth keeping with a version.
const VERSIONED: &[&str] = &["language", "framework", "database", "operating_system"];

/// "Python 3.12", "Fedora 40": a number right behind the name is its version.
fn with_version(entry: &Entry, words: &[Word], end: usize) -> (usize, String) {
    let version = words.get(end).filter(|word| {
        VERSIONED.contains(&entry.slot)
            && word.gap == Gap::None
            && word.text.len() <= 7
            && word.text.starts_with(|c: char| c.is_ascii_digit())
            && word.text.chars().all(|c| c.is_ascii_digit() || c == '.')
    });
    // "Rust 4 years" is no version
    let years = words.get(end + 1).is_some_and(|word| {
        word.gap == Gap::None
            && word.is_any(&[
                "year", "years", "yrs", "months", "weeks", "days", "times", "people",
            ])
    });
    match version {
        Some(version) if !years => (end + 1, format!("{} {}", entry.name, version.text)),
        _ => (end, entry.name.to_owned()),
    }
}

/// The phrases of a data file: several on a line, between commas.
fn phrases(list: &str) -> Phrases<()> {
    let mut phrases = Phrases::default();
    list.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .flat_map(|line| line.split(','))
        .map(|phrase| phrase.trim().to_lowercase())
        .filter(|phrase| !phrase.is_empty())
        .for_each(|phrase| phrases.add(&phrase, (), |(), ()| ()));
    phrases
}

/// Index behind the longest phrase that begins at `at`.
fn longest_at(phrases: &Phrases<()>, words: &[Word], at: usize) -> Option<usize> {
    phrases
        .at(words, at)
        .map(|(end, ())| end)
        .find(|end| words.get(at..*end).is_some_and(is_joined))
}

static PLACES: LazyLock<Phrases<()>> =
    LazyLock::new(|| phrases(include_str!("../../data/places.txt")));
static RELATIONS: LazyLock<Phrases<()>> =
    LazyLock::new(|| phrases(include_str!("../../data/relations.txt")));
static NOT_NAMES: LazyLock<Phrases<()>> =
    LazyLock::new(|| phrases(include_str!("../../data/not_names.txt")));

/// Index behind the known city, region or country at `at`.
pub(super) fn place_at(words: &[Word], at: usize) -> Option<usize> {
    longest_at(&PLACES, words, at)
}

/// Index behind the relation ("manager", "thesis advisor") at `at`.
pub(super) fn relation_at(words: &[Word], at: usize) -> Option<usize> {
    longest_at(&RELATIONS, words, at)
}

/// Whether the word at `at` is capitalised for another reason than being a person's name.
pub(super) fn is_no_name(words: &[Word], at: usize) -> bool {
    longest_at(&NOT_NAMES, words, at).is_some()
        || known_at(words, at).is_some_and(|(_, _, also)| also != Also::Person)
}

#[cfg(test)]
mod tests {
    use super::super::slots::slot_at;
    use super::*;
    use crate::text::words;

    fn tool(text: &str) -> Option<String> {
        tool_at(&words(text), 0).map(|(_, tool)| tool.name)
    }

    #[test]
    fn names_are_canonical() {
        for (text, name) in [
            ("vs code", Some("VS Code")),
            ("vscode", Some("VS Code")),
            ("python 3.12", Some("Python 3.12")),
            ("fedora 40", Some("Fedora 40")),
            ("linux mint box", Some("Linux Mint")),
            ("fly.io", Some("Fly.io")),
            ("c++", Some("C++")),
            ("fish", Some("fish")),
            ("fish sauce", None),
            ("go home", None),
            ("Go", Some("Go")),
            ("nothing", None),
        ] {
            assert_eq!(tool(text).as_deref(), name, "{text}");
        }
    }

    #[test]
    fn every_list_has_headers_and_no_name_twice() {
        for entry in &LEXICON.entries {
            assert!(!entry.slot.is_empty(), "{}", entry.name);
            assert!(entry.name.trim() == entry.name && !entry.name.is_empty());
        }
        let mut names: Vec<_> = LEXICON.entries.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        let repeated: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(repeated.is_empty(), "{repeated:?}");
    }

    #[test]
    fn places_and_relations() {
        assert_eq!(place_at(&words("New York now"), 0), Some(2));
        assert_eq!(relation_at(&words("thesis advisor Ada"), 0), Some(2));
        assert_eq!(
            slot_at(&words("deploy target is"), 0),
            Some((2, "deploy_target"))
        );
    }
}
