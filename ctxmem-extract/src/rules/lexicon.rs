//! The names and words that the rules know, from `data/`: tools, places, relations, diets ….
//!
//! A list of tools holds one name a line, `Canonical | alias, other alias`, under a line
//! `@ scope slot` that says where they belong. `!` before a name or an alias says that it is an
//! ordinary word too, `~` that people bear it; such a name counts in capitals only, languages
//! apart. The other lists hold `name: word, several words, …`.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use ctxmem_types::Scope;

use crate::text::{Class, Fnv, Gap, Reading, Word};

macro_rules! lists {
    ($($list:ident = $name:literal,)*) => {
        /// A list of words or phrases.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum List {
            $($list,)*
        }

        /// The names of the lists in the files, by their number.
        const LISTS: &[&str] = &[$($name,)*];
    };
}

lists! {
    Places = "places",
    NotPlaces = "not_places",
    NotNames = "not_names",
    Relations = "relations",
    Groups = "groups",
    Slots = "slots",
    Tongues = "tongues",
    Diets = "diets",
    Allergens = "allergens",
    Conditions = "conditions",
    Zones = "zones",
    Jobs = "jobs",
    Numbers = "numbers",
    Fields = "fields",
    Businesses = "businesses",
    Instruments = "instruments",
    Foods = "foods",
    Illnesses = "illnesses",
    Styles = "styles",
    Works = "works",
    Events = "events",
    Noise = "noise",
    Manners = "manners",
    Pets = "pets",
    Property = "property",
    Brands = "brands",
    FirstNames = "first_names",
    Departments = "departments",
    Steps = "steps",
    Terse = "terse",
    Workplaces = "workplaces",
    Titles = "titles",
    Particles = "particles",
    RoleTails = "role_tails",
    WhereTails = "where_tails",
    Judged = "judged",
    Between = "between",
    Objects = "objects",
    Prepositions = "prepositions",
    ToolGlue = "tool_glue",
    Death = "death",
    Stoppings = "stoppings",
    LowerTools = "lower_tools",
    VagueEmployers = "vague_employers",
    DateLeads = "date_leads",
    NamedTimes = "named_times",
    NamedUnits = "named_units",
    Always = "always",
    WordPlaces = "word_places",
}

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

/// Lists that are the same in all languages.
const SHARED: [&str; 2] = [
    include_str!("../../data/names.txt"),
    include_str!("../../data/glue.txt"),
];

const OF_LANGUAGES: [&str; 4] = [
    include_str!("../../data/en/lists.txt"),
    include_str!("../../data/de/lists.txt"),
    include_str!("../../data/fr/lists.txt"),
    include_str!("../../data/es/lists.txt"),
];

/// Names of slots: `slot | phrases`.
const SLOTS: &str = include_str!("../../data/slots.txt");

type Map<V> = HashMap<&'static str, V, BuildHasherDefault<Fnv>>;

/// Phrases by their first word; each with the words behind it and what it stands for.
type Phrases<T> = Map<Vec<(Vec<&'static str>, T)>>;

/// A known tool.
#[derive(Clone, Copy, Debug)]
struct Entry {
    name: &'static str,
    scope: Scope,
    slot: &'static str,
    mark: Mark,
}

/// What else the name of a tool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Nothing,
    Word,
    Person,
}

/// A tool that was found.
#[derive(Clone)]
pub(super) struct Tool {
    /// Its canonical name, with the version that was told.
    pub(super) name: String,
    pub(super) scope: Scope,
    /// The slot in preferences, or the kind of knowledge.
    pub(super) slot: &'static str,
    /// Behind its last word.
    pub(super) end: usize,
    mark: Mark,
    capital: bool,
}

impl Tool {
    /// Whether its name is nothing else.
    pub(super) fn is_plain(&self) -> bool {
        self.mark == Mark::Nothing
    }

    /// Whether the tool is meant, and not the word or the person. `inside` says that it is not
    /// the first word of its clause, which has a capital anyway.
    pub(super) fn is_sure(&self, inside: bool) -> bool {
        match self.mark {
            Mark::Nothing => true,
            Mark::Word | Mark::Person => {
                inside && (self.capital || has(List::LowerTools, &self.name.to_lowercase()))
            }
        }
    }
}

