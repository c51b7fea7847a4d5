//! The sentences of a text, in every script.

use std::sync::LazyLock;

use super::TEXT_LISTS;
use super::words::Words;
use crate::hash::WordSet;
use crate::sections::section_words;
use crate::statements::author::speaks_of_itself;
use crate::statements::features::is_unspaced;

static ABBREVIATIONS: LazyLock<WordSet<&str>> =
    LazyLock::new(|| section_words(TEXT_LISTS, "abbreviations").collect());

static BEFORE_ORDINALS: LazyLock<WordSet<&str>> =
    LazyLock::new(|| section_words(TEXT_LISTS, "before ordinals").collect());

static QUESTION: LazyLock<WordSet<&str>> =
    LazyLock::new(|| section_words(TEXT_LISTS, "question").collect());

static CONDITION: LazyLock<WordSet<&str>> =
    LazyLock::new(|| section_words(TEXT_LISTS, "condition").collect());

/// The shortest of what is told before a question: in words, or in characters of scripts without spaces.
const TOLD_WORDS: usize = 4;
const TOLD_CHARACTERS: usize = 6;

/// At how many marks a question may begin. It bounds the time for a sentence.
const MOST_MARKS: usize = 16;

/// A line that is longer, and the next one with a small first letter, are one that was broken.
const WRAPPED: usize = 60;

/// The sentences of a text, without the bullets of lists and without white space around them. A line that
/// ends in a colon or a comma goes on with the next.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let pieces = std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (sentence, left) = rest.split_at(first_end(rest));
        rest = left;
        Some(sentence)
    });
    pieces
        .map(without_bullet)
        .filter(|sentence| sentence.contains(char::is_alphanumeric))
}

/// A sentence in two where people tell something of themselves and then ask for something: "I'm training for a
/// marathon, what should I eat?" What they tell is as durable as in a sentence of its own, and the question is not.
pub(crate) fn told_and_asked(sentence: &str) -> (&str, Option<&str>) {
    if !sentence.ends_with(['?', '？', '؟', '吗', '呢']) {
        return (sentence, None);
    }
    let is_mark = |(at, c): &(usize, char)| match c {
        ',' | '，' | ';' | '；' | '、' => true,
        '-' | '–' | '—' => sentence.get(..*at).is_some_and(|told| told.ends_with(' ')),
        _ => false,
    };
    let mut marks = sentence.char_indices().filter(is_mark).take(MOST_MARKS);
    let found = marks.find_map(|(at, mark)| {
        let (told, rest) = sentence.split_at(at);
        let asked = rest.get(mark.len_utf8()..)?.trim_start();
        (begins_with(&QUESTION, asked) && tells(told)).then_some((told.trim_end(), Some(asked)))
    });
    found.unwrap_or((sentence, None))
}

/// Whether a text begins as a question does, with or without its mark.
pub(crate) fn begins_question(text: &str) -> bool {
    begins_with(&QUESTION, text)
}

fn begins_with(list: &WordSet<&str>, text: &str) -> bool {
    let text = text.trim_start_matches('¿');
    if text.starts_with(is_unspaced) {
        return list.iter().any(|word| text.starts_with(*word));
    }
    let end = text.find(|c: char| !c.is_alphabetic());
    let first = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    list.contains(&*first.to_lowercase())
}

fn tells(text: &str) -> bool {
    let unspaced = text.chars().filter(|c| is_unspaced(*c));
    let is_long =
        text.split_whitespace().count() >= TOLD_WORDS || unspaced.count() >= TOLD_CHARACTERS;
    is_long
        && !begins_with(&QUESTION, text)
        && !begins_with(&CONDITION, text)
        && speaks_of_itself(&Words::of(text))
}

/// Where the first sentence ends.
fn first_end(text: &str) -> usize {
    let mut line_start = 0;
    // The last that is not a space: to look back for it at each line would take long for many.
    let mut last = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let end = at + c.len_utf8();
        match c {
            '\n' => {
                let after = text.get(end..).unwrap_or_default();
                let wrapped = at - line_start >= WRAPPED && after.starts_with(char::is_lowercase);
                if !matches!(last, Some(':' | ',' | '\u{FF1A}')) && !wrapped {
                    return end;
                }
                line_start = end;
            }
            '。' | '！' | '？' | '।' | '؟' | '۔' => return closed(text, end),
            '!' | '?' | '…' if next.is_none_or(ends_word) => return closed(text, end),
            '.' if next.is_none_or(ends_word) && !is_abbreviated(text, at) => {
                return closed(text, end);
            }
            _ => {}
        }
        if !c.is_whitespace() {
            last = Some(c);
        }
    }
    text.len()
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || is_closing(c)
}

