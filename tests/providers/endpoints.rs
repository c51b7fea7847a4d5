//! How different model servers answer the same request.

use ctxmem_server::extract::ExtractError;
use ctxmem_test_server::{completion, completion_of};
use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, Request, ResponseTemplate};

use crate::support::{Endpoint, extract, good_facts};

/// An endpoint that refuses a schema in its own way and is fine without one.
async fn refusing(refusal: ResponseTemplate, requests: u64) -> Endpoint {
    let endpoint = Endpoint::start().await;
    let answer = move |request: &Request| {
        let body: Value = request.body_json().expect("JSON");
        match body.get("response_format") {
            Some(_) => refusal.clone(),
            None => completion(&good_facts().to_string()),
        }
    };
    let completions = Mock::given(path("/v1/chat/completions"));
    endpoint
        .mount(completions.respond_with(answer).expect(requests))
        .await;
    endpoint
}

/// Two extractions: the first one finds out, the second one knows.
async fn assert_falls_back_once(refusal: ResponseTemplate) {
    let endpoint = refusing(refusal, 3).await;
    let model = endpoint.model();
    for _ in 0..2 {
        assert_eq!(extract(&model).await.map(|facts| facts.len()), Ok(2));
    }
}

/// Checks that the first answer is of no use and the second, a repair, is.
async fn assert_repaired(first: ResponseTemplate, own: &str) {
    let good = completion(&good_facts().to_string());
    let endpoint = Endpoint::in_turn([first, good]).await;
    assert_eq!(endpoint.extract().await.map(|facts| facts.len()), Ok(2));
    assert_eq!(endpoint.bodies().await[1]["messages"][2]["content"], own);
}

// Ollama

#[tokio::test]
async fn ollama_thinks_aloud_and_counts_nothing() {
    let draft = json!({"facts": [{"scope": "goals", "value": "a draft"}]});
    let content = format!(
        "<think>\nMaybe {draft}? {{No.\n</think>\n\n{}",
        good_facts()
    );
    let answer = ResponseTemplate::new(200).set_body_json(json!({
        "model": "qwen3",
        "choices": [{"message": {"role": "assistant", "content": content}}],
    }));
    let endpoint = Endpoint::answering(answer).await;
    assert_eq!(endpoint.extract().await.map(|facts| facts.len()), Ok(2));
}

#[tokio::test]
async fn ollama_may_not_know_strict_schemas() {
    let error = json!({"error": {"message": "invalid format: expected \"json\" or a JSON schema"}});
    assert_falls_back_once(ResponseTemplate::new(400).set_body_json(error)).await;
}

#[tokio::test]
async fn ollama_may_ignore_the_schema() {
    let content = format!("Here you go:\n```json\n{:#}\n```", good_facts());
    let endpoint = Endpoint::saying(&content).await;
    assert_eq!(endpoint.extract().await.map(|facts| facts.len()), Ok(2));
}

// llama.cpp

#[tokio::test]
async fn llama_cpp_may_fail_on_a_schema() {
    for (status, text) in [
        (500, "Failed to parse grammar"),
        (500, "JSON schema conversion failed: unrecognized schema"),
        (501, "response_format is not supported"),
        (
            400,
            "response_format type must be one of \"text\" or \"json_object\"",
        ),
    ] {
        let error = json!({"error": {"code": status, "message": text}});
        assert_falls_back_once(ResponseTemplate::new(status).set_body_json(error)).await;
    }
}

#[tokio::test]
async fn a_failure_that_is_not_about_the_schema_is_one() {
    for (status, text) in [(500, "out of memory"), (503, "Loading model schema")] {
        let failure = ResponseTemplate::new(status).set_body_string(text);
        let endpoint = Endpoint::answering(failure).await;
        assert_eq!(endpoint.extract().await, Err(ExtractError::Status(status)));
    }
}

#[tokio::test]
async fn a_schema_without_unions_is_asked_for() {
    let endpoint = Endpoint::saying(&good_facts().to_string()).await;
    endpoint.extract().await.expect("facts");
    let format = endpoint.bodies().await[0]["response_format"].to_string();
    assert!(!format.contains("anyOf") && !format.contains(r#""type":["#));
}

// vLLM

#[tokio::test]
async fn vllm_may_refuse_guided_json() {
    let error = json!({
        "object": "error",
        "message": "The provided JSON schema contains features not supported by guided_json.",
        "type": "BadRequestError",
        "code": 400,
    });
    assert_falls_back_once(ResponseTemplate::new(400).set_body_json(error)).await;
}

#[tokio::test]
async fn vllm_may_put_everything_into_the_reasoning() {
    let thought = json!({
        "role": "assistant",
        "content": null,
        "reasoning_content": good_facts().to_string(),
        "tool_calls": [],
    });
    assert_repaired(completion_of(&thought, "stop"), "(empty)").await;
}

// OpenAI

#[tokio::test]
async fn openai_may_refuse() {
    let refusal = json!({"role": "assistant", "content": null, "refusal": "I'm sorry."});
    assert_repaired(completion_of(&refusal, "stop"), "I'm sorry.").await;
    let refusal = completion_of(&refusal, "stop");
    let endpoint = Endpoint::in_turn([refusal.clone(), refusal]).await;
    assert_eq!(endpoint.extract().await, Err(ExtractError::Malformed));
}

#[tokio::test]
async fn openai_may_run_out_of_tokens() {
    let cut = r#"{"facts": [{"scope": "goals", "val"#;
    let answer = json!({"role": "assistant", "content": cut});
    assert_repaired(completion_of(&answer, "length"), cut).await;
    // A complete answer counts, whatever its finish reason.
    let whole = json!({"role": "assistant", "content": good_facts().to_string()});
    let endpoint = Endpoint::answering(completion_of(&whole, "length")).await;
    assert_eq!(endpoint.extract().await.map(|facts| facts.len()), Ok(2));
}

#[tokio::test]
async fn openai_may_answer_in_parts() {
    let text = good_facts().to_string();
    let (left, right) = text.split_at(text.len() / 2);
    let parts = json!({"role": "assistant", "content": [
        {"type": "text", "text": left},
        {"type": "text", "text": right},
    ]});
    let endpoint = Endpoint::answering(completion_of(&parts, "stop")).await;
    assert_eq!(endpoint.extract().await.map(|facts| facts.len()), Ok(2));
}

#[tokio::test]
async fn a_fallback_and_a_repair_are_the_most_that_follow() {
    let nonsense = || completion("nonsense");
    let first = ResponseTemplate::new(400);
    let endpoint = Endpoint::in_turn([first, nonsense(), nonsense()]).await;
    assert_eq!(endpoint.extract().await, Err(ExtractError::Malformed));
}
