//! Features of the classifier: the words of a sentence and parts of them, hashed. The server and the program that
//! trains the weights share this file, so both see the same.
//!
//! Words are compared without case, apostrophes and digits: "I'm 41" and "im 38" are one. Scripts without
//! spaces give a word for each character.

use unicode_normalization::char::is_combining_mark;

/// How many weights there are.
pub const BUCKETS: usize = 1 << 19;

/// Parts of words have this many characters, with the ends of the word counted as one each.
const PARTS: std::ops::RangeInclusive<usize> = 2..=5;
/// What stands behind this in a word is not looked at, in characters.
const LONGEST_WORD: usize = 24;
/// What stands behind this in a sentence is not looked at, in words.
const MOST_WORDS: usize = 80;

/// The most words of a short sentence.
const SHORT_WORDS: usize = 6;
/// The most characters of one in a script without spaces.
const SHORT_CHARACTERS: usize = 14;

/// How much the words of the sentences around count.
const NEIGHBOUR: f32 = 0.3;
/// How much each of the plain signs counts, such as the place in the message.
const SIGN: f32 = 0.2;

/// A sentence among its neighbours.
#[derive(Clone, Copy)]
pub struct Context<'s> {
    /// The sentence.
    pub sentence: &'s Tokens,
    /// The one before it in the message.
    pub before: Option<&'s Tokens>,
    /// The one behind it.
    pub behind: Option<&'s Tokens>,
    /// How many sentences the message has.
    pub of: usize,
}

/// Calls `see` with the number of each feature, below [`BUCKETS`], and how much it counts. Returns whether the
/// sentence is short.
pub fn each_feature(context: &Context<'_>, see: &mut impl FnMut(usize, f32)) -> bool {
    let own = context.sentence;
    let mut found = Vec::with_capacity(4 * own.letters.len());
    own.word_groups(&mut found);
    give(&found, 1.0, see);
    found.clear();
    own.parts(&mut found);
    give(&found, 1.0, see);
    for (neighbour, side) in [(context.before, 3), (context.behind, 5)] {
        found.clear();
        found.extend(neighbour.into_iter().flat_map(|tokens| tokens.hashes(side)));
        give(&found, NEIGHBOUR, see);
    }
    let length = own
        .each
        .len()
        .min(MOST_WORDS)
        .checked_ilog2()
        .map_or(0, |log| log + 1);
    let size = context.of.checked_ilog2().unwrap_or_default().min(6);
    let signs = [
        (10, length),
        (11, u32::from(context.before.is_none())),
        (12, u32::from(context.behind.is_none())),
        (13, size),
    ];
    for (kind, value) in signs {
        see(bucket(mix(kind, u64::from(value))), SIGN);
    }
    own.is_short()
}

/// Each hash with the share of the whole that makes long and short sentences alike.
fn give(found: &[u64], whole: f32, see: &mut impl FnMut(usize, f32)) {
    #[expect(clippy::cast_precision_loss, reason = "these are small numbers")]
    let share = whole / (found.len().max(1) as f32).sqrt();
    for hash in found {
        see(bucket(*hash), share);
    }
}

/// The words of a sentence, and the marks that say something by themselves.
pub struct Tokens {
    /// The letters of all, with [`BEGINS`] before and [`ENDS`] behind those of each.
    letters: Vec<char>,
    each: Vec<Token>,
    is_unspaced: bool,
}

/// Where a token stands among the letters, without its ends.
struct Token {
    letters: std::ops::Range<usize>,
    is_mark: bool,
}

const BEGINS: char = '^';
const ENDS: char = '$';

impl Tokens {
    /// Reads a sentence.
    pub fn of(sentence: &str) -> Self {
        let mut tokens = Self {
            letters: Vec::with_capacity(sentence.len() + 16),
            each: Vec::with_capacity(sentence.len() / 5 + 1),
            is_unspaced: sentence.contains(is_unspaced),
        };
        tokens.letters.push(BEGINS);
        let mut start = tokens.letters.len();
        let mut length = 0;
        for c in sentence.chars().chain(Some(' ')) {
            let is_letter = c.is_alphanumeric() || !c.is_ascii() && is_combining_mark(c);
            if is_letter && !is_unspaced(c) {
                length += 1;
                if length <= LONGEST_WORD {
                    match c {
                        _ if c.is_numeric() => tokens.letters.push('0'),
                        _ => tokens.letters.extend(c.to_lowercase()),
                    }
                }
                continue;
            }
            if matches!(c, '\'' | '\u{2019}' | '\u{2BC}') {
                continue;
            }
            if length > 0 {
                start = tokens.end(start, false);
                length = 0;
            }
            if is_letter
                || matches!(
                    c,
                    '?' | '!' | ':' | '\u{FF1F}' | '\u{FF01}' | '\u{61F}' | '\u{FFFC}'
                )
            {
                tokens.letters.push(c);
                start = tokens.end(start, !is_letter);
            }
            if tokens.each.len() >= MOST_WORDS {
                break;
            }
        }
        tokens
    }

    /// Ends a token that began there, and answers where the next one begins.
    fn end(&mut self, start: usize, is_mark: bool) -> usize {
        self.each.push(Token {
            letters: start..self.letters.len(),
            is_mark,
        });
        self.letters.extend([ENDS, BEGINS]);
        self.letters.len()
    }

    /// A hash of each token.
    fn hashes(&self, kind: u64) -> impl Iterator<Item = u64> + '_ {
        self.each.iter().map(move |token| {
            let letters = self.letters.get(token.letters.clone()).unwrap_or_default();
            hash(kind, letters)
        })
    }

    /// Words alone, in pairs and in threes, with the beginning and the end of the sentence.
    fn word_groups(&self, found: &mut Vec<u64>) {
        const EDGE: u64 = 7;
        let edge = std::iter::once(EDGE);
        let words: Vec<u64> = edge.clone().chain(self.hashes(1)).chain(edge).collect();
        for size in 1..=3 {
            for group in words.windows(size) {
                if size > 1 || group != [EDGE] {
                    found.push(group.iter().fold(size as u64, |all, word| mix(all, *word)));
                }
            }
        }
    }

    /// The parts of each word.
    fn parts(&self, found: &mut Vec<u64>) {
        for token in self.each.iter().filter(|token| !token.is_mark) {
            let framed = token.letters.start - 1..token.letters.end + 1;
            let letters = self.letters.get(framed).unwrap_or_default();
            for size in PARTS {
                let parts = letters.windows(size);
                found.extend(parts.map(|part| hash(mix(2, size as u64), part)));
            }
        }
    }

    fn is_short(&self) -> bool {
        let most = if self.is_unspaced {
            SHORT_CHARACTERS
        } else {
            SHORT_WORDS
        };
        self.each.iter().filter(|token| !token.is_mark).count() <= most
    }
}

/// Whether the script of a character has no spaces between words.
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn hash(kind: u64, letters: &[char]) -> u64 {
    letters.iter().fold(kind, |all, c| mix(all, u64::from(*c)))
}

/// Joins a number to a hash.
fn mix(all: u64, next: u64) -> u64 {
    (all.rotate_left(5) ^ next).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn bucket(hash: u64) -> usize {
    // The high bits are the best mixed.
    usize::try_from(hash >> 32).unwrap_or_default() % BUCKETS
}
