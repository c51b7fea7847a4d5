//! What the user decided or completed: events, not states.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::pattern::{Table, is_negation};
use super::phrase::{fact, has_memorable_time, has_time, points_at_the_conversation};
use crate::extract::Candidate;
use crate::extract::text::{Clause, Gap, join};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// A decision lasts, dated or not.
    Decision,
    /// An event counts when it is dated, or said to be done.
    Event,
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        (
            "i|we have? decided|chose|chosen|picked|opted|agreed|settled|committed <rest>",
            Says::Decision,
        ),
        (
            "i|we have? ended up going|using|choosing|picking with? <rest>",
            Says::Decision,
        ),
        ("i|we have? went|gone with|for <rest>", Says::Decision),
        (
            "^ decided|agreed|settled * to|on|for|against <rest>",
            Says::Decision,
        ),
        (
            "the team|company|board have|has? decided|chose|agreed <rest>",
            Says::Decision,
        ),
        (
            "i|we have? sold|bought|finished|completed|submitted|passed|failed|signed|launched|shipped|released|published|migrated|moved|switched|upgraded|merged|rotated|deleted|closed|opened|retired|graduated|quit|left|joined|started|founded|hired|fired|rewrote|removed|deployed|delivered|cancelled|canceled|renewed|rebuilt|replaced|defended|won|lost|raised|adopted|introduced|dropped|stopped|got|became|married|divorced|tried|converted|built|read|set|ran <rest>",
            Says::Event,
        ),
        (
            "the|our migration|release|launch|move|merge|audit|deployment|rollout|upgrade * went|was|is|has|got <rest>",
            Says::Event,
        ),
    ])
});

/// Events that last even without a date.
const WEIGHTY: &[&str] = &[
    "sold",
    "graduated",
    "retired",
    "founded",
    "defended",
    "launched",
    "shipped",
    "submitted",
    "signed",
    "rotated",
    "rewrote",
    "divorced",
];

/// Verbs of everyday work, worth remembering only as part of a longer story.
const EVERYDAY: &[&str] = &[
    "tried", "ran", "read", "set", "got", "deleted", "removed", "stopped", "opened", "closed",
    "built", "upgraded", "merged", "replaced", "deployed", "released", "read",
];

/// Decisions and completed events.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    for (at, says) in STATED.find(clause) {
        if points_at_the_conversation(at.text(0)) {
            continue;
        }
        let told = clause.words.get(at.start..).unwrap_or_default();
        // The fact begins with the verb: "we have finally decided …" is stored as "Decided …".
        let verb = told
            .iter()
            .position(|word| {
                !word.is_any(&[
                    "i", "we", "have", "has", "finally", "already", "just", "also", "then",
                    "recently", "actually", "now",
                ])
            })
            .unwrap_or(0);
        let told = told.get(verb..).unwrap_or_default();
        let end = told
            .iter()
            .skip(1)
            .position(|word| word.gap == Gap::Break)
            .map_or(told.len(), |n| n + 1);
        let told = told.get(..end).unwrap_or_default();
        let text = join(told);
        let whole = join(&clause.words);
        let lasting = match says {
            Says::Decision => true,
            Says::Event => {
                if told.first().is_some_and(|verb| verb.is_any(EVERYDAY)) {
                    has_memorable_time(&whole)
                } else {
                    has_time(&whole)
                        || clause
                            .words
                            .iter()
                            .any(|word| word.is_any(&["finally", "already"]))
                        || told
                            .first()
                            .is_some_and(|verb| verb.is_any(WEIGHTY) && told.len() > 2)
                }
            }
        };
        let negated = clause
            .words
            .iter()
            .take(at.start + verb + 1)
            .any(is_negation);
        if !lasting || negated || told.len() < 2 || told.len() > 40 {
            continue;
        }
        let fact = Candidate::item(Scope::History, fact(&text));
        let told_already = found
            .iter()
            .any(|other| other.scope == Scope::History && other.value.contains(&fact.value));
        if !told_already {
            found.push(fact);
        }
    }
}
