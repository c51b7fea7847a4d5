//! Numbers by which states know people, where their form gives them away. Others have to be called by
//! their name (`labels.rs`).

use super::{Group, groups};

pub(super) fn contains_number(text: &str) -> bool {
    if text.bytes().filter(u8::is_ascii_digit).count() < 4 {
        return false;
    }
    let groups = groups(text, |c| c.is_ascii_alphanumeric());
    (0..groups.len()).any(|n| {
        let from = groups.get(n..).unwrap_or_default();
        let Some(first) = from.first() else {
            return false;
        };
        is_number(first.text)
            || is_ssn(from)
            || is_ni(from)
            || is_cpf(from)
            || (!first.gap.ends_with('+') && (is_steuer_id(from) || is_aadhaar(from)))
            || is_nir(from)
    })
}

/// The digits of groups of these sizes, if the same of these gaps stands between all.
fn digits(from: &[Group<'_>], sizes: &[usize], gaps: &[&str]) -> Option<String> {
    let groups = from.get(..sizes.len())?;
    let gap = groups.get(1)?.gap;
    let is_over = from
        .get(sizes.len())
        .is_none_or(|next| next.gap != gap || !is_digits(next.text));
    let fits = |(n, (group, size)): (usize, (&Group<'_>, &usize))| {
        group.text.len() == *size && is_digits(group.text) && (n == 0 || group.gap == gap)
    };
    let all = groups.iter().zip(sizes).enumerate().all(fits);
    (all && is_over && gaps.contains(&gap)).then(|| groups.iter().map(|group| group.text).collect())
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|c| c.is_ascii_digit())
}

fn values(digits: &str) -> impl DoubleEndedIterator<Item = u32> + '_ {
    digits
        .bytes()
        .map(|byte| u32::from(byte.wrapping_sub(b'0')))
}

/// A number in one group.
fn is_number(word: &str) -> bool {
    match word.len() {
        9 => is_dni(word) || is_ni_form(word),
        10 => is_pan(word),
        16 => is_codice_fiscale(word),
        18 => is_chinese_id(word),
        _ => false,
    }
}