struct Lexicon {
    tools: Phrases<Entry>,
    lists: Vec<Phrases<()>>,
    slots: Phrases<&'static str>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon {
        tools: Map::default(),
        lists: LISTS.iter().map(|_| Map::default()).collect(),
        slots: Map::default(),
    };
    for file in TOOL_FILES {
        lexicon.read_tools(file);
    }
    for file in OF_LANGUAGES.iter().chain(&SHARED) {
        for (name, words) in file.lines().filter_map(|line| line.split_once(": ")) {
            if let Some(list) = LISTS.iter().position(|list| *list == name) {
                for phrase in words.split(", ") {
                    add(&mut lexicon.lists[list], phrase.trim(), ());
                }
            }
        }
    }
    for (slot, phrases) in SLOTS.lines().filter_map(|line| line.split_once(" | ")) {
        for phrase in phrases.split(", ") {
            add(&mut lexicon.slots, phrase.trim(), slot);
            add(&mut lexicon.lists[List::Slots as usize], phrase.trim(), ());
        }
    }
    lexicon
});

/// Of two phrases that are the same the first one counts.
fn add<T>(phrases: &mut Phrases<T>, phrase: &'static str, meaning: T) {
    let mut words = phrase.split(' ');
    let first = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    let of_first = phrases.entry(first).or_default();
    if of_first.iter().all(|(known, _)| *known != rest) {
        let at = of_first.partition_point(|(known, _)| known.len() >= rest.len());
        of_first.insert(at, (rest, meaning));
    }
}

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
            let (name, mark) = marked(name.trim());
            let entry = |mark| Entry {
                name,
                scope: place.0,
                slot: place.1,
                mark,
            };
            add(&mut self.tools, name.to_lowercase().leak(), entry(mark));
            for alias in aliases
                .split(',')
                .map(str::trim)
                .filter(|alias| !alias.is_empty())
            {
                let (alias, mark) = marked(alias);
                add(&mut self.tools, alias.to_lowercase().leak(), entry(mark));
            }
        }
    }
}

fn marked(name: &str) -> (&str, Mark) {
    if let Some(name) = name.strip_prefix('!') {
        (name, Mark::Word)
    } else if let Some(name) = name.strip_prefix('~') {
        (name, Mark::Person)
    } else {
        (name, Mark::Nothing)
    }
}

/// Behind the longest phrase that begins with the word at `at`, and what it stands for.
fn find<'p, T>(
    phrases: &'p Phrases<T>,
    words: &[Word<'_>],
    at: usize,
    limit: usize,
) -> Option<(usize, &'p T)> {
    let first = words.get(at)?;
    phrases
        .get(&*first.low)?
        .iter()
        .find_map(|(rest, meaning)| {
            let end = at + 1 + rest.len();
            let fits = end <= limit
                && rest
                    .iter()
                    .zip(words.get(at + 1..end)?)
                    .all(|(known, word)| *known == word.low && word.gap <= Gap::Space);
            fits.then_some((end, meaning))
        })
}

/// Behind the longest phrase of a list that begins with the word at `at`.
pub(super) fn longest(list: List, words: &[Word<'_>], at: usize, limit: usize) -> Option<usize> {
    find(&LEXICON.lists[list as usize], words, at, limit).map(|(end, ())| end)
}

/// Whether a word, in lower case, is on a list.
pub(super) fn has(list: List, low: &str) -> bool {
    LEXICON.lists[list as usize]
        .get(low)
        .is_some_and(|phrases| phrases.iter().any(|(rest, ())| rest.is_empty()))
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
        mark: entry.mark,
        capital: words[at..end].iter().all(Word::is_capitalised),
    };
    let counts = |n: usize| {
        words.get(n).is_some_and(|word| {
            n < limit
                && word.is_any(&[
                    "years", "year", "months", "times", "days", "jahre", "jahren", "ans", "años",
                    "hours", "projects", "apps",
                ])
        })
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
        } else if has(List::ToolGlue, &word.low)
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
