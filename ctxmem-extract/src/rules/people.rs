//! Named people around the user.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::lexicon::tool_at;
use super::pattern::{Match, Table, is_negation};
use crate::lists::WordList;
use crate::text::{Clause, Word};
use crate::{Candidate, Op};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// Relation first, then the name.
    RelationName,
    /// Name first, then the relation.
    NameRelation,
    /// Works or lives with somebody; the words of the clause say how.
    With,
    /// A name, and what they do for or with the user.
    Does,
    /// "The person who approves the budget is …".
    Who,
    /// The name is a title of the family: "Aunt Ines".
    Kin,
    /// Somebody is no longer what they were.
    NoLonger,
    /// Who is it instead.
    Successor,
}

/// What holds even inside a request or a question: "a card for my daughter Ines".
static PRESUPPOSED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        (
            "my|our new|old|dear|other|two|three|four|five|older|younger? <relation> , <names>",
            Says::RelationName,
        ),
        (
            "my|our * <relation> , called|named <names>",
            Says::RelationName,
        ),
        (
            "<name> , my|our new|old|former? <relation>",
            Says::NameRelation,
        ),
        (
            "<name> , who does|handles|helps|checks|approves|reviews|leads|manages|runs|owns|heads|maintains my|our <rest>",
            Says::Does,
        ),
    ])
});

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        (
            "my|our new|direct|current|boss? <relation> is|are called|named? <names>",
            Says::RelationName,
        ),
        (
            "my|our new|direct|current? <relation> name|names is|are <names>",
            Says::RelationName,
        ),
        (
            "i|we have * <relation> , called|named? <names>",
            Says::RelationName,
        ),
        (
            "^ <name> is my|our new|direct|best|current|former|old? <relation>",
            Says::NameRelation,
        ),
        (
            "^ <name> and <name> are my|our <relation>",
            Says::NameRelation,
        ),
        (
            "the new|other|current? <relation> , called|named? <names>",
            Says::RelationName,
        ),
        (
            "^ <name> is the|a|an|one new|only|lead|head? <relation> on|of|in|at|for|here|there",
            Says::NameRelation,
        ),
        ("^ it is <name> now", Says::Successor),
        ("with|for <name> and me|myself", Says::With),
        ("<name>", Says::Kin),
        (
            "^ the person|guy|woman|man|one who|that * is <name>",
            Says::Who,
        ),
        ("i|we am|are? report|reporting to <name>", Says::With),
        ("reporting to <name>", Says::With),
        (
            "i|we have? am|are|been mentoring|supervising|managing|coaching|tutoring|teaching|training|dating|onboarding|seeing <name>",
            Says::With,
        ),
        (
            "i|we mentor|supervise|manage|coach|tutor <names>",
            Says::With,
        ),
        (
            "i|we have? am|are|been? work|working|worked|pair|pairing|collaborate|live|share|run|teach|study|train|sing|play|write together|closely|a|the|our? * with <names>",
            Says::With,
        ),
        ("^ , me and my? <name>", Says::With),
        ("^ , <name> and i|me", Says::With),
        ("i am married|engaged to <name>", Says::With),
        (
            "^ <name> does|handles|helps|checks|approves|reviews|leads|manages|runs|owns|signs|supports|covers|maintains|heads|oversees|coordinates|mentors|supervises|teaches <rest>",
            Says::Does,
        ),
        (
            "<name> who does|handles|helps|checks|approves|reviews|leads|manages|runs|owns|signs|supports|covers|maintains|heads|is <short>",
            Says::Does,
        ),
        (
            "^ <name> from|in|at|over * does|handles|helps|checks|approves|reviews|leads|manages|runs|owns|signs|supports|covers|maintains <rest>",
            Says::Does,
        ),
        (
            "^ <name> is not my|our <relation> any|anymore|longer",
            Says::NoLonger,
        ),
        ("^ <name> no longer works|reports|is <rest>", Says::NoLonger),
    ])
});

/// People in a statement.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    take(PRESUPPOSED.find(clause), clause, found);
    take(STATED.find(clause), clause, found);
}

/// People in a request or a question, which takes them for granted.
pub(super) fn find_presupposed(clause: &Clause, found: &mut Vec<Candidate>) {
    // "Is Ana my boss?" takes nothing for granted
    let asks = clause
        .words
        .first()
        .is_some_and(|word| word.is_any(&["is", "are", "was", "were"]));
    let taken = PRESUPPOSED
        .find(clause)
        .into_iter()
        .filter(|(_, says)| !asks || *says != Says::NameRelation)
        .collect();
    take(taken, clause, found);
}

/// Who somebody is that is quoted: "my sister Ana says …".
pub(super) fn find_speaker(clause: &Clause, found: &mut Vec<Candidate>) {
    let first = PRESUPPOSED
        .find(clause)
        .into_iter()
        .filter(|(at, _)| at.start == 0)
        .collect();
    take(first, clause, found);
}

