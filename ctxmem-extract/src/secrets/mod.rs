//! Secrets in plain text: private keys, tokens, labelled passwords, card numbers, codes.
//!
//! Pure detectors without a model. They prefer false alarms (a fact is not stored) to misses (a
//! password is in the database).

mod cards;
mod commands;
mod cut;
mod ibans;
mod labels;
mod marked;
mod persons;
mod phrases;
mod plain;
mod prefixes;
#[cfg(test)]
pub(super) mod samples;
#[cfg(test)]
mod shapes;
mod tokens;

pub use cut::without_secrets;
pub(super) use plain::plain;

/// Whether the text holds anything that must not be stored.
pub fn contains_secret(text: &str) -> bool {
    let text = plain(text);
    tokens::contains_key_block(&text)
        || contains_token(&text)
        || cards::contains_card(&text)
        || ibans::contains_iban(&text)
        || persons::contains_number(&text)
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

/// Characters of one kind in a row, and what stands before them.
#[derive(Clone, Copy)]
struct Group<'t> {
    gap: &'t str,
    text: &'t str,
}

/// The groups of a text.
fn groups(text: &str, is_part: fn(char) -> bool) -> Vec<Group<'_>> {
    let mut groups = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(is_part) {
        let (gap, from) = rest.split_at(at);
        let end = from.find(|c| !is_part(c));
        let (text, after) = from.split_at(end.unwrap_or(from.len()));
        groups.push(Group { gap, text });
        rest = after;
    }
    groups
}

/// Whether a slot of this name would hold a secret (`wifi password`, `api key`).
pub(super) fn names_a_secret(key: &str) -> bool {
    labels::names_a_secret(key)
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

    /// What the detectors look at closely.
    const HARD: &[&str] = &[
        " ",
        "\n",
        ":",
        "=",
        "==",
        "/",
        "://",
        "@",
        "-",
        "\u{2014}",
        "\u{2212}",
        "\u{34F}",
        "\u{301}",
        "\u{FDFA}",
        "\u{E000}",
        "1",
        "12",
        "4111",
        "\u{664}\u{661}",
        "\u{FF14}",
        "GB29",
        "DE",
        "QQ",
        "A",
        "eyJ",
        "sk-",
        "0x",
        "curl ",
        " -u ",
        "mysql ",
        "-p",
        "password",
        "p\u{430}ss",
        "is",
        "words",
        "orbit ",
        "\u{65E5}",
        "\u{1F600}",
        "-BEGIN",
        "PRIVATE KEY",
        "-END",
        "/invite/",
        "?token=",
        ".",
    ];

    proptest! {
        #[test]
        fn any_text_is_judged(text in any::<String>()) {
            contains_secret(&text);
            names_a_secret(&text);
        }

        #[test]
        fn any_mixture_of_hard_parts_is_judged_and_cut(parts in proptest::collection::vec(
            proptest::sample::select(HARD), 0..60,
        )) {
            let text = parts.concat();
            contains_secret(&text);
            names_a_secret(&text);
            prop_assert!(!contains_secret(&without_secrets(&text)), "{}", text);
        }

        #[test]
        fn a_card_is_found_among_other_numbers(
            before in "([0-9]{1,3}[ ,;/:]{1,2}){0,4}",
            gap in "[ \\-_/·−]",
            after in "( [0-9]{1,2}){0,3}",
        ) {
            let groups = ["4111", "1111", "1111", "1111"].join(&gap);
            let text = format!("{before} {groups}{after}");
            prop_assert!(contains_secret(&text), "{}", text);
        }

        #[test]
        fn a_labelled_password_is_found_anywhere(before in "[a-z ]{0,40}", secret in "[a-z]{3}[0-9]{3}[a-z]{2}") {
            let text = format!("{before} password: {secret}");
            prop_assert!(contains_secret(&text));
        }
    }
}