/// Social security number of the USA: `078-05-1120`.
fn is_ssn(from: &[Group<'_>]) -> bool {
    let Some(number) = digits(from, &[3, 2, 4], &["-"]) else {
        return false;
    };
    // Never given to anybody.
    !number.starts_with("000") && !number.starts_with('9') && !number.ends_with("0000")
}

/// National insurance number of the United Kingdom: `QQ 12 34 56 C`.
fn is_ni(from: &[Group<'_>]) -> bool {
    let Some(groups) = from.get(..5) else {
        return false;
    };
    let number = || groups.iter().map(|group| group.text).collect::<String>();
    groups
        .iter()
        .skip(1)
        .all(|group| matches!(group.gap, " " | "-"))
        && groups
            .iter()
            .map(|group| group.text.len())
            .eq([2, 2, 2, 2, 1])
        && is_ni_form(&number())
}

/// Two letters, six digits, and A to D.
fn is_ni_form(number: &str) -> bool {
    let (letters, rest) = number.split_at(2.min(number.len()));
    let (digits, last) = rest.split_at(6.min(rest.len()));
    letters.bytes().all(|c| c.is_ascii_uppercase())
        && digits.len() == 6
        && is_digits(digits)
        && matches!(last, "A" | "B" | "C" | "D")
}

/// Tax number of a person in Germany: eleven digits, `12 345 678 901`. One of the first ten comes
/// twice or three times, and the last one checks them (ISO 7064, mod 11, 10).
fn is_steuer_id(from: &[Group<'_>]) -> bool {
    digits(from, &[2, 3, 3, 3], &[" ", "-"]).is_some_and(|number| has_steuer_check(&number))
}

fn has_steuer_check(number: &str) -> bool {
    let Some((ten, last)) = number.split_at_checked(10) else {
        return false;
    };
    let mut counts = [0_u32; 10];
    let mut product = 10;
    for value in values(ten) {
        if let Some(count) = usize::try_from(value)
            .ok()
            .and_then(|value| counts.get_mut(value))
        {
            *count += 1;
        }
        let sum = (value + product) % 10;
        product = (if sum == 0 { 10 } else { sum } * 2) % 11;
    }
    let check = (11 - product) % 10;
    let repeated = counts.iter().filter(|count| **count > 1).count();
    !ten.starts_with('0') && repeated == 1 && values(last).next() == Some(check)
}

/// Aadhaar number of India: `2345 6789 0123`, with a check digit by Verhoeff.
fn is_aadhaar(from: &[Group<'_>]) -> bool {
    digits(from, &[4, 4, 4], &[" ", "-"])
        .is_some_and(|number| !number.starts_with(['0', '1']) && has_verhoeff_check(&number))
}

fn has_verhoeff_check(number: &str) -> bool {
    /// The products of the symmetries of a pentagon.
    const PRODUCTS: [[u8; 10]; 10] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
        [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
        [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
        [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
        [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
        [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
        [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
        [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
        [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    ];
    /// What a place makes of a digit, again after eight places.
    const PLACES: [[u8; 10]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
        [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
        [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
        [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
        [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ];
    let at = |table: &[[u8; 10]], row: usize, column: usize| {
        table
            .get(row)
            .and_then(|row| row.get(column))
            .copied()
            .map_or(0, usize::from)
    };
    let digits = number
        .bytes()
        .rev()
        .map(|byte| usize::from(byte.wrapping_sub(b'0')));
    let check = digits.enumerate().fold(0, |check, (n, digit)| {
        at(&PRODUCTS, check, at(&PLACES, n % 8, digit))
    });
    check == 0
}

/// Number of France: `1 84 12 76 451 089 46`, whose last two digits check the others.
fn is_nir(from: &[Group<'_>]) -> bool {
    let Some(number) = digits(from, &[1, 2, 2, 2, 3, 3, 2], &[" ", "-", "."]) else {
        return false;
    };
    let Some((number, key)) = number.split_at_checked(13) else {
        return false;
    };
    let (number, key): (u64, u64) = match (number.parse(), key.parse()) {
        (Ok(number), Ok(key)) => (number, key),
        _ => return false,
    };
    97 - number % 97 == key
}

/// Number of Brazil: `529.982.247-25`, whose last two digits check the others.
fn is_cpf(from: &[Group<'_>]) -> bool {
    let Some(groups) = from.get(..4) else {
        return false;
    };
    let has_form = groups.iter().map(|group| group.text.len()).eq([3, 3, 3, 2])
        && groups.iter().all(|group| is_digits(group.text))
        && groups
            .iter()
            .skip(1)
            .map(|group| group.gap)
            .eq([".", ".", "-"]);
    if !has_form {
        return false;
    }
    let number: String = groups.iter().map(|group| group.text).collect();
    let checks = |length: usize| {
        let weights = (2..=u32::try_from(length).unwrap_or_default() + 1).rev();
        let sum: u32 = values(&number)
            .zip(weights)
            .map(|(value, weight)| value * weight)
            .sum();
        let check = (sum * 10 % 11) % 10;
        values(&number).nth(length) == Some(check)
    };
    checks(9) && checks(10)
}

/// Number of Spain, of citizens (`12345678Z`) or foreigners (`X1234567L`): the letter checks it.
fn is_dni(word: &str) -> bool {
    const LETTERS: &[u8] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let Some((number, letter)) = word.split_at_checked(8) else {
        return false;
    };
    let number = match number.split_at(1) {
        ("X", rest) => format!("0{rest}"),
        ("Y", rest) => format!("1{rest}"),
        ("Z", rest) => format!("2{rest}"),
        _ => number.to_owned(),
    };
    let value = number.parse::<usize>().ok().filter(|_| is_digits(&number));
    value
        .and_then(|value| LETTERS.get(value % LETTERS.len()))
        .is_some_and(|expected| letter.as_bytes() == [*expected])
}

/// Tax number of India: `ABCPE1234F`, the fourth letter of which says what kind of person it is.
fn is_pan(word: &str) -> bool {
    let bytes = word.as_bytes();
    let kinds = bytes.iter().enumerate().all(|(n, c)| match n {
        3 => b"PCHABGJLFT".contains(c),
        5..=8 => c.is_ascii_digit(),
        _ => c.is_ascii_uppercase(),
    });
    kinds && bytes.len() == 10
}

/// Number of Italy: `RSSMRA85T10A562S`, whose last letter checks the others.
fn is_codice_fiscale(word: &str) -> bool {
    const ODD: [u32; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let upper = word.to_ascii_uppercase();
    let has_form = upper.bytes().enumerate().all(|(n, c)| match n {
        0..=5 | 8 | 11 | 15 => c.is_ascii_uppercase(),
        _ => c.is_ascii_digit(),
    });
    if !has_form {
        return false;
    }
    let value = |c: u8| {
        u32::from(if c.is_ascii_digit() {
            c - b'0'
        } else {
            c.wrapping_sub(b'A')
        })
    };
    let sum: u32 = upper
        .bytes()
        .take(15)
        .enumerate()
        .map(|(n, c)| {
            let value = value(c);
            let odd = usize::try_from(value).ok().and_then(|value| ODD.get(value));
            if n % 2 == 0 {
                odd.copied().unwrap_or_default()
            } else {
                value
            }
        })
        .sum();
    upper.bytes().last().map(value) == Some(sum % 26)
}

/// Number of China: 17 digits and one that checks them, or X.
fn is_chinese_id(word: &str) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    const CHECKS: &[u8] = b"10X98765432";
    let Some((number, check)) = word.split_at_checked(17) else {
        return false;
    };
    // The year of birth.
    let century = number.get(6..8);
    let sum: u32 = values(number)
        .zip(WEIGHTS)
        .map(|(value, weight)| value.saturating_mul(weight))
        .sum();
    let expected = usize::try_from(sum % 11).ok().and_then(|at| CHECKS.get(at));
    is_digits(number)
        && matches!(century, Some("19" | "20"))
        && expected.is_some_and(|expected| check.to_ascii_uppercase().as_bytes() == [*expected])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_people() {
        for text in [
            "my SSN: 078-05-1120.",
            "QQ 12 34 56 C",
            "it is AB123456C",
            "86 095 742 719",
            "47 036 892 816",
            "2341 2341 2346",
            "1 84 12 76 451 089 46",
            "529.982.247-25",
            "12345678Z",
            "X1234567L",
            "ABCPE1234F",
            "RSSMRA85T10A562S",
            "11010519491231002X",
        ] {
            assert!(contains_number(text), "{text}");
        }
    }

    #[test]
    fn numbers_of_other_things() {
        for text in [
            "900-12-3456 and 000-12-3456",
            "QQ 12 34 56 E",
            "86 095 742 710",
            "+86 095 742 719",
            "2341 2341 2345",
            "1 84 12 76 451 089 47",
            "529.982.247-26",
            "12345678A",
            "110105194912310021",
            "2026-03-05 12:30, 10.0.0.1, v1.2.3-4",
            "",
        ] {
            assert!(!contains_number(text), "{text}");
        }
    }
}