fn take(matches: Vec<(Match, Says)>, clause: &Clause, found: &mut Vec<Candidate>) {
    for (at, says) in matches {
        match says {
            Says::RelationName => {
                let relation = at.text(0).to_lowercase();
                for name in at.texts(1) {
                    person(found, name, &singular(&relation));
                }
            }
            Says::NameRelation => {
                // "Ana and Bo are my sisters": the last capture is the relation.
                let (names, relation): (&[usize], _) = if at.text(2).is_empty() {
                    (&[0], at.text(1))
                } else {
                    (&[0, 1], at.text(2))
                };
                for n in names {
                    person(found, at.text(*n), &singular(&relation.to_lowercase()));
                }
            }
            Says::With if !clause.words.iter().any(is_negation) => {
                let how = how(clause, &at);
                for name in at.texts(0) {
                    person(found, name, &how);
                }
            }
            Says::Does if is_about_us(clause, &at) => {
                let verb = clause
                    .words
                    .iter()
                    .skip(at.start)
                    .position(|word| word.is_any(&DOES))
                    .and_then(|n| clause.words.get(at.start + n))
                    .map(Word::low)
                    .unwrap_or_default();
                person(
                    found,
                    at.text(0),
                    &format!("{verb} {}", from_outside(at.text(1))),
                );
            }
            Says::Who => {
                let what: Vec<&str> = clause
                    .words
                    .iter()
                    .skip(at.start + 3)
                    .take_while(|word| word.low() != "is")
                    .map(|word| word.text.as_str())
                    .collect();
                person(found, at.text(0), &from_outside(&what.join(" ")));
            }
            Says::Kin => {
                if let Some((title, _)) = at.text(0).split_once(' ')
                    && KIN.contains(&title)
                {
                    person(found, at.text(0), "");
                }
            }
            Says::Successor => {
                if found
                    .iter()
                    .any(|fact| fact.scope == Scope::Relationships && fact.op == Op::Remove)
                {
                    person(found, at.text(0), "");
                }
            }
            Says::With | Says::Does => {}
            Says::NoLonger => {
                found.push(Candidate::removal(Scope::Relationships, None, at.text(0)));
            }
        }
    }
}

/// Titles that say what somebody is to the user.
const KIN: &[&str] = &["Aunt", "Uncle"];

static DOES: WordList = WordList::new(&[
    "does",
    "handles",
    "helps",
    "checks",
    "approves",
    "reviews",
    "leads",
    "manages",
    "runs",
    "owns",
    "supports",
    "maintains",
    "signs",
    "covers",
    "heads",
    "oversees",
    "coordinates",
    "mentors",
    "supervises",
    "teaches",
    "is",
]);

/// "Docker handles caching", "Kubernetes does the rest" aren't people: a person is helped along
/// by a word about us, or is at least no known tool.
fn is_about_us(clause: &Clause, at: &Match) -> bool {
    let tool = tool_at(&clause.words, at.start).is_some();
    let short = clause.words.len() <= 8;
    let us = clause
        .words
        .iter()
        .any(|word| word.is_any(&["me", "us", "my", "our"]));
    !tool && (us || short) && !clause.words.iter().any(is_negation)
}

fn from_outside(phrase: &str) -> String {
    phrase
        .split(' ')
        .map(|word| match word {
            "me" | "us" => "the user",
            "my" | "our" => "the user's",
            word => word,
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// How the user and the person are connected, in the words of the clause.
fn how(clause: &Clause, at: &Match) -> String {
    let words = clause.words.as_slice();
    let has = |any: &[&str]| words.iter().any(|word: &Word| word.is_any(any));
    let role = if has(&[
        "mentor",
        "mentoring",
        "coach",
        "coaching",
        "tutor",
        "tutoring",
    ]) {
        "mentored by the user"
    } else if has(&["supervise", "supervising", "manage", "managing"]) {
        "managed by the user"
    } else if has(&["dating", "seeing"]) {
        "partner"
    } else if has(&["report", "reporting"]) {
        "manager"
    } else if has(&["married"]) {
        "spouse"
    } else if has(&["engaged"]) {
        "fiancé(e)"
    } else if has(&["flat", "apartment", "house", "room", "live"]) {
        "lives with the user"
    } else if has(&[
        "work",
        "working",
        "pair",
        "pairing",
        "collaborate",
        "run",
        "teach",
        "study",
    ]) {
        "works with the user"
    } else {
        ""
    };
    // "… on the parser"
    let topic = words
        .get(at.end)
        .filter(|word| word.is_any(&["on", "at"]))
        .and_then(|_| words.get(at.end..))
        .filter(|_| !role.is_empty())
        .map(|rest| {
            rest.iter()
                .take(7)
                .map(|word| word.text.as_str())
                .collect::<Vec<_>>()
                .join(" ")
        });
    topic.map_or_else(
        || role.to_owned(),
        |topic| format!("{role} {}", from_outside(&topic)),
    )
}

/// One of several: "colleagues" as "colleague".
fn singular(relation: &str) -> String {
    match relation {
        "children" | "kids" => "child".to_owned(),
        "boss" => relation.to_owned(),
        plural => plural.strip_suffix('s').unwrap_or(plural).to_owned(),
    }
}

/// Adds a person; what is said first about somebody is what they are.
fn person(found: &mut Vec<Candidate>, name: &str, what: &str) {
    let known = found.iter().any(|fact| {
        fact.scope == Scope::Relationships && fact.value.split(',').next() == Some(name)
    });
    if !known && !name.is_empty() {
        let value = if what.is_empty() {
            name.to_owned()
        } else {
            format!("{name}, {what}")
        };
        found.push(Candidate::item(Scope::Relationships, value));
    }
}
