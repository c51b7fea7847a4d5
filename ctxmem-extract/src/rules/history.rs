//! What the user decided or completed: events, not states.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::deeds::{Form, Weight, deed_at};
use super::pattern::{Match, Table, is_negation};
use super::phrase::{fact, has_memorable_time, has_time, points_at_the_conversation, shortened};
use crate::lists::WordList;
use crate::text::{Clause, Gap, Word, join};
use crate::{Candidate, Op};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// A decision lasts, dated or not.
    Decision,
    /// An event counts when it is dated, said to be done, or weighty by itself.
    Event,
    /// An event without a subject counts only with a date.
    Fragment,
    /// What was done to something of the user's.
    Passive,
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        (
            "i|we have? decided|chose|chosen|picked|opted|agreed|settled|committed|resolved|voted",
            Says::Decision,
        ),
        (
            "i|we have? ended up going|using|choosing|picking|taking|buying|staying|keeping",
            Says::Decision,
        ),
        ("i|we have? went|gone|going with|for", Says::Decision),
        ("i|we am|are going|sticking|staying with", Says::Decision),
        ("i|we have? made the decision|choice to", Says::Decision),
        (
            "^ decided|agreed|settled|voted * to|on|for|against",
            Says::Decision,
        ),
        ("^ went|going with", Says::Decision),
        (
            "the|our|my team|company|board|committee|family|client|management|boss and? i? have|has? decided|chose|agreed|voted|opted|settled",
            Says::Decision,
        ),
        ("we|i have? <did>", Says::Event),
        (
            "my|our team|company|board|committee|family|wife|husband|partner and? i? have|has? <did>",
            Says::Event,
        ),
        ("^ <did> <rest>", Says::Fragment),
        (
            "^ my|our * was|were|got|been|is accepted|approved|funded|rejected|published|acquired|released|launched|born|cancelled|canceled|decommissioned|retired|shut|sold|delivered|merged|finished|completed|done|live|over",
            Says::Passive,
        ),
        (
            "the|our migration|release|launch|move|merge|audit|deployment|rollout|upgrade * went|was|has|got|finished|completed|ended|failed|started",
            Says::Passive,
        ),
    ])
});

/// Decisions and completed events.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    if clause.words.iter().any(Word::is_quote) {
        return;
    }
    for (at, says) in STATED.find(clause) {
        let from = match says {
            Says::Passive => at.start + 1,
            _ => verb(clause, &at),
        };
        let told = up_to_break(clause, from);
        let text = join(told);
        let behind = join(told.get(1..).unwrap_or_default());
        let negated = clause.words.iter().take(from + 1).any(is_negation);
        // What was given up without a date is a removal, not an event.
        let gave_up = says == Says::Event
            && !has_time(&join(&clause.words))
            && found.iter().any(|fact| fact.op == Op::Remove);
        if negated
            || gave_up
            || !lasts(clause, told, says, found)
            || is_passing(told)
            || (!behind.is_empty() && points_at_the_conversation(&behind))
        {
            continue;
        }
        let fact = Candidate::item(Scope::History, shortened(&fact(&text)));
        let told_already = found.iter().any(|other| {
            other.scope == Scope::History
                && (other.value.contains(&fact.value) || fact.value.contains(&other.value))
        });
        if !told_already {
            found.push(fact);
        }
    }
}

/// The fact begins with the verb: "we have finally decided …" is stored as "Decided …".
fn verb(clause: &Clause, at: &Match) -> usize {
    let words = clause.words.get(at.start..at.end).unwrap_or_default();
    let subject = words
        .iter()
        .rposition(|word| word.is_any(&["i", "we", "have", "has", "team", "board"]))
        .map_or(0, |n| n + 1);
    let adverbs = words
        .iter()
        .skip(subject)
        .take_while(|word| {
            word.low().ends_with("ly")
                || word.is_any(&[
                    "just", "also", "then", "now", "already", "am", "are", "both",
                ])
        })
        .count();
    at.start + subject + adverbs
}

