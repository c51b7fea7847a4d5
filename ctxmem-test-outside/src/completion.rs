//! Chat completions as they go over the wire.

use serde_json::{Value, json};
use wiremock::ResponseTemplate;

/// A completion in which the model wrote this text.
pub fn completion(text: &str) -> ResponseTemplate {
    completion_of(&json!({"role": "assistant", "content": text}), "stop")
}

/// A completion with this message, which ended for this reason.
pub fn completion_of(message: &Value, finish_reason: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "id": "cmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "test-model",
        "choices": [{"index": 0, "finish_reason": finish_reason, "message": message}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }))
}

/// The data about which an extraction asks, read from the body of its request: the user's
/// message under `user`, the known facts under `known`.
pub fn extraction_data(request: &Value) -> Value {
    let messages = request["messages"].as_array().unwrap();
    let prompt = messages[1]["content"].as_str().unwrap();
    serde_json::from_str(prompt.lines().nth(1).unwrap()).unwrap()
}
