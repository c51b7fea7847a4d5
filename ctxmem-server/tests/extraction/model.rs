//! wiremock as the model behind `extract`.

use serde_json::{Value, json};
use wiremock::matchers::{body_string_contains, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::binary::{Finished, Folder};

fn completion(facts: &Value) -> ResponseTemplate {
    let answer = json!({ "facts": facts }).to_string();
    ResponseTemplate::new(200)
        .set_body_json(json!({"choices": [{"message": {"role": "assistant", "content": answer}}]}))
}

async fn model(answer: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", "Bearer key-0123"))
        .and(body_string_contains("\"some-model\""))
        .respond_with(answer)
        .mount(&server)
        .await;
    server
}

/// Runs on a thread that may block: the model answers on this one.
async fn extract(model: &MockServer, lines: &'static str) -> Finished {
    let url = format!("{}/v1", model.uri());
    let run = move || {
        let flags = [
            "--extractor",
            "model",
            "--model-url",
            &url,
            "--model-name",
            "some-model",
            "--model-api-key",
            "key-0123",
        ];
        Folder::new().extract(&flags, lines)
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

#[tokio::test]
async fn the_model_is_asked_for_what_passes_the_first_stage() {
    let model = model(completion(&json!([
        {"scope": "knowledge", "value": "Basket weaving", "quote": "I live in Lisbon"},
        {"scope": "knowledge", "value": "password: hunter2", "quote": "I live in Lisbon"},
    ])))
    .await;
    let found = extract(
        &model,
        concat!(
            r#"{"id": "a", "userMessage": "I live in Lisbon", "agentResponse": "Nice"}"#,
            "\n",
            r#"{"id": "b", "userMessage": "thanks!", "agentResponse": "Sure"}"#,
        ),
    )
    .await
    .lines();
    // The gate holds for the model as well.
    let facts = json!([{"scope": "knowledge", "value": "Basket weaving"}]);
    assert_eq!(
        found,
        [
            json!({"id": "a", "facts": facts, "filtered": false}),
            json!({"id": "b", "facts": [], "filtered": true}),
        ]
    );
    assert_eq!(model.received_requests().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_model_that_fails_ends_the_run_at_that_line() {
    let model = model(ResponseTemplate::new(500).set_body_string("Quokka77")).await;
    let finished = extract(
        &model,
        "\n{\"id\": \"a\", \"userMessage\": \"I live in Lisbon\", \"agentResponse\": \"\"}\n",
    )
    .await;
    assert_eq!((finished.status, finished.stdout.as_str()), (Some(1), ""));
    assert!(finished.stderr.contains("line 2: "), "{finished:?}");
    assert!(!finished.stderr.contains("Quokka77"), "{finished:?}");
    assert!(!finished.stderr.contains("Lisbon"), "{finished:?}");
}

#[test]
fn a_model_needs_its_address_and_name() {
    let finished = Folder::new().extract(&["--extractor", "model"], "");
    assert_eq!((finished.status, finished.stdout.as_str()), (Some(1), ""));
    assert!(finished.stderr.contains("--model-url"), "{finished:?}");
}
