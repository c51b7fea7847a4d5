//! What the user does things in or with, and what they won't use.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::add;
use crate::Candidate;
use crate::lists::WordList;
use crate::rules::lexicon::{place_at, relation_at};
use crate::rules::pattern::{Match, Table};
use crate::rules::phrase::{has_time, points_at_the_conversation};
use crate::text::{Clause, Gap, Word};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// Something is done, kept or made in or with it.
    With,
    /// A thing of a known kind is it.
    Is,
    /// It is not eaten.
    NotEaten,
    /// It is not wanted.
    NotUsed,
}

/// What people do with their tools.
macro_rules! make {
    () => {
        "cook|draw|write|draft|type|edit|plan|track|record|sketch|model|render|compose|design|calculate|grade|mark|measure|count|store|keep|file|log|take|print|bake|sew|knit|paint|mix|cut|shoot|bill|invoice|budget|organise|organize|schedule|manage|annotate|typeset|analyse|analyze|plot|document|present|sync|search|monitor|deploy|test|build|lint|format|script|automate|do|code|program|develop|host|run|serve|ship|simulate|transcribe|translate|note|collect|archive|read|teach"
    };
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        (
            concat!(
                "i|we ever? ",
                make!(),
                " * in|on|with|using|through|via|at <short>"
            ),
            Says::With,
        ),
        (
            "all|every|most|everything my|our|the|of? * is|are|get|gets|live|lives|run|runs|sit|sits|stay|stays|goes|go|happens * in|on|with|through|via|by|at|to <short>",
            Says::With,
        ),
        (
            "my|our|the * is|are|get|gets done|drawn|drafted|written|kept|set|made|stored|built|tracked|managed|typed|planned|recorded|typeset|edited|hosted|deployed|tested|graded|measured|printed|archived|monitored|scheduled in|on|with|through|via|at|by <short>",
            Says::With,
        ),
        (
            "my|our|the * runs|run|lives|live|sits|sit|goes|go|hangs in|on|with|through|via|to <short>",
            Says::With,
        ),
        ("everything in|with|on <short> please|pls", Says::With),
        ("my|our * is|are <short>", Says::Is),
        ("^ and? the? * is|are <short>", Says::Is),
        ("i|we do not|never eat|drink|cook <short>", Says::NotEaten),
        ("i|we cannot|can not? eat|drink <short>", Says::NotEaten),
        (
            "i|we do not|never use|touch|run|install|want|allow|like|support|own <short>",
            Says::NotUsed,
        ),
        ("i|we no longer use|support|run <short>", Says::NotUsed),
        (
            "i|we refuse|decline to use|run|install|touch|eat|buy|work with? <short>",
            Says::NotUsed,
        ),
        (
            "^ no <short> in|at my|our|the? house|home|kitchen|team|office|shop|repo|place|codebase|code",
            Says::NotUsed,
        ),
    ])
});

pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    for (at, says) in STATED.find(clause) {
        let thing = at.text(0).trim_matches(',').trim();
        if thing.is_empty() || points_at_the_conversation(thing) || has_time(thing) {
            continue;
        }
        match says {
            Says::With => with(clause, &at, thing, found),
            Says::Is => is(clause, &at, thing, found),
            Says::NotEaten => without(thing, "diet", found),
            Says::NotUsed => {
                let key = format!("no {thing}").to_lowercase().replace(' ', "_");
                without(thing, &key, found);
            }
        }
    }
}

/// Words that say that it is so whenever it happens.
static HABIT: WordList = WordList::new(&[
    "always",
    "only",
    "ever",
    "exclusively",
    "everything",
    "all",
    "every",
    "strictly",
    "entirely",
    "whole",
    "anything",
]);

fn with(clause: &Clause, at: &Match, thing: &str, found: &mut Vec<Candidate>) {
    let head = at.end.saturating_sub(thing.split(' ').count());
    let inside = clause.words.get(at.start..head).unwrap_or_default();
    // What stands behind a comma belongs to something else.
    let joined = inside.iter().skip(1).all(|word| word.gap == Gap::None);
    if joined && is_a_means(clause, at.start, head, thing) {
        preference(found, &key_of(inside), thing, thing);
    }
}

/// Words before things that are no tools: "in the morning", "with my brother".
static DETERMINED: WordList = WordList::new(&[
    "the", "this", "that", "these", "those", "my", "your", "his", "her", "our", "their", "one",
    "some", "any", "each", "every", "it", "me", "you", "him", "us", "them", "which", "what",
    "time", "here", "there", "order", "case", "front", "top", "average", "general", "addition",
    "two", "three", "four", "five", "advance", "half", "person", "school", "bed", "home", "work",
    "least", "night", "once", "first", "last", "weekends", "weekdays",
]);

/// Whether it can be what something is done with: a name of its own, or what it is always
/// done with; not a place, a time, a person or "the morning".
fn is_a_means(clause: &Clause, start: usize, at: usize, thing: &str) -> bool {
    let Some(first) = clause.words.get(at) else {
        return false;
    };
    let by_its_name = first.is_capitalised() && first.low() != "i";
    let habit = clause
        .words
        .get(start..at)
        .unwrap_or_default()
        .iter()
        .any(|word| word.is_any(&HABIT));
    let is_person =
        (0..thing.split(' ').count()).any(|n| relation_at(&clause.words, at + n).is_some());
    place_at(&clause.words, at).is_none()
        && !is_person
        && !first.is_any(&DETERMINED)
        && (by_its_name || habit)
        && !thing.chars().next().is_some_and(char::is_numeric)
}

