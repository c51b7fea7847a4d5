//! `ctxmem-server extract` with a model.

use ctxmem_test_outside::FakeModel;
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::process::{CommandOutput, Home, assert_lacks};

/// Runs on a thread that may block: the model answers on this one.
async fn extract(model: &FakeModel, lines: &'static str) -> CommandOutput {
    let flags = model.flags();
    let run = move || {
        let args = format!("extract {flags} --model-api-key key-0123 --model-max-tokens 300");
        Home::new().run_with_input(&args, lines)
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
    let lines = concat!(
        r#"{"id": "a", "userMessage": "I live in Lisbon", "agentResponse": "Nice"}"#,
        "\n",
        r#"{"id": "b", "userMessage": "thanks!", "agentResponse": "Sure"}"#,
    );
    // The gate holds for the model as well.
    let facts = json!([{"scope": "knowledge", "value": "Basket weaving"}]);
    let expected = [
        json!({"id": "a", "facts": facts, "filtered": false}),
        json!({"id": "b", "facts": [], "filtered": true}),
    ];
    assert_eq!(extract(&model, lines).await.lines(), expected);
    let requests = model.requests().await;
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].headers["authorization"], "Bearer key-0123");
    let body = &model.bodies().await[0];
    assert_eq!(body["model"], "test-model");
    assert_eq!(body["max_tokens"], 300);
}

#[tokio::test]
async fn a_model_that_fails_ends_the_run_at_that_line() {
    let model = FakeModel::start().await;
    model.answers(ResponseTemplate::new(500).set_body_string("Quokka77"));
    let line =
        "\n{\"id\": \"a\", \"userMessage\": \"I live in Lisbon\", \"agentResponse\": \"\"}\n";
    let finished = extract(&model, line).await;
    finished.assert_failed("line 2: ");
    assert_lacks(&finished.stderr, &["Quokka77", "Lisbon"]);
}

#[test]
fn a_model_needs_its_address_and_name() {
    let finished = Home::new().run("extract --extractor model");
    finished.assert_failed("--model-url");
}
