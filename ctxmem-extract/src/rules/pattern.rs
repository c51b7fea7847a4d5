//! A small language for sentences, so that the recognisers read as the sentences they find.
//!
//! A pattern is a row of elements separated by spaces:
//!
//! | element | stands for |
//! |---|---|
//! | `word`, `one\|other` | that word, or one of them |
//! | `word?` | the same, or nothing |
//! | `@class`, `@class.ing`, `@class.ed` | a verb of that class, among the words |
//! | `@we`, `@us`, `@stuff`, `@ours` | who speaks, or what is theirs; see `grammar` |
//! | `^`, `$` | the beginning or the end of the clause |
//! | `,` | the next element may follow a comma |
//! | `*` | up to six words, as few as possible |
//! | `<kind>` | a capture: `name`, `names`, `anyname`, `place`, `city`, `zone`, `tool`, `tools`, `relation`, `slot`, `proper`, `short`, `rest`, `do`, `doing`, `did` |
//!
//! Between elements adverbs such as "now" or "mostly" may stand; negations are no adverbs, so
//! "I don't use Docker" never matches `i use <tools>`.

use super::capture::{Kind, Text, capture};
use super::grammar::{self, Phrase};
use super::lexicon::Tool;
use crate::lists::{Index, Marks, WordList, sign};
use crate::text::{Clause, Gap, Word};

enum Element {
    Words { any: Alternatives, optional: bool },
    Capture(Kind),
    Phrase(Phrase),
    Start,
    End,
    Comma,
    Some,
}

/// Words of which one is meant.
struct Alternatives {
    /// In the order of their signs, by which they are searched.
    words: Vec<(u64, &'static str)>,
    /// The marks of all of them.
    marks: u64,
}

/// One bit of 64 for a word, so that many can be told apart from many at one look.
fn mark(sign: u64) -> u64 {
    1 << (sign >> 58)
}

impl Alternatives {
    /// The words of an element, verb classes spelled out.
    fn new(element: &'static str) -> Self {
        let mut words: Vec<(u64, &'static str)> = element
            .split('|')
            .flat_map(|word| match word.strip_prefix('@') {
                Some(class) => grammar::verbs(class),
                None => vec![word],
            })
            .map(|word| (sign(word), word))
            .collect();
        words.sort_unstable();
        let marks = words.iter().fold(0, |marks, (sign, _)| marks | mark(*sign));
        Self { words, marks }
    }

    fn has(&self, word: &Word) -> bool {
        self.marks & mark(word.sign) != 0 && self.has_signed(word)
    }

    fn has_signed(&self, word: &Word) -> bool {
        let first = self.words.partition_point(|(sign, _)| *sign < word.sign);
        self.words
            .iter()
            .skip(first)
            .take_while(|(sign, _)| *sign == word.sign)
            .any(|(_, one)| *one == word.low())
    }
}

/// A compiled pattern.
pub(super) struct Pattern(Vec<Element>);

/// What one capture holds.
pub(super) enum Captured {
    /// A name, a place, the rest of a clause.
    Text(Text),
    /// A list of names.
    Texts(Vec<Text>),
    /// Known tools, languages, systems.
    Tools(Vec<Tool>),
}

/// One place where a pattern holds.
pub(super) struct Match {
    captured: Vec<Captured>,
    /// Index of the first word.
    pub(super) start: usize,
    /// Index behind the last word.
    pub(super) end: usize,
}

impl Match {
    /// The n-th capture as text.
    pub(super) fn text(&self, n: usize) -> &str {
        match self.captured.get(n) {
            Some(Captured::Text(text)) => text,
            Some(Captured::Texts(texts)) => texts.first().map_or("", |text| text.as_str()),
            Some(Captured::Tools(tools)) => tools.first().map_or("", |tool| tool.name.as_str()),
            None => "",
        }
    }

    /// The last capture as text.
    pub(super) fn last_text(&self) -> &str {
        self.text(self.captured.len().saturating_sub(1))
    }

