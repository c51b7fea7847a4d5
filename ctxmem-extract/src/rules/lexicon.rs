//! The tools and slots that the rules know, from `data/`, and how phrases are found in a message.
//!
//! A list of tools has one name per line, `Canonical | alias, other alias`, under a line `@ scope
//! slot` that says where they belong. `!` before a name or alias marks one that is also an ordinary
//! word, `~` one that is also a person's name. Both count in capitals only, apart from those that
//! people write in lower case all the same.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use crate::language::Language;
use crate::lists::{self, List, Phrases};
use crate::text::{Class, Gap, Reading, Word};

const TOOL_FILES: &[&str] = &[
    include_str!("../../data/tools/editors.txt"),
    include_str!("../../data/tools/operating_systems.txt"),
    include_str!("../../data/tools/shells.txt"),
    include_str!("../../data/tools/hosting.txt"),
    include_str!("../../data/tools/package_managers.txt"),
    include_str!("../../data/tools/development.txt"),
    include_str!("../../data/tools/office.txt"),
    include_str!("../../data/tools/practices.txt"),
    include_str!("../../data/tools/languages.txt"),
    include_str!("../../data/tools/frameworks.txt"),
    include_str!("../../data/tools/databases.txt"),
];

/// A known tool.
#[derive(Clone, Copy, Debug)]
struct ToolEntry {
    name: &'static str,
    scope: Scope,
    slot: &'static str,
    other: OtherMeaning,
}

/// What else the name of a tool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OtherMeaning {
    None,
    Word,
    Person,
}

/// A tool that was found.
#[derive(Clone)]
pub(super) struct Tool {
    /// Its canonical name, with the version if there is one.
    pub(super) name: String,
    pub(super) scope: Scope,
    /// The slot in preferences, or the kind of knowledge.
    pub(super) slot: &'static str,
    /// Behind its last word.
    pub(super) end: usize,
    other: OtherMeaning,
    capital: bool,
}

impl Tool {
    /// Whether its name is nothing else.
    pub(super) fn is_plain(&self) -> bool {
        self.other == OtherMeaning::None
    }

    /// Whether this is the tool rather than the word or the person. `inside` says that it is not
    /// the first word of its clause, which has a capital anyway.
    pub(super) fn is_sure(&self, inside: bool) -> bool {
        match self.other {
            OtherMeaning::None => true,
            OtherMeaning::Word | OtherMeaning::Person => {
                inside && (self.capital || lists::has(List::LowerTools, &self.name.to_lowercase()))
            }
        }
    }
}

struct Lexicon {
    tools: Phrases<ToolEntry>,
    slots: Phrases<&'static str>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon {
        tools: Phrases::default(),
        slots: Phrases::default(),
    };
    for file in TOOL_FILES {
        lexicon.read_tools(file);
    }
    for slots in Language::ALL.map(|language| language.files().slots) {
        for (slot, phrases) in slots.lines().filter_map(|line| line.split_once(" | ")) {
            for phrase in phrases.split(", ") {
                lexicon.slots.add(phrase, slot);
            }
        }
    }
    lexicon
});

impl Lexicon {
    fn read_tools(&mut self, file: &'static str) {
        let mut place = (Scope::Knowledge, "");
        for line in file.lines().map(str::trim) {
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
            let (name, aliases) = line.split_once('|').unwrap_or((line, ""));
            let (name, other) = split_sign(name.trim());
            let entry = |other| ToolEntry {
                name,
                scope: place.0,
                slot: place.1,
                other,
            };
            self.tools.add(name.to_lowercase().leak(), entry(other));
            for alias in aliases
                .split(',')
                .map(str::trim)
                .filter(|alias| !alias.is_empty())
            {
                let (alias, other) = split_sign(alias);
                self.tools.add(alias.to_lowercase().leak(), entry(other));
            }
        }
    }
}

