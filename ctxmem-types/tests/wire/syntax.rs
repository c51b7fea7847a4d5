//! Errors about input that is not JSON, or is JSON with extreme nesting or the like.

use std::fmt::Debug;

use ctxmem_types::{Context, InjectRequest, JsonError, UpdateResponse, json};
use serde::de::DeserializeOwned;

use crate::json::error_of;

#[test]
fn what_is_no_json_is_told_by_its_place() {
    for (bytes, line, column) in [
        (&b""[..], 1, 0),
        (b" \n ", 2, 1),
        (b"canary", 1, 1),
        (b"{", 1, 1),
        (b"{\n  canary", 2, 3),
        (b"{\"userId\": \"canary", 1, 18),
        (b"{\"userId\": \"canary\n\"}", 2, 0),
        (b"{\"userId\": \"canary\",}", 1, 21),
        (b"{\"userId\": 'canary'}", 1, 12),
        (b"{\"userId\": NaN}", 1, 12),
        (b"{\"x\": 01}", 1, 8),
        (b"{\"x\": \"\\q\"}", 1, 9),
        (b"{\"x\": \"\xff\"}", 1, 8),
        (b"\xef\xbb\xbf{}", 1, 1),
    ] {
        let error = error_of::<InjectRequest>(bytes);
        assert_eq!(
            error.to_string(),
            format!("body: expected JSON, broken at line {line} column {column}"),
            "{}",
            bytes.escape_ascii()
        );
    }
}

fn is_syntax<T: DeserializeOwned + Debug>(json: &str) -> bool {
    matches!(error_of::<T>(json), JsonError::Syntax { .. })
}

#[test]
fn bytes_after_a_document_are_refused() {
    for rest in ["x", "{}", ",", "\0", "}"] {
        let json = r#"{"userId": "u", "basePrompt": "p"}"#.to_owned() + rest;
        assert!(is_syntax::<InjectRequest>(&json), "{rest:?}");
    }
    let blank = b" \t\r\n{\"userId\": \"u\", \"basePrompt\": \"p\"} \t\r\n";
    assert!(json::from_slice::<InjectRequest>(blank).is_ok());
}

#[test]
fn lone_surrogates_and_numbers_beyond_floating_point_are_refused() {
    for value in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800x""#,
        "1e999",
        "-1e999",
    ] {
        for json in [
            format!(r#"{{"userId": {value}, "basePrompt": "p"}}"#),
            format!(r#"{{"userId": "u", "basePrompt": "p", "unknown": {value}}}"#),
        ] {
            assert!(is_syntax::<InjectRequest>(&json), "{json}");
        }
    }
    let pair = br#"{"userId": "\ud83d\ude00", "basePrompt": "p"}"#;
    let request: InjectRequest = json::from_slice(pair).unwrap();
    assert_eq!(request.user_id.as_str(), "😀");
}

#[test]
fn deep_nesting_is_refused_wherever_it_is() {
    fn nested(depth: usize) -> String {
        "[".repeat(depth) + &"]".repeat(depth)
    }
    let deep = nested(100_000);
    for json in [
        deep.clone(),
        format!(r#"{{"userId": {deep}}}"#),
        format!(r#"{{"unknown": {deep}}}"#),
        format!(r#"{{"userId": "u", "raw_history": [{deep}]}}"#),
    ] {
        assert!(json::from_slice::<InjectRequest>(json.as_bytes()).is_err());
        assert!(json::from_slice::<Context>(json.as_bytes()).is_err());
    }
    assert!(is_syntax::<UpdateResponse>(&format!(
        r#"{{"updated": true, "delta": {{"x": {deep}}}}}"#
    )));
    let shallow = format!(r#"{{"updated": true, "x": {}}}"#, nested(100));
    assert!(json::from_slice::<UpdateResponse>(shallow.as_bytes()).is_ok());
}
