//! From the user's words to words about the user: "my thesis" is their thesis.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::language::Language;
use crate::lists::{self, List, Table};
use crate::text::Word;

/// Words and what stands for them, by language.
static THIRD: LazyLock<[HashMap<&str, &str>; Language::COUNT]> =
    LazyLock::new(|| Language::ALL.map(|language| lists::pairs(Table::Third, language).collect()));

/// English verbs whose third person is irregular.
static IRREGULAR_VERBS: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| lists::pairs(Table::IrregularVerbs, Language::English).collect());

/// Turns a phrase by the user into one about the user. If it is the `whole` fact and begins with
/// "I", the subject is dropped: "I prefer aisle seats" becomes "prefers aisle seats".
pub(super) fn third(words: &[Word<'_>], language: Language, whole: bool) -> String {
    let changed = |low: &str| THIRD[language as usize].get(low).copied();
    let mut text = String::new();
    let mut after_i = false;
    // "(dass) ich am Freitag umziehe", "ich trinke gern Tee"
    let is_german_verb = whole
        && language == Language::German
        && words.first().is_some_and(|word| &*word.low == "ich");
    for (n, word) in words.iter().enumerate() {
        let low = &*word.low;
        let english = language == Language::English;
        if whole
            && n == 0
            && word.is_in(List::DroppedSubjects)
            // "I" is no word of the other languages.
            && (english || !matches!(low, "i" | "we"))
        {
            after_i = true;
            continue;
        }
        // "My niece's birthday": whose niece goes without saying.
        if whole && n == 0 && words.len() > 1 && word.is_in(List::DroppedOwn) {
            continue;
        }
        let said = if std::mem::take(&mut after_i) && english && !is_past_or_adverb(low) {
            conjugated(low)
        } else if english && n > 0 && low == "am" && &*words[n - 1].low == "i" {
            "are".to_owned()
        } else if low == "me" && language == Language::Spanish {
            let pleases = words
                .get(n + 1)
                .is_some_and(|next| next.is_in(List::Pleasing));
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
        word.write_as(&said, &mut text);
    }
    // "(dass) ich kein Auto habe"
    if is_german_verb
        && words.len() > 2
        && words
            .last()
            .is_some_and(|word| word.is_in(List::Auxiliaries))
        && let Some((rest, verb)) = text.rsplit_once(' ')
    {
        text = format!("{verb} {rest}");
    }
    // Contractions were spelled out: "can't".
    text.replace("can not ", "cannot ")
}

/// "Wohne" becomes "wohnt": a German verb that changes no vowel.
fn german(verb: &str) -> Option<String> {
    let stem = verb.strip_suffix('e').filter(|stem| stem.len() > 2)?;
    let e = if stem.ends_with(['t', 'd']) { "e" } else { "" };
    Some(format!("{stem}{e}t"))
}

/// Whether a word behind "I" has no third person of its own.
fn is_past_or_adverb(low: &str) -> bool {
    (low.ends_with("ly") && !lists::has(List::LyVerbs, low))
        || (low.ends_with("ed") && low.len() > 4)
        || lists::has(List::KeptVerbs, low)
}

/// "prefer" becomes "prefers".
fn conjugated(verb: &str) -> String {
    if let Some(third) = IRREGULAR_VERBS.get(verb) {
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