/// A name and what the sign before it says.
fn split_sign(name: &str) -> (&str, OtherMeaning) {
    if let Some(name) = name.strip_prefix('!') {
        (name, OtherMeaning::Word)
    } else if let Some(name) = name.strip_prefix('~') {
        (name, OtherMeaning::Person)
    } else {
        (name, OtherMeaning::None)
    }
}

/// Behind the longest phrase that begins with the word at `at`, and what it stands for.
fn find<'p, T>(
    phrases: &'p Phrases<T>,
    words: &[Word<'_>],
    at: usize,
    limit: usize,
) -> Option<(usize, &'p T)> {
    let word = |n: usize| {
        let word = words.get(at + n)?;
        let joined = n == 0 || (at + n < limit && word.gap <= Gap::Space);
        joined.then_some(&*word.low)
    };
    let (length, meaning) = phrases.longest(word)?;
    (at + length <= limit).then_some((at + length, meaning))
}

/// Behind the longest phrase of a list that begins with the word at `at`.
pub(super) fn longest(list: List, words: &[Word<'_>], at: usize, limit: usize) -> Option<usize> {
    find(lists::phrases(list), words, at, limit).map(|(end, ())| end)
}

/// The slot that people name so.
pub(super) fn slot(words: &[Word<'_>]) -> Option<&'static str> {
    find(&LEXICON.slots, words, 0, words.len()).map(|(_, slot)| *slot)
}

/// The known tool that begins with the word at `at`.
pub(super) fn tool_at(words: &[Word<'_>], at: usize, limit: usize) -> Option<Tool> {
    let (end, entry) = find(&LEXICON.tools, words, at, limit)?;
    let mut tool = Tool {
        name: entry.name.to_owned(),
        scope: entry.scope,
        slot: entry.slot,
        end,
        other: entry.other,
        capital: words[at..end].iter().all(Word::is_capitalised),
    };
    let counts = |n: usize| {
        let counted = words.get(n).filter(|_| n < limit);
        counted.is_some_and(|word| word.is_in(List::Counted))
    };
    if let Some(version) = words.get(end).filter(|_| end < limit)
        && version.gap == Gap::Space
        && version.text.starts_with(|c: char| c.is_ascii_digit())
        && version.text.len() <= 7
        && version.text.chars().all(|c| c.is_ascii_digit() || c == '.')
        && !counts(end + 1)
    {
        tool.name = format!("{} {}", tool.name, version.text);
        tool.end += 1;
    }
    Some(tool)
}

/// Behind the last of the tools that a list holds; the first one stands at `at`, or behind an
/// article.
pub(super) fn tools_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    tools_in(reading, at, limit).last().map(|tool| tool.end)
}

/// The tools of a list that begins at `at`.
pub(super) fn tools_in(reading: &Reading<'_>, at: usize, limit: usize) -> Vec<Tool> {
    let words = &reading.words;
    let mut tools: Vec<Tool> = Vec::new();
    let (mut n, mut between) = (at, 0);
    while n < limit && between <= 2 {
        let word = &words[n];
        if n > at && (word.gap > Gap::Comma || (reading.begins(n) && word.gap == Gap::Space)) {
            break;
        }
        let tool = tool_at(words, n, limit).filter(|tool| tool.is_sure(true));
        if let Some(tool) = tool {
            // "a Go developer", "the React docs": the tool is not what the verb is about.
            let end = tool.end;
            // "Ubuntu Linux" is one.
            let same = |last: &Tool| last.end == n && last.slot == tool.slot;
            if tools.last().is_some_and(same) {
                if let Some(last) = tools.last_mut() {
                    last.end = end;
                }
                n = end;
                continue;
            }
            if words.get(end - 1).is_some_and(|word| word.possessive) {
                break;
            }
            n = end;
            between = 0;
            tools.push(tool);
        } else if word.is_in(List::ToolGlue)
            || reading.is(n, Class::Filler)
            || reading.is(n, Class::Article)
        {
            between += 1;
            n += 1;
        } else if tools.is_empty() || word.gap == Gap::Comma {
            break;
        } else {
            // What follows a tool without a comma may make it something else: "Python scripts".
            break;
        }
    }
    tools
}
