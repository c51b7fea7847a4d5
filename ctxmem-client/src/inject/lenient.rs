//! Reads an answer to inject that has oddities: whatever is not needed is left out where it can't be
//! read. An agent that gets its prompt should not do without it because a reason is a number.

use ctxmem_types::{InjectResponse, JsonError};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::Error;
use crate::error::DecodeProblem;

/// The answer without what can't be read in it; `None` if that includes the prompt.
pub(super) fn read(error: &Error, body: &[u8]) -> Option<InjectResponse> {
    let Error::Decode(error) = error else {
        return None;
    };
    match &error.problem {
        DecodeProblem::Json(JsonError::Shape { path, .. }) if path != "injectedPrompt" => {}
        _ => return None,
    }
    let Value::Object(mut answer) = serde_json::from_slice(body).ok()? else {
        return None;
    };
    if let Some(Value::Object(hint)) = answer.get_mut("cacheHint") {
        keep::<String>(hint, "retention");
        keep::<String>(hint, "reason");
        keep::<Map<String, Value>>(hint, "providerParam");
        keep::<Map<String, Value>>(hint, "openaiParam");
    }
    keep::<ctxmem_types::CacheHint>(&mut answer, "cacheHint");
    keep::<String>(&mut answer, "reason");
    keep::<String>(&mut answer, "notice");
    keep::<bool>(&mut answer, "seeded");
    keep::<String>(&mut answer, "consent_url");
    keep::<String>(&mut answer, "context");
    keep::<String>(&mut answer, "basePrompt");
    keep::<String>(&mut answer, "relevant");
    serde_json::from_value(Value::Object(answer)).ok()
}

/// Removes the field unless it has this form.
fn keep<T: DeserializeOwned>(object: &mut Map<String, Value>, field: &str) {
    if let Some(value) = object.get(field)
        && T::deserialize(value).is_err()
    {
        object.remove(field);
    }
}
