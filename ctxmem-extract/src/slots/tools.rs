//! Tools that people use or chose. The lists are in `data/tools/`: one name per line, `Canonical | alias, other
//! alias`, under a line `@ scope slot` that says where they belong. `!` before a name or alias marks one that is
//! also an ordinary word, `~` one that is also a person's name; both count in capitals only, apart from
//! those that people write in lower case all the same.

use std::ops::Range;
use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::allergies::is_between;
use super::lists::{is_in, listed_at};
use crate::hash::WordMap;
use crate::text::words::{Word, Words};
use crate::{Candidate, Op};

const FILES: [&str; 11] = [
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

/// The longest name, in words.
const MOST_WORDS: usize = 5;

/// A known tool.
#[derive(Clone, Copy)]
struct Tool {
    name: &'static str,
    scope: Scope,
    slot: &'static str,
    /// Whether its name is also a word or a person's name.
    is_ambiguous: bool,
}

static TOOLS: LazyLock<WordMap<String, Tool>> = LazyLock::new(|| {
    let mut tools = WordMap::default();
    for file in FILES {
        let (mut scope, mut slot) = (Scope::Knowledge, "");
        for line in file
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            if let Some(head) = line.strip_prefix('@') {
                let mut parts = head.split_whitespace();
                scope = parts
                    .next()
                    .and_then(Scope::from_name)
                    .unwrap_or(Scope::Knowledge);
                slot = parts.next().unwrap_or_default();
                continue;
            }
            let (name, aliases) = line.split_once('|').unwrap_or((line, ""));
            let bare = |name: &'static str| name.trim().trim_start_matches(['!', '~']);
            for alias in std::iter::once(name)
                .chain(aliases.split(','))
                .map(str::trim)
            {
                let tool = Tool {
                    name: bare(name),
                    scope,
                    slot,
                    is_ambiguous: alias.starts_with(['!', '~']),
                };
                let folded = Words::of(bare(alias)).folded.trim().to_owned();
                if !folded.is_empty() {
                    tools.entry(folded).or_insert(tool);
                }
            }
        }
    }
    tools
});

/// The tool that is named from a word on: of how many words, and all its names as [`Words::folded`] has them.
pub(super) fn named_at(words: &Words<'_>, at: usize) -> Option<(usize, Vec<&'static str>)> {
    let (tool, length) = tool_at(words, at)?;
    let same = TOOLS.iter().filter(|(_, other)| other.name == tool.name);
    Some((length, same.map(|(name, _)| &**name).collect()))
}

/// Adds the tools of a list, and answers behind which word it ends.
pub(super) fn take(words: &Words<'_>, taken: &Range<usize>, facts: &mut Vec<Candidate>) -> usize {
    let mut end = taken.start;
    let (mut at, mut between) = (taken.start, 0);
    while at < taken.end && between <= 2 {
        if let Some((tool, length)) = tool_at(words, at) {
            let behind = at + length;
            if !may_follow(words, behind) || names_a_place_behind(words, behind) {
                break;
            }
            add(tool, version(words, behind), facts);
            at = behind + usize::from(version(words, behind).is_some());
            end = at;
            between = 0;
        } else if is_between(words, at) || is_in("tool glue", words.low(at)) {
            at += 1;
            between += 1;
        } else {
            break;
        }
    }
    end
}

/// The longest known name that begins with a word, and of how many words it is.
fn tool_at(words: &Words<'_>, at: usize) -> Option<(Tool, usize)> {
    let mut phrase = String::new();
    let mut found = None;
    for length in 1..=MOST_WORDS.min(words.each.len() - at.min(words.each.len())) {
        if length > 1 {
            phrase.push(' ');
        }
        phrase.push_str(words.low(at + length - 1));
        if let Some(tool) = TOOLS.get(&phrase) {
            let is_capital = words.each.get(at).is_some_and(Word::is_capitalised);
            if !tool.is_ambiguous || is_capital || is_in("lower tools", &phrase) {
                found = Some((*tool, length));
            }
        }
    }
    found
}

/// "I live in Java, Indonesia" names no tool.
pub(super) fn names_a_place_behind(words: &Words<'_>, at: usize) -> bool {
    words.low(at) == "," && listed_at(words, at + 1, "places").is_some()
}

/// Whether a tool that ends before this word is what it is about: "rustic decor" is not.
fn may_follow(words: &Words<'_>, at: usize) -> bool {
    words.each.get(at).is_none_or(Word::is_mark)
        || is_in("behind tools", words.low(at))
        || version(words, at).is_some()
        || tool_at(words, at).is_some()
}

/// The version behind the name of a tool: "Fedora 43".
fn version<'w>(words: &Words<'w>, at: usize) -> Option<&'w str> {
    let word = words.each.get(at)?.text;
    let is_number = word.starts_with(|c: char| c.is_ascii_digit())
        && word.len() <= 7
        && word.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    let counts = matches!(
        words.low(at + 1),
        "years" | "year" | "months" | "times" | "days" | "hours" | "projects" | "apps"
    );
    (is_number && !counts).then_some(word)
}

/// Adds a tool where it belongs. Two tools for one slot share it.
fn add(tool: Tool, version: Option<&str>, facts: &mut Vec<Candidate>) {
    let name = version.map_or(tool.name.to_owned(), |version| {
        format!("{} {version}", tool.name)
    });
    if tool.scope != Scope::Preferences {
        let fact = Candidate::item(tool.scope, name);
        if !facts.contains(&fact) {
            facts.push(fact);
        }
        return;
    }
    let same_slot = |known: &&mut Candidate| {
        known.op == Op::Set && known.scope == tool.scope && known.key.as_deref() == Some(tool.slot)
    };
    match facts.iter_mut().find(same_slot) {
        Some(known) if !super::holds_several(known.scope, tool.slot) => {
            if !known.value.contains(&name) {
                known.value = format!("{} and {name}", known.value);
            }
        }
        _ => facts.push(Candidate::slot(tool.scope, tool.slot, name)),
    }
}
