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
    // "(dass) ich am Freitag umziehe", "ich trinke gern Tee"
    let is_german_verb = whole
        && language == Language::German
        && words.first().is_some_and(|word| word.is_any(&["ich"]));
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
        } else if low == "me" && language == Language::Spanish {
            let pleases = words.get(n + 1).is_some_and(|next| next.is_any(PLEASE));
            if pleases { "le" } else { "se" }.to_owned()
        } else if let Some(changed) = changed(low) {
            changed.to_owned()
        } else if is_german_verb && (n == 1 || n + 1 == words.len()) {
            german(low).unwrap_or_else(|| word.text.to_owned())
        } else {
            word.text.to_owned()
        };
        if !text.is_empty() {
            text.push_str(word.gap.written());
        }
        text.push_str(&said);
        if word.possessive {
            text.push_str("'s");
        }
    }
    // "(dass) ich kein Auto habe"
    if is_german_verb
        && words.len() > 2
        && words.last().is_some_and(|word| word.is_any(AUXILIARIES))
        && let Some((rest, verb)) = text.rsplit_once(' ')
    {
        text = format!("{verb} {rest}");
    }
    // Contractions were spelled out: "can't".
    text.replace("can not ", "cannot ")
}

/// Spanish verbs whose subject is a thing: "me gusta".
const PLEASE: &[&str] = &[
    "gusta",
    "gustan",
    "encanta",
    "encantan",
    "interesa",
    "interesan",
    "duele",
    "duelen",
    "molesta",
    "molestan",
    "falta",
    "faltan",
    "dio",
    "dieron",
    "dijo",
    "dijeron",
    "toca",
    "va",
    "cuesta",
];

/// German verbs that go before the rest whatever it is.
const AUXILIARIES: &[&str] = &[
    "habe", "hab", "bin", "kann", "mag", "will", "muss", "darf", "soll", "möchte", "werde",
];

/// "Wohne" as "wohnt": a German verb that changes no vowel.
fn german(verb: &str) -> Option<String> {
    let stem = verb.strip_suffix('e').filter(|stem| stem.len() > 2)?;
    let e = if stem.ends_with(['t', 'd']) { "e" } else { "" };
    Some(format!("{stem}{e}t"))
}

/// Whether a word behind "I" has no third person of its own.
fn is_past_or_adverb(low: &str) -> bool {
    (low.ends_with("ly") && !matches!(low, "fly" | "rely" | "apply" | "reply" | "supply"))
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
