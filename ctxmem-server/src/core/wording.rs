//! Equivalence of wordings: whether two of them say the same. Pure.
//!
//! It need not be right about grammar, only come to the same for the same fact and keep
//! different facts apart.

mod when;

use ctxmem_types::{Scope, SliceKind};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::multi_value;
use crate::extract::Candidate;

/// Words that make no difference before another word.
const ARTICLES: &[&str] = &["a", "an", "the", "my", "our"];

/// Words that make no difference at the beginning of what someone knows or wants to do.
const OPENINGS: &[&[&str]] = &[
    &["started"],
    &["start"],
    &["began"],
    &["begin"],
    &["currently"],
    &["still"],
    &["now"],
    &["is"],
    &["are"],
    &["has", "been"],
];

/// Whether a fact in the slot of a candidate says what the candidate says. Where a date makes no
/// other fact of it, another date is still news.
pub(super) fn same(value: &str, candidate: &Candidate) -> bool {
    match candidate.scope.kind() {
        // A name or a tool may differ by one letter from what it was.
        SliceKind::Map if !multi_value::joins(candidate) => light(value) == light(&candidate.value),
        _ if has_other_date(value, candidate) => false,
        _ => fold(candidate.scope, value) == fold(candidate.scope, &candidate.value),
    }
}

/// The form in which facts of lists are compared: case, articles, English plurals,
/// punctuation and hyphens make no difference. In `relationships` plurals do, because
/// names look like them. Nor does it make a difference in `knowledge` and `goals` that something
/// began or is still so, and in `knowledge` when; to a goal its date belongs.
pub(super) fn fold(scope: Scope, value: &str) -> String {
    // What was said is the same on another day.
    let words = folded_words(said(value));
    let words = match scope {
        Scope::Knowledge => when::split(after_openings(&words)).what,
        Scope::Goals => after_openings(&words),
        _ => &words,
    };
    let mut folded = String::with_capacity(value.len());
    for (n, word) in words.iter().enumerate() {
        if ARTICLES.contains(&word.as_str()) && n + 1 < words.len() {
            continue;
        }
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(&match scope {
            Scope::Relationships => word.clone(),
            _ => singular(word),
        });
    }
    if folded.is_empty() {
        // Nothing but punctuation.
        return light(value);
    }
    folded
}

/// A text as people look for it: without case, accents, other signs and English plurals, with a space between
/// words.
pub fn searchable(text: &str) -> String {
    let without_accents = text.nfd().filter(|c| !is_combining_mark(*c));
    let words = folded_words(&without_accents.collect::<String>());
    let words: Vec<String> = words.iter().map(|word| singular(word)).collect();
    words.join(" ")
}

/// The words of a quotation without the day, or the whole value.
fn said(value: &str) -> &str {
    let words = value
        .strip_prefix('“')
        .and_then(|rest| rest.rsplit_once("” ("));
    words.map_or(value, |(words, _)| words)
}

/// Whether a candidate says of when it holds what the fact in its slot does not.
fn has_other_date(value: &str, candidate: &Candidate) -> bool {
    if candidate.scope != Scope::Knowledge {
        return false;
    }
    let (said, stored) = (folded_words(&candidate.value), folded_words(value));
    let date = when::split(after_openings(&said)).date;
    date.is_some() && date != when::split(after_openings(&stored)).date
}

/// The words behind those that make no difference, at least one.
fn after_openings(mut words: &[String]) -> &[String] {
    let opening = |words: &[String]| {
        let begins = |opening: &&&[&str]| {
            words.len() > opening.len() && opening.iter().zip(words).all(|(one, word)| one == word)
        };
        OPENINGS.iter().find(begins).map(|opening| opening.len())
    };
    while let Some(length) = opening(words) {
        words = words.get(length..).unwrap_or_default();
    }
    words
}

/// Case, white space and closing punctuation make no difference.
fn light(value: &str) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    words
        .join(" ")
        .trim_end_matches(['.', ',', ';', ':', '!'])
        .to_lowercase()
}

/// Words in lower case. Signs that carry meaning stay (`c++`, `c#`, `node.js`, `-5`, emoji); hyphens
/// go, unlike where `merge` looks for a phrase.
pub(super) fn folded_words(value: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(value, |word| words.push(word.to_owned()));
    words
}

