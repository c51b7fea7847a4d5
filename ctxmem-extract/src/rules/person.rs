//! From the user's words to words about the user: "my thesis" is their thesis.

use crate::text::{Gap, Language, Word};

/// Words of the first person and what stands for them.
const ENGLISH: &[(&str, &str)] = &[
    ("i", "they"),
    ("we", "they"),
    ("my", "their"),
    ("our", "their"),
    ("me", "them"),
    ("us", "them"),
    ("mine", "theirs"),
    ("ours", "theirs"),
    ("myself", "themselves"),
    ("ourselves", "themselves"),
];

const GERMAN: &[(&str, &str)] = &[
    ("ich", "die Person"),
    ("mir", "der Person"),
    ("mich", "die Person"),
    ("mein", "ihr"),
    ("meine", "ihre"),
    ("meinen", "ihren"),
    ("meinem", "ihrem"),
    ("meiner", "ihrer"),
    ("unser", "ihr"),
    ("unsere", "ihre"),
    ("unserem", "ihrem"),
    ("unseren", "ihren"),
    ("unserer", "ihrer"),
    ("wir", "sie"),
    ("uns", "sie"),
    ("bin", "ist"),
    ("habe", "hat"),
    ("hab", "hat"),
    ("will", "will"),
    ("esse", "isst"),
    ("nehme", "nimmt"),
    ("vertrage", "verträgt"),
    ("fahre", "fährt"),
    ("lese", "liest"),
    ("sitze", "sitzt"),
    ("arbeite", "arbeitet"),
];

const FRENCH: &[(&str, &str)] = &[
    ("mon", "son"),
    ("ma", "sa"),
    ("mes", "ses"),
    ("notre", "leur"),
    ("nos", "leurs"),
    ("suis", "est"),
    ("ai", "a"),
    ("je", "il ou elle"),
    ("j", "il ou elle"),
    ("me", "se"),
    ("m", "s"),
    ("moi", "cette personne"),
    ("préfère", "préfère"),
    ("veux", "veut"),
    ("peux", "peut"),
    ("prends", "prend"),
    ("vais", "va"),
    ("dois", "doit"),
    ("fais", "fait"),
];

const SPANISH: &[(&str, &str)] = &[
    ("mi", "su"),
    ("mis", "sus"),
    ("nuestro", "su"),
    ("nuestra", "su"),
    ("nuestros", "sus"),
    ("nuestras", "sus"),
    ("yo", "la persona"),
    ("me", "le"),
    ("soy", "es"),
    ("estoy", "está"),
    ("tengo", "tiene"),
    ("prefiero", "prefiere"),
    ("vivo", "vive"),
    ("trabajo", "trabaja"),
    ("uso", "usa"),
    ("quiero", "quiere"),
    ("voy", "va"),
    ("como", "come"),
    ("necesito", "necesita"),
    ("puedo", "puede"),
    ("hago", "hace"),
];

/// English verbs whose third person is no `-s`.
const VERBS: &[(&str, &str)] = &[
    ("am", "is"),
    ("have", "has"),
    ("do", "does"),
    ("go", "goes"),
    ("was", "was"),
    ("were", "was"),
    ("are", "is"),
    ("can", "can"),
    ("will", "will"),
    ("would", "would"),
    ("should", "should"),
    ("must", "must"),
    ("could", "could"),
    ("may", "may"),
    ("might", "might"),
];

/// A phrase of the user's as one about the user. A clause that begins with "I" becomes one
/// without a subject where it is the `whole` fact: "I prefer aisle seats" is "prefers aisle
/// seats".
pub(super) fn third(words: &[Word<'_>], language: Language, whole: bool) -> String {
    let table = match language {
        Language::English => ENGLISH,
        Language::German => GERMAN,
        Language::French => FRENCH,
        Language::Spanish => SPANISH,
    };
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
            let changed = table.iter().find(|(first, _)| *first == low);
            changed.map_or_else(|| word.text.to_owned(), |(_, third)| (*third).to_owned())
        };
        if !text.is_empty() {
            text.push_str(match word.gap {
                Gap::Glued => "'",
                Gap::Comma => ", ",
                Gap::Break => ": ",
                Gap::Space | Gap::Sentence => " ",
            });
        }
        text.push_str(&said);
        if word.possessive {
            text.push_str("'s");
        }
    }
    text
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
    if let Some((_, third)) = VERBS.iter().find(|(first, _)| *first == verb) {
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
