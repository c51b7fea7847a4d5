//! Requests as bytes, made before the clock runs.

use bytes::Bytes;
use serde_json::{Value, json};

pub(crate) fn inject(key: &str, user: &str, base: &str) -> Bytes {
    let body = json!({ "userId": user, "basePrompt": base });
    post("/api/context/inject", key, &body)
}

pub(crate) fn update(key: &str, user: &str, message: &str) -> Bytes {
    let body = json!({ "userId": user, "userMessage": message, "agentResponse": "Noted." });
    post("/api/context/update", key, &body)
}

pub(crate) fn post(path: &str, key: &str, body: &Value) -> Bytes {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into()
}

pub(crate) fn delete(path: &str, key: &str) -> Bytes {
    format!("DELETE {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\r\n")
        .into()
}

pub(crate) fn get(path: &str) -> Bytes {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").into()
}

pub(crate) fn get_with_key(path: &str, key: &str) -> Bytes {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\r\n").into()
}
