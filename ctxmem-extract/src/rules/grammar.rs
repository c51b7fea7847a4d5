//! Classes of verbs, and who speaks of what: the parts of speech of the patterns.
//!
//! - `@we`: "I", "we", "my team", "everyone here"
//! - `@us`: the same, or nothing at the beginning of a clause ("switched to Zed")
//! - `@stuff`: "everything we build", "our staging servers", and "CI" or "the site" at the
//!   beginning of a clause
//! - `@ours`: what is said to be one's own, "my blog"

use std::collections::HashMap;
use std::sync::LazyLock;

use super::pattern::is_adverb;
use crate::lists::WordList;
use crate::text::{Gap, Phrases, Word, is_joined};

/// Finds a phrase that begins with the word at an index: the index behind it.
pub(super) type Phrase = fn(&[Word], usize) -> Option<usize>;

/// The phrase that a pattern calls by a name.
pub(super) fn phrase(name: &str) -> Option<Phrase> {
    match name {
        "@we" => Some(we_at),
        "@us" => Some(us_at),
        "@stuff" => Some(stuff_at),
        "@ours" => Some(ours_at),
        _ => None,
    }
}

/// Forms of the verbs of every class: `use`, `use.ing`, `use.ed`.
static VERBS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut verbs: HashMap<String, Vec<String>> = HashMap::new();
    for (class, list) in lines(include_str!("../../data/verbs.txt")) {
        for verb in list.split(',') {
            let mut forms = verb.trim().split('/');
            let base = forms.next().unwrap_or_default();
            let irregular: Vec<String> = forms.map(str::to_owned).collect();
            let past = if irregular.is_empty() {
                with_ending(base, "ed")
            } else {
                irregular
            };
            let present = [vec![base.to_owned()], third_person(base)].concat();
            for (form, words) in [
                (class.to_owned(), present),
                (format!("{class}.ing"), with_ending(base, "ing")),
                (format!("{class}.ed"), past),
            ] {
                verbs.entry(form).or_default().extend(words);
            }
        }
    }
    verbs
});

fn lines(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    list.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('|'))
        .map(|(name, rest)| (name.trim(), rest.trim()))
}

fn third_person(base: &str) -> Vec<String> {
    if let Some(stem) = base.strip_suffix('y')
        && !stem.ends_with(['a', 'e', 'o', 'u'])
    {
        return vec![format!("{stem}ies")];
    }
    let hissing = ["s", "sh", "ch", "x", "o"]
        .iter()
        .any(|end| base.ends_with(end));
    vec![format!("{base}{}", if hissing { "es" } else { "s" })]
}

/// "coded", "shipped", "carried": the consonant may be doubled or not.
fn with_ending(base: &str, ending: &str) -> Vec<String> {
    if let Some(stem) = base.strip_suffix('e') {
        return vec![format!("{stem}{ending}")];
    }
    if ending == "ed"
        && let Some(stem) = base.strip_suffix('y')
        && !stem.ends_with(['a', 'e', 'o', 'u'])
    {
        return vec![format!("{stem}ied")];
    }
    let last = base.chars().next_back().unwrap_or_default();
    vec![format!("{base}{ending}"), format!("{base}{last}{ending}")]
}

/// The verbs of a class in one of its forms.
pub(super) fn verbs(class: &str) -> Vec<&'static str> {
    VERBS
        .get(class)
        .map(|verbs| verbs.iter().map(String::as_str).collect())
        .unwrap_or_default()
}

/// Classes of nouns.
#[derive(Clone, Copy)]
enum Noun {
    /// "team", "company"
    Group,
    /// "blog", "staging servers"
    Thing,
}

static GROUPS: LazyLock<Phrases<()>> = LazyLock::new(|| nouns("group"));
static THINGS: LazyLock<Phrases<()>> = LazyLock::new(|| nouns("thing"));

fn nouns(class: &str) -> Phrases<()> {
    let mut nouns = Phrases::default();
    lines(include_str!("../../data/subjects.txt"))
        .filter(|(name, _)| *name == class)
        .flat_map(|(_, list)| list.split(','))
        .for_each(|noun| nouns.add(noun.trim(), (), |(), ()| ()));
    nouns
}

/// Index behind the noun of a class at `at`.
fn noun_at(class: Noun, words: &[Word], at: usize) -> Option<usize> {
    let nouns = match class {
        Noun::Group => &GROUPS,
        Noun::Thing => &THINGS,
    };
    nouns
        .at(words, at)
        .map(|(end, ())| end)
        .find(|end| words.get(at..*end).is_some_and(is_joined))
}

