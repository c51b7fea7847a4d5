//! Translated refusals, for people who read another language than English.
//!
//! `core` and the readers of forms say in English what is wrong, for programs and people alike, and
//! know nothing of languages. A page looks the sentence up by its English text, in `refusals.ftl`;
//! any number in it is a variable, `$n1` to `$n9`. English pages say what stands beside it as `.page`, and the
//! text itself where nothing does. What is not found stays English.

use std::collections::HashMap;
use std::sync::LazyLock;

use fluent_bundle::FluentArgs;

use super::{Language, Words};

/// The names of the variables.
const NUMBERS: [&str; 9] = ["n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"];

/// What English pages say instead of a message's text.
const PAGE: &str = "page";

/// The messages by their English text, with `#` in place of each number.
static IDS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut files = Language::English.files().iter();
    let file = files.find(|(name, _)| *name == "refusals");
    let lines = file.map(|(_, text)| *text).unwrap_or_default().lines();
    let lines = lines.filter(|line| !line.starts_with([' ', '#']));
    let ids = lines.filter_map(|line| Some(line.split_once(" = ")?.0));
    let mut numbers = FluentArgs::new();
    for name in NUMBERS {
        numbers.set(name, "#");
    }
    let english = Words::in_language(Language::English);
    ids.map(|id| (numbered(&english.with(id, &numbers)).0, id))
        .collect()
});

/// The refusal as a sentence in this language.
pub(super) fn say(language: Language, text: &str) -> String {
    for_people(language, text)
        .or_else(|| {
            // On a page about nothing but the error, it begins with the field.
            let (_, rest) = text.split_once(": ")?;
            for_people(language, rest)
        })
        .unwrap_or_else(|| sentence(text))
}

fn for_people(language: Language, text: &str) -> Option<String> {
    let (key, numbers) = numbered(text);
    let id = IDS.get(&key)?;
    let mut args = FluentArgs::new();
    for (name, number) in NUMBERS.into_iter().zip(numbers) {
        args.set(name, number);
    }
    let words = Words::in_language(language);
    match language {
        Language::English => words.attribute(id, PAGE, &args),
        _ => Some(words.with(id, &args)),
    }
}

/// The text with `#` in place of each number, and the numbers.
pub(super) fn numbered(text: &str) -> (String, Vec<String>) {
    let (mut key, mut numbers) = (String::with_capacity(text.len()), Vec::new());
    let are_alike = |one: &u8, next: &u8| one.is_ascii_digit() == next.is_ascii_digit();
    for part in text.as_bytes().chunk_by(are_alike) {
        let part = String::from_utf8_lossy(part);
        if part.starts_with(|c: char| c.is_ascii_digit()) {
            key.push('#');
            numbers.push(part.into_owned());
        } else {
            key.push_str(&part);
        }
    }
    (key, numbers)
}

/// With a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    let mut text: String = first.chain(chars).collect();
    if !text.ends_with('.') {
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_said_in_the_readers_language() {
        let refused = "expected at least 12 characters";
        assert_eq!(
            say(Language::English, refused),
            "Enter at least 12 characters."
        );
        let german = say(Language::German, refused);
        assert!(german.contains("mindestens 12 Zeichen"), "{german}");
        let with_field = say(
            Language::German,
            "password: expected at least 12 characters",
        );
        assert_eq!(with_field, german);
        assert_eq!(
            say(Language::English, "password: it can't be hashed"),
            "This password can’t be used. Choose another one."
        );
        let terse = "tick the box to delete all facts of this kind";
        assert_eq!(
            say(Language::English, terse),
            "Tick the box to delete all facts of this kind."
        );
        assert_eq!(say(Language::German, "quokka <b>"), "Quokka <b>.");
    }

    #[test]
    fn people_are_told_what_to_do_and_not_what_was_expected() {
        for text in IDS.keys() {
            for language in Language::ALL {
                let said = say(language, &text.replace('#', "12"));
                for start in ["Expected", "Erwartet", "Il faut", "Valeurs", "Se esper"] {
                    assert!(!said.starts_with(start), "{said}");
                }
                assert!(said.ends_with(['.', '@']), "{said}");
            }
        }
    }

    #[test]
    fn the_list_of_scopes_is_known() {
        let refused = format!("expected any of {}", ctxmem_types::ScopeSet::ALL);
        assert!(IDS.contains_key(&refused), "{refused}");
    }
}