    /// The n-th capture as a list of texts.
    pub(super) fn texts(&self, n: usize) -> &[Text] {
        match self.captured.get(n) {
            Some(Captured::Text(text)) => std::slice::from_ref(text),
            Some(Captured::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// The n-th capture as tools.
    pub(super) fn tools(&self, n: usize) -> &[Tool] {
        match self.captured.get(n) {
            Some(Captured::Tools(tools)) => tools,
            _ => &[],
        }
    }
}

/// Words that may stand anywhere between two elements.
static ADVERBS: WordList = WordList::new(&[
    "now",
    "currently",
    "actually",
    "also",
    "just",
    "really",
    "mostly",
    "still",
    "usually",
    "always",
    "mainly",
    "typically",
    "generally",
    "only",
    "recently",
    "already",
    "finally",
    "normally",
    "primarily",
    "exclusively",
    "basically",
    "presently",
    "often",
    "nowadays",
    "pretty",
    "well",
    "all",
    "both",
    "even",
    "strictly",
    "simply",
    "myself",
    "personally",
    "permanently",
    "temporarily",
    "officially",
    "totally",
    "absolutely",
    "much",
    "recently",
    "happily",
    "daily",
    "strongly",
    "quite",
    "very",
    "lately",
    "then",
    "back",
]);

impl Pattern {
    /// Compiles a pattern. Unknown captures match nothing, which a test rules out.
    pub(super) fn new(source: &'static str) -> Self {
        Self(
            source
                .split_whitespace()
                .map(|element| match element {
                    "^" => Element::Start,
                    "$" => Element::End,
                    "," => Element::Comma,
                    "*" => Element::Some,
                    _ => grammar::phrase(element).map_or_else(
                        || {
                            element
                                .strip_prefix('<')
                                .and_then(|name| name.strip_suffix('>'))
                                .map_or_else(
                                    || Element::Words {
                                        any: Alternatives::new(element.trim_end_matches('?')),
                                        optional: element.ends_with('?'),
                                    },
                                    |name| Element::Capture(Kind::named(name)),
                                )
                        },
                        Element::Phrase,
                    ),
                })
                .collect(),
        )
    }

    /// Every place where the pattern holds; places don't overlap.
    fn find(&self, words: &[Word], mut found: impl FnMut(Match)) {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            // Most places are out by their first word.
            let begins = match self.0.first() {
                Some(Element::Words {
                    any,
                    optional: false,
                }) => any.has(word),
                Some(Element::Phrase(phrase)) => phrase(words, at).is_some(),
                _ => true,
            };
            if !begins {
                at += 1;
                continue;
            }
            let mut captured = Vec::new();
            let end = run(&self.0, words, at, at, false, &mut captured);
            match end {
                Some(end) => {
                    found(Match {
                        captured,
                        start: at,
                        end,
                    });
                    at = end.max(at + 1);
                }
                None => at += 1,
            }
            if matches!(self.0.first(), Some(Element::Start)) {
                break;
            }
        }
    }
}

/// Words that stand in most clauses, so that they tell little of which row fits.
const COMMON: &[&str] = &[
    "i", "we", "my", "our", "the", "a", "an", "is", "are", "am", "to", "in", "on", "of", "and",
    "it", "have", "with", "for", "at", "from", "not", "do",
];

impl Pattern {
    /// The words of which one has to be there, for each element that asks for some: first
    /// those that say most, because the fewest clauses hold them.
    fn needs(&self) -> Vec<&Alternatives> {
        let mut needs: Vec<&Alternatives> = self
            .0
            .iter()
            .filter_map(|element| match element {
                Element::Words {
                    any,
                    optional: false,
                } => Some(any),
                _ => None,
            })
            .collect();
        needs.sort_by_key(|any| {
            let common = any.words.iter().any(|(_, word)| COMMON.contains(word));
            (common, any.words.len())
        });
        needs
    }
}

/// Matches the elements from the word at `at` on; the index behind the match.
fn run(
    elements: &[Element],
    words: &[Word],
    start: usize,
    at: usize,
    comma: bool,
    captured: &mut Vec<Captured>,
) -> Option<usize> {
    let Some((element, rest)) = elements.split_first() else {
        return Some(at);
    };
    match element {
        Element::Start => {
            let adverbs = words
                .iter()
                .take_while(|word| word.is_any(&ADVERBS))
                .count();
            (at == 0).then(|| {
                attempt(rest, words, 0, 0, true, captured).or_else(|| {
                    (adverbs > 0)
                        .then(|| attempt(rest, words, adverbs, adverbs, true, captured))
                        .flatten()
                })
            })?
        }
        Element::End => {
            (at == words.len()).then(|| run(rest, words, start, at, comma, captured))?
        }
        Element::Comma => run(rest, words, start, at, true, captured),
        Element::Some => attempt(rest, words, start, at, true, captured).or_else(|| {
            let passed = words.iter().skip(at).take(6);
            (at + 1..)
                .zip(passed.take_while(|word| word.gap != Gap::Break && !is_negation(word)))
                .find_map(|(behind, _)| attempt(rest, words, start, behind, true, captured))
        }),
        Element::Words { any, optional } => {
            let here = words
                .get(at)
                .filter(|word| at == start || allows(word.gap, comma))
                .filter(|word| any.has(word));
            if here.is_some()
                && let Some(end) = attempt(rest, words, start, at + 1, false, captured)
            {
                return Some(end);
            }
            if *optional && let Some(end) = attempt(rest, words, start, at, comma, captured) {
                return Some(end);
            }
            skip_adverb(elements, words, start, at, comma, captured)
        }
        Element::Phrase(phrase) => {
            let open = words
                .get(at)
                .is_some_and(|word| at == start || allows(word.gap, comma));
            let end = open.then(|| phrase(words, at)).flatten()?;
            run(rest, words, start, end, end == at, captured)
        }
        Element::Capture(kind) => {
            let open = words
                .get(at)
                .is_some_and(|word| at == start || allows(word.gap, comma));
            if open && let Some((end, capture)) = capture(*kind, words, at) {
                captured.push(capture);
                if let Some(end) = run(rest, words, start, end, false, captured) {
                    return Some(end);
                }
                captured.pop();
            }
            skip_adverb(elements, words, start, at, comma, captured)
        }
    }
}

/// Like [`run`], but leaves no captures behind when it fails.
fn attempt(
    elements: &[Element],
    words: &[Word],
    start: usize,
    at: usize,
    comma: bool,
    captured: &mut Vec<Captured>,
) -> Option<usize> {
    let before = captured.len();
    let end = run(elements, words, start, at, comma, captured);
    if end.is_none() {
        captured.truncate(before);
    }
    end
}

fn skip_adverb(
    elements: &[Element],
    words: &[Word],
    start: usize,
    at: usize,
    comma: bool,
    captured: &mut Vec<Captured>,
) -> Option<usize> {
    let adverb = words
        .get(at)
        .is_some_and(|word| at > start && allows(word.gap, comma) && word.is_any(&ADVERBS));
    if adverb {
        attempt(elements, words, start, at + 1, comma, captured)
    } else {
        None
    }
}

fn allows(gap: Gap, comma: bool) -> bool {
    match gap {
        Gap::None => true,
        Gap::Comma => comma,
        Gap::Break => false,
    }
}

/// Words that may stand anywhere between two elements.
pub(super) fn is_adverb(word: &Word) -> bool {
    word.is_any(&ADVERBS)
}

/// Words that turn a sentence into its opposite.
static NEGATIONS: WordList = WordList::new(&[
    "not", "no", "never", "without", "nobody", "none", "neither", "nor", "hardly", "nicht", "kein",
    "keine", "nie", "ne", "pas", "nunca", "não", "niet", "geen", "longer",
]);

/// Whether the word turns a sentence into its opposite.
pub(super) fn is_negation(word: &Word) -> bool {
    word.is_any(&NEGATIONS)
}

/// A family's patterns, each with what it means.
pub(super) struct Table<T> {
    rows: Vec<(Pattern, T)>,
    /// What the rows need first, second and so on.
    needs: [Needs; MOST_NEEDS],
}

/// Which words the rows of a table need: one of certain words for each row.
struct Needs {
    /// The words, so that most of a clause are out at one look.
    words: Marks,
    /// The rows that need one of certain words, by the sign of each of these words.
    by_word: Index<u64, Rows>,
    /// The rows that need none.
    without: Rows,
}

impl Default for Needs {
    fn default() -> Self {
        Self {
            words: Marks::NONE,
            by_word: Index::default(),
            without: Rows::default(),
        }
    }
}

impl Needs {
    fn add(&mut self, row: usize, need: Option<&Alternatives>) {
        let Some(need) = need else {
            self.without.add(row);
            return;
        };
        for (sign, _) in &need.words {
            self.words = self.words.with(*sign);
            self.by_word.entry(*sign).or_default().add(row);
        }
    }

    /// The rows whose need these words meet.
    fn met_by(&self, words: &[Word]) -> Rows {
        let mut met = self.without;
        for word in words {
            if self.words.has(word.sign)
                && let Some(rows) = self.by_word.get(&word.sign)
            {
                met.add_all(rows);
            }
        }
        met
    }
}

/// Most rows of a table.
const MOST_ROWS: usize = 256;

/// How many needs of a row are looked at before its pattern is tried.
const MOST_NEEDS: usize = 3;

/// Some rows of a table, a bit for each.
#[derive(Clone, Copy, Default)]
struct Rows([u64; MOST_ROWS / 64]);

impl Rows {
    fn add(&mut self, row: usize) {
        if let Some(bits) = self.0.get_mut(row / 64) {
            *bits |= 1 << (row % 64);
        }
    }

    fn add_all(&mut self, others: &Self) {
        for (bits, other) in self.0.iter_mut().zip(others.0) {
            *bits |= other;
        }
    }

    fn keep_all(&mut self, others: &Self) {
        for (bits, other) in self.0.iter_mut().zip(others.0) {
            *bits &= other;
        }
    }

    fn is_empty(&self) -> bool {
        self.0 == [0; MOST_ROWS / 64]
    }

    /// Takes out the first row.
    fn next(&mut self) -> Option<usize> {
        let (n, bits) = self
            .0
            .iter_mut()
            .enumerate()
            .find(|(_, bits)| **bits != 0)?;
        let row = n * 64 + bits.trailing_zeros() as usize;
        *bits &= *bits - 1;
        Some(row)
    }
}

impl<T: Copy> Table<T> {
    /// Compiles the rows of a table.
    pub(super) fn new(rows: &[(&'static str, T)]) -> Self {
        debug_assert!(rows.len() <= MOST_ROWS, "{} rows", rows.len());
        let mut table = Self {
            rows: Vec::with_capacity(rows.len()),
            needs: Default::default(),
        };
        for (row, (source, meaning)) in rows.iter().enumerate() {
            let pattern = Pattern::new(source);
            let needs = pattern.needs();
            for (n, all) in table.needs.iter_mut().enumerate() {
                all.add(row, needs.get(n).copied());
            }
            table.rows.push((pattern, *meaning));
        }
        table
    }

    /// Every match of every row.
    pub(super) fn find(&self, clause: &Clause) -> Vec<(Match, T)> {
        let words = clause.words.as_slice();
        let mut found = Vec::new();
        // Most rows are out at once, whatever a clause looks like.
        let [first, others @ ..] = &self.needs;
        let mut rows = first.met_by(words);
        for needs in others {
            if rows.is_empty() {
                break;
            }
            rows.keep_all(&needs.met_by(words));
        }
        while let Some(row) = rows.next() {
            if let Some((pattern, meaning)) = self.rows.get(row) {
                pattern.find(words, |at| found.push((at, *meaning)));
            }
        }
        found
    }
}