/// Index behind the noun of a class that stands at `at` or up to `most` words behind; of
/// several in a row the last ("our product database").
fn modified_noun(class: Noun, words: &[Word], at: usize, most: usize) -> Option<usize> {
    let mut end = (at..=at + most).find_map(|start| {
        let plain = words
            .get(at..start)?
            .iter()
            .all(|word| !word.possessive && word.gap == Gap::None && !word.is_any(&NOT_ONES_OWN));
        plain.then(|| noun_at(class, words, start)).flatten()
    })?;
    while let Some(next) = words
        .get(end)
        .filter(|next| next.gap == Gap::None)
        .and_then(|_| noun_at(class, words, end))
    {
        end = next;
    }
    Some(end)
}

/// Words that part a possessive from what is one's own now.
static NOT_ONES_OWN: WordList = WordList::new(&[
    "previous",
    "old",
    "former",
    "last",
    "ex",
    "first",
    "next",
    "client",
    "clients",
    "customer",
    "other",
    "is",
    "are",
    "was",
    "in",
    "on",
    "with",
    "to",
    "of",
    "for",
    "and",
    "or",
    "that",
    "friend",
    "sister",
    "brother",
    "wife",
    "husband",
    "boss",
    "manager",
    "colleague",
    "not",
    "no",
]);

fn we_at(words: &[Word], at: usize) -> Option<usize> {
    let first = words.get(at)?;
    if first.is_any(&["i", "we"]) {
        return Some(at + 1);
    }
    if first.is_any(&["everyone", "everybody"]) {
        let here = words.get(at + 1).is_some_and(|word| word.low() == "here");
        return here.then_some(at + 2);
    }
    let own = first.is_any(&["my", "our"]);
    let team = own || (at == 0 && first.low() == "the");
    if !team {
        return None;
    }
    let whole = words
        .get(at + 1)
        .is_some_and(|word| word.is_any(&["whole", "entire"]));
    let from = at + 1 + usize::from(whole);
    let end = modified_noun(Noun::Group, words, from, usize::from(own))?;
    let theirs = words.get(end - 1).is_some_and(|word| word.possessive);
    (!theirs).then_some(end)
}

fn us_at(words: &[Word], at: usize) -> Option<usize> {
    we_at(words, at).or_else(|| {
        let adverbs = words.iter().take_while(|word| is_adverb(word)).count();
        (at == 0).then_some(adverbs)
    })
}

fn ours_at(words: &[Word], at: usize) -> Option<usize> {
    words
        .get(at)
        .filter(|word| word.is_any(&["my", "our"]))
        .and_then(|_| modified_noun(Noun::Thing, words, at + 1, 3))
}

fn stuff_at(words: &[Word], at: usize) -> Option<usize> {
    let first = words.get(at)?;
    let mut end = if first.is_any(&["everything", "stuff", "mine"]) {
        at + 1
    } else {
        let skipped = words
            .get(at..)?
            .iter()
            .take(4)
            .take_while(|word| {
                word.is_any(&[
                    "all", "most", "of", "the", "rest", "whole", "entire", "both",
                ])
            })
            .count();
        match ours_at(words, at + skipped) {
            Some(end) => end,
            None if at == 0 => modified_noun(Noun::Thing, words, skipped, 0)?,
            None => return None,
        }
    };
    while words
        .get(end)
        .is_some_and(|word| word.gap == Gap::None && word.is_any(&STUFF_TAIL))
    {
        end += 1;
    }
    Some(end)
}

/// "everything *we build here*", "our stuff *at work*".
static STUFF_TAIL: WordList = WordList::new(&[
    "else", "of", "mine", "ours", "we", "i", "do", "have", "build", "make", "own", "here", "at",
    "work", "home", "ship", "write", "in-house",
]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words;

    #[test]
    fn verbs_have_their_forms() {
        for (class, form) in [
            ("work", "writes"),
            ("work.ing", "writing"),
            ("work.ed", "written"),
            ("deploy.ed", "shipped"),
            ("deploy.ing", "shipping"),
            ("change.ed", "switched"),
            ("drop.ed", "left"),
            ("use", "prefers"),
        ] {
            assert!(verbs(class).contains(&form), "{class}: {form}");
        }
        assert!(verbs("nothing").is_empty());
    }

    #[test]
    fn who_speaks_of_what() {
        let end = |name: &str, text: &str| phrase(name).and_then(|find| find(&words(text), 0));
        for (name, text, expected) in [
            ("@we", "I use", Some(1)),
            ("@we", "my whole team uses", Some(3)),
            ("@we", "the team uses", Some(2)),
            ("@we", "the previous team used", None),
            ("@we", "my old company uses", None),
            ("@we", "my friend uses", None),
            ("@us", "switched to", Some(0)),
            ("@stuff", "everything we build runs", Some(3)),
            ("@stuff", "all our staging servers run", Some(4)),
            ("@stuff", "CI runs", Some(1)),
            ("@stuff", "the customer site runs", None),
            ("@stuff", "their site runs", None),
            ("@ours", "my blog is", Some(2)),
            ("@ours", "the blog is", None),
        ] {
            assert_eq!(end(name, text), expected, "{name}: {text}");
        }
    }
}
