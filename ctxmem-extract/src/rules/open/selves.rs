//! Who the user is: introductions, forms, time zones.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use crate::Candidate;
use crate::rules::capture::{Kind, capture};
use crate::rules::pattern::{Captured, Table};
use crate::text::{Clause, Gap, Word};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// A name.
    Name,
    /// A surname, then a first name.
    Turned,
    /// A place.
    Place,
    /// A time zone.
    Zone,
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        ("^ <name> here", Says::Name),
        ("^ it|this is <name> from", Says::Name),
        ("surname <name> , first|given name <name>", Says::Turned),
        ("ich heiße <anyname>", Says::Name),
        ("mi chiamo <anyname>", Says::Name),
        ("je m'appelle <anyname>", Says::Name),
        ("me llamo <anyname>", Says::Name),
        ("^ sono <name>", Says::Name),
        ("mam na imię <name>", Says::Name),
        ("jag heter <name>", Says::Name),
        (
            "je suis|travaille|vis|bosse|habite * à|près de? <place>",
            Says::Place,
        ),
        ("soy|trabajo|vivo * en <place>", Says::Place),
        ("faccio|lavoro|vivo|sono * a <place>", Says::Place),
        ("i am * so <zone>", Says::Zone),
        ("i mean <zone>", Says::Zone),
        ("time zone|timezone is <zone>", Says::Zone),
    ])
});

pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    for (at, says) in STATED.find(clause) {
        match says {
            Says::Name => general(found, "name", at.text(0)),
            Says::Turned => {
                general(found, "name", &format!("{} {}", at.text(1), at.text(0)));
            }
            Says::Place => {
                let named = at.text(0).chars().next().is_some_and(char::is_uppercase);
                let told = clause.words.get(at.start..at.end).unwrap_or_default();
                let head = at.text(0).split([' ', ',']).next().unwrap_or_default();
                if named && told.iter().any(|word| word.text == head) {
                    general(found, "location", at.text(0));
                }
            }
            Says::Zone => general(found, "timezone", at.text(0)),
        }
    }
    form(clause.words.as_slice(), found);
}

/// "Name: Ada Byron. City: London", "let me introduce myself: Ada Byron".
fn form(words: &[Word], found: &mut Vec<Candidate>) {
    for (n, pair) in words.windows(2).enumerate() {
        let [label, value] = pair else { continue };
        if value.gap != Gap::Break {
            continue;
        }
        let opens = n == 0 || label.gap == Gap::Break;
        let myself = label.low() == "myself"
            && n > 0
            && words.get(n - 1).is_some_and(|w| w.low() == "introduce");
        let (key, kind) = if (opens && label.low() == "name") || myself {
            ("name", Kind::Name)
        } else if opens && label.is_any(&["city", "town", "location"]) {
            ("location", Kind::Place)
        } else {
            continue;
        };
        if let Some((_, Captured::Text(text))) = capture(kind, words, n + 1) {
            general(found, key, &text);
        }
    }
}

fn general(found: &mut Vec<Candidate>, key: &str, value: &str) {
    let known = found
        .iter()
        .any(|fact| fact.scope == Scope::General && fact.key.as_deref() == Some(key));
    if !known && !value.is_empty() {
        found.push(Candidate::slot(Scope::General, key, value));
    }
}
