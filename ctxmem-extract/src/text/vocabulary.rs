//! The words that the crate knows: those in patterns and those in `data/<language>/words.txt`.
//!
//! Each has a number, so that patterns compare numbers, and a set of [`Class`]es for each language,
//! so that one look-up gives all that clauses need.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use super::class::Class;
use crate::grammar::{self, Element};
use crate::hash::Fnv;
use crate::language::Language;
use crate::lists::{self, Table};

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Fnv>>;

/// Words by number, and what they do in each language.
pub(crate) struct Vocabulary {
    ids: Map<&'static str, u32>,
    classes: Vec<[u32; Language::COUNT]>,
    /// Letters that tell a language, and how much.
    letters: Vec<(char, Language, u32)>,
}

/// The vocabulary, made once.
pub(crate) fn get() -> &'static Vocabulary {
    static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::new);
    &VOCABULARY
}

impl Vocabulary {
    fn new() -> Self {
        let mut vocabulary = Self {
            ids: Map::default(),
            classes: vec![[0; Language::COUNT]],
            letters: Vec::new(),
        };
        for language in Language::ALL {
            let rows = grammar::rows(language.files().patterns).unwrap_or_default();
            let elements = rows.iter().flat_map(|row| &row.ways).flatten();
            for word in elements.filter_map(Element::word) {
                vocabulary.add(word);
            }
            for (name, words) in lists::lines(language.files().words) {
                let class = Class::named(name);
                for word in words.split(", ") {
                    let id = vocabulary.add(word) as usize;
                    if let (Some(class), Some(classes)) = (class, vocabulary.classes.get_mut(id)) {
                        classes[language as usize] |= 1 << class as u32;
                    }
                }
            }
            for (table, points) in [(Table::OwnLetters, 2), (Table::FrequentLetters, 1)] {
                let letters = lists::entries(table, language).flat_map(str::chars);
                let letters = letters.map(|letter| (letter, language, points));
                vocabulary.letters.extend(letters);
            }
        }
        vocabulary
    }

    /// The number of a word of a pattern or a list, which it may be given now.
    fn add(&mut self, word: &'static str) -> u32 {
        let next = u32::try_from(self.classes.len()).unwrap_or(u32::MAX);
        *self.ids.entry(word).or_insert_with(|| {
            self.classes.push([0; Language::COUNT]);
            next
        })
    }

    /// The number of a word in lower case; 0 where it is unknown.
    pub(crate) fn id(&self, low: &str) -> u32 {
        self.ids.get(low).copied().unwrap_or(0)
    }

    /// Whether the word with this number is of the class in this language.
    pub(crate) fn is(&self, id: u32, class: Class, language: Language) -> bool {
        id != 0
            && self
                .classes
                .get(id as usize)
                .is_some_and(|classes| classes[language as usize] >> class as u32 & 1 == 1)
    }

    /// The language that most of the first words of a text belong to. How words are split depends
    /// on the language, so this goes by spaces and apostrophes alone.
    pub(crate) fn language(&self, text: &str) -> Language {
        let mut counts = [0_u32; Language::COUNT];
        for word in text
            .split(|c: char| c.is_whitespace() || matches!(c, '\'' | '\u{2019}'))
            .take(80)
        {
            let word = word.trim_matches(|c: char| !c.is_alphabetic());
            let id = self.id(&lower(word));
            for language in Language::ALL {
                counts[language as usize] += u32::from(self.is(id, Class::Mark, language));
            }
        }
        for c in text.chars().filter(|c| !c.is_ascii()).take(80) {
            for (_, language, points) in self.letters.iter().filter(|(letter, ..)| *letter == c) {
                counts[*language as usize] += points;
            }
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        Language::ALL
            .into_iter()
            .find(|language| counts[*language as usize] == most)
            .unwrap_or(Language::English)
    }
}

/// The text in lower case, which most words are.
pub(crate) fn lower(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        Cow::Owned(text.to_lowercase())
    } else if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}
