//! What happened, told by verbs of change or with a time.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::{add_of_its_kind, piece_start};
use crate::Candidate;
use crate::rules::pattern::{Match, Table};
use crate::rules::phrase::{fact, has_time};
use crate::text::{Clause, join};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// It changed how things are.
    Changed,
    /// It did where a time is told.
    Dated,
    /// The thing before the verb went through it.
    Thing,
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        (
            "i|we have? cancelled|canceled|ripped|shut|sold|rolled|threw|thrown|founded|closed|quit|rewrote|rewritten|scrapped|ditched|retired|merged|inherited|outsourced|abolished|divorced|graduated <rest>",
            Says::Changed,
        ),
        ("i|we have? open sourced <rest>", Says::Changed),
        ("i|we went back to <rest>", Says::Changed),
        (
            "i|we have? changed|switched|moved over? from|to <rest>",
            Says::Dated,
        ),
        (
            "i|we have? started|opened|finished|launched|bought|built|left|lost|won|passed|failed|learned|learnt|became|joined|released|decided|agreed|hired|introduced|installed|published|replaced|renamed|removed|split|wrote|rebuilt|redid|held|ran|did <rest>",
            Says::Dated,
        ),
        (
            "^ had|did|started|opened|moved|sold|finished|bought|lost|passed a|an|our|my|the|back|from|to <rest>",
            Says::Dated,
        ),
        ("i|we have been * since <rest>", Says::Dated),
        (
            "^ new job|flat|role|position|house|school|boss since <rest>",
            Says::Dated,
        ),
        (
            "^ and|then? started|opened|founded|sold|closed a|an|our|my|the <rest>",
            Says::Changed,
        ),
        ("^ before this|that i was|worked <rest>", Says::Changed),
        ("i was|worked a|an|as|at|for <rest>", Says::Dated),
        ("went live|down|offline <rest>", Says::Thing),
    ])
});

pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    drop_empty(found);
    for (at, says) in STATED.find(clause) {
        let rest = at.text(0);
        let span = rest.contains(" years") || rest.contains("until ");
        let kept = match says {
            Says::Changed => true,
            Says::Dated => has_time(rest) || span,
            Says::Thing => has_time(rest),
        };
        let head = rest.split(' ').next().unwrap_or_default().to_lowercase();
        let vague = ["that", "it", "this", "them", "those"].contains(&head.as_str());
        if kept && !vague {
            let event = told(clause, &at, says == Says::Thing);
            // "Open" is no plan there.
            found.retain(|other| other.scope != Scope::Goals || !other.value.contains(" sourced "));
            // What is remembered in parts needs no second telling.
            let known = found.iter().any(|other| {
                other.scope == Scope::Goals
                    && event.to_lowercase().contains(&other.value.to_lowercase())
            });
            if !known && event.split(' ').count() >= 3 {
                add_of_its_kind(found, Candidate::item(Scope::History, event));
            }
        }
    }
}

/// Drops what tells nothing later: "decided at the offsite", "going with your idea".
fn drop_empty(found: &mut Vec<Candidate>) {
    found.retain(|other| {
        if other.scope != Scope::History {
            return true;
        }
        let low = other.value.to_lowercase();
        let only_where = low.starts_with("decided at ") && low.split(' ').count() <= 4;
        let yours = [
            "your idea",
            "your suggestion",
            "your proposal",
            "your advice",
        ]
        .iter()
        .any(|end| low.ends_with(end));
        !(only_where || yours)
    });
}

/// From the verb on, or from the beginning of the piece where a thing is spoken of.
fn told(clause: &Clause, at: &Match, with_subject: bool) -> String {
    let words = clause.words.as_slice();
    let mut from = at.start;
    if with_subject {
        from = piece_start(words, at.start);
    } else {
        while words.get(from).is_some_and(|word| {
            word.is_any(&[
                "i", "we", "have", "just", "since", "been", "before", "this", "that", "already",
            ])
        }) {
            from += 1;
        }
    }
    fact(&join(words.get(from..at.end).unwrap_or_default()))
}