/// The words from `from` up to a break.
fn up_to_break(clause: &Clause, from: usize) -> &[Word] {
    let told = clause.words.get(from..).unwrap_or_default();
    let end = told
        .iter()
        .skip(1)
        .position(|word| word.gap == Gap::Break)
        .map_or(told.len(), |n| n + 1);
    told.get(..end).unwrap_or_default()
}

/// Whether it is worth knowing next month.
fn lasts(clause: &Clause, told: &[Word], says: Says, found: &[Candidate]) -> bool {
    let whole = join(&clause.words);
    let deed = deed_at(Form::Past, told, 0).map(|(_, deed)| deed);
    let everyday = deed.is_some_and(|deed| deed.weight == Weight::Everyday);
    match says {
        Says::Decision => told.len() >= 2,
        Says::Fragment => {
            told.len() >= 3
                && !everyday
                && (has_time(&whole)
                    || deed.is_some_and(|deed| deed.weight == Weight::Lasting)
                        && clause
                            .words
                            .first()
                            .is_some_and(|word| word.is_any(&["just", "finally"])))
                && !told.iter().any(|word| word.is_any(&["is", "are", "was"]))
        }
        Says::Passive => {
            told.len() >= 3
                && (has_time(&whole)
                    || told.iter().any(|word| {
                        word.is_any(&[
                            "accepted", "approved", "funded", "acquired", "born", "finally",
                        ])
                    }))
        }
        // "I finally got my driver's licence"
        Says::Event if told.iter().take(6).any(|word| word.is_any(&CREDENTIALS)) => true,
        Says::Event if everyday => told.len() >= 2 && has_memorable_time(&whole),
        Says::Event => {
            // "I just moved to Porto" tells where one lives now
            let done = clause
                .words
                .iter()
                .any(|word| word.is_any(&["finally", "already", "officially"]))
                || (clause.words.iter().any(|word| word.low() == "just")
                    && clause.words.iter().any(|word| word.low() == "have")
                    && !found.iter().any(|fact| fact.scope == Scope::General));
            // "we finished the tests", said of what several worked on
            let ours = clause.words.iter().any(|word| word.low() == "we")
                && told
                    .first()
                    .is_some_and(|verb| verb.is_any(&["finished", "completed"]));
            has_time(&whole)
                || (ours && told.len() > 3)
                || (done && told.len() > 2)
                || deed.is_some_and(|deed| deed.weight == Weight::Lasting)
                    && (told.len() > 2 || is_alone(told))
        }
    }
}

/// What one gets once.
static CREDENTIALS: WordList = WordList::new(&[
    "licence",
    "license",
    "degree",
    "diploma",
    "visa",
    "citizenship",
    "tenure",
    "promotion",
    "scholarship",
    "phd",
    "certification",
]);

/// Verbs that need no object.
fn is_alone(told: &[Word]) -> bool {
    told.first()
        .is_some_and(|verb| verb.is_any(&["retired", "graduated", "divorced", "resigned"]))
}

/// "I went for a walk", "we left in a hurry".
fn is_passing(told: &[Word]) -> bool {
    let outing = told.get(..3).is_some_and(|head| {
        matches!(head, [went, to, a] if went.is_any(&["went", "gone"]) && to.low() == "for" && a.is_any(&["a", "an"]))
    });
    let must = told
        .get(..2)
        .is_some_and(|head| matches!(head, [got, to] if got.low() == "got" && to.low() == "to"));
    outing
        || must
        || told.iter().skip(1).take(4).any(|word| {
            word.is_any(&[
                "walk",
                "lunch",
                "dinner",
                "coffee",
                "error",
                "hurry",
                "window",
                "tab",
                "terminal",
                "command",
                "script",
                "snippet",
                "question",
                "phone",
                "keys",
                "wallet",
                "glasses",
                "cup",
                "bus",
                "train",
                "milk",
                "bread",
                "groceries",
                "meeting",
                "article",
                "page",
                "answer",
                "file",
                "line",
                "bug",
            ])
        })
}
