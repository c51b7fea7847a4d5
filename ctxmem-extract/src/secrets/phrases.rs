//! Secrets of several plain words: passphrases, and the words by which a wallet is recovered.

use std::collections::HashSet;

use super::marked::{
    BELONGS, LINK, LITTLE, MarkedText, MarkedWord, PASSWORD, PHRASE_KIND, RECOVERY, REMARK, SUBJECT,
};

/// The shortest recovery phrase.
const RECOVERY_WORDS: usize = 12;

impl MarkedText<'_> {
    /// "My seed phrase is orbit lemon …", "the passphrase is wobbly teapot lantern", "my password is
    /// correct horse battery staple".
    pub(super) fn tells_a_phrase(&self, n: usize) -> bool {
        let is_password = self.is(n, PASSWORD);
        let named = match self.low(n) {
            "passphrase" | "mnemonic" => true,
            "phrase" | "words" | "wörter" | "mots" | "palabras" => {
                n > 0 && self.is(n - 1, PHRASE_KIND)
            }
            _ => false,
        };
        if !named && !is_password {
            return false;
        }
        let is_link = |n: &usize| {
            matches!(
                self.low(*n),
                "is" | "was" | "are" | "=" | ":" | "ist" | "es" | "est" | "lautet" | "é" | "è"
            )
        };
        (n + 1..n + 6).find(is_link).is_some_and(|link| {
            let told = self.words.len() >= link + 4;
            (named && told && !self.is(link + 1, REMARK | SUBJECT))
                || (is_password && self.is_passphrase(link + 1))
        })
    }

    /// Whether words begin here that say nothing together: no article, no verb, no remark about
    /// passwords stands among them.
    fn is_passphrase(&self, from: usize) -> bool {
        let rest = self.words.get(from..).unwrap_or_default();
        let mut ended = false;
        let is_plain = |word: &&MarkedWord<'_>| {
            let letters = word.text.chars().all(char::is_alphabetic);
            letters && (2..=14).contains(&word.text.len()) && word.kinds & NOT_IN_PHRASES == 0
        };
        let words = rest
            .iter()
            .take(12)
            .take_while(|word| !std::mem::replace(&mut ended, word.ends))
            .take_while(is_plain);
        let words: Vec<&MarkedWord<'_>> = words.collect();
        let remarks = words.iter().skip(1).filter(|word| word.kinds & REMARK != 0);
        if remarks.count() > 0 {
            return false;
        }
        let is_over = words.len() == rest.len() || words.last().is_some_and(|word| word.ends);
        words.len() >= if is_over { 3 } else { 4 }
    }

    /// Whether twelve words in a row are words of recovery phrases, numbered or not. Some of these
    /// make sentences as well ("that", "you", "know"), so no more than every fourth may be little. A list
    /// of the same words ("food 1, food 2") is none: a phrase hardly ever repeats one.
    pub(super) fn holds_recovery_words(&self) -> bool {
        if self.words.len() < RECOVERY_WORDS {
            return false;
        }
        let (mut found, mut little) = (0, 0);
        let mut different: HashSet<&str> = HashSet::new();
        self.words.iter().any(|word| {
            let is_number = word.text.len() <= 2 && word.text.bytes().all(|c| c.is_ascii_digit());
            if word.kinds & RECOVERY != 0 {
                found += 1;
                different.insert(word.text);
                little += usize::from(word.kinds & LITTLE != 0);
            } else if !is_number {
                (found, little) = (0, 0);
                different.clear();
            }
            found >= RECOVERY_WORDS && little * 4 <= found && different.len() * 4 >= found * 3
        })
    }
}

/// What makes a sentence of words, or says something of a password instead of telling it.
const NOT_IN_PHRASES: u32 = LITTLE | LINK | SUBJECT | BELONGS;
