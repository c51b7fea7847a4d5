//! People, told by what they do or how they belong to the user.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::add;
use crate::Candidate;
use crate::rules::pattern::{Match, Table};
use crate::text::{Clause, Gap, Word, join};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// The name, and what is said of it.
    Does,
    /// The name, and their role behind it.
    Is,
    /// Their role, and the name.
    Called,
    /// The name, with the user.
    With,
    /// Several, with what they are to the user.
    Are(&'static str),
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        (
            "^ and|but? <name> from|in|at * is|owns|handles|leads|does|signs|prepares|manages|reviews|approves|maintains|runs|covers|takes|looks|writes|wants|helps|checks|has",
            Says::Does,
        ),
        (
            "^ and|but? <name> who? owns|handles|leads|does|signs|prepares|manages|reviews|approves|maintains|covers|takes|teaches|mentors|cooks|drives|helps|oversees|supervises|coordinates|organises|organizes|designs|illustrates|proofreads",
            Says::Does,
        ),
        ("^ <name> is my|our", Says::Is),
        ("<name> , he|she is my|our", Says::Is),
        ("<name> is not my|our <short> , he|she is my|our", Says::Is),
        (
            "^ and|but? <name> did|does|makes|brings|keeps most|the|all|half",
            Says::Does,
        ),
        (
            "and <name> does|handles|owns|runs the|all|our|my",
            Says::Does,
        ),
        ("^ <name> has? taken|took over", Says::Does),
        ("^ and? <name> , who", Says::Does),
        (
            "my|our * partner|apprentice|buddy|sponsor|auditor|trainer|teacher is|are <name>",
            Says::Called,
        ),
        (
            "the|my|our|a|new auditor|headmistress|headmaster|principal|freelancer|secretary|conductor|treasurer|chair|caretaker|colleague|architect|editor|inspector , <name>",
            Says::Called,
        ),
        (
            "my|our|a|the|new * colleague|partner|friend|cousin|neighbour|neighbor|flatmate|roommate|housemate|apprentice|assistant|sister|brother|wife|husband|daughter|son|aunt|uncle|mentor|boss|lead|mate|teammate|nephew|niece|landlord|supervisor|intern|client|coworker|trainee|tenant|percussionist|drummer|singer , <name>",
            Says::Called,
        ),
        (
            "lead|boss|manager|mentor|supervisor|advisor|adviser|tutor|coach|accountant|landlord|landlady|doctor|gp|therapist|contact|client|intern is called|named? <name>",
            Says::Called,
        ),
        ("^ <name> and i|me", Says::With),
        (
            "i|me|we and|with <name> run|share|own|started|live|work|have",
            Says::With,
        ),
        ("together with <name>", Says::With),
        (
            "kids|children|twins|sons|daughters , <names>",
            Says::Are("child"),
        ),
        ("nephews|nieces , <names>", Says::Are("nephew or niece")),
        ("brothers|sisters|siblings , <names>", Says::Are("sibling")),
        ("parents|grandparents , <names>", Says::Are("parent")),
        (
            "colleagues|teammates|coworkers , <names>",
            Says::Are("colleague"),
        ),
        (
            "flatmates|roommates|housemates , <names>",
            Says::Are("flatmate"),
        ),
        ("friends|mates , <names>", Says::Are("friend")),
    ])
});

pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    for (at, says) in STATED.find(clause) {
        let name = at.text(0).to_owned();
        match says {
            Says::Are(what) => {
                for name in at.texts(0) {
                    person(found, name, what);
                }
            }
            Says::Does => person(found, &name, &deeds(clause, &at)),
            Says::Is => {
                let role = role(clause.words.get(at.end..).unwrap_or_default());
                if !role.is_empty() {
                    person(found, &name, &role);
                }
            }
            Says::Called => {
                let words = clause.words.get(at.start..at.end).unwrap_or_default();
                let skipped = ["my", "our", "the", "a", "new", "is", "called", "named"];
                let count = words.len().saturating_sub(name.split(' ').count());
                let role: Vec<&str> = words
                    .iter()
                    .take(count)
                    .map(Word::low)
                    .filter(|word| !skipped.contains(word))
                    .collect();
                person(found, &name, role.last().copied().unwrap_or_default());
            }
            Says::With => person(found, &name, ""),
        }
    }
}

/// "Reviews all my PRs": what is said of the person, up to the next break.
fn deeds(clause: &Clause, at: &Match) -> String {
    let name = at.text(0).split(' ').count();
    let from = clause
        .words
        .iter()
        .position(|word| Some(word.text.as_str()) == at.text(0).split(' ').next())
        .map_or(at.start, |n| n + name);
    let told = clause.words.get(from..).unwrap_or_default();
    join(up_to(told, &["and", "so", "but", "because", "which"], 9))
}

/// "Our accountant": a few words.
fn role(told: &[Word]) -> String {
    join(up_to(
        told,
        &["and", "for", "on", "at", "of", "in", "who", "so", "now"],
        4,
    ))
}

/// The words up to a break or one of these, so many at most.
fn up_to<'a>(told: &'a [Word], stops: &[&str], most: usize) -> &'a [Word] {
    let end = told
        .iter()
        .skip(1)
        .position(|word| word.gap != Gap::None || word.is_any(stops))
        .map_or(told.len(), |n| n + 1);
    told.get(..end.min(most)).unwrap_or_default()
}

fn person(found: &mut Vec<Candidate>, name: &str, what: &str) {
    let value = if what.is_empty() {
        name.to_owned()
    } else {
        format!("{name}, {what}")
    };
    add(found, Candidate::item(Scope::Relationships, value), name);
}
