//! No error repeats its input, and no input causes a panic.

use ctxmem_types::{
    Context, DeleteResponse, Delta, ErrorBody, Fact, FactsResponse, GrantRequest, GrantResponse,
    Health, InjectRequest, InjectResponse, JsonError, RevokeResponse, SignInLinkRequest,
    SignInLinkResponse, UpdateRequest, UpdateResponse, json,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::json::{error_of, message_of};
use crate::{arbitrary, canary, golden};

#[test]
fn names_in_maps_are_not_repeated() {
    let expected_a_fact =
        "expected a fact: a string, or an object with `value` and `source_type`, found a number";
    for name in canary::TEXTS {
        for map in ["preferences", "general"] {
            let odd = json!({"userId": "u", map: {name: 7}});
            let expected = format!("{map}.*: {expected_a_fact}");
            assert_eq!(message_of::<Context>(&odd), expected);
            let odd = json!({"userId": "u", map: {name: {"value": 7}}});
            let expected = format!("{map}.*.value: expected a string, found a number");
            assert_eq!(message_of::<Context>(&odd), expected);
        }
        let odd = json!({"checks": {name: 7}});
        let expected = "checks.*: expected a string, found a number";
        assert_eq!(message_of::<Health>(&odd), expected);
    }
}

/// A type that triggers every serde error which quotes its input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "it is only ever refused")]
struct Strict {
    level: Option<Level>,
    small: Option<u8>,
    letter: Option<char>,
    pair: Option<(u8, u8)>,
    never: Option<Never>,
}

#[derive(Debug, Deserialize)]
enum Level {
    Low,
    High,
}

#[derive(Debug, Deserialize)]
enum Never {}

#[test]
fn types_of_other_crates_are_explained_without_their_input() {
    for (json, message) in [
        (r#"{"level": "canary"}"#, "level: expected `Low` or `High`"),
        (r#"{"never": "canary"}"#, "never: expected something else"),
        (r#"{"small": 7777}"#, "small: expected u8"),
        (r#"{"small": -7}"#, "small: expected u8"),
        (r#"{"letter": "canary"}"#, "letter: expected a character"),
        (r#"{"pair": [7]}"#, "pair: expected a tuple of size 2"),
        (
            r#"{"canary": 7}"#,
            "body: expected one of `level`, `small`, `letter`, `pair`, `never`",
        ),
    ] {
        assert_eq!(error_of::<Strict>(json).to_string(), message);
    }
}

/// A type whose unknown fields serde finds only at the end, when there is no path to them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "it is only ever refused")]
struct StrictAtTheEnd {
    #[serde(flatten)]
    inner: Inner,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "it is only ever refused")]
struct Inner {
    known: Option<bool>,
}

#[test]
fn an_unknown_field_without_a_path_is_explained_as_well() {
    assert_eq!(
        error_of::<StrictAtTheEnd>(r#"{"canary": 7}"#).to_string(),
        "body: expected something else"
    );
}

type Reader = fn(&[u8]) -> Option<JsonError>;

/// Reads bytes as each type that can be a whole body.
const READERS: [Reader; 16] = [
    read::<Context>,
    read::<DeleteResponse>,
    read::<Delta>,
    read::<ErrorBody>,
    read::<Fact>,
    read::<FactsResponse>,
    read::<GrantRequest>,
    read::<GrantResponse>,
    read::<Health>,
    read::<InjectRequest>,
    read::<InjectResponse>,
    read::<RevokeResponse>,
    read::<SignInLinkRequest>,
    read::<SignInLinkResponse>,
    read::<UpdateRequest>,
    read::<UpdateResponse>,
];

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<JsonError> {
    json::from_slice::<T>(bytes).err()
}

/// JSON pointers to a value and to everything in it.
fn places(value: &Value) -> Vec<String> {
    let within = |(name, value): (String, &Value)| {
        let name = name.replace('~', "~0").replace('/', "~1");
        places(value)
            .into_iter()
            .map(move |place| format!("/{name}{place}"))
    };
    let mut all = vec![String::new()];
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), value));
            all.extend(fields.flat_map(within));
        }
        Value::Array(items) => {
            let items = (0..).zip(items).map(|(n, value)| (format!("{n}"), value));
            all.extend(items.flat_map(within));
        }
        _ => {}
    }
    all
}

#[test]
fn no_error_repeats_what_was_sent_wherever_it_stands() {
    let mut errors = 0;
    for text in golden::contents() {
        let valid: Value = serde_json::from_str(&text).unwrap();
        // The others refuse it for what it lacks, whatever stands within.
        let fitting = READERS
            .into_iter()
            .filter(|read| read(text.as_bytes()).is_none());
        let fitting: Vec<Reader> = fitting.collect();
        for place in places(&valid) {
            let readers = if place.is_empty() {
                &READERS[..]
            } else {
                &fitting
            };
            for text in canary::TEXTS {
                let odd = json!({text: text, "value": {text: text}});
                for odd in [json!(text), json!([text]), json!({text: 7}), odd] {
                    let mut sent = valid.clone();
                    *sent.pointer_mut(&place).unwrap() = odd;
                    let sent = sent.to_string();
                    for error in readers.iter().filter_map(|read| read(sent.as_bytes())) {
                        assert!(!error.to_string().contains(canary::WORD), "{error}\n{sent}");
                        assert!(!format!("{error:?}").contains(canary::WORD), "{error:?}");
                        errors += 1;
                    }
                }
            }
        }
    }
    assert!(errors > 10_000, "{errors} errors");
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_read_or_refused(bytes in any::<Vec<u8>>()) {
        for read in READERS {
            read(&bytes);
        }
    }

    #[test]
    fn arbitrary_json_is_read_or_refused(value in arbitrary::value()) {
        for read in READERS {
            read(value.to_string().as_bytes());
        }
    }

    #[test]
    fn a_golden_file_in_which_bytes_changed_is_read_or_refused(
        text in select(golden::contents()),
        changes in proptest::collection::vec((any::<Index>(), any::<u8>()), 1..4),
        cut in any::<Index>(),
    ) {
        let mut bytes = text.into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        for read in READERS {
            read(&bytes);
            read(&bytes[..cut.index(bytes.len())]);
        }
    }

    #[test]
    fn a_golden_file_with_another_value_in_it_is_read_or_refused(
        text in select(golden::contents()),
        at in any::<Index>(),
        value in arbitrary::value(),
    ) {
        let mut json: Value = serde_json::from_str(&text).unwrap();
        let place = at.get(&places(&json)).clone();
        *json.pointer_mut(&place).unwrap() = value;
        for read in READERS {
            read(json.to_string().as_bytes());
        }
    }
}
