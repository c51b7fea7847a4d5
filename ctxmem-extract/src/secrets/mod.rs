//! Secrets in plain text: private keys, tokens, labelled passwords, card numbers, codes.
//!
//! Pure detectors without a model. They would rather take something harmless for a secret
//! (a fact is not stored) than the other way round (a password is in the database).

mod cards;
mod labels;
#[cfg(test)]
pub(super) mod samples;
mod tokens;

use std::borrow::Cow;

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

/// The text with what hides a secret from the eye folded away: invisible characters, curly
/// quotes, full-width digits and letters.
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
    fn secrets() {
        for text in [
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
            "-----BEGIN PRIVATE KEY-----",
            "sk-proj-4f8aKq2LmZxW0tYvBn3R",
            "key is sk_live_51H8xYzAbCdEfGhIj",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "use github_pat_11ABCDEFG0abcdefghijkl_mnop please",
            "glpat-abcdefghij1234567890",
            "xoxb-123456789012-abcdefGHIJKL",
            "AKIAIOSFODNN7EXAMPLE",
            "AIzaSyA-1234567890abcdefghijklmnopqrstuv",
            "hf_abcdefghijklmnopqrstuvwxyz0123",
            "ctxm_4hJ2kLm9PqRsTuVwXyZ0123456789abcdef",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3",
            "postgres://app:Qu4rtz@db.example.test/app",
            "https://example.test/hook?token=abc123def",
            "Authorization: Bearer abc.def-123",
            "my password is swordfish",
            "password: hunter2",
            "the password is hunter2",
            "pwd=letmein",
            "PASSWORD=letmein",
            "ADMIN_PASS=mango-Tundra-55 make seed",
            "user app_ro, password Qu4rtz!Heron92",
            "API_KEY=zq9-4417-kk20-ddva-8831 curl fails",
            "token is pmk-7f31c0de99ab44d2",
            "client_secret: 'abcd1234'",
            "my pin is 4821",
            "cvv 318",
            "the verification code is 482913",
            "OTP: 123 456",
            "your one-time code 771 204",
            "4111 1111 1111 1111",
            "pay with 5555-5555-5555-4444 please",
            "amex 378282246310005",
            "wifi is GuestHall / plumCake_1987",
            "is Tr0ub4dor&3 strong?",
            "d41d8cd98f00b204e9800998ecf8427e",
            "passwort: geheim123",
            "contraseña: secreto99",
            "mot de passe : azerty42",
            "pass\u{200B}word: hunter2",
            "passphrase is \"correct horse battery staple\"",
        ] {
            assert!(contains_secret(text), "{text}");
        }
    }

    #[test]
    fn secrets_as_people_write_them() {
        let missed: Vec<_> = samples::SECRETS
            .iter()
            .filter(|text| !contains_secret(text))
            .collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn harmless_texts_that_look_like_secrets() {
        let taken: Vec<_> = samples::HARMLESS
            .iter()
            .filter(|text| contains_secret(text))
            .collect();
        assert!(taken.is_empty(), "{taken:#?}");
    }

    #[test]
    fn ordinary_texts() {
        for text in [
            "Lisbon",
            "I forgot my password",
            "the password is wrong",
            "my password is too short",
            "is this a strong password?",
            "Uses 1Password as password manager",
            "password manager: Bitwarden",
            "Working on password reset",
            "the token is expired",
            "Implementing API key rotation",
            "token: JWT with short lifetime",
            "Call +49 170 1234567 on Monday",
            "Order 1234567890123",
            "Ubuntu 22.04 and Postgres 14",
            "gpt-4o-mini",
            "Deploys to eu-central-1",
            "VS Code 1.93.1",
            "Deadline 2026-03-14T12:00:00Z",
            "550e8400-e29b-41d4-a716-446655440000",
            "https://example.test/docs/getting-started",
            "RTX4090 and i9-13900K",
            "code is reviewed by Priya",
            "pins are numbered 1 to 40",
            "Donaudampfschifffahrtsgesellschaftskapitän",
            "tenant_settings_are_stored_in_postgres",
            "pass the AWS exam in June",
            "Passed the driving test",
            "2 spaces, single quotes, no semicolons",
            "secret santa is on Friday",
            "The secret is good stock",
            "key decisions: Stripe over Adyen",
        ] {
            assert!(!contains_secret(text), "{text}");
        }
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
