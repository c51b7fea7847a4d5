//! Whether people explicitly ask to remember something.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::folded_words::FoldedWords;
use super::sections::{section, section_words};

const LISTS: &str = include_str!("../data/gate/requests.txt");

/// The phrases, by their first word, without it.
static PHRASES: LazyLock<HashMap<&str, Vec<Vec<&str>>>> = LazyLock::new(|| {
    let mut phrases: HashMap<&str, Vec<Vec<&str>>> = HashMap::new();
    for line in section(LISTS, "phrases") {
        let mut words = line.split(' ');
        let rest = phrases.entry(words.next().unwrap_or_default());
        rest.or_default().push(words.collect());
    }
    phrases
});
static ASKED: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let lines = section(LISTS, "asked");
    lines.map(|line| line.split(' ').collect()).collect()
});
static BEFORE: LazyLock<HashSet<&str>> = LazyLock::new(|| section_words(LISTS, "before").collect());
static NO_REQUEST: LazyLock<HashSet<&str>> =
    LazyLock::new(|| section_words(LISTS, "no request").collect());

/// Whether a text asks for something to be remembered: "please note that …", "merk dir, …",
/// "n'oublie pas que …", "ten en cuenta que …". "Do you remember …?" asks for nothing.
pub fn asks_to_remember(text: &str) -> bool {
    sentences(text).any(asks)
}

/// The sentences of a text. A line that ends in a colon goes on with the next.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        // The last that is not a space: to look back for it at each line would take long for many.
        let mut last = None;
        let end = rest.char_indices().find(|(at, c)| {
            let ends = match c {
                '\n' => !matches!(last, Some(':' | ',')),
                '.' | '!' | '?' => {
                    let mut after = rest[*at..].chars();
                    after.nth(1).is_none_or(char::is_whitespace)
                }
                '。' | '！' | '？' => true,
                _ => false,
            };
            if !c.is_whitespace() {
                last = Some(*c);
            }
            ends
        });
        let (sentence, left) = rest.split_at(end.map_or(rest.len(), |(at, c)| at + c.len_utf8()));
        rest = left;
        Some(sentence)
    })
}

/// Marks that divide the clauses of a sentence.
const MARKS: [char; 7] = [',', ';', ':', '(', '-', '–', '—'];

fn asks(sentence: &str) -> bool {
    let clauses: Vec<FoldedWords> = sentence.split(MARKS).map(FoldedWords::of).collect();
    let words: Vec<&str> = clauses.iter().flat_map(FoldedWords::iter).collect();
    let mut end = 0;
    clauses.iter().any(|clause| {
        let begin = end;
        end += clause.iter().count();
        (begin..end).any(|at| {
            let (before, from) = words.split_at(at);
            let said = is_phrase(from, sentence.ends_with('?'));
            // "If I don't forget", "I note that", "Ich behalte" are about the speaker.
            said && (at == begin
                || before.last().is_some_and(|last| BEFORE.contains(last))
                || ASKED.iter().any(|asked| before.ends_with(asked)))
        })
    })
}

/// Whether the words begin with a phrase that asks.
fn is_phrase(words: &[&str], is_question: bool) -> bool {
    let Some((first, rest)) = words.split_first() else {
        return false;
    };
    let phrases = PHRASES.get(first).map(Vec::as_slice).unwrap_or_default();
    phrases.iter().any(|phrase| {
        // A bare "remember", "behalte" or "recuerda" may only talk about remembering.
        let next = rest.get(phrase.len());
        rest.starts_with(phrase)
            && !(phrase.is_empty()
                && (is_question || next.is_none_or(|next| NO_REQUEST.contains(next))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_told_from_talk_of_remembering() {
        for text in section(LISTS, "sample requests") {
            assert!(asks_to_remember(text), "{text}");
        }
        for text in section(LISTS, "sample talk").chain([""]) {
            assert!(!asks_to_remember(text), "{text}");
        }
    }
}