/// Visits these words one after the other, without keeping them: a search reads all that is known of a user.
pub(super) fn each_word(value: &str, mut visit: impl FnMut(&str)) {
    let mut word = String::new();
    let mut end = |word: &mut String| {
        let whole = word.trim_matches('.');
        if !whole.is_empty() {
            visit(whole);
        }
        word.clear();
    };
    let mut chars = value.chars().peekable();
    let mut last = ' ';
    while let Some(c) = chars.next() {
        match c {
            // Nearly all characters are one of these, and need not be looked up, which halves what a search costs.
            'a'..='z' | '0'..='9' => word.push(c),
            ' ' => end(&mut word),
            '\'' | '\u{2019}' => {}
            '-' if !last.is_alphanumeric() && chars.peek().is_some_and(char::is_ascii_digit) => {
                word.push(c);
            }
            c if c.is_whitespace() || separates(c) => end(&mut word),
            c => word.extend(c.to_lowercase()),
        }
        last = c;
    }
    end(&mut word);
}

fn separates(c: char) -> bool {
    ",;:!?\"`()[]{}|-_/\\«»¡¿、。".contains(c) || matches!(c, '\u{2010}'..='\u{2027}')
}

/// A word without the ending of a simple English plural. What is left need not be a word, it
/// only is the same for both numbers: `branch` of branches, `cach` of cache and caches, `query`
/// of queries.
pub(super) fn singular(word: &str) -> String {
    let mut stem = word;
    let is_long = |word: &str| word.chars().count() > 3;
    if is_long(stem) && !["ss", "us", "is"].iter().any(|end| stem.ends_with(end)) {
        stem = stem.strip_suffix('s').unwrap_or(stem);
    }
    if is_long(stem)
        && let Some(root) = stem.strip_suffix("ie")
    {
        return format!("{root}y");
    }
    if ["che", "she", "sse", "zze", "xe"]
        .iter()
        .any(|end| stem.ends_with(end))
    {
        stem = stem.strip_suffix('e').unwrap_or(stem);
    }
    stem.to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn people_find_words_without_their_accents_signs_and_plurals() {
        for (text, looked_for) in [
            ("Pastéis de Belém", "belem"),
            ("João’s cats", "JOAO cat"),
            ("allergy: Peanuts", "allergies peanut"),
            ("Zoë", "zoe"),
            ("Straße 7", "straße"),
        ] {
            let text = searchable(text);
            for word in searchable(looked_for).split(' ') {
                assert!(text.contains(word), "{text}: {word}");
            }
        }
        assert!(!searchable("Belém").contains(&searchable("Belgium")));
    }

    #[test]
    fn other_words_for_the_same() {
        for (one, other) in [
            ("Rust", " rust. "),
            ("Building a compiler", "building the compiler"),
            ("My thesis", "thesis"),
            ("Finish our onboarding docs", "finish the onboarding doc"),
            ("Short answers", "short answer"),
            ("Database", "databases"),
            ("Cache", "caches"),
            ("Branch", "branches"),
            ("Class", "classes"),
            ("Box", "boxes"),
            ("Query", "queries"),
            ("Cookie", "cookies"),
            ("Code-review", "code review"),
            ("code\u{2011}review", "Code Review!"),
            ("snake_case", "snake case"),
            ("CI/CD", "ci cd"),
            ("Ada's project", "Adas project"),
            ("Don’t use emoji", "don't use emoji"),
            ("Uses \"Node.js\" (LTS)", "uses Node.js LTS"),
            ("Postgres", "postgres"),
            ("Kubernetes", "kubernetes"),
        ] {
            let both = (fold(Scope::Goals, one), fold(Scope::Goals, other));
            assert_eq!(both.0, both.1, "{one} / {other}");
        }
    }

    #[test]
    fn different_facts_stay_apart() {
        for (one, other) in [
            ("C", "C++"),
            ("C", "C#"),
            ("C#", "F#"),
            ("R", "R2"),
            ("Go", "Gos"),
            ("CSS", "CS"),
            ("JS", "J"),
            ("Plan", "Plane"),
            ("Not", "Note"),
            ("Plan A", "Plan B"),
            ("Plan A", "Plan"),
            ("Node.js", "Node"),
            ("Python 3.1", "Python 3.11"),
            ("Ship v2", "Ship v2.0"),
            ("offset -5", "offset 5"),
            ("Rust", "Does not know Rust"),
            ("no 👍", "no 👎"),
            ("Deploy on Friday", "Deploy on Monday"),
            ("naïve", "naive"),
            ("!!", "??"),
        ] {
            let both = (fold(Scope::Goals, one), fold(Scope::Goals, other));
            assert_ne!(both.0, both.1, "{one} / {other}");
        }
        let names = ["Jame, manager", "James, manager"].map(|p| fold(Scope::Relationships, p));
        assert_ne!(names[0], names[1]);
    }

    #[test]
    fn that_it_began_or_still_is_so_makes_no_other_fact() {
        for scope in [Scope::Knowledge, Scope::Goals] {
            for other in [
                "Started learning German",
                "Began learning German.",
                "Start learning German",
                "Begin learning German",
                "Currently learning German",
                "Still learning German",
                "Is learning German",
                "Has been learning German",
                "Now is still learning German",
            ] {
                let folded = fold(scope, other);
                assert_eq!(folded, fold(scope, "Learning German"), "{other}");
            }
            // They have to be before something.
            for word in ["Start", "Still", "Has been"] {
                assert_eq!(fold(scope, word), word.to_lowercase());
            }
        }
        let both = ["Started a company", "A company"].map(|value| fold(Scope::History, value));
        assert_ne!(both[0], both[1]);
    }

    #[test]
    fn a_date_makes_another_goal_and_no_other_knowledge() {
        for dated in [
            "Learning German since 2024",
            "Learning German last year",
            "Started learning German in March 2026.",
            "Learning German, since 2026-03-05",
            "Has been learning German for two years",
        ] {
            let folded = |scope| [dated, "Learning German"].map(|value| fold(scope, value));
            let [one, other] = folded(Scope::Knowledge);
            assert_eq!(one, other, "{dated}");
            for scope in [Scope::Goals, Scope::History] {
                let [one, other] = folded(scope);
                assert_ne!(one, other, "{dated}");
            }
        }
    }

    #[test]
    fn different_knowledge_stays_apart() {
        for (one, other) in [
            ("Learning German", "Learning Spanish"),
            ("Learning German since 2024", "Learning Spanish since 2024"),
            ("Born in 1984", "Born in 1985"),
            ("Is vegan", "Is not vegan"),
            ("Deploys on Friday", "Deploys on Monday"),
            ("Stopped learning German", "Learning German"),
            ("Lives in Porto", "Lives in Lisbon"),
            ("Windows 10", "Windows 11"),
        ] {
            let both = [one, other].map(|value| fold(Scope::Knowledge, value));
            assert_ne!(both[0], both[1], "{one} / {other}");
        }
    }

    #[test]
    fn another_date_is_news() {
        let says = |value, said| same(value, &Candidate::item(Scope::Knowledge, said));
        let (plain, dated) = ("Learning German", "Learning German since 2024");
        assert!(says(dated, plain));
        assert!(says(dated, "Started learning German in 2024"));
        assert!(says(dated, "Learning German last year"));
        assert!(!says(plain, dated));
        assert!(!says(dated, "Learning German since 2025"));
    }

    #[test]
    fn an_article_alone_is_a_word() {
        assert_eq!(fold(Scope::Knowledge, "The"), "the");
        assert_eq!(fold(Scope::Knowledge, "Vitamin A"), "vitamin a");
        assert_eq!(fold(Scope::Knowledge, "..."), "");
    }

    proptest! {
        #[test]
        fn case_and_spacing_never_matter(value in "[A-Za-z0-9 .,+#-]{0,60}") {
            let spaced = format!("  {} ", value.to_uppercase().replace(' ', "   "));
            prop_assert_eq!(fold(Scope::Goals, &value), fold(Scope::Goals, &spaced));
        }

        #[test]
        fn any_text_is_folded(value in any::<String>()) {
            let _ = fold(Scope::Knowledge, &value);
        }
    }
}
