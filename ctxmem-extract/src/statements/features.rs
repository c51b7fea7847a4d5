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
#[derive(Clone, Copy, Debug)]
pub struct Context<'s> {
    /// The sentence.
    pub sentence: &'s str,
    /// The one before it in the message.
    pub before: Option<&'s str>,
    /// The one behind it.
    pub behind: Option<&'s str>,
    /// How many sentences the message has.
    pub of: usize,
}

/// Calls `see` with the number of each feature, below [`BUCKETS`], and how much it counts. Returns whether the
/// sentence is short.
pub fn each_feature(context: &Context<'_>, see: &mut impl FnMut(usize, f32)) -> bool {
    let own = tokens(context.sentence);
    let mut found = Vec::with_capacity(8 * own.len());
    word_groups(&own, &mut found);
    give(&found, 1.0, see);
    found.clear();
    for token in &own {
        parts(token, &mut found);
    }
    give(&found, 1.0, see);
    for (neighbour, side) in [(context.before, 3), (context.behind, 5)] {
        found.clear();
        let words = tokens(neighbour.unwrap_or_default());
        found.extend(words.iter().map(|word| hash(side, &word.text)));
        give(&found, NEIGHBOUR, see);
    }
    let length = own
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
    let most = if context.sentence.contains(is_unspaced) {
        SHORT_CHARACTERS
    } else {
        SHORT_WORDS
    };
    own.iter().filter(|token| !token.is_mark).count() <= most
}

/// Each hash with the share of the whole that makes long and short sentences alike.
fn give(found: &[u64], whole: f32, see: &mut impl FnMut(usize, f32)) {
    #[expect(clippy::cast_precision_loss, reason = "these are small numbers")]
    let share = whole / (found.len().max(1) as f32).sqrt();
    for hash in found {
        see(bucket(*hash), share);
    }
}

/// Words alone, in pairs and in threes, with the beginning and the end of the sentence.
fn word_groups(tokens: &[Token], found: &mut Vec<u64>) {
    const EDGE: u64 = 7;
    let edge = std::iter::once(EDGE);
    let words = edge
        .clone()
        .chain(tokens.iter().map(|token| hash(1, &token.text)))
        .chain(edge);
    let words: Vec<u64> = words.collect();
    for size in 1..=3 {
        for group in words.windows(size) {
            if size > 1 || group != [EDGE] {
                found.push(group.iter().fold(size as u64, |all, word| mix(all, *word)));
            }
        }
    }
}

/// The parts of a word.
fn parts(token: &Token, found: &mut Vec<u64>) {
    if token.is_mark {
        return;
    }
    let letters: Vec<char> = std::iter::once('^')
        .chain(token.text.chars())
        .chain(Some('$'))
        .collect();
    for size in PARTS {
        for part in letters.windows(size) {
            found.push(
                part.iter()
                    .fold(mix(2, size as u64), |all, c| mix(all, u64::from(*c))),
            );
        }
    }
}

/// A word, or a mark that says something by itself.
struct Token {
    text: String,
    is_mark: bool,
}

fn tokens(sentence: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut word = String::new();
    let mut letters = 0;
    for c in sentence.chars().chain(Some(' ')) {
        let is_letter = c.is_alphanumeric() || is_combining_mark(c);
        if is_letter && !is_unspaced(c) {
            letters += 1;
            if letters <= LONGEST_WORD {
                match c {
                    _ if c.is_numeric() => word.push('0'),
                    _ => word.extend(c.to_lowercase()),
                }
            }
            continue;
        }
        if matches!(c, '\'' | '\u{2019}' | '\u{2BC}') {
            continue;
        }
        if !word.is_empty() {
            tokens.push(Token {
                text: std::mem::take(&mut word),
                is_mark: false,
            });
            letters = 0;
        }
        if is_letter
            || matches!(
                c,
                '?' | '!' | ':' | '\u{FF1F}' | '\u{FF01}' | '\u{61F}' | '\u{FFFC}'
            )
        {
            tokens.push(Token {
                text: c.to_string(),
                is_mark: !is_letter,
            });
        }
        if tokens.len() >= MOST_WORDS {
            break;
        }
    }
    tokens
}

/// Whether the script of a character has no spaces between words.
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn hash(kind: u64, text: &str) -> u64 {
    text.chars().fold(kind, |all, c| mix(all, u64::from(c)))
}

/// Joins a number to a hash.
fn mix(all: u64, next: u64) -> u64 {
    (all.rotate_left(5) ^ next).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn bucket(hash: u64) -> usize {
    // The high bits are the best mixed.
    usize::try_from(hash >> 32).unwrap_or_default() % BUCKETS
}
