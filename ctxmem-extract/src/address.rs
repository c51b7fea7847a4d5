//! Addresses to the memory: the part of a sentence in which people ask for something to be kept, told from its words
//! alone. "Jot that down for me, would you" has no word that could be a fact, so it speaks of what was said before; "for
//! next time: …" and "bear in mind that …" speak of what follows.

use std::ops::Range;
use std::sync::LazyLock;

use crate::hash::WordMap;
use crate::requests::may_open;
use crate::sections::{section, section_words};
use crate::text::words::{Word, Words, folded};

const LISTS: &str = include_str!("../data/address.txt");

const SECTIONS: [&str; 12] = [
    "verbs",
    "verbs with a place",
    "verbs when denied",
    "negations",
    "bare",
    "places",
    "objects",
    "several",
    "following",
    "fillers",
    "connectors",
    "tails",
];

/// Most words of a heading behind the address in it.
const HEADING: usize = 40;

/// Up to so many words behind an address a colon begins what is meant.
const LEAD: usize = 14;

/// Up to so many words and marks say for what something is to be kept.
const SHORT_TAIL: usize = 4;

/// In which sections each word stands, one bit each.
static WORDS: LazyLock<WordMap<String, u16>> = LazyLock::new(|| {
    let mut words: WordMap<String, u16> = WordMap::default();
    for (number, name) in SECTIONS.into_iter().enumerate() {
        for word in section_words(LISTS, name) {
            *words.entry(folded(word)).or_default() |= 1 << number;
        }
    }
    words
});
static OPENINGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let phrases = section(LISTS, "openings");
    phrases
        .map(|phrase| format!(" {} ", folded(phrase)))
        .collect()
});

// In the order of the sections.
const VERB: u16 = 1;
const VERB_WITH_PLACE: u16 = 1 << 1;
const VERB_WHEN_DENIED: u16 = 1 << 2;
const NEGATION: u16 = 1 << 3;
const BARE: u16 = 1 << 4;
const PLACE: u16 = 1 << 5;
const OBJECT: u16 = 1 << 6;
const SEVERAL: u16 = 1 << 7;
const FOLLOWING: u16 = 1 << 8;
const FILLER: u16 = 1 << 9;
const CONNECTOR: u16 = 1 << 10;
const TAIL: u16 = 1 << 11;

const ANY_VERB: u16 = VERB | VERB_WITH_PLACE | VERB_WHEN_DENIED;

/// Words that may stand in an address.
const IN_ADDRESS: u16 = TAIL - 1;

/// What an address asks to keep.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Meant {
    /// What was said before it.
    Before,
    /// What begins with this word of the sentence.
    From(usize),
    /// The sentences behind it.
    Following,
}

/// An address in a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Address {
    pub(crate) words: Range<usize>,
    pub(crate) meant: Meant,
}

/// The first address of a sentence.
pub(crate) fn address<'w>(words: &'w Words<'_>) -> Option<&'w Address> {
    words.address.get_or_init(|| find(words)).as_ref()
}

fn find(words: &Words<'_>) -> Option<Address> {
    let kinds = |n: usize| of_word(words.low(n));
    let verbs = (0..words.each.len()).filter(|n| kinds(*n) & ANY_VERB != 0);
    let mut read_to = 0;
    for verb in verbs {
        if verb < read_to {
            continue;
        }
        let is_inside = |n: &usize| kinds(*n) & IN_ADDRESS != 0;
        let start = (read_to..verb)
            .rev()
            .take_while(is_inside)
            .last()
            .unwrap_or(verb);
        let end = (verb..words.each.len()).find(|n| !is_inside(n));
        let end = end.unwrap_or(words.each.len());
        // "Put this in the file" is about another one.
        let is_on_file = words.folded_part(&(end - 1..end + 1)) == " on file ";
        let run = start..end + usize::from(is_on_file);
        read_to = run.end;
        let begins = |n: &usize| {
            let is_capital = words.each.get(*n).is_some_and(Word::is_capitalised);
            *n == start && is_capital || may_open(words, *n)
        };
        let opening = opening(words, start..verb + 1);
        if let Some(start) = opening.or_else(|| (start..=verb).find(begins))
            && let Some(meant) = meant(words, verb, &run)
        {
            return Some(Address {
                words: start..run.end,
                meant,
            });
        }
    }
    None
}

