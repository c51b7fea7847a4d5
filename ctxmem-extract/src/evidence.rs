//! Whether one text says what another does, as far as words tell.
//!
//! Case, diacritics, white space, quotation marks and dashes make no difference. A model repeats
//! what it was shown with all of these changed.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::sections::section;

const LISTS: &str = include_str!("../data/gate/evidence.txt");

static INSIGNIFICANT: LazyLock<HashSet<&str>> = LazyLock::new(|| words_of("insignificant"));
static NEGATIVE: LazyLock<HashSet<&str>> = LazyLock::new(|| words_of("negative"));
static KINDS: LazyLock<HashSet<&str>> = LazyLock::new(|| section(LISTS, "kinds").collect());

fn words_of(name: &'static str) -> HashSet<&'static str> {
    section(LISTS, name)
        .flat_map(str::split_whitespace)
        .collect()
}

/// How many letters two forms of one word may differ in at the end.
const ENDING: usize = 3;

/// A text as its words in a form that spelling doesn't change.
pub(crate) struct Words(Vec<String>);

impl Words {
    pub(crate) fn of(text: &str) -> Self {
        let mut words = vec![String::new()];
        let letters = text.nfkd().filter(|c| !is_combining_mark(*c));
        for c in letters.flat_map(char::to_lowercase) {
            let alone = is_word(c);
            let goes_on = c.is_alphanumeric() || matches!(c, '+' | '#');
            if (alone || !goes_on) && words.last().is_some_and(|word| !word.is_empty()) {
                words.push(String::new());
            }
            if goes_on && let Some(word) = words.last_mut() {
                word.push(c);
            }
            if alone {
                words.push(String::new());
            }
        }
        words.retain(|word| !word.is_empty());
        Self(words)
    }

    /// The words, one after the other.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether the other text stands in this one, word by word. What it left out by `…` may be
    /// anything; what it quotes has to be more than "I am".
    pub(crate) fn hold(&self, quote: &str) -> bool {
        let mut at = 0;
        let mut said = false;
        for part in quote.replace("...", "…").split('…').map(Self::of) {
            let Some(found) = self.find(&part, at) else {
                return false;
            };
            at = found + part.0.len();
            said = said || part.significant().next().is_some();
        }
        said
    }

    /// Whether the other words stand in this text in a row.
    pub(crate) fn has(&self, other: &Self) -> bool {
        self.find(other, 0).is_some()
    }

    /// Where the words stand in a row, from a place on.
    fn find(&self, part: &Self, from: usize) -> Option<usize> {
        if part.0.is_empty() {
            return Some(from);
        }
        let rest = self.0.get(from..)?;
        let at = rest.windows(part.0.len()).position(|run| run == part.0)?;
        Some(from + at)
    }

    /// How many significant words are also in the other text. A text without any counts as one
    /// where it stands there as a whole: "C".
    pub(crate) fn shared(&self, other: &Self) -> usize {
        if self.significant().next().is_none() {
            return usize::from(!self.0.is_empty() && other.has(self));
        }
        let shared = self
            .significant()
            .filter(|word| other.0.iter().any(|it| alike(it, word)));
        shared.count()
    }

    /// Whether all significant words of this text, of which there are some, are in the other.
    pub(crate) fn all_in(&self, other: &Self) -> bool {
        let all = self.significant().count().max(1);
        self.shared(other) == all
    }

    /// Whether it is said that something is not so.
    pub(crate) fn deny(&self) -> bool {
        self.0.iter().any(|word| NEGATIVE.contains(word.as_str()))
    }

    /// Whether it names a kind of fact, as models call what a value is.
    pub(crate) fn name_a_kind(&self) -> bool {
        KINDS.contains(self.0.join(" ").as_str())
    }

    /// Whether both begin with the same name: "Priya" and "Priya Shah", "Mrs Brandt" and "Brandt".
    pub(crate) fn begin_alike(&self, other: &Self) -> bool {
        match (self.significant().next(), other.significant().next()) {
            (Some(one), Some(other)) => alike(one, other),
            _ => self.0.first() == other.0.first(),
        }
    }

    fn significant(&self) -> impl Iterator<Item = &str> {
        let words = self.0.iter().map(String::as_str);
        words.filter(|word| {
            !INSIGNIFICANT.contains(word) && (word.len() > 1 || word.parse::<u8>().is_ok())
        })
    }
}

/// Whether two words are forms of one.
fn alike(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let ending = long
        .strip_prefix(short)
        .map(|ending| ending.chars().count());
    ending == Some(0) || (short.len() > ENDING && ending.is_some_and(|rest| rest <= ENDING))
}

/// Characters of scripts that put no spaces between words.
fn is_word(c: char) -> bool {
    c.is_alphanumeric()
        && matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
            | '\u{2E80}'..='\u{A4CF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_stands_in_a_message_however_it_is_spelt() {
        for (message, quote) in [
            ("I'm  allergic\nto peanuts!", "i’m allergic to PEANUTS"),
            ("We ship on Friday—finally", "ship on Friday - finally"),
            ("Ich wohne in Zürich", "wohne in Zurich"),
            (
                "I moved from Lisbon, after all, to Porto",
                "moved from Lisbon … to Porto",
            ),
            ("我住在北京，我吃素", "我吃素"),
            ("Vegan.", "vegan"),
        ] {
            assert!(Words::of(message).hold(quote), "{quote}");
        }
        for (message, quote) in [
            ("I'm starting to paint", "art"),
            ("I use Docker", "I no longer use Docker"),
            ("I moved to Porto from Lisbon", "from Lisbon … to Porto"),
            ("I am vegan", "I am"),
            ("I am vegan", "…"),
            ("I am vegan", ""),
        ] {
            assert!(!Words::of(message).hold(quote), "{quote}");
        }
    }

    #[test]
    fn significant_words_are_shared() {
        for (one, other, shared) in [
            ("VS Code", "moved from VS Code to Helix", 2),
            ("Allergic to peanuts", "the peanut allergy", 1),
            ("The beta of the app", "the end of the line", 0),
            ("C", "I write C", 1),
            ("C++", "I write C", 0),
            ("Málaga", "malaga", 1),
            ("Mrs Brandt, physio", "Mrs Tom, boss", 0),
        ] {
            assert_eq!(Words::of(one).shared(&Words::of(other)), shared, "{one}");
        }
    }

    #[test]
    fn names_begin_alike() {
        let alike = |one, other| Words::of(one).begin_alike(&Words::of(other));
        assert!(alike("Priya, manager", "Priya Shah, manager"));
        assert!(alike("two children, 6 and 9", "Three children"));
        assert!(!alike("Anna Meier", "Ben Meier"));
        assert!(!alike("Mrs Brandt, physio", "Mrs Tom"));
    }
}
