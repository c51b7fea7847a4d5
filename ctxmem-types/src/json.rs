//! Reading JSON so that what is wrong with it can be told without repeating it.
//!
//! serde's own messages quote the offending value, which may be a prompt or a fact. Here
//! an error names the place and what was expected there, and at most the kind of value
//! that was found.

use std::fmt;

use serde::de::DeserializeOwned;

/// Why a body could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonError {
    /// Not JSON at all, or JSON nested too deeply.
    Syntax {
        /// The line of the fault, from 1.
        line: usize,
        /// The byte within the line, from 1.
        column: usize,
    },
    /// JSON, but not of the form that is expected.
    Shape {
        /// Where, such as `scopes[1]`; `body` for the whole.
        path: String,
        /// What was expected there, and what kind of value was found.
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
/// ```
/// use ctxmem_types::{InjectRequest, json};
///
/// let error = json::from_slice::<InjectRequest>(br#"{"userId": "u", "basePrompt": 7}"#);
/// assert_eq!(error.unwrap_err().to_string(), "basePrompt: expected a string, found a number");
/// ```
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    // The path is only worth tracking when there is something to report.
    serde_json::from_slice(bytes).or_else(|_| explain(bytes))
}

fn explain<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value: T = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let error = error.into_inner();
        if error.is_data() {
            shape(&path, &error)
        } else {
            syntax(&error)
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

fn shape(path: &str, error: &serde_json::Error) -> JsonError {
    let text = error.to_string();
    let text = text
        .rfind(" at line ")
        .and_then(|end| text.get(..end))
        .unwrap_or(&text);
    if let Some(field) = text.strip_prefix("missing field ") {
        return JsonError::Shape {
            path: join(path, field.trim_matches('`')),
            problem: "a required field is missing".to_owned(),
        };
    }
    let problem = match text.strip_prefix("invalid type: ") {
        Some(found) => {
            // What was expected stands last and is our own text; what precedes it may
            // quote the value.
            let expected = text.rsplit(", expected ").next().unwrap_or_default();
            format!("expected {}, found {}", expectation(expected), kind(found))
        }
        // Everything else comes from this crate's own checks, which repeat nothing.
        None => text.to_owned(),
    };
    JsonError::Shape {
        path: join(path, ""),
        problem,
    }
}

fn join(path: &str, field: &str) -> String {
    match (path, field) {
        ("." | "", "") => "body".to_owned(),
        ("." | "", field) => field.to_owned(),
        (path, "") => path.to_owned(),
        (path, field) => format!("{path}.{field}"),
    }
}

/// serde describes what it wants in its own terms; these are JSON's.
fn expectation(expected: &str) -> &str {
    if expected.starts_with("struct ") || expected == "a map" {
        return "an object";
    }
    match expected {
        "a sequence" => "a list",
        "a boolean" => "true or false",
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
