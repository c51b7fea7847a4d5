//! Text in requests: a string, or a list of blocks of which some are text.

use serde_json::{Map, Value, json};

/// Marks the end of a content: adds the field to its last block, if that is a text with words in
/// it. A string becomes such a block first. Nothing is changed where the end can't be marked.
pub(crate) fn mark_end(content: &mut Value, block_type: &str, field: &str, mark: Value) {
    if let Value::String(text) = content {
        if text.trim().is_empty() {
            return;
        }
        *content = json!([{"type": block_type, "text": text}]);
    }
    let Some(Value::Object(block)) = content.as_array_mut().and_then(|blocks| blocks.last_mut())
    else {
        return;
    };
    let is_text = block.get("type").is_some_and(|kind| kind == block_type)
        && block.get("text").is_some_and(has_words);
    if is_text && !block.contains_key(field) {
        block.insert(field.to_owned(), mark);
    }
}

pub(crate) fn has_words(text: &Value) -> bool {
    text.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// A block of text for each of these texts.
pub(crate) fn text_blocks(texts: &[&str], block_type: &str) -> Vec<Value> {
    let block = |text: &&str| json!({"type": block_type, "text": text});
    texts.iter().map(block).collect()
}

/// Puts items before those that the field of the body has. A string there becomes a block of
/// text; anything else than a string or a list stays, and the items are not put.
pub(crate) fn put_first(body: &mut Value, field: &str, items: Vec<Value>, block_type: &str) {
    let Some(body) = body.as_object_mut() else {
        return;
    };
    let place = body.entry(field).or_insert(Value::Null);
    let own = match std::mem::take(place) {
        Value::Null => Vec::new(),
        Value::Array(own) => own,
        Value::String(own) => text_blocks(&[&own], block_type),
        other => {
            *place = other;
            return;
        }
    };
    *place = items.into_iter().chain(own).collect();
}

/// Puts messages before those that the field of the body has. A string there becomes a message of the user's.
pub(crate) fn put_messages_first(body: &mut Value, field: &str, messages: Vec<Value>) {
    if let Some(input) = body.get_mut(field)
        && input.is_string()
    {
        *input = json!([{"role": "user", "content": input}]);
    }
    // No string is left there, so nothing is made an item of this kind.
    put_first(body, field, messages, "text");
}

/// Adds the fields that the body doesn't have.
pub(crate) fn add_fields(body: &mut Value, fields: &Map<String, Value>) {
    if let Some(body) = body.as_object_mut() {
        for (name, value) in fields {
            body.entry(name).or_insert_with(|| value.clone());
        }
    }
}

/// Whether this is a message with instructions of the developer's.
pub(crate) fn is_system(message: &Value) -> bool {
    let is_message = message.get("type").is_none_or(|kind| kind == "message");
    let role = message.get("role").and_then(Value::as_str);
    is_message && matches!(role, Some("system" | "developer"))
}

/// The messages at the beginning that are the developer's.
pub(crate) fn system_part(messages: &mut [Value]) -> &mut [Value] {
    let length = system_len(messages);
    messages.get_mut(..length).unwrap_or_default()
}

/// How many messages at the beginning are the developer's.
pub(crate) fn system_len(messages: &[Value]) -> usize {
    messages.iter().take_while(|m| is_system(m)).count()
}
