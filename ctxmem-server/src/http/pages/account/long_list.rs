//! An indented JSON object whose last field is a list that is too long for the memory: written piece
//! by piece, with the bytes that it would have if it were written at once.

use serde::Serialize;

use crate::failpoint;

/// How an object ends whose last field is an empty list.
const EMPTY_LIST: &[u8] = b"[]\n}";

/// The object up to its first entry. `head` ends in an empty list.
pub(super) fn opening(head: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(head)?;
    failpoint::check(bytes.ends_with(EMPTY_LIST), || "no list at the end".into());
    bytes.truncate(bytes.len().saturating_sub(EMPTY_LIST.len()));
    bytes.push(b'[');
    Ok(bytes)
}

/// Some entries, the first ones of the list or later ones.
pub(super) fn entries(entries: &[impl Serialize], are_first: bool) -> serde_json::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for (n, entry) in entries.iter().enumerate() {
        if n > 0 || !are_first {
            bytes.push(b',');
        }
        bytes.extend(b"\n    ");
        // Line breaks within texts are escaped.
        let entry = serde_json::to_string_pretty(entry)?;
        bytes.extend(entry.replace('\n', "\n    ").as_bytes());
    }
    Ok(bytes)
}

/// The end of a list that has entries, and of the object.
pub(super) const END: &[u8] = b"\n  ]\n}";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_pieces_are_the_whole() {
        let list = [
            json!({"a": "line\nbreak", "b": [1, 2], "c": {}}),
            json!({"a": null}),
            json!({"a": "]\n}"}),
        ];
        let mut written = opening(&json!({"x": {"y": []}, "list": []})).unwrap();
        written.extend(entries(&list[..1], true).unwrap());
        written.extend(entries(&list[1..], false).unwrap());
        written.extend(END);
        let whole = serde_json::to_vec_pretty(&json!({"x": {"y": []}, "list": list})).unwrap();
        assert_eq!(written, whole);
    }
}
