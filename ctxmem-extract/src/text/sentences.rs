//! The sentences of a text, in every script.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::TEXT_LISTS;
use crate::sections::section_words;

static ABBREVIATIONS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| section_words(TEXT_LISTS, "abbreviations").collect());

static BEFORE_ORDINALS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| section_words(TEXT_LISTS, "before ordinals").collect());

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