/// Whether an address that begins with this word asks for several sentences.
pub(crate) fn means_several(words: &Words<'_>, start: usize) -> bool {
    (start..words.each.len()).any(|n| of_word(words.low(n)) & SEVERAL != 0)
}

/// Whether an address may begin with this word.
pub(crate) fn is_verb(low: &str) -> bool {
    of_word(low) & ANY_VERB != 0
}

/// What a run of such words around a verb asks to keep, if it asks for anything.
fn meant(words: &Words<'_>, verb: usize, run: &Range<usize>) -> Option<Meant> {
    let is = |n: usize, kind: u16| of_word(words.low(n)) & kind != 0;
    let has = |part: Range<usize>, kind: u16| part.into_iter().any(|n| is(n, kind));
    // "Don't forget" asks to keep, "forget" and "don't keep" ask for the opposite.
    let is_denied = has(run.clone(), NEGATION);
    if is_denied != is(verb, VERB_WHEN_DENIED) || is_noun(words, verb) {
        return None;
    }
    // What is to be remembered "for now" is not to be kept.
    if words.folded_part(run).contains(" for now ") {
        return None;
    }
    let next = words.low(run.end);
    let is_end = next.is_empty() || is_mark(words, run.end);
    let colon = heading(words, run.end).or_else(|| lead(words, run.end));
    let asks = |n: &usize| is(*n, VERB | PLACE) || is_denied || is_phrase(words, *n);
    let Some(asked) = run.clone().find(asks) else {
        // "Save this" may mean anything, unless that is all, or a colon follows.
        let is_all = run.start == 0 && (run.end..words.each.len()).all(|n| is_mark(words, n));
        let is_all = is_all && has(run.clone(), BARE);
        if !has(run.clone(), OBJECT) {
            return None;
        }
        let listed = colon.map(|colon| Meant::From(colon + 1));
        return listed.or_else(|| is_all.then_some(Meant::Before));
    };
    if let Some(colon) = colon {
        // "Note:"
        let is_label = colon == run.start + 1 && words.low(verb) == "note";
        return (!is_label).then_some(Meant::From(colon + 1));
    }
    let asked = asked.max(verb);
    // "Remember that for recipes."
    let tail = (asked + 1..run.end).find(|n| is(*n, TAIL));
    let is_for_that = tail.is_some_and(|tail| {
        let is_short = words.each.len() <= tail + SHORT_TAIL;
        has(run.start..tail, OBJECT) && (is_short || has(run.start..tail, PLACE))
    });
    if is_for_that {
        return Some(Meant::Before);
    }
    let is_tail = is(run.end, TAIL);
    let connector = (asked + 1..run.end).find(|n| is(*n, CONNECTOR));
    if let Some(connector) = connector.filter(|_| !is_end) {
        // "Bear in mind that our …": what is meant begins with words that may stand in an address, too. But "remember
        // that when you answer" means what was said.
        if !is_tail || has(run.start..connector, PLACE) {
            return Some(Meant::From(connector + 1));
        }
    } else if !is_end && !is_tail {
        return None;
    }
    if next == "," && is(run.end + 1, CONNECTOR) {
        return Some(Meant::From(run.end + 2));
    }
    if has(run.clone(), FOLLOWING) {
        return Some(Meant::Following);
    }
    has(run.clone(), OBJECT).then_some(Meant::Before)
}

/// "A note on this" asks for nothing.
fn is_noun(words: &Words<'_>, n: usize) -> bool {
    let before = n.checked_sub(1).map_or("", |before| words.low(before));
    matches!(words.low(n), "note" | "record" | "log")
        && matches!(
            before,
            "a" | "an" | "the" | "my" | "your" | "our" | "one" | "la"
        )
}

/// Places of two words: "on file", "for me".
fn is_phrase(words: &Words<'_>, n: usize) -> bool {
    let before = n.checked_sub(1).map_or("", |before| words.low(before));
    matches!((before, words.low(n)), ("on", "file") | ("for", "me"))
}

