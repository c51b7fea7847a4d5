//! Reads what a model or a person filled in. An error names the field and what was expected there,
//! so that a model can correct its call.

use ctxmem_types::{JsonError, Scope, json};
use rmcp::model::JsonObject;
use rmcp::schemars::{Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;

/// Why arguments can't be used, for the model.
pub(crate) type Unusable = String;

pub(crate) fn read<T: DeserializeOwned>(arguments: &JsonObject) -> Result<T, Unusable> {
    let text = serde_json::to_vec(arguments).map_err(|_| "arguments: expected JSON".to_owned())?;
    json::from_slice(&text).map_err(|error| match error {
        JsonError::Shape { path, problem } if path == "body" => format!("arguments: {problem}"),
        error => error.to_string(),
    })
}

pub(crate) fn scope(name: &str) -> Result<Scope, Unusable> {
    Scope::from_name(name).ok_or_else(|| format!("scope: expected one of {}", names().join(", ")))
}

fn names() -> [&'static str; Scope::ALL.len()] {
    Scope::ALL.map(Scope::name)
}

pub(crate) fn scope_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": names() })
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        #[expect(dead_code, reason = "only whether it can be read matters")]
        text: String,
    }

    #[test]
    fn what_is_wrong_names_the_field_and_repeats_no_value() {
        for (arguments, expected) in [
            (json!({}), "text: a required field is missing"),
            (
                json!({ "text": 7_777 }),
                "text: expected a string, found a number",
            ),
            (
                json!({ "text": "x", "canary": 1 }),
                "arguments: expected `text`",
            ),
        ] {
            let error = read::<Arguments>(arguments.as_object().unwrap()).unwrap_err();
            assert_eq!(error, expected);
        }
        let error = scope("canary").unwrap_err();
        assert!(error.starts_with("scope: expected one of general, "));
        assert!(!error.contains("canary"));
    }
}