/// The slot: what is done, kept or made. "All our exam papers are set in" is about exam papers.
fn key_of(words: &[Word]) -> String {
    static SKIPPED: WordList = WordList::new(&[
        "i", "we", "my", "our", "the", "most", "of", "is", "are", "in", "on", "with", "using",
        "through", "via", "by", "a", "an", "get", "gets", "it", "them", "and", "also", "now",
        "just", "both", "mostly", "usually", "been", "do", "done", "up", "to", "out", "kept",
        "set", "made", "written", "live", "lives", "run", "runs", "at", "for", "go", "goes",
        "please",
    ]);
    let mut told: Vec<&str> = words
        .iter()
        .filter(|word| !word.is_any(&SKIPPED) && !word.is_any(&HABIT))
        .map(Word::low)
        .collect();
    // Participles say what is done to it.
    if told.len() > 1 {
        told.retain(|word| !word.ends_with("ed"));
    }
    told.truncate(3);
    let key = told.join("_");
    if key.is_empty() {
        "tools".to_owned()
    } else {
        key
    }
}

/// Kinds of things that people choose.
static CHOSEN: WordList = WordList::new(&[
    "terminal",
    "browser",
    "editor",
    "ide",
    "keyboard",
    "layout",
    "shell",
    "phone",
    "camera",
    "notebook",
    "calendar",
    "client",
    "tool",
    "tools",
    "app",
    "stack",
    "framework",
    "database",
    "db",
    "linter",
    "formatter",
    "currency",
    "font",
    "theme",
    "notes",
    "player",
    "reader",
    "printer",
    "distro",
    "backups",
    "backup",
    "host",
    "hosting",
    "registrar",
    "router",
    "crm",
    "erp",
    "lms",
    "pos",
    "ledger",
    "ci",
    "pipeline",
    "queue",
    "broker",
    "cache",
    "orm",
    "bundler",
    "runtime",
    "compiler",
    "debugger",
    "monitoring",
    "logging",
    "search",
    "storage",
    "vcs",
    "cms",
    "wiki",
    "tracker",
    "chat",
    "email",
    "mail",
    "os",
    "system",
    "laptop",
    "machine",
    "desktop",
    "server",
    "servers",
    "runners",
    "backend",
    "frontend",
    "branching",
    "workflow",
    "diet",
    "units",
    "spelling",
    "format",
    "standard",
    "engine",
    "software",
    "platform",
    "library",
    "instrument",
    "oven",
    "stove",
    "yarn",
    "film",
    "lens",
    "mic",
    "daw",
    "trunk",
    "repos",
    "scanner",
    "bike",
]);

fn is(clause: &Clause, at: &Match, thing: &str, found: &mut Vec<Candidate>) {
    let words = clause.words.get(at.start..at.end).unwrap_or_default();
    let Some(copula) = words.iter().position(|word| word.is_any(&["is", "are"])) else {
        return;
    };
    let subject = words.get(..copula).unwrap_or_default();
    let chosen = subject.last().is_some_and(|word| word.is_any(&CHOSEN));
    let about_a_person = (0..subject.len()).any(|n| relation_at(subject, n).is_some());
    let is_a_state = words.get(copula + 1).is_none_or(|word| {
        word.is_any(&DETERMINED)
            || word.is_any(&[
                "a", "an", "not", "broken", "down", "slow", "full", "too", "so", "very", "in",
                "on", "at", "fine", "ok", "okay", "done", "ready", "still", "old", "new", "dead",
                "up", "weird", "stuck", "red", "green", "how", "good", "bad", "gone", "empty",
                "wrong", "like", "about", "great", "nice", "huge", "small", "big", "messy", "fast",
                "for", "from", "to", "with", "all", "more", "less", "open", "closed", "there",
                "here", "due", "live", "written",
            ])
            || word.low().ends_with("ing")
            || word.low().ends_with("ed")
            || word.is_any(&[
                "written", "built", "made", "kept", "done", "run", "set", "sold", "held", "drawn",
                "known", "shut", "put", "sent", "hit", "lost", "taken", "given", "broke", "stuck",
            ])
    });
    if chosen && !about_a_person && !is_a_state && subject.len() <= 4 {
        preference(found, &key_of(subject), thing, thing);
    }
}

fn without(thing: &str, key: &str, found: &mut Vec<Candidate>) {
    let first = thing.split(' ').next().unwrap_or_default().to_lowercase();
    let vague = DETERMINED.has(first.as_str())
        || [
            "to", "anything", "much", "a", "an", "more", "people", "when", "how",
        ]
        .contains(&first.as_str());
    if !vague {
        preference(found, key, &format!("no {thing}"), thing);
    }
}

fn preference(found: &mut Vec<Candidate>, key: &str, value: &str, thing: &str) {
    let key: String = key
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    add(
        found,
        Candidate::slot(Scope::Preferences, key, value),
        thing,
    );
}
