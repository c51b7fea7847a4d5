//! Fragments that only list names: "SQL daily, Stata for anything local".

use std::sync::LazyLock;

use ctxmem_types::Scope;

use crate::Candidate;
use crate::lists::WordList;
use crate::rules::lexicon::{Tool, relation_at, tool_at};
use crate::rules::pattern::Table;
use crate::text::{Clause, Gap, Word};

/// Words that say that somebody else is meant, or that nothing is stated.
static NOT_OURS: WordList = WordList::new(&[
    "you", "your", "he", "she", "they", "his", "her", "their", "them", "would", "should", "could",
    "if", "maybe", "someone", "people", "versus", "vs", "whether", "was", "were", "used", "had",
    "error", "says", "said", "hate", "hates", "never", "or", "between", "compare", "like",
]);

/// Words that may follow a listed name and say what it is for.
static TAILS: WordList = WordList::new(&[
    "for",
    "as",
    "on",
    "at",
    "in",
    "daily",
    "everywhere",
    "underneath",
    "front",
    "backend",
    "frontend",
    "dev",
    "developer",
    "engineer",
    "programmer",
    "mostly",
    "only",
    "too",
    "now",
    "plus",
    "with",
    "site",
    "shop",
    "stack",
    "not",
]);

/// Sentences that leave no doubt that the name in them is theirs.
static STATED: LazyLock<Table<()>> = LazyLock::new(|| {
    Table::new(&[
        ("^ <tool> it is", ()),
        ("it is <tool> now", ()),
        (
            "i|we ship|run|build|maintain|have|own|host|support a|an|the|one <tool> monolith|app|backend|site|service|api|shop|frontend|codebase|server|cluster|project",
            (),
        ),
        (
            "metrics|logs|traces|alerts|backups|tickets|mails|events|errors|artifacts|images go|goes|land|end to|in|up|into in? <tool>",
            (),
        ),
        (
            "runners|agents|workers|dashboards|pipelines is|are <tool>",
            (),
        ),
    ])
});

pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    for (at, ()) in STATED.find(clause) {
        for tool in at.tools(0) {
            name(found, tool);
        }
    }
    let words = clause.words.as_slice();
    let others = (0..words.len()).any(|n| {
        words
            .get(n)
            .is_some_and(|word| word.is_any(&NOT_OURS) || word.possessive)
            || relation_at(words, n).is_some()
    });
    if others {
        return;
    }
    let mut listed: Vec<Tool> = Vec::new();
    let mut pieces = 0;
    let starts = (0..words.len())
        .filter(|n| *n == 0 || words.get(*n).is_some_and(|word| word.gap != Gap::None));
    for start in starts {
        pieces += 1;
        listed.extend(names(words, start));
    }
    let sure = listed.iter().filter(|tool| tool.sure).count();
    let all = listed.len() >= 2 && sure >= 1 && listed.len() + 2 >= pieces;
    let one = sure == 1 && listed.len() == 1 && pieces == 1 && (2..=6).contains(&words.len());
    if all || one {
        for tool in listed {
            name(found, &tool);
        }
    }
}

/// The names with which a piece begins, unless it goes on as a sentence.
fn names(words: &[Word], start: usize) -> Vec<Tool> {
    let mut at = start;
    while words
        .get(at)
        .is_some_and(|word| word.is_any(&["mostly", "mainly", "and", "then"]))
    {
        at += 1;
    }
    let mut all = Vec::new();
    while let Some((end, tool)) = tool_at(words, at) {
        all.push(tool);
        at = end;
        let joined = words
            .get(at)
            .is_some_and(|word| word.gap == Gap::None && word.is_any(&["and", "plus", "with"]));
        if !joined {
            break;
        }
        at += 1;
    }
    let ends = words
        .get(at)
        .is_none_or(|word| word.gap != Gap::None || word.is_any(&TAILS));
    if ends { all } else { Vec::new() }
}

/// Adds the name where its list says that it belongs.
pub(super) fn name(found: &mut Vec<Candidate>, tool: &Tool) {
    let fact = match tool.entry.scope {
        Scope::Preferences => {
            Candidate::slot(Scope::Preferences, tool.entry.slot, tool.name.as_str())
        }
        scope => Candidate::item(scope, tool.name.as_str()),
    };
    super::add(found, fact, &tool.name);
}
