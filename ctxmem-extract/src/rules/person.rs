//! From the user's words to words about the user: "my thesis" is their thesis.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::text::{Language, Word};

/// Words and what stands for them, by language; the last are verbs.
static TABLES: LazyLock<Vec<HashMap<&str, &str>>> = LazyLock::new(|| {
    let lines = include_str!("../../data/person.txt").lines();
    lines
        .filter_map(|line| line.split_once(": ").filter(|_| !line.starts_with('#')))
        .map(|(_, pairs)| {
            pairs
                .split(", ")
                .filter_map(|pair| pair.split_once(" = "))
                .collect()
        })
        .collect()
});

/// The number of the table of verbs.
const VERBS: usize = 4;

/// A phrase of the user's as one about the user. A clause that begins with "I" becomes one
/// without a subject where it is the `whole` fact: "I prefer aisle seats" is "prefers aisle
/// seats".
pub(super) fn third(words: &[Word<'_>], language: Language, whole: bool) -> String {
    let changed = |low: &str| TABLES.get(language as usize)?.get(low).copied();
    let mut text = String::new();
    let mut after_i = false;
    for (n, word) in words.iter().enumerate() {
        let low = &*word.low;
        let english = language == Language::English;
        if whole
            && n == 0
            && (english && matches!(low, "i" | "we") || matches!(low, "ich" | "je" | "j" | "yo"))
        {
            after_i = true;
            continue;
        }
        // "My niece's birthday": whose niece goes without saying.
        if whole
            && n == 0
            && words.len() > 1
            && matches!(
                low,
                "my" | "our"
                    | "mi"
                    | "mon"
                    | "ma"
                    | "mein"
                    | "meine"
                    | "notre"
                    | "unser"
                    | "unsere"
                    | "nuestra"
                    | "nuestro"
            )
        {
            continue;
        }
        let said = if std::mem::take(&mut after_i) && english && !is_past_or_adverb(low) {
            conjugated(low)
        } else if english && n > 0 && low == "am" && words[n - 1].is_any(&["i"]) {
            "are".to_owned()
        } else {
            changed(low).unwrap_or(word.text).to_owned()
        };
        if !text.is_empty() {
            text.push_str(word.gap.written());
        }
        text.push_str(&said);
        if word.possessive {
            text.push_str("'s");
        }
    }
    // Contractions were spelled out: "can't".
    text.replace("can not ", "cannot ")
}

/// Whether a word behind "I" has no third person of its own.
fn is_past_or_adverb(low: &str) -> bool {
    low.ends_with("ly")
        || (low.ends_with("ed") && low.len() > 4)
        || matches!(
            low,
            "never"
                | "always"
                | "just"
                | "also"
                | "went"
                | "got"
                | "bought"
                | "sold"
                | "had"
                | "did"
                | "made"
                | "took"
                | "gave"
                | "left"
                | "quit"
                | "won"
                | "lost"
                | "wrote"
                | "put"
                | "set"
                | "met"
                | "told"
                | "said"
                | "usually"
                | "often"
                | "still"
                | "now"
        )
}

/// "prefer" as "prefers".
fn conjugated(verb: &str) -> String {
    if let Some(third) = TABLES.get(VERBS).and_then(|verbs| verbs.get(verb)) {
        return (*third).to_owned();
    }
    if let Some(stem) = verb.strip_suffix('y')
        && !stem.ends_with(['a', 'e', 'i', 'o', 'u'])
    {
        return format!("{stem}ies");
    }
    let hisses = ["s", "x", "z", "ch", "sh", "o"]
        .iter()
        .any(|end| verb.ends_with(end));
    format!("{verb}{}", if hisses { "es" } else { "s" })
}
