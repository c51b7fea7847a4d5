//! Where the user lives and what time it is there.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::pattern::{Table, is_negation};
use crate::Candidate;
use crate::lists::WordList;
use crate::text::Clause;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// The user lives there now.
    Home,
    /// The user comes from there; it counts when nothing better is said.
    Origin,
    /// Lives near it.
    Near,
    /// The user's time zone.
    Zone,
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        (
            "i|we am|are? live|living|reside|residing in <place>",
            Says::Home,
        ),
        ("i|we have lived|been living in <place>", Says::Home),
        ("i|we live|am|are * near|outside <place>", Says::Near),
        ("i|we * live * near|outside|by <place>", Says::Near),
        ("i|we live * in|at <city>", Says::Home),
        (
            "i|we am|are based|located|situated|settled in|out <place>",
            Says::Home,
        ),
        ("i|we am|are based out of <place>", Says::Home),
        ("^ based|living|located in <place>", Says::Home),
        ("^ <name> , from|in <city>", Says::Home),
        ("i|we have? moved|relocated to <place>", Says::Home),
        ("i|we have? moved|relocated * to <city>", Says::Home),
        ("i|we moved * from <city> to <place>", Says::Home),
        ("i|we am|are home? in <city>", Says::Home),
        ("i am a|an * in|from <city>", Says::Home),
        ("^ i am <name> , from|in|based <place>", Says::Home),
        ("^ i am <name> , based|living in <place>", Says::Home),
        ("i|we am|are originally? from <place>", Says::Origin),
        ("<zone> , <city>", Says::Home),
        ("i|we come from <city>", Says::Origin),
        ("^ i am * from|in|based <city>", Says::Origin),
        ("^ i am * based in <city>", Says::Home),
        ("i|we work from|as * in <city>", Says::Origin),
        ("here in <city>", Says::Home),
        ("work|working|live in|on the? <zone>", Says::Zone),
        (
            "my home|current? location|city|town|hometown is <place>",
            Says::Home,
        ),
        ("^ location is? <place>", Says::Home),
        ("i|we work|study from|in|out <city>", Says::Home),
        ("my|our local? timezone|tz is <zone>", Says::Zone),
        ("my|our local? time zone is <zone>", Says::Zone),
        ("^ timezone is? , <zone>", Says::Zone),
        ("^ time zone is? , <zone>", Says::Zone),
        (
            "i|we am|are|work|live|operate in|on the? <zone>",
            Says::Zone,
        ),
        ("^ <zone> here|timezone", Says::Zone),
        ("^ <zone> $", Says::Zone),
        ("i|we use|prefer|keep <zone> as|for", Says::Zone),
        ("my clock|calendar|laptop is in|on|set * <zone>", Says::Zone),
    ])
});

/// Words by which a sentence is about another time, or another place than the user's.
static PAST: WordList = WordList::new(&[
    "used",
    "conference",
    "trip",
    "week",
    "airport",
    "tomorrow",
    "until",
    "lived",
    "formerly",
    "previously",
    "visiting",
    "holiday",
    "vacation",
    "moving",
    "want",
    "applying",
    "planning",
    "hoping",
    "looking",
    "travelling",
    "traveling",
]);

/// Location and time zone, where a statement tells them.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    if clause.words.iter().any(is_negation)
        && !clause.words.iter().any(|word| word.low() == "moved")
    {
        return;
    }
    // "I used to live", "I lived", "my parents live": not the user's home now.
    let past = clause.words.iter().any(|word| word.is_any(&PAST));
    for (at, says) in STATED.find(clause) {
        match says {
            Says::Zone => found.push(Candidate::slot(Scope::General, "timezone", at.text(0))),
            _ if past && !clause.words.iter().any(|word| word.low() == "have") => {}
            Says::Origin if has_location(found) => {}
            Says::Home | Says::Origin | Says::Near => {
                let place = place_of(&at);
                if says != Says::Home && has_location(found) {
                    continue;
                }
                let value = if says == Says::Near {
                    format!("near {place}")
                } else {
                    place
                };
                found.push(Candidate::slot(Scope::General, "location", value));
            }
        }
    }
}

/// The place is the last capture: a name or the place one left may stand before it.
fn place_of(at: &super::pattern::Match) -> String {
    let second = at.text(1);
    if second.is_empty() {
        at.text(0)
    } else {
        second
    }
    .to_owned()
}

fn has_location(found: &[Candidate]) -> bool {
    found
        .iter()
        .any(|fact| fact.key.as_deref() == Some("location"))
}
