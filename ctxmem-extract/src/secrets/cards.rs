//! Payment card numbers (13 to 19 digits, possibly grouped, with a valid Luhn check digit) and
//! international bank account numbers.

/// Whether the text holds a card number.
pub(super) fn contains_card(text: &str) -> bool {
    if text.bytes().filter(u8::is_ascii_digit).count() < 13 {
        return false;
    }
    let mut digits: Vec<u32> = Vec::new();
    let mut gap = false;
    for c in text.chars().chain(std::iter::once('\0')) {
        if let Some(digit) = c.to_digit(10) {
            digits.push(digit);
            gap = false;
        } else if !gap
            && !digits.is_empty()
            && (matches!(c, ' ' | '-') || (c == '.' && digits.len().is_multiple_of(4)))
        {
            gap = true;
        } else {
            if holds_card(&digits) {
                return true;
            }
            digits.clear();
            gap = false;
        }
    }
    false
}

/// Whether the run, or its beginning before a date or a check code, is a card number.
fn holds_card(run: &[u32]) -> bool {
    // Runs longer than a few cards are measurements or logs, not something a person pays with.
    run.len() <= 64
        && run.first().is_some_and(|first| (2..=6).contains(first))
        && (13..=19).any(|len| run.get(..len).is_some_and(luhn) && plausible(run, len))
}

/// A number of unusual length counts only when nothing follows it.
fn plausible(run: &[u32], len: usize) -> bool {
    len == run.len() || len == 16 || (len == 15 && run.first() == Some(&3))
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(n, digit)| {
            let doubled = if n % 2 == 1 { digit * 2 } else { *digit };
            if doubled > 9 { doubled - 9 } else { doubled }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// How long account numbers are by country, in the order of the alphabet.
const IBAN_LENGTHS: &str = include_str!("../../data/gate/ibans.txt");

/// Whether the text holds what looks like an IBAN, in one word or in groups: people mistype
/// them, so the check digits may be wrong. Of an unknown country it has to be called one.
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

fn begins_iban<'a>(first: &str, groups: impl Iterator<Item = &'a str>, announced: bool) -> bool {
    let [a, b, c, d, ..] = first.as_bytes() else {
        return false;
    };
    if !([a, b].iter().all(|c| c.is_ascii_alphabetic())
        && [c, d].iter().all(|c| c.is_ascii_digit()))
    {
        return false;
    }
    // A group has four characters, the last one may have fewer.
    let mut length = first.len();
    let mut whole = first.len() != 4;
    for group in groups {
        if whole || group.len() > 4 || !group.bytes().any(|c| c.is_ascii_digit() || length < 12) {
            break;
        }
        length += group.len();
        whole = group.len() < 4;
    }
    let country = first.get(..2).unwrap_or_default().to_ascii_uppercase();
    let expected = IBAN_LENGTHS
        .split_whitespace()
        .find_map(|entry| entry.strip_prefix(country.as_str()));
    expected == Some(length.to_string().as_str()) || (announced && (12..=34).contains(&length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards() {
        assert!(contains_card("4111111111111111"));
        assert!(contains_card("4111 1111 1111 1111 09 27"));
        assert!(contains_card("(3782 822463 10005)"));
        assert!(!contains_card("4111 1111 1111 1112"));
        assert!(!contains_card("1970-01-01 00:00:00"));
        assert!(!contains_card(""));
        assert!(contains_card("4111.1111.1111.1111"));
        assert!(!contains_card("10.1145/3292500.3330701"));
    }

    #[test]
    fn ibans() {
        assert!(contains_iban("DE89370400440532013000"));
        assert!(contains_iban("to de89 3704 0044 0532 0130 00 by Friday"));
        assert!(contains_iban("DE88 3704 0044 0532 0130 00"));
        assert!(contains_iban("my IBAN: XX12 3456 7890 1234 5"));
        assert!(!contains_iban("order DE20240001234567"));
        assert!(!contains_iban("model XX12 3456 7890 1234 5"));
        assert!(!contains_iban("EU27 and UK"));
    }
}
