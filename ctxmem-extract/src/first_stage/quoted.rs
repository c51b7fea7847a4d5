//! What is somebody else's: their words, or what is told of them.

use super::super::text::Word;
use super::vocabulary::{PERSONAL, begins, has, has_a_name, is_short};
use crate::lists::WordList;

/// Words by which a clause about others still concerns the user.
static CONCERNS: WordList = WordList::new(&[
    "i",
    "my",
    "our",
    "we",
    "me",
    "us",
    "is",
    "team",
    "goes",
    "due",
    "deadline",
    "blocker",
    "goal",
    "person",
    "finally",
    "yesterday",
    "last",
]);

pub(super) fn is_of_others(words: &[Word]) -> bool {
    let quotes = words.iter().any(Word::is_quote);
    let of_others = begins(
        words,
        &[
            "a", "an", "some", "someone", "somebody", "they", "people", "he", "she", "the",
        ],
    );
    (quotes && !has(words, &PERSONAL) && is_short(words, 10))
        || (of_others && !has(words, &CONCERNS) && !(has_a_name(words) && has(words, &["the"])))
}
