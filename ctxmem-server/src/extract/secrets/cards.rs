//! Payment card numbers: 13 to 19 digits, possibly grouped, with a valid Luhn check digit.

/// Whether the text holds a card number.
pub(super) fn contains_card(text: &str) -> bool {
    let mut digits: Vec<u32> = Vec::new();
    let mut gap = false;
    for c in text.chars().chain(std::iter::once('\0')) {
        if let Some(digit) = c.to_digit(10) {
            digits.push(digit);
            gap = false;
        } else if matches!(c, ' ' | '-' | '.') && !gap && !digits.is_empty() {
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
    }
}
