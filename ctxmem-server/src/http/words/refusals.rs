//! Translated refusals, for people who read another language than English.
//!
//! `core` and the readers of forms say in English what is wrong, for programs and people alike, and
//! know nothing of languages. A page looks the sentence up by its English text, in `refusals.ftl`;
//! any number in it is a variable, `$n1` to `$n9`. What is not found stays English.

use std::collections::HashMap;
use std::sync::LazyLock;

use fluent_bundle::FluentArgs;

use super::{Language, Words};

/// The names of the variables.
const NUMBERS: [&str; 9] = ["n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"];

/// The messages by their English text, with `#` in place of each number.
static IDS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut files = Language::English.files().iter();
    let file = files.find(|(name, _)| *name == "refusals");
    let lines = file.map(|(_, text)| *text).unwrap_or_default().lines();
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
    if language == Language::English {
        return sentence(text);
    }
    translated(language, text)
        .or_else(|| {
            // On a page about nothing but the error, it begins with the field.
            let (_, rest) = text.split_once(": ")?;
            translated(language, rest)
        })
        .unwrap_or_else(|| sentence(text))
}

fn translated(language: Language, text: &str) -> Option<String> {
    let (key, numbers) = numbered(text);
    let id = IDS.get(&key)?;
    let mut args = FluentArgs::new();
    for (name, number) in NUMBERS.into_iter().zip(numbers) {
        args.set(name, number);
    }
    Some(Words::in_language(language).with(id, &args))
}

/// The text with `#` in place of each number, and the numbers.
pub(super) fn numbered(text: &str) -> (String, Vec<String>) {
    let mut key = String::with_capacity(text.len());
    let mut numbers: Vec<String> = Vec::new();
    let mut in_number = false;
    for c in text.chars() {
        if c.is_ascii_digit() {
            if !in_number {
                key.push('#');
                numbers.push(String::new());
            }
            if let Some(number) = numbers.last_mut() {
                number.push(c);
            }
        } else {
            key.push(c);
        }
        in_number = c.is_ascii_digit();
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
            "Expected at least 12 characters."
        );
        let german = say(Language::German, refused);
        assert!(german.contains("mindestens 12 Zeichen"), "{german}");
        let with_field = say(
            Language::German,
            "password: expected at least 12 characters",
        );
        assert_eq!(with_field, german);
        assert_eq!(say(Language::German, "quokka <b>"), "Quokka <b>.");
    }
}
