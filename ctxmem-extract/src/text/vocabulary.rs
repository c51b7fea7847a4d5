//! The words that the crate knows: those of patterns and those of `data/<language>/words.txt`.
//!
//! Each has a number, so that patterns compare numbers, and for each language a set of
//! [`Class`]es, so that one look-up tells all that clauses need to know of a word.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use super::hash::Fnv;

/// The languages that have a folder in `data/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    German,
    French,
    Spanish,
}

impl Language {
    /// All of them, in the order of their numbers.
    pub(crate) const ALL: [Self; 4] = [Self::English, Self::German, Self::French, Self::Spanish];

    /// Its classes of words.
    const fn words(self) -> &'static str {
        match self {
            Self::English => include_str!("../../data/en/words.txt"),
            Self::German => include_str!("../../data/de/words.txt"),
            Self::French => include_str!("../../data/fr/words.txt"),
            Self::Spanish => include_str!("../../data/es/words.txt"),
        }
    }

    /// Its patterns.
    pub(crate) const fn patterns(self) -> &'static str {
        match self {
            Self::English => include_str!("../../data/en/patterns.txt"),
            Self::German => include_str!("../../data/de/patterns.txt"),
            Self::French => include_str!("../../data/fr/patterns.txt"),
            Self::Spanish => include_str!("../../data/es/patterns.txt"),
        }
    }
}

/// What a word does in a sentence. The names are those of the lists in `words.txt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Tells the language: found in nearly every sentence, and in no other language.
    Mark,
    /// Adds nothing: "really", "currently".
    Filler,
    /// Opens a clause and says nothing: "hi", "ok", "and".
    Opener,
    /// Begins a new clause: "and", "but", "because".
    Joint,
    /// Begins an adverbial before the subject: "at work I …".
    Lead,
    /// The speaker: "I", "we".
    Subject,
    /// The speaker's own: "my", "our".
    Own,
    /// Begins a question.
    Question,
    /// Begins a question when a pronoun follows: "do you", "are they".
    Auxiliary,
    /// A pronoun that may be asked about or is somebody else.
    Pronoun,
    /// Begins a condition: "if", "when".
    Condition,
    /// All that follows is make-believe: "imagine", "suppose".
    Pretence,
    /// Says that somebody said: "says", "told".
    Reporting,
    /// A jest: "lol", "yeah right" has its own rule.
    Jest,
    /// Points at what is not told: "it", "this".
    Pointing,
    /// Ends what a pattern takes: "because", "when".
    Stop,
    /// Too general to be what a fact is about: "something", "stuff".
    Vague,
    /// An article or the like, which opens a noun phrase.
    Article,
    /// Begins a wish or a request: "please", "could".
    Wish,
    /// A word of small talk and nothing else.
    SmallTalk,
    /// Says no: "not", "never".
    Negation,
    /// Says how to answer: "answers", "concise".
    Style,
    /// Tells an order: "write", "explain".
    Order,
    /// What one owns only for the moment: "my question", "my code".
    Passing,
    /// How one is just now: "tired", "starving".
    State,
    /// A verb that begins a note without its subject: "moved to Rome", "learning Dutch".
    Bare,
    /// A verb by which one tells of others: "is", "likes".
    Copula,
    /// What a task is about and a person's life is not: "output", "function".
    Task,
    /// A verb by which one tells of oneself: "I use".
    Telling,
    /// A verb that may follow "and" without its subject: "and use Helix".
    Verb,
}

/// The names of the lists, by the number of their class.
const CLASSES: [&str; 30] = [
    "mark",
    "filler",
    "opener",
    "joint",
    "lead",
    "subject",
    "own",
    "question",
    "auxiliary",
    "pronoun",
    "condition",
    "pretence",
    "reporting",
    "jest",
    "pointing",
    "stop",
    "vague",
    "article",
    "wish",
    "small_talk",
    "negation",
    "style",
    "order",
    "passing",
    "state",
    "bare",
    "copula",
    "task",
    "telling",
    "verb",
];

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Fnv>>;

/// Words by number, and what they do in each language.
pub(crate) struct Vocabulary {
    ids: Map<&'static str, u32>,
    classes: Vec<[u32; 4]>,
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
            classes: vec![[0; 4]],
        };
        for language in Language::ALL {
            for word in crate::rules::pattern_words(language) {
                vocabulary.add(word);
            }
            for line in language.words().lines() {
                let Some((name, list)) = line.split_once(':') else {
                    continue;
                };
                let class = CLASSES.iter().position(|class| *class == name.trim());
                for word in list.split(',').map(str::trim) {
                    let id = vocabulary.add(word) as usize;
                    if let (Some(class), Some(classes)) = (class, vocabulary.classes.get_mut(id)) {
                        classes[language as usize] |= 1 << class;
                    }
                }
            }
        }
        vocabulary
    }

    /// The number of a word of a pattern or a list, which it may be given now.
    fn add(&mut self, word: &'static str) -> u32 {
        let next = u32::try_from(self.classes.len()).unwrap_or(u32::MAX);
        *self.ids.entry(word).or_insert_with(|| {
            self.classes.push([0; 4]);
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

    /// The language that most of the first words of a text belong to.
    pub(crate) fn language(&self, text: &str) -> Language {
        let mut counts = [0_u32; 4];
        for word in text
            .split(|c: char| c.is_whitespace() || matches!(c, '\'' | '\u{2019}'))
            .take(80)
        {
            let word = word.trim_matches(|c: char| !c.is_alphabetic());
            let id = self.id(&super::words::lower(word));
            for language in Language::ALL {
                counts[language as usize] += u32::from(self.is(id, Class::Mark, language));
            }
        }
        // Letters that only one of them has tell more than a word.
        for c in text.chars().filter(|c| !c.is_ascii()).take(80) {
            match c {
                'ñ' | '¿' | '¡' => counts[Language::Spanish as usize] += 2,
                'ß' | 'ä' | 'ö' | 'ü' => counts[Language::German as usize] += 2,
                'ç' | 'œ' | 'ê' | 'è' | 'à' | 'ù' => counts[Language::French as usize] += 1,
                _ => {}
            }
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        Language::ALL
            .into_iter()
            .find(|language| counts[*language as usize] == most)
            .unwrap_or(Language::English)
    }
}
