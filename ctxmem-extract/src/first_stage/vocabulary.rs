//! Words that more than one kind of reason looks for.

use super::super::text::{Gap, Listed, Word};
use crate::lists::WordList;

/// Words about oneself.
pub(super) static PERSONAL: WordList = WordList::new(&[
    "i",
    "my",
    "me",
    "mine",
    "myself",
    "we",
    "our",
    "ours",
    "us",
    "ourselves",
    "ich",
    "mein",
    "meine",
    "meinen",
    "meiner",
    "mir",
    "mich",
    "wir",
    "unser",
    "unsere",
    "uns",
    "je",
    "j'ai",
    "j'habite",
    "j'utilise",
    "mon",
    "ma",
    "mes",
    "moi",
    "nous",
    "notre",
    "nos",
    "yo",
    "mi",
    "mis",
    "nosotros",
    "nuestro",
    "nuestra",
    "soy",
    "vivo",
    "uso",
    "trabajo",
    "eu",
    "meu",
    "minha",
    "nosso",
    "nossa",
    "moro",
    "ik",
    "mijn",
    "wij",
    "ons",
    "onze",
]);

/// Words of lasting things.
pub(super) static DURABLE: WordList = WordList::new(&[
    "focus",
    "blocked",
    "priorities",
    "migrating",
    "preparing",
    "training",
    "always",
    "never",
    "every",
    "deadline",
    "due",
    "goal",
    "blocker",
    "priority",
    "project",
    "launch",
    "plan",
    "rule",
    "prefer",
    "team",
    "sprint",
    "decided",
    "release",
    "immer",
    "siempre",
    "toujours",
    "sempre",
    "altijd",
]);

/// What somebody has, as opposed to what somebody wants right now.
pub(super) static POSSESSIVES: WordList = WordList::new(&[
    "my", "our", "mein", "meine", "meinen", "meiner", "meinem", "unser", "unsere", "mon", "ma",
    "mes", "notre", "nos", "nuestro", "nuestra", "meu", "minha", "mijn", "onze",
]);

pub(super) fn has(words: &[Word], any: &(impl Listed + ?Sized)) -> bool {
    words.iter().any(|word| word.is_any(any))
}

pub(super) fn begins(words: &[Word], any: &(impl Listed + ?Sized)) -> bool {
    words.first().is_some_and(|word| word.is_any(any))
}

/// A capitalised word that doesn't just begin the clause, or a name with a digit or sign in it.
pub(super) fn has_a_name(words: &[Word]) -> bool {
    words.iter().skip(1).any(is_name) || words.iter().skip(1).any(has_a_digit)
}

/// A capitalised word.
pub(super) fn is_name(word: &Word) -> bool {
    word.is_capitalised() && word.low() != "i"
}

pub(super) fn has_a_digit(word: &Word) -> bool {
    word.text.chars().any(|c| c.is_ascii_digit())
}

pub(super) fn has_a_letter(word: &Word) -> bool {
    word.text.chars().any(char::is_alphabetic)
}

pub(super) fn is_short(words: &[Word], most: usize) -> bool {
    words.len() <= most
}

/// Whether at least so many words follow each other behind a comma: something more is said.
pub(super) fn goes_on(words: &[Word], least: usize) -> bool {
    let parts = words.chunk_by(|_, next| next.gap == Gap::None);
    parts.skip(1).any(|part| part.len() >= least)
}

pub(super) fn is_spoken(word: &Word) -> bool {
    word.text.chars().any(char::is_alphanumeric)
}
