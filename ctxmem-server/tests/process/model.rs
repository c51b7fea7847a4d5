//! wiremock as the model: it knows whatever stands behind `fact:` in the conversation.

use std::time::Duration;

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// A model whose answers take this long.
pub(crate) async fn model(delay: Duration) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .respond_with(Echo { delay })
        .mount(&server)
        .await;
    server
}

/// The flags that make a server use it.
pub(crate) fn flags(model: &MockServer) -> Vec<String> {
    let url = format!("{}/v1", model.uri());
    [
        "--extractor",
        "model",
        "--model-name",
        "test",
        "--model-url",
        &url,
    ]
    .map(ToOwned::to_owned)
    .to_vec()
}

struct Echo {
    delay: Duration,
}

impl Respond for Echo {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body: Value = request.body_json().unwrap();
        let conversation = body["messages"].to_string();
        let facts: Vec<Value> = conversation
            .split("fact:")
            .skip(1)
            .map(|rest| {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '-'));
                let value = &rest[..end.unwrap_or(rest.len())];
                json!({"scope": "knowledge", "value": value, "quote": value})
            })
            .collect();
        let answer = json!({ "facts": facts }).to_string();
        ResponseTemplate::new(200)
            .set_delay(self.delay)
            .set_body_json(
                json!({"choices": [{"message": {"role": "assistant", "content": answer}}]}),
            )
    }
}
