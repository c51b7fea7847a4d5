//! Lists of words that every word of a text is compared with. Most words are on none of them,
//! so that has to be clear at one look.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A number for a word, by which equal words are found fast: others seldom have the same one.
pub(super) const fn sign(word: &str) -> u64 {
    let mut signs = Signs::new();
    signs.add(word.as_bytes());
    signs.0
}

/// A set of signs that may say yes where it should say no, but never the other way round.
#[derive(Clone, Copy)]
pub(super) struct Marks([u64; Marks::BITS / 64]);

impl Marks {
    /// So many that the longest lists leave nine of ten unset.
    const BITS: usize = 1024;

    /// No signs.
    pub(super) const NONE: Self = Self([0; Self::BITS / 64]);

    /// The same with one more.
    pub(super) const fn with(mut self, sign: u64) -> Self {
        self.0[Self::place(sign)] |= 1 << (sign % 64);
        self
    }

    /// Whether the sign may be there.
    pub(super) fn has(&self, sign: u64) -> bool {
        self.0
            .get(Self::place(sign))
            .is_some_and(|marks| marks >> (sign % 64) & 1 == 1)
    }

    /// Which of the numbers holds the bit of a sign.
    const fn place(sign: u64) -> usize {
        (sign % Self::BITS as u64 / 64) as usize
    }
}

/// The words of a list that is compiled in, all in lower case.
pub(super) struct WordList {
    words: &'static [&'static str],
    signs: Marks,
}

impl WordList {
    /// Takes note of the words.
    pub(super) const fn new(words: &'static [&'static str]) -> Self {
        let mut signs = Marks::NONE;
        let mut n = 0;
        while n < words.len() {
            signs = signs.with(sign(words[n]));
            n += 1;
        }
        Self { words, signs }
    }

    /// Whether the word is on the list.
    pub(super) fn has(&self, word: &str) -> bool {
        self.has_signed(word, sign(word))
    }

    /// The same for a word whose sign is known.
    pub(super) fn has_signed(&self, word: &str, sign: u64) -> bool {
        self.signs.has(sign) && self.words.iter().any(|listed| same(listed, word))
    }
}

/// Whether the words are equal. Most that are compared differ in length or in the first letter,
/// which takes no call to find out.
#[inline]
pub(super) fn same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.as_bytes().first() == other.as_bytes().first() && one == other
}

/// A map that is filled once, with what is compiled in. Nobody outside chooses its keys, so it
/// needs no keyed hash, which takes longer than all the rest of a look-up.
pub(super) type Index<K, V> = HashMap<K, V, BuildHasherDefault<Signs>>;

/// The same without values.
pub(super) type IndexSet<K> = HashSet<K, BuildHasherDefault<Signs>>;

/// The hash behind signs: FNV-1a, and a sign as it is.
pub(super) struct Signs(u64);

impl Signs {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    const fn add(&mut self, bytes: &[u8]) {
        let mut n = 0;
        while n < bytes.len() {
            self.0 = (self.0 ^ bytes[n] as u64).wrapping_mul(0x0100_0000_01b3);
            n += 1;
        }
    }
}

impl Default for Signs {
    fn default() -> Self {
        Self::new()
    }
}

impl Hasher for Signs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.add(bytes);
    }

    fn write_u64(&mut self, sign: u64) {
        self.0 = sign;
    }
}

/// The text in lower case, which most words are.
pub(super) fn lower(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        Cow::Owned(text.to_lowercase())
    } else if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_its_words_and_no_others() {
        static LIST: WordList = WordList::new(&["one", "two", "été", ""]);
        for word in ["one", "two", "été", ""] {
            assert!(LIST.has(word), "{word}");
        }
        for word in ["three", "on", "ones", "ete", "One"] {
            assert!(!LIST.has(word), "{word}");
        }
    }

    #[test]
    fn texts_in_lower_case() {
        for (text, low) in [("low", "low"), ("Up", "up"), ("ÉTÉ", "été"), ("ß", "ß")] {
            assert_eq!(lower(text), low);
        }
        assert!(matches!(lower("it's 3.12"), Cow::Borrowed(_)));
    }
}
