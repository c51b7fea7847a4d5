//! Stated changes: sentences that say explicitly that something is no longer as it was.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::folded_words::FoldedWords;
use super::sections::section;
use super::text::readable;
use super::text::sentences::sentences;

const LISTS: &str = include_str!("../data/gate/changes.txt");

static PHRASES: LazyLock<Vec<FoldedWords>> =
    LazyLock::new(|| section(LISTS, "phrases").map(FoldedWords::of).collect());
/// All of them in one pass: to look for one after the other took 3 µs more a message.
#[expect(clippy::expect_used, reason = "they are compiled in")]
static ANY_PHRASE: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::new(PHRASES.iter().map(FoldedWords::as_str)).expect("few phrases")
});
static NO_CHANGE: LazyLock<Vec<FoldedWords>> =
    LazyLock::new(|| section(LISTS, "no change").map(FoldedWords::of).collect());

/// The sentences of a message that say that something changed: "I use Zed now", "ich bin umgezogen",
/// "ya no …". Not "right now", which is about the moment, and no question.
pub struct StatedChanges(Vec<FoldedWords>);

impl StatedChanges {
    /// Those of a message.
    pub fn of(message: &str) -> Self {
        let stated = sentences(readable(message)).filter(|sentence| !sentence.ends_with('?'));
        Self(stated.map(FoldedWords::of).filter(states_change).collect())
    }

    /// Whether one of them speaks of this fact: it shares a significant word with it.
    pub fn speak_of(&self, value: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let value = FoldedWords::of(value);
        self.0
            .iter()
            .any(|sentence| value.count_shared(sentence) > 0)
    }
}

fn states_change(sentence: &FoldedWords) -> bool {
    let found = ANY_PHRASE.find_overlapping_iter(sentence.as_str());
    let mut said = found.filter_map(|found| PHRASES.get(found.pattern().as_usize()));
    said.any(|phrase| {
        // "Right now" is no "now".
        let mut other = NO_CHANGE.iter().filter(|other| other.contains(phrase));
        !other.any(|other| sentence.contains(other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_from_passing_remarks() {
        for text in section(LISTS, "sample changes") {
            let changes = StatedChanges::of(text);
            assert!(
                changes.speak_of("Zed") || changes.speak_of("Porto"),
                "{text}"
            );
        }
        for text in section(LISTS, "sample remarks").chain([""]) {
            assert!(!StatedChanges::of(text).speak_of("Zed"), "{text}");
        }
    }

    #[test]
    fn a_change_is_about_what_its_sentence_names() {
        let changes = StatedChanges::of("I no longer smoke. I had Zed open all day.");
        assert!(!changes.speak_of("Zed"));
        assert!(changes.speak_of("Smokes twenty a day") || changes.speak_of("smoke"));
    }
}
