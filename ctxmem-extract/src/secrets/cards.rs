//! Payment card numbers: 13 to 19 digits with a valid check digit, grouped as on a card or in any way
//! where nothing else stands beside them.

use super::{Group, groups};

/// The longest separator between two groups of a number: `4111, 1111, …`, `4111 / 1111 / …`.
const LONGEST_GAP: usize = 3;

/// How cards group their digits, and how people do who leave out some spaces.
const GROUPINGS: [&[usize]; 10] = [
    &[4, 4, 4, 4],
    &[4, 6, 5],
    &[4, 6, 4],
    &[4, 4, 4, 4, 3],
    &[4, 4, 4, 4, 2],
    &[8, 8],
    &[4, 12],
    &[6, 10],
    &[6, 13],
    &[2, 2, 2, 2, 2, 2, 2, 2],
];

pub(super) fn contains_card(text: &str) -> bool {
    if text.bytes().filter(u8::is_ascii_digit).count() < 13 {
        return false;
    }
    let groups = groups(text, |c| c.is_ascii_digit());
    groups.iter().enumerate().any(|(n, group)| {
        // So begin numbers of telephones.
        if group.gap.ends_with('+') {
            return false;
        }
        holds_card(group.text)
            || groups.get(n..).is_some_and(|from| {
                GROUPINGS.iter().any(|sizes| is_grouped(from, sizes)) || is_whole(from, n > 0)
            })
    })
}

/// Whether so little stands before a group that it may go on with the number before it.
fn goes_on(gap: &str) -> bool {
    !gap.is_empty() && gap.chars().count() <= LONGEST_GAP && !gap.contains(char::is_alphanumeric)
}

/// Whether the digits are a number by themselves, or a number with month and year behind it.
fn holds_card(digits: &str) -> bool {
    if digits.len() < 13 {
        return false;
    }
    let begins = |length| digits.get(..length).is_some_and(is_card);
    match digits.len() {
        length @ 13..=19 if is_card(digits) => {
            length == 16 || !matches!(length, 13 | 17 | 18) || digits.starts_with(['4', '5', '6'])
        }
        // Longer ones are measurements or logs.
        14..=23 => begins(16) || (digits.starts_with('3') && begins(15)),
        _ => false,
    }
}

/// Whether groups of these sizes, with the same between them, are a number.
fn is_grouped(from: &[Group<'_>], sizes: &[usize]) -> bool {
    let Some(groups) = from.get(..sizes.len()) else {
        return false;
    };
    let gap = groups.get(1).map_or("", |group| group.gap);
    let alike = |(n, (group, size)): (usize, (&Group<'_>, &usize))| {
        group.text.len() == *size && (n == 0 || group.gap == gap)
    };
    goes_on(gap) && groups.iter().zip(sizes).enumerate().all(alike) && is_card(&joined(groups))
}

/// Whether all groups up to the next wider gap are one number, however they are grouped.
fn is_whole(from: &[Group<'_>], is_inside: bool) -> bool {
    let narrow = |group: &Group<'_>| matches!(group.gap, " " | "-" | "_" | ".");
    if is_inside && from.first().is_some_and(narrow) {
        return false;
    }
    let length = 1 + from
        .iter()
        .skip(1)
        .take(19)
        .take_while(|group| narrow(group))
        .count();
    let groups = from.get(..length).unwrap_or_default();
    let dotted = groups.iter().skip(1).any(|group| group.gap == ".");
    // Of 13 digits are old cards and most telephones.
    let number = joined(groups);
    !dotted && length > 1 && number.len() > 13 && is_card(&number)
}

fn joined(groups: &[Group<'_>]) -> String {
    groups.iter().map(|group| group.text).collect()
}

/// Whether the digits begin like those of an issuer, and the last one checks the others.
fn is_card(digits: &str) -> bool {
    (13..=19).contains(&digits.len()) && is_issued(digits) && luhn(digits)
}

/// Whether a network issues cards that begin so.
fn is_issued(digits: &str) -> bool {
    let first: u32 = digits
        .get(..4)
        .and_then(|first| first.parse().ok())
        .unwrap_or_default();
    matches!(
        first,
        4000..=4999
            | 5000..=5099
            | 5100..=5899
            | 2221..=2720
            | 3000..=3059
            | 3095
            | 3400..=3499
            | 3528..=3589
            | 3600..=3999
            | 6000..=6999
            | 2200..=2204
    )
}

/// Whether the last digit checks the others, as on cards.
fn luhn(digits: &str) -> bool {
    let digits = digits.bytes().rev().map(|byte| u32::from(byte - b'0'));
    let sum: u32 = digits
        .enumerate()
        .map(|(n, digit)| {
            let doubled = if n % 2 == 1 { digit * 2 } else { digit };
            if doubled > 9 { doubled - 9 } else { doubled }
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards() {
        for text in [
            "4111111111111111",
            "4111 1111 1111 1111 09 27",
            "(3782 822463 10005)",
            "4111.1111.1111.1111",
            "4111 111111111111",
            "Ticket 7 4111111111111111",
            "My cards: 1 4111 1111 1111 1111",
            "In 2026 4111 1111 1111 1111 is my card",
            "Valid 12/27 4111111111111111",
            "4111_1111_1111_1111",
            "4111·1111·1111·1111",
            "4111/1111/1111/1111",
            "4111, 1111, 1111, 1111",
            "4111 - 1111 - 1111 - 1111",
            "41 11 11 11 11 11 11 11",
            "4 111111 111111111",
            "41111111111111110927",
            "a: 4111\n1111\n1111\n1111",
            "from 3 to 5555-5555-5555-4444",
        ] {
            assert!(contains_card(text), "{text}");
        }
    }

    #[test]
    fn other_numbers() {
        for text in [
            "4111 1111 1111 1112",
            "1970-01-01 00:00:00",
            "",
            "10.1145/3292500.3330701",
            "00340434161094042557",
            "1700000000000 and 1700000000001",
            "2024, 2025, 2026, 2027",
            "0.12 0.25 0.5 1.0 2.0 4.0 8.0 16.0",
            "+4915112345678 or +49 151 1234 5678 90",
        ] {
            assert!(!contains_card(text), "{text}");
        }
    }
}
