//! Reads JSON with errors that explain the problem without repeating the JSON.
//!
//! serde's own messages quote the offending value, which may be a prompt or a fact. The errors
//! here name the path, what was expected there and, at most, the kind of value that was found.
//!
//! The path contains only field names of the interface. Keys of maps (preferences, identity
//! attributes, checks) are user data and are replaced by `*`. Messages of a type's own
//! validation are passed on, so a validation must not repeat the value.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment};

/// Why a body could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonError {
    /// It is not JSON, or nested too deeply.
    Syntax {
        /// The line of the problem, from 1.
        line: usize,
        /// The byte in the line, from 1; 0 before the first byte.
        column: usize,
    },
    /// It is JSON, but not in the expected form.
    Shape {
        /// Where, such as `scopes[1]`; `body` for the whole body.
        path: String,
        /// What was expected there, and the kind of value that was found.
        problem: String,
    },
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column } => {
                write!(
                    f,
                    "body: expected JSON, broken at line {line} column {column}"
                )
            }
            Self::Shape { path, problem } => write!(f, "{path}: {problem}"),
        }
    }
}

impl std::error::Error for JsonError {}

/// Reads a value from JSON.
///
/// # Errors
///
/// A [`JsonError`] that says where the JSON is wrong, and how.
///
/// ```
/// use ctxmem_types::{InjectRequest, json};
///
/// let error = json::from_slice::<InjectRequest>(br#"{"userId": "u", "basePrompt": 7}"#);
/// assert_eq!(error.unwrap_err().to_string(), "basePrompt: expected a string, found a number");
/// ```
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    // Tracking the path takes time. It is only needed when there is something to report.
    serde_json::from_slice(bytes).or_else(|_| explain(bytes))
}

fn explain<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value: T = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        if error.inner().is_data() {
            shape(error.path(), error.inner())
        } else {
            syntax(error.inner())
        }
    })?;
    deserializer.end().map_err(|error| syntax(&error))?;
    Ok(value)
}

fn syntax(error: &serde_json::Error) -> JsonError {
    JsonError::Syntax {
        line: error.line(),
        column: error.column(),
    }
}

/// The fields that are maps. Users choose the keys in them.
const MAPS: [&str; 3] = ["preferences", "general", "checks"];

fn place<'a>(path: impl Iterator<Item = &'a Segment>) -> String {
    let mut place = String::new();
    let mut in_map = false;
    for segment in path {
        match segment {
            Segment::Seq { index } => place = format!("{place}[{index}]"),
            Segment::Map { .. } if in_map => place = join(&place, "*"),
            Segment::Map { key } => place = join(&place, key),
            Segment::Enum { .. } | Segment::Unknown => place = join(&place, "?"),
        }
        in_map = !in_map && matches!(segment, Segment::Map { key } if MAPS.contains(&&**key));
    }
    place
}

fn join(place: &str, field: &str) -> String {
    if place.is_empty() {
        field.to_owned()
    } else {
        format!("{place}.{field}")
    }
}

fn shape(path: &Path, error: &serde_json::Error) -> JsonError {
    let text = error.to_string();
    let text = text
        .rsplit_once(" at line ")
        .map_or(&*text, |(text, _)| text);
    // In that case the last segment is the unknown name.
    let hidden = usize::from(text.starts_with("unknown field "));
    let place = place(path.iter().take(path.iter().len().saturating_sub(hidden)));
    let of_field = |field: &str, problem: &str| JsonError::Shape {
        path: join(&place, field.trim_matches('`')),
        problem: problem.to_owned(),
    };
    if let Some(field) = text.strip_prefix("missing field ") {
        return of_field(field, "a required field is missing");
    }
    if let Some(field) = text.strip_prefix("duplicate field ") {
        return of_field(field, "the field is there twice");
    }
    JsonError::Shape {
        path: if place.is_empty() {
            "body".to_owned()
        } else {
            place
        },
        problem: problem(text),
    }
}

fn problem(text: &str) -> String {
    // What was expected comes last and is the type's own text. What comes before may quote the
    // value.
    let expected = text
        .rsplit_once(", expected ")
        .map_or("something else", |(_, expected)| expectation(expected));
    if let Some(found) = text.strip_prefix("invalid type: ") {
        return format!("expected {expected}, found {}", kind(found));
    }
    if QUOTING.into_iter().any(|start| text.starts_with(start)) {
        return format!("expected {expected}");
    }
    text.to_owned()
}

/// The beginnings of serde's messages that quote the value, other than `invalid type`.
const QUOTING: [&str; 4] = [
    "invalid value: ",
    "invalid length ",
    "unknown variant ",
    "unknown field ",
];

/// Translates serde's terms into those of JSON.
fn expectation(expected: &str) -> &str {
    if expected.starts_with("struct ") || expected == "a map" {
        return "an object";
    }
    match expected {
        "a sequence" => "a list",
        "a boolean" => "true or false",
        "u32" => "a positive whole number",
        other => other,
    }
}

fn kind(found: &str) -> &'static str {
    const KINDS: [(&str, &str); 8] = [
        ("string", "a string"),
        ("integer", "a number"),
        ("floating point", "a number"),
        ("number", "a number"),
        ("boolean", "a boolean"),
        ("null", "null"),
        ("map", "an object"),
        ("sequence", "a list"),
    ];
    KINDS
        .into_iter()
        .find_map(|(prefix, name)| found.starts_with(prefix).then_some(name))
        .unwrap_or("something else")
}
