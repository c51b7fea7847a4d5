//! Texts without the tricks that hide what they say.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

use crate::hidden::is_hidden;

/// The text without the tricks that hide a secret or an order: characters that print nothing and
/// accents that stand apart go; letters, digits, quotes and dashes of other forms become plain ones,
/// and so do letters of other alphabets that only look like those around them.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    // Statements have quotation marks. To normalise them for no more than that would take longer than all else.
    if text.chars().all(|c| c.is_ascii() || mark(c).is_some()) {
        return text.chars().map(|c| mark(c).unwrap_or(c)).collect();
    }
    let seen = text.chars().filter(|c| {
        let is_accent = matches!(c, '\u{300}'..='\u{36F}' | '\u{FE0F}');
        !is_accent && (!is_hidden(*c) || c.is_whitespace())
    });
    let plain: String = seen.map(space).nfkc().map(plain_char).collect();
    Cow::Owned(without_look_alikes(plain))
}

/// Spaces of other widths are spaces. Line breaks stay what they are.
fn space(c: char) -> char {
    match c {
        '\u{2028}' | '\u{2029}' => c,
        c if c.is_whitespace() && !c.is_control() => ' ',
        c => c,
    }
}

fn plain_char(c: char) -> char {
    mark(c).or_else(|| digit(c)).unwrap_or(c)
}

/// The plain form of a quotation mark or a dash.
fn mark(c: char) -> Option<char> {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{2032}' => Some('\''),
        '\u{201C}' | '\u{201D}' | '\u{201E}' => Some('"'),
        '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{2E3A}' | '\u{2E3B}' => Some('-'),
        _ => None,
    }
}

/// Where the digits of other scripts begin, each with ten in a row.
const ZEROS: [u32; 46] = [
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6,
    0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50,
    0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0x104A0,
    0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x1E950,
];

fn digit(c: char) -> Option<char> {
    if !c.is_numeric() || c.is_ascii() {
        return None;
    }
    let code = u32::from(c);
    let begun = ZEROS.partition_point(|zero| *zero <= code);
    let value = code - ZEROS.get(begun.checked_sub(1)?)?;
    char::from_digit(value, 10).filter(|_| value < 10)
}

/// Letters of the Cyrillic and the Greek alphabet that look like Latin ones.
const LOOK_ALIKES: [(&str, &str); 2] = [
    (
        "аеорсухіјѕԛԝһԁӏвкмнтьАВЕКМНОРСТУХІЈЅԚԜҺЗ",
        "aeopcyxijsqwhdlbkmhtbABEKMHOPCTYXIJSQWHZ",
    ),
    ("αοενρτυικχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aoevptuikxABEZHIKMNOPTYX"),
];

fn look_alike(c: char) -> Option<char> {
    LOOK_ALIKES
        .iter()
        .find_map(|(alike, latin)| alike.chars().zip(latin.chars()).find(|(one, _)| *one == c))
        .map(|(_, latin)| latin)
}

/// Words that mix alphabets, or hold nothing but look-alikes of capitals, in Latin letters: `pаssword`
/// with a Cyrillic а, `РІN`.
fn without_look_alikes(text: String) -> String {
    let is_other = |c: char| matches!(c, '\u{370}'..='\u{3FF}' | '\u{400}'..='\u{52F}');
    if !text.contains(is_other) {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    for piece in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let is_mixed =
            piece.contains(is_other) && piece.contains(|c: char| c.is_ascii_alphabetic());
        let mut letters = piece.chars().filter(|c| c.is_alphabetic());
        let mut is_disguise = || letters.all(|c| c.is_uppercase() && look_alike(c).is_some());
        if is_mixed || is_disguise() {
            plain.extend(piece.chars().map(|c| look_alike(c).unwrap_or(c)));
        } else {
            plain.push_str(piece);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tricks_are_undone() {
        for (text, seen) in [
            ("pass\u{200B}wo\u{34F}rd", "password"),
            ("ｐａｓｓ４２", "pass42"),
            ("𝗽𝗮𝘀𝘀𝘄𝗼𝗿𝗱 𝟜𝟚", "password 42"),
            ("passwоrd", "password"),
            ("раѕѕword", "password"),
            ("ΡΙΝ: 4821", "PIN: 4821"),
            ("٤١١١ ۴۱", "4111 41"),
            ("1\u{2212}2\u{2014}3\u{a0}4", "1-2-3 4"),
            ("pa\u{301}ssword", "password"),
            ("“quoted”", "\"quoted\""),
            ("line\u{2028}next\u{85}one", "line\u{2028}next\u{85}one"),
        ] {
            assert_eq!(plain(text), seen, "{text}");
        }
    }

    #[test]
    fn other_alphabets_stay() {
        for text in [
            "пароль",
            "мой код",
            "κωδικός",
            "密码是",
            "contraseña",
            "haslo ą",
        ] {
            assert_eq!(plain(text), text, "{text}");
        }
    }

    #[test]
    fn the_zeros_of_scripts_are_in_order() {
        assert!(ZEROS.is_sorted());
        for zero in ZEROS {
            for value in 0..10 {
                let c = char::from_u32(zero + value).unwrap();
                assert_eq!(digit(c), char::from_digit(value, 10), "{c}");
            }
        }
        assert_eq!(digit('½'), None);
        for (alike, latin) in LOOK_ALIKES {
            assert_eq!(alike.chars().count(), latin.chars().count());
        }
    }
}
