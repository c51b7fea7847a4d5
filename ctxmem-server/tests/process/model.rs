//! A model that finds whatever follows `fact:` in the conversation.

use std::time::Duration;

use ctxmem_test_outside::{FakeModel, completion};
use serde_json::{Value, json};

/// A model whose answers take this long.
pub(crate) async fn model(delay: Duration) -> FakeModel {
    let model = FakeModel::start().await;
    model.answers_with(move |request| {
        let facts = facts(&request["messages"].to_string());
        completion(&json!({ "facts": facts }).to_string()).set_delay(delay)
    });
    model
}

fn facts(conversation: &str) -> Vec<Value> {
    conversation
        .split("fact:")
        .skip(1)
        .map(|rest| {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '-'));
            let value = &rest[..end.unwrap_or(rest.len())];
            json!({"scope": "knowledge", "value": value, "quote": value})
        })
        .collect()
}
