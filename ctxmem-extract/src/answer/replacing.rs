//! Rules of replacement: which known fact a new one may replace, and what of the old one is kept.

use ctxmem_types::Scope;

use super::parsed_fact::{RawFact, start, with_key};
use super::said::Said;
use crate::folded_words::FoldedWords;
use crate::home::scope_at_home;
use crate::persons::have_a_role_of_one;
use crate::{ALLERGY, Candidate, Known, Op};

/// How words begin that tell of an allergy.
const ALLERGIES: [&str; 8] = [
    "allerg",
    "alerg",
    "intoleran",
    "anaphyla",
    "celiac",
    "coeliac",
    "zoliakie",
    "epipen",
];

/// A fact may replace a fact of the same slice, with exceptions: a new name does not change the
/// location, only a retraction ends an allergy, and another person is added to those known.
pub(super) fn may_replace(
    scope: Scope,
    fact: &RawFact<'_>,
    known: &Known,
    said: &Said<'_>,
) -> bool {
    let same_key = fact.key.is_empty() || Some(fact.key) == known.key.as_deref();
    // "general.age" is stored elsewhere.
    let scope = scope_at_home(scope, fact.key);
    scope == known.scope
        && match scope {
            Scope::General => same_key,
            Scope::Preferences => known.key.as_deref() != Some(ALLERGY),
            Scope::Relationships => {
                let value = with_key(scope, fact.key, fact.value);
                let (new, old) = (
                    FoldedWords::of(start(&value)),
                    FoldedWords::of(&known.value),
                );
                new.begins_like(&old)
                    || gets_a_name(&known.value, &old, &new)
                    // An allergy goes neither with who had it nor over to who comes.
                    || !tells_of_allergy(&known.value)
                        && (is_succeeded(&old, said.folded())
                            || have_a_role_of_one(&known.value, &value))
            }
            _ => true,
        }
}

/// Whether somebody who was known by a role gets a name: "wife" becomes "Ngozi, wife".
pub(crate) fn gets_a_name(known: &str, old: &FoldedWords, new: &FoldedWords) -> bool {
    let is_nameless = !known.starts_with(char::is_uppercase);
    let role = old
        .iter()
        .find(|word| word.len() > 2 && !word.bytes().any(|c| c.is_ascii_digit()));
    let is_same = |word: &str, role: &str| {
        // "two children" and "child"
        word == role
            || (role.len() > 3
                && word.len() > 3
                && (role.starts_with(word) || word.starts_with(role)))
    };
    is_nameless
        && old.iter().take(3).chain(role).any(|role| {
            role.len() > 2 && !is_count(role) && new.iter().any(|word| is_same(word, role))
        })
}

fn is_count(word: &str) -> bool {
    crate::days::number(word).is_some()
}

/// Whether the message names the known person and says that this no longer holds: "Birgit left, Ken is my manager",
/// "she is Philippa, not Filippa".
pub(crate) fn is_succeeded(old: &FoldedWords, message: &FoldedWords) -> bool {
    let name = old.iter().next();
    name.is_some_and(|name| name.len() > 1 && message.iter().any(|word| word == name))
        && (message.denies() || message.tells_of_leaving())
}

/// The value with what the replaced one says of an allergy: nothing but its own retraction ends one, whoever has it.
pub(crate) fn keeps_allergies(value: String, replaced: &str, message: &str) -> String {
    if replaced.is_empty() || tells_of_allergy(&value) || tells_of_allergy(message) {
        return value;
    }
    let kept = replaced
        .split([',', ';'])
        .map(str::trim)
        .filter(|part| tells_of_allergy(part));
    kept.fold(value, |value, part| format!("{value}, {part}"))
}

/// What removing a known fact comes to: of somebody's allergy that the message doesn't speak of, the allergy stays.
pub(super) fn removed(known: &Known, said: &Said<'_>) -> Option<Candidate> {
    let is_allergy = known.key.as_deref() == Some(ALLERGY);
    let names_it = || FoldedWords::of(&known.value).count_shared(said.folded()) > 0;
    if tells_of_allergy(&said.text())
        || !(is_allergy || tells_of_allergy(&known.value))
        || (is_allergy && names_it())
    {
        return Some(Candidate::of_known(Op::Remove, known.clone()));
    }
    if is_allergy {
        return None;
    }
    let (name, _) = known.value.split_once(',')?;
    Some(Candidate {
        value: keeps_allergies(name.to_owned(), &known.value, ""),
        ..Candidate::of_known(Op::Set, known.clone())
    })
}

pub(crate) fn tells_of_allergy(text: &str) -> bool {
    FoldedWords::of(text)
        .iter()
        .any(|word| ALLERGIES.iter().any(|start| word.starts_with(start)))
}
