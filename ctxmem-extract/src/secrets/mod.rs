//! Secrets in plain text: private keys, tokens, labelled passwords, card numbers, codes.
//!
//! Pure detectors without a model. They prefer false alarms (a fact is not stored) to misses (a
//! password is in the database).

mod cards;
mod cut;
mod labels;
#[cfg(test)]
pub(super) mod samples;
mod tokens;

use std::borrow::Cow;

pub use cut::without_secrets;

/// Whether the text holds anything that must not be stored.
pub fn contains_secret(text: &str) -> bool {
    let text = plain(text);
    tokens::contains_key_block(&text)
        || contains_token(&text)
        || cards::contains_card(&text)
        || cards::contains_iban(&text)
        || labels::contains_labelled(&text)
}

fn contains_token(text: &str) -> bool {
    let mut before = "";
    text.split_whitespace().any(|word| {
        let announced = std::mem::replace(&mut before, word);
        tokens::is_token(word)
            && !(tokens::announces_a_digest(announced) && tokens::is_digest(word))
    })
}

/// Whether a slot of this name would hold a secret (`wifi password`, `api key`).
pub(super) fn names_a_secret(key: &str) -> bool {
    labels::names_a_secret(key)
}

/// The text without the tricks that hide a secret: invisible characters go, and curly quotes,
/// full-width digits and letters become plain ones.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let plain = text
        .chars()
        .filter(|c| {
            !matches!(
                c,
                '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{AD}'
            )
        })
        .map(|c| match c {
            '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201C}' | '\u{201D}' => '"',
            '\u{2010}'..='\u{2015}' => '-',
            c => c,
        })
        .collect();
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_as_people_write_them() {
        let missed: Vec<_> = samples::secrets()
            .filter(|text| !contains_secret(text))
            .collect();
        assert!(missed.is_empty(), "{missed:#?}");
        for text in [
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
            "pass\u{200B}word: hunter2",
        ] {
            assert!(contains_secret(text), "{text}");
        }
    }

    #[test]
    fn harmless_texts_that_look_like_secrets() {
        let taken: Vec<_> = samples::harmless()
            .filter(|text| contains_secret(text))
            .collect();
        assert!(taken.is_empty(), "{taken:#?}");
    }

    proptest! {
        #[test]
        fn any_text_is_judged(text in any::<String>()) {
            contains_secret(&text);
            names_a_secret(&text);
        }

        #[test]
        fn a_labelled_password_is_found_anywhere(before in "[a-z ]{0,40}", secret in "[a-z]{3}[0-9]{3}[a-z]{2}") {
            let text = format!("{before} password: {secret}");
            prop_assert!(contains_secret(&text));
        }
    }
}
