//! International bank account numbers.

/// How long account numbers are by country, in the order of the alphabet.
const IBAN_LENGTHS: &str = include_str!("../../data/gate/ibans.txt");

/// The longest number of any country.
const LONGEST: usize = 34;

/// Whether the text holds what looks like an IBAN, in one word or in groups: people mistype
/// them, so the check digits may be wrong. Of an unknown country it has to be called one, and in
/// groups that nobody else makes the check digits must be right.
pub(super) fn contains_iban(text: &str) -> bool {
    if text.bytes().filter(u8::is_ascii_digit).count() < 8 {
        return false;
    }
    let mut words = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let mut announced = false;
    while let Some(word) = words.next() {
        announced = announced || word.eq_ignore_ascii_case("iban");
        if begins_iban(word, words.clone(), announced) {
            return true;
        }
    }
    false
}

fn begins_iban<'a>(
    first: &'a str,
    groups: impl Iterator<Item = &'a str> + Clone,
    announced: bool,
) -> bool {
    let Some(country) = first.get(..2) else {
        return false;
    };
    let digits = first.get(2..).unwrap_or_default();
    let two_digits = |text: &str| text.bytes().take(2).filter(u8::is_ascii_digit).count() == 2;
    let begins = country.bytes().all(|c| c.is_ascii_alphabetic())
        && (two_digits(digits)
            || (digits.is_empty() && groups.clone().next().is_some_and(two_digits)));
    if !begins {
        return false;
    }
    let expected = expected_length(country);
    // A group has four characters, the last one may have fewer.
    let mut length = first.len();
    let mut whole = first.len() != 4;
    for group in groups.clone() {
        if whole || group.len() > 4 || !group.bytes().any(|c| c.is_ascii_digit() || length < 12) {
            break;
        }
        length += group.len();
        whole = group.len() < 4;
    }
    (!digits.is_empty() && expected == Some(length))
        || (!digits.is_empty() && announced && (12..=LONGEST).contains(&length))
        || expected.is_some_and(|expected| is_checked(first, groups, expected))
}

fn expected_length(country: &str) -> Option<usize> {
    let country = country.to_ascii_uppercase();
    IBAN_LENGTHS
        .split_whitespace()
        .find_map(|entry| entry.strip_prefix(country.as_str()))
        .and_then(|length| length.parse().ok())
}

/// Whether words that are as long together as numbers of the country have the right check digits.
fn is_checked<'a>(first: &'a str, groups: impl Iterator<Item = &'a str>, expected: usize) -> bool {
    let mut number = String::with_capacity(LONGEST);
    for group in std::iter::once(first).chain(groups) {
        if number.len() + group.len() > expected {
            return false;
        }
        number.push_str(group);
        if number.len() == expected {
            return has_check_digits(&number);
        }
    }
    false
}

/// ISO 7064: the number with its first four characters behind it, letters as 10 to 35, is 1 modulo 97.
fn has_check_digits(number: &str) -> bool {
    let (head, rest) = number.split_at(number.len().min(4));
    let remainder = rest.chars().chain(head.chars()).fold(0, |remainder, c| {
        let value = c.to_digit(36).unwrap_or_default();
        let shifted = if value > 9 { 100 } else { 10 };
        (remainder * shifted + value) % 97
    });
    remainder == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ibans() {
        for text in [
            "DE89370400440532013000",
            "to de89 3704 0044 0532 0130 00 by Friday",
            "DE88 3704 0044 0532 0130 00",
            "my IBAN: XX12 3456 7890 1234 5",
            "GB29 NWBK60161331926819",
            "GB 29 NWBK 601613 31926819",
            "DE89-370400440532-013000",
            "NL91ABNA 0417 1643 00",
        ] {
            assert!(contains_iban(text), "{text}");
        }
        for text in [
            "order DE20240001234567",
            "model XX12 3456 7890 1234 5",
            "EU27 and UK",
            "in 12 or 24 hours at 1234 5678 9012",
        ] {
            assert!(!contains_iban(text), "{text}");
        }
    }
}
