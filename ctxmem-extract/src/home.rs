//! The scope where a fact belongs and its wording, whoever extracted it.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::admit::{normal_key, slot_name};
use super::folded_words::FoldedWords;
use super::sections::{section, section_words};
use super::{Candidate, Op};
use crate::hash::WordMap;

const LISTS: &str = include_str!("../data/gate/homes.txt");

static HOMES: LazyLock<WordMap<&str, Scope>> = LazyLock::new(|| {
    let names = |scope: Scope| {
        let lines = section_words(LISTS, scope.name());
        lines.map(move |name| (name, scope))
    };
    [Scope::Knowledge, Scope::Relationships, Scope::Preferences]
        .into_iter()
        .flat_map(names)
        .collect()
});

/// What models put before a wish about how to reply.
static TO_THE_ASSISTANT: LazyLock<Vec<String>> = LazyLock::new(|| {
    let openings = section(LISTS, "to the assistant");
    openings.map(|opening| format!("{opening} ")).collect()
});

/// The candidate in the scope where it belongs, in the wording that is stored.
pub(super) fn at_home(candidate: Candidate) -> Candidate {
    match (candidate.scope, candidate.op) {
        (Scope::General, Op::Set) => out_of_general(candidate),
        (Scope::CommunicationStyle, Op::Set) => Candidate {
            value: bare_wish(&candidate.value),
            ..candidate
        },
        _ => candidate,
    }
}

/// The scope in which a fact of this scope and name is stored.
pub(super) fn scope_at_home(scope: Scope, key: &str) -> Scope {
    if scope != Scope::General {
        return scope;
    }
    match slot_name(Scope::General, normal_key(key)).as_str() {
        "" | "name" | "location" | "timezone" => Scope::General,
        key => HOMES.get(key).copied().unwrap_or(Scope::History),
    }
}

/// `general` holds the user's name, location and time zone, and nothing else.
fn out_of_general(candidate: Candidate) -> Candidate {
    let key = candidate.key.as_deref().map(normal_key).unwrap_or_default();
    let key = slot_name(Scope::General, key);
    let scope = scope_at_home(Scope::General, &key);
    if scope == Scope::General {
        return candidate;
    }
    let value = match scope {
        Scope::Preferences => candidate.value,
        _ => named(scope, &key.replace('_', " "), &candidate.value),
    };
    Candidate {
        scope,
        key: Some(key),
        value,
        ..candidate
    }
}

/// Puts the name before a value that does not say what it is: "birthday: 3 May".
fn named(scope: Scope, name: &str, value: &str) -> String {
    let words = FoldedWords::of(value);
    let mut sentences = section_words(LISTS, "sentences");
    if FoldedWords::of(name).all_are_in(&words)
        || sentences.any(|first| words.iter().next() == Some(first))
    {
        value.to_owned()
    } else if scope == Scope::Relationships && value.starts_with(char::is_uppercase) {
        format!("{value}, {name}")
    } else {
        format!("{name}: {value}")
    }
}

/// A wish as a bare imperative: "the assistant should be brief" becomes "Be brief". Unchanged, it
/// would read like an order about the assistant.
fn bare_wish(value: &str) -> String {
    let mut wish = value.trim();
    while let Some(rest) = TO_THE_ASSISTANT.iter().find_map(|start| {
        let head = wish.get(..start.len())?;
        head.eq_ignore_ascii_case(start)
            .then(|| wish.get(start.len()..))?
    }) {
        wish = rest.trim_start();
    }
    if wish.len() == value.trim().len() {
        return value.to_owned();
    }
    let wish = wish
        .strip_prefix("not ")
        .map_or(wish.to_owned(), |what| format!("do not {what}"));
    let mut letters = wish.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::super::admit;
    use super::*;
    use crate::sections::samples;

    /// A fact as the samples write it: `general.city = Porto`.
    fn shown(fact: &Candidate) -> String {
        let key = fact
            .key
            .as_ref()
            .map_or(String::new(), |key| format!(".{key}"));
        format!("{}{key} = {}", fact.scope.name(), fact.value)
    }

    #[test]
    fn general_takes_name_location_and_time_zone_only() {
        for (told, stored) in samples(LISTS, "sample homes") {
            let (key, value) = told.split_once(" = ").expect("a value");
            let facts = admit(vec![Candidate::slot(Scope::General, key, value)]);
            assert_eq!(
                facts.iter().map(shown).collect::<String>(),
                stored,
                "{told}"
            );
        }
        let gone = Candidate::removal(Scope::General, Some("occupation"), "nurse");
        assert_eq!(admit(vec![gone.clone()]), vec![gone]);
    }

    #[test]
    fn wishes_are_bare_imperatives() {
        for (wish, bare) in samples(LISTS, "sample wishes") {
            let facts = admit(vec![Candidate::item(Scope::CommunicationStyle, wish)]);
            assert_eq!(
                facts.iter().map(|fact| &*fact.value).collect::<String>(),
                bare
            );
        }
    }
}
