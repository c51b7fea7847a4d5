//! Many rows as an argument a column: a Postgres array, written as text. Postgres reads that in
//! less time than it takes to find the columns of each row in a JSON text.

use std::fmt::Write as _;

use super::Hash;

/// What an array holds.
pub(super) trait Element {
    fn write(&self, text: &mut String);
}

/// The array of these, as Postgres reads it.
pub(super) fn array<E: Element>(elements: impl IntoIterator<Item = E>) -> String {
    let mut text = String::from("{");
    for element in elements {
        if text.len() > 1 {
            text.push(',');
        }
        element.write(&mut text);
    }
    text.push('}');
    text
}

impl Element for i64 {
    fn write(&self, text: &mut String) {
        // A string takes whatever is written to it.
        let _ = write!(text, "{self}");
    }
}

impl Element for &str {
    fn write(&self, text: &mut String) {
        text.push('"');
        for part in self.split_inclusive(['"', '\\']) {
            match part.strip_suffix(['"', '\\']) {
                Some(plain) => {
                    text.push_str(plain);
                    text.push('\\');
                    text.push_str(&part[plain.len()..]);
                }
                None => text.push_str(part),
            }
        }
        text.push('"');
    }
}

impl Element for &Hash {
    fn write(&self, text: &mut String) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        text.push_str("\"\\\\x");
        for byte in *self {
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        text.push('"');
    }
}

impl<E: Element> Element for Option<E> {
    fn write(&self, text: &mut String) {
        match self {
            Some(element) => element.write(text),
            None => text.push_str("NULL"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_text_holds_it_stays_one_element() {
        let texts = [
            "",
            "plain",
            "a \"word\"",
            "C:\\",
            "NULL",
            "{,}",
            "\"",
            "é\\\"",
        ];
        assert_eq!(
            array(texts),
            r#"{"","plain","a \"word\"","C:\\","NULL","{,}","\"","é\\\""}"#
        );
    }

    #[test]
    fn nothing_numbers_and_bytes() {
        assert_eq!(array::<i64>([]), "{}");
        assert_eq!(array([Some(1), None, Some(-2)]), "{1,NULL,-2}");
        let bytes = array([&[0xa5; 32]]);
        assert_eq!(bytes, format!("{{\"\\\\x{}\"}}", "a5".repeat(32)));
    }
}
