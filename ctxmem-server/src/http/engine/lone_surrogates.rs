//! Halves of surrogate pairs in JSON. JavaScript cuts strings between UTF-16 units, so an agent that
//! shortens a text may send `"\ud83d"` alone, which no text in Rust can hold. The turn would be lost
//! for a picture of which only half is there.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;

use crate::core::Error;

/// What stands in the place of each half: U+FFFD, as long as what it replaces.
const REPLACEMENT: &[u8] = br"\ufffd";

/// The JSON with U+FFFD in the place of halves without the other half. Bodies without such an escape
/// are passed on as they are.
pub(crate) fn replaced(json: Bytes) -> Bytes {
    // Most bodies have no backslash at all, and this looks at several bytes at once.
    if !json.contains(&b'\\') {
        return json;
    }
    let mut found = first_from(&json, 0);
    let mut mended: Option<Vec<u8>> = None;
    while let Some((at, unit)) = found {
        let pair = is_high(unit).then(|| unit_at(&json, at + ESCAPE));
        found = match pair.flatten() {
            Some(low) if !is_high(low) && is_surrogate(low) => first_from(&json, at + 2 * ESCAPE),
            _ => {
                let mended = mended.get_or_insert_with(|| json.to_vec());
                if let Some(half) = mended.get_mut(at..at + ESCAPE) {
                    half.copy_from_slice(REPLACEMENT);
                }
                first_from(&json, at + ESCAPE)
            }
        };
    }
    mended.map_or(json, Bytes::from)
}

/// Refuses a body whose user id was cut like that: the ids of several users would become one.
pub(crate) fn check_user_id(json: &[u8]) -> Result<(), Error> {
    #[derive(Deserialize)]
    struct OfUser<'j> {
        #[serde(rename = "userId", borrow)]
        user_id: Cow<'j, str>,
    }
    // Bodies that hold none of what stands for a half are not read twice.
    if !json.contains(&b'\\') || !json.windows(ESCAPE).any(|bytes| bytes == REPLACEMENT) {
        return Ok(());
    }
    match serde_json::from_slice::<OfUser<'_>>(json) {
        Ok(body) if body.user_id.contains(char::REPLACEMENT_CHARACTER) => Err(Error::BadRequest(
            "userId: expected whole characters, not half a surrogate pair".to_owned(),
        )),
        // What else is wrong with it is said where it is read.
        _ => Ok(()),
    }
}

/// How many bytes `\ud83d` has.
const ESCAPE: usize = REPLACEMENT.len();

/// The first escape of a surrogate from a place on, which is not inside an escape.
fn first_from(json: &[u8], mut at: usize) -> Option<(usize, u16)> {
    loop {
        let rest = json.get(at..)?;
        at += rest.iter().position(|byte| *byte == b'\\')?;
        match unit_at(json, at) {
            Some(unit) if is_surrogate(unit) => return Some((at, unit)),
            // Past the backslash and what it escapes, which may be another backslash.
            _ => at += 2,
        }
    }
}

/// The UTF-16 unit whose escape begins at a place.
fn unit_at(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + ESCAPE)?.strip_prefix(br"\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    // A sign is no digit.
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

fn is_surrogate(unit: u16) -> bool {
    (0xD800..0xE000).contains(&unit)
}

fn is_high(unit: u16) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn read(json: &str) -> String {
        let mended = replaced(Bytes::copy_from_slice(json.as_bytes()));
        serde_json::from_slice::<Value>(&mended).unwrap()["m"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn halves_without_the_other_half_become_replacement_characters() {
        for (json, text) in [
            (r#"{"m":"a\ud83d"}"#, "a\u{FFFD}"),
            (r#"{"m":"\uDE00b"}"#, "\u{FFFD}b"),
            (r#"{"m":"\ud83d\ud83d\ude00"}"#, "\u{FFFD}😀"),
            (r#"{"m":"\ude00\ud83d"}"#, "\u{FFFD}\u{FFFD}"),
            (r#"{"m":"\ud83d\n\ude00"}"#, "\u{FFFD}\n\u{FFFD}"),
            (r#"{"m":"\ud83d\\ude00"}"#, "\u{FFFD}\\ude00"),
            (r#"{"m":"\\\ud83d"}"#, "\\\u{FFFD}"),
        ] {
            assert_eq!(read(json), text, "{json}");
        }
    }

    #[test]
    fn everything_else_is_passed_on_without_a_copy() {
        for json in [
            r#"{"m":"\\ud83d"}"#,
            r#"{"m":"\\\\ud83d \\\\\\ud83d"}"#,
            r#"{"m":"\ud83d\ude00 😀 \u00e9 \n"}"#,
            r#"{"m":"\ufffd \uD7FF \uE000"}"#,
            r#"{"m":"C:\\users\\d800"}"#,
            r#"{"m":"\u+d83"#,
            r#"{"m":"\ud8"#,
            r"\",
            "",
        ] {
            let json = Bytes::from_static(json.as_bytes());
            let passed = replaced(json.clone());
            assert_eq!(passed.as_ptr(), json.as_ptr(), "{json:?}");
            assert_eq!(passed, json);
        }
    }

    proptest! {
        #[test]
        fn any_units_can_be_read(units in proptest::collection::vec(any::<u16>(), 0..40)) {
            let escapes: Vec<String> = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let escapes = escapes.concat();
            let json = format!("{{\"m\":\"{escapes}\"}}");
            prop_assert_eq!(read(&json), String::from_utf16_lossy(&units));
        }

        #[test]
        fn any_bytes_are_passed_on(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let length = bytes.len();
            prop_assert_eq!(replaced(Bytes::from(bytes)).len(), length);
        }
    }
}