fn is_closing(c: char) -> bool {
    matches!(c, ')' | '"' | '\'' | '”' | '’' | '»' | '」' | '』')
}

/// The end with the marks behind it that belong to the sentence: `?!`, `.)`.
fn closed(text: &str, end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    let more =
        rest.find(|c: char| !is_closing(c) && !matches!(c, '.' | '!' | '?' | '…' | '！' | '？'));
    end + more.unwrap_or(rest.len())
}

/// Whether the full stop at a place ends no sentence: "Dr. Shah", "e.g. this", "J. R. Tolkien", "1. First".
fn is_abbreviated(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let word = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or_default();
    let after = text.get(at + 1..).unwrap_or_default().trim_start();
    let letters = word.chars().count();
    let is_initial = letters == 1 && word.chars().all(char::is_uppercase) && word != "I";
    let is_number =
        letters <= 2 && word.bytes().all(|c| c.is_ascii_digit()) && before.len() == word.len();
    // "Am 12. Mai".
    let is_ordinal = || {
        let front = before.get(..before.len() - word.len()).unwrap_or_default();
        let mut before = front.split_whitespace().rev().map(str::to_lowercase);
        letters <= 2
            && word.bytes().all(|c| c.is_ascii_digit())
            && before.next().is_some_and(|word| BEFORE_ORDINALS.contains(&*word))
            // "I am 12."
            && before.next().is_none_or(|word| word != "i")
    };
    let inner = word.contains('.') && after.starts_with(|c: char| c.is_lowercase());
    letters > 0
        && (is_initial
            || is_number
            || is_ordinal()
            || inner
            || ABBREVIATIONS.contains(&*word.to_lowercase()))
        && !after.is_empty()
}

/// A line of a list without its mark.
fn without_bullet(sentence: &str) -> &str {
    let sentence = sentence.trim();
    let bare = sentence.trim_start_matches(['-', '*', '•', '–', '·', '>']);
    let bare = if bare.len() < sentence.len() && bare.starts_with(' ') {
        bare
    } else {
        sentence
    };
    let digits = bare
        .trim_start()
        .trim_start_matches(|c: char| c.is_ascii_digit());
    match digits.strip_prefix(['.', ')']) {
        Some(item) if digits.len() < bare.trim_start().len() && item.starts_with(' ') => {
            item.trim()
        }
        _ => bare.trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_before_a_question_stands_by_itself() {
        for (sentence, told, asked) in [
            (
                "I’m training for a marathon, what should I eat?",
                "I’m training for a marathon",
                "what should I eat?",
            ),
            (
                "We moved to Porto, near the river - could you find me a gym?",
                "We moved to Porto, near the river",
                "could you find me a gym?",
            ),
            (
                "我想开创一家公司，你有哪些建议？",
                "我想开创一家公司",
                "你有哪些建议？",
            ),
            (
                "Ich habe zwei Katzen, welches Futter ist gut?",
                "Ich habe zwei Katzen",
                "welches Futter ist gut?",
            ),
        ] {
            assert_eq!(told_and_asked(sentence), (told, Some(asked)));
        }
        for whole in [
            "What can I cook for my son, who is celiac?",
            "Can I take my cat, or is that a bad idea?",
            "I work in Porto, which is lovely.",
            "Hi there, what is new?",
        ] {
            assert_eq!(told_and_asked(whole), (whole, None));
        }
    }

    #[test]
    fn sentences_end_where_people_end_them() {
        for (text, expected) in [
            (
                "I live in Oslo. I use Vim",
                vec!["I live in Oslo.", "I use Vim"],
            ),
            (
                "Dr. Shah, e.g. at 3.5 p.m. today",
                vec!["Dr. Shah, e.g. at 3.5 p.m. today"],
            ),
            (
                "I live in Washington, D.C. and work",
                vec!["I live in Washington, D.C. and work"],
            ),
            (
                "Am 12. Mai bin ich beim Arzt. Danach nicht",
                vec!["Am 12. Mai bin ich beim Arzt.", "Danach nicht"],
            ),
            ("I am 12. I like it", vec!["I am 12.", "I like it"]),
            ("wow!! ok?! yes", vec!["wow!!", "ok?!", "yes"]),
            (
                "- one thing\n* two things\n3. three",
                vec!["one thing", "two things", "three"],
            ),
            ("My tools:\nVim", vec!["My tools:\nVim"]),
            (
                "我对花生过敏，怎么办？谢谢。",
                vec!["我对花生过敏，怎么办？", "谢谢。"],
            ),
            ("मैं शाकाहारी हूँ। धन्यवाद", vec!["मैं शाकाहारी हूँ।", "धन्यवाद"]),
            (" \n?\n ", vec![]),
        ] {
            assert_eq!(sentences(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
