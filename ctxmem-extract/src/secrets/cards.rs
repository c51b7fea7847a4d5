//! Payment card numbers: 13 to 19 digits, possibly grouped, with a valid Luhn check digit. And
//! international bank account numbers, with a valid remainder.

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

/// Whether the text holds an IBAN: written in one, or in groups of four.
pub(super) fn contains_iban(text: &str) -> bool {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let mut words = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        if begins_iban(word, words.clone()) {
            return true;
        }
    }
    false
}

fn begins_iban<'a>(first: &str, mut groups: impl Iterator<Item = &'a str>) -> bool {
    let head = first.as_bytes();
    if !matches!(head, [a, b, c, d, ..]
        if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() && c.is_ascii_digit() && d.is_ascii_digit())
    {
        return false;
    }
    let mut number = first.to_owned();
    loop {
        if number.len() > 34 {
            return false;
        }
        if number.len() >= 15 && leaves_one(&number) {
            return true;
        }
        match groups.next() {
            Some(group) if group.len() <= 4 => number.push_str(group),
            _ => return false,
        }
    }
}

/// The check of an IBAN: its first four characters to the end, letters as 10 to 35, modulo 97.
fn leaves_one(number: &str) -> bool {
    let (head, tail) = number.split_at_checked(4).unwrap_or_default();
    let digits = tail.chars().chain(head.chars());
    let rest = digits
        .filter_map(|c| c.to_digit(36))
        .fold(0, |rest, value| {
            let shift = if value < 10 { 10 } else { 100 };
            (rest * shift + value) % 97
        });
    rest == 1
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
        assert!(!contains_iban("DE88 3704 0044 0532 0130 00"));
        assert!(!contains_iban("EU27 and UK"));
    }
}
