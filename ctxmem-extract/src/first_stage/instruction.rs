//! How things are always to be done: that is worth keeping in whatever form it is said.

use super::super::text::{PhraseList, Word};
use super::vocabulary::{begins, has};
use crate::lists::WordList;

/// Words that make it last.
static STANDING: WordList = WordList::new(&[
    "always",
    "never",
    "whenever",
    "ever",
    "generally",
    "generell",
    "immer",
    "siempre",
    "toujours",
    "sempre",
    "altijd",
    "nie",
    "nunca",
    "jamais",
    "remember",
    "künftig",
    "zukünftig",
    "grundsätzlich",
    "désormais",
    "dorénavant",
    "voortaan",
    "nooit",
    "zawsze",
    "nigdy",
    "alltid",
    "aldrig",
    "всегда",
    "никогда",
]);

static PHRASES: PhraseList = PhraseList::new(&[
    &["now", "on"],
    &["in", "future"],
    &["the", "future"],
    &["the", "time"],
    &["going", "forward"],
    &["by", "default"],
    &["ab", "jetzt"],
    &["ab", "sofort"],
    &["ahora", "en", "adelante"],
    &["à", "partir", "de"],
    &["d'ora", "in", "poi"],
    &["agora", "em", "diante"],
]);

/// To whom it is said, or of whom.
static ADDRESSED: WordList = WordList::new(&[
    "me",
    "please",
    "pls",
    "you",
    "your",
    "answer",
    "reply",
    "use",
    "write",
    "i",
    "my",
    "mir",
    "antworte",
    "bitte",
    "ich",
    "responde",
    "respóndeme",
    "réponds",
    "réponds-moi",
    "je",
    "yo",
]);

/// What people ask for and mean to last.
static WISHES: WordList = WordList::new(&[
    "emoji", "emojis", "bullets", "bullet", "terse", "concise", "jargon",
]);

/// Beginnings after which nothing is asked for.
static IMAGINED: WordList = WordList::new(&[
    "if", "suppose", "imagine", "what", "why", "how", "does", "do", "is", "warum", "wieso", "wie",
    "por", "pourquoi", "comment", "waarom",
]);

pub(super) fn is_standing(words: &[Word]) -> bool {
    let standing = has(words, &STANDING) || PHRASES.is_in(words);
    ((standing && has(words, &ADDRESSED)) || has(words, &WISHES)) && !begins(words, &IMAGINED)
}

/// "Let's go with the second one": whether it is a decision, what the agent said tells.
pub(super) fn takes_up(words: &[Word]) -> bool {
    words
        .first()
        .is_some_and(|word| word.is_any(&["let", "lets"]))
        && words.iter().take(4).any(|word| {
            word.is_any(&[
                "go", "use", "take", "stick", "pick", "choose", "adopt", "do",
            ])
        })
}
