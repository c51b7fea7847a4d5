//! `ctxmem-server extract` with a model.

use ctxmem_test_outside::FakeModel;
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::binary::{CommandOutput, Folder};

/// Runs on a thread that may block: the model answers on this one.
async fn extract(model: &FakeModel, lines: &'static str) -> CommandOutput {
    let mut flags = model.flags();
    flags.extend(["--model-api-key", "key-0123", "--model-max-tokens", "300"].map(str::to_owned));
    let run = move || {
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        Folder::new().extract(&flags, lines)
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

#[tokio::test]
async fn the_model_is_asked_for_what_passes_the_first_stage() {
    let model = FakeModel::start().await;
    model.finds([
        json!({"scope": "knowledge", "value": "Basket weaving"}),
        json!({"scope": "knowledge", "value": "password: hunter2"}),
    ]);
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
    let requests = model.requests().await;
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].headers["authorization"], "Bearer key-0123");
    let body = &model.bodies().await[0];
    assert_eq!(
        (&body["model"], &body["max_tokens"]),
        (&json!("test-model"), &json!(300))
    );
}

#[tokio::test]
async fn a_model_that_fails_ends_the_run_at_that_line() {
    let model = FakeModel::start().await;
    model.answers(ResponseTemplate::new(500).set_body_string("Quokka77"));
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