/// The colon at the end of a line, behind which a list follows.
fn heading(words: &Words<'_>, from: usize) -> Option<usize> {
    let mut behind = (from..words.each.len()).take(HEADING);
    let colon = behind.find(|n| words.low(*n) == ":")?;
    let end = words.each.get(colon)?.place.end;
    let rest = words.sentence.get(end..)?.trim_start_matches(' ');
    (rest.is_empty() || rest.starts_with('\n')).then_some(colon)
}

/// The colon soon behind an address before what is meant: "hold on to this, I'll ask again: …".
fn lead(words: &Words<'_>, from: usize) -> Option<usize> {
    let mut behind = (from..words.each.len()).take(LEAD);
    let may_lead = |n: &usize| !is_mark(words, *n) || words.low(*n) == ",";
    let colon = behind.find(|n| !may_lead(n))?;
    if !matches!(words.low(colon), ":" | "→") {
        return None;
    }
    (colon + 1 < words.each.len() && !words.sentence.ends_with('?')).then_some(colon)
}

/// The word with which "I want you to" begins, if it ends before one of these.
fn opening(words: &Words<'_>, before: Range<usize>) -> Option<usize> {
    before.into_iter().find_map(|end| {
        let said = words.folded_part(&(0..end));
        let phrase = OPENINGS.iter().find(|phrase| said.ends_with(&***phrase))?;
        let at = words.number(said.len() - phrase.len() + 1);
        (at == 0 || may_open(words, at)).then_some(at)
    })
}

fn is_mark(words: &Words<'_>, n: usize) -> bool {
    words.each.get(n).is_some_and(Word::is_mark)
}

/// The kinds of a word. Short forms are several: all of them have to be in the lists.
fn of_word(low: &str) -> u16 {
    let of = |part: &str| WORDS.get(part).copied().unwrap_or_default();
    match low.split_once(' ') {
        // German "im", which is taken for the English short form.
        Some(("i", "am")) => FILLER,
        Some(("do" | "does", "not")) => NEGATION,
        None => of(low),
        Some((first, rest)) => {
            let both = [of(first), of_word(rest)];
            if both.contains(&0) {
                0
            } else {
                both[0] | both[1]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an address means: `<` what was said before, `>` what follows the sentence, or the words that are meant.
    fn meant_by(sentence: &str) -> String {
        let words = Words::of(sentence);
        match address(&words).map(|address| &address.meant) {
            None => "-".to_owned(),
            Some(Meant::Before) => "<".to_owned(),
            Some(Meant::Following) => ">".to_owned(),
            Some(Meant::From(word)) => words.text(*word..words.each.len()).to_owned(),
        }
    }

    #[test]
    fn addresses_are_told_by_their_words_alone() {
        for (sentence, meant) in [
            ("Jot that down would you", "<"),
            (
                "pls keep that somewhere, I don't want to type it again",
                "<",
            ),
            ("Commit that to memory, ok?", "<"),
            ("Keep all of that in mind for whatever I ask next.", "<"),
            ("behalt das mal im hinterkopf falls ich wieder frage", "<"),
            ("Имей это в виду.", "<"),
            ("lembra disso quando eu pedir treino", "<"),
            (
                "Kindly bear in mind that my hearing is poor",
                "my hearing is poor",
            ),
            ("Onthou even dat ik nachten draai", "ik nachten draai"),
            ("I want you to remember that we are closed", "we are closed"),
            ("Save this for later:\n- rent 900", "- rent 900"),
            ("Please retain the following for later.", ">"),
            ("dont lose this ok??", "<"),
            ("No lo olvides nunca", "<"),
            ("Don't keep this.", "-"),
            ("Forget that.", "-"),
            (
                "stash these in your memory so I find them → saddle 74 cm",
                "saddle 74 cm",
            ),
            ("Save this.", "<"),
            ("Keep it short.", "-"),
            ("Save this as a file.", "-"),
            ("I can't remember that.", "-"),
            ("Do you remember that?", "-"),
            ("He told me to remember this.", "-"),
            ("They keep it in the file on my desk.", "-"),
        ] {
            assert_eq!(meant_by(sentence), meant, "{sentence}");
        }
    }
}
