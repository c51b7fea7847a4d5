//! Differences between model servers in their answers to the same request.

use std::time::Duration;

use ctxmem_server::extract::{ExtractError, Model};
use ctxmem_test_outside::{completion, completion_of};
use serde_json::{Value, json};
use wiremock::matchers::{path, query_param};
use wiremock::{Mock, Request, ResponseTemplate};

use crate::support::{Endpoint, KEY, config, found, good, good_facts, json};

/// An endpoint that answers a request that it takes, and refuses others in its own way.
pub(crate) async fn refusing(
    refusal: ResponseTemplate,
    takes: impl Fn(&Value) -> bool + Send + Sync + 'static,
) -> Endpoint {
    let endpoint = Endpoint::start().await;
    let answer = move |request: &Request| {
        let body: Value = request.body_json().expect("JSON");
        if takes(&body) {
            good()
        } else {
            refusal.clone()
        }
    };
    endpoint.on_completion(answer, ..).await;
    endpoint
}

/// The same, which refuses whatever has this field.
pub(crate) async fn refusing_field(refusal: ResponseTemplate, field: &'static str) -> Endpoint {
    refusing(refusal, move |body| body.get(field).is_none()).await
}

/// Two extractions: the first one finds out with so many requests, the second one knows. Answers what was sent in
/// the end.
pub(crate) async fn finds_out(endpoint: &Endpoint, requests: usize) -> Value {
    let model = endpoint.model();
    for requests in [requests, requests + 1] {
        assert_eq!(found(&model).await, Ok(2));
        assert_eq!(endpoint.requests().await.len(), requests);
    }
    endpoint.bodies().await.pop().expect("a request")
}

/// Checks that the first answer is of no use and the second, a repair, is.
async fn assert_repaired(first: ResponseTemplate, own: &str) {
    let endpoint = Endpoint::in_turn([first, good()]).await;
    assert_eq!(endpoint.found().await, Ok(2));
    assert_eq!(endpoint.bodies().await[1]["messages"][2]["content"], own);
}

#[tokio::test]
async fn facts_are_found_wherever_an_answer_has_them() {
    let facts = good_facts();
    let text = facts.to_string();
    let message = |content: Value| json!({"role": "assistant", "content": content});
    let draft = json!({"facts": [{"scope": "goals", "value": "a draft"}]});
    let aloud = format!("<think>\nMaybe {draft}? {{No.\n</think>\n\n{facts}");
    let uncounted = json!({"model": "qwen3", "choices": [{"message": message(aloud.into())}]});
    let mut thought = message(Value::Null);
    thought["reasoning_content"] = json!(text);
    thought["tool_calls"] = json!([]);
    let (left, right) = text.split_at(text.len() / 2);
    let part = |text: &str| json!({"type": "text", "text": text});
    let parts = message(json!([part(left), part(right)]));
    let mut called = message(Value::Null);
    let function = json!({"name": "facts", "arguments": text});
    called["tool_calls"] = json!([{"id": "1", "type": "function", "function": function}]);
    for (what, answer) in [
        (
            "Ollama thinks aloud and counts nothing",
            json(200, &uncounted),
        ),
        ("vLLM reasons only", completion_of(&thought, "stop")),
        ("OpenAI answers in parts", completion_of(&parts, "stop")),
        ("a tool call", completion_of(&called, "tool_calls")),
        // A complete answer counts, whatever its finish reason.
        (
            "out of tokens",
            completion_of(&message(json!(text)), "length"),
        ),
    ] {
        let endpoint = Endpoint::answering(answer).await;
        assert_eq!(endpoint.found().await, Ok(2), "{what}");
    }

    let list = &facts["facts"];
    let each = list.as_array().expect("facts").iter();
    let each = each.map(Value::to_string).collect::<Vec<_>>().join(",\n");
    for content in [
        // Ollama may ignore the schema.
        format!("Here you go:\n```json\n{facts:#}\n```"),
        format!("```json\n{facts}\n```"),
        format!("```\n{facts:#}\n```"),
        format!("Of course {{gladly}}! Here you go:\n\n{facts}\n\nAnything else?"),
        list.to_string(),
        json!({"memories": list}).to_string(),
        format!("{{\"facts\": [{each},]}}"),
        format!("{{\"facts\": [{each}, {{\"scope\": \"goals\", \"val"),
        format!("Example: {{\"facts\": []}}\nAnswer: {facts}"),
    ] {
        let endpoint = Endpoint::saying(&content).await;
        assert_eq!(endpoint.found().await, Ok(2), "{content}");
    }
}

#[tokio::test]
async fn a_refusal_of_the_format_comes_in_many_dresses() {
    let error = |text: &str| json!({"error": {"message": text}});
    let llama = |code: u16, text: &str| (code, json!({"error": {"code": code, "message": text}}));
    let vllm = json!({
        "object": "error",
        "message": "The provided JSON schema contains features not supported by guided_json.",
        "type": "BadRequestError",
        "code": 400,
    });
    let ollama = error("invalid format: expected \"json\" or a JSON schema");
    let types = "response_format type must be one of \"text\" or \"json_object\"";
    for (status, refusal) in [
        (400, ollama),
        (400, vllm),
        llama(500, "Failed to parse grammar"),
        llama(500, "JSON schema conversion failed: unrecognized schema"),
        llama(501, "response_format is not supported"),
        llama(400, types),
        (403, error("response_format json_schema is not allowed")),
        (424, error("UnsupportedParamsError: response_format")),
        (200, error("response_format is not supported by this model")),
    ] {
        println!("{status}: {refusal}");
        let endpoint = refusing_field(json(status, &refusal), "response_format").await;
        let last = finds_out(&endpoint, 4).await;
        // Nothing else is left out.
        assert_eq!(last["temperature"], 0, "{refusal}");
    }
    let refusal = error("No endpoints found that can handle the requested parameters.");
    let endpoint = refusing_field(json(404, &refusal), "response_format").await;
    finds_out(&endpoint, 2).await;
}

#[tokio::test]
async fn a_failure_that_is_not_about_the_schema_is_one() {
    for (status, text) in [
        (500, "out of memory"),
        (400, "maximum context length exceeded"),
        (400, "filtered by the content management policy"),
        (404, "model \"qwen3\" not found, try pulling it first"),
        (429, "insufficient_quota: check your billing details"),
    ] {
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
}

#[tokio::test]
async fn a_fallback_and_a_repair_are_the_most_that_follow() {
    let nonsense = || completion("nonsense");
    let first = ResponseTemplate::new(400);
    let endpoint = Endpoint::in_turn([first, nonsense(), nonsense()]).await;
    assert_eq!(endpoint.extract().await, Err(ExtractError::Malformed));
}

// What was refused is left out, and nothing else.

#[tokio::test]
async fn a_schema_beside_an_object_is_a_schema() {
    let error = json!({"detail": [{"loc": ["body", "response_format", "type"],
        "msg": "Input should be 'text' or 'json_object'"}]});
    let is_object = |body: &Value| body["response_format"]["type"] == "json_object";
    let endpoint = refusing(json(422, &error), is_object).await;
    let last = finds_out(&endpoint, 2).await;
    let schema = &last["response_format"]["schema"];
    assert_eq!(schema["required"], json!(["facts"]));
}

#[tokio::test]
async fn a_temperature_is_left_out_alone() {
    let error = json!({"error": {"message": "Unsupported value: 'temperature' does not support 0 with this model.",
        "param": "temperature"}});
    let endpoint = refusing_field(json(400, &error), "temperature").await;
    let last = finds_out(&endpoint, 2).await;
    assert_eq!(last["response_format"]["type"], "json_schema");
    assert_eq!(last["max_tokens"], 2048);
}

#[tokio::test]
async fn the_longest_answer_is_told_as_the_endpoint_takes_it() {
    let error = json!({"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this \
        model. Use 'max_completion_tokens' instead."}});
    let endpoint = refusing_field(json(400, &error), "max_tokens").await;
    let last = finds_out(&endpoint, 2).await;
    assert_eq!(last["max_completion_tokens"], 8192);
}

#[tokio::test]
async fn a_gateway_may_only_stream() {
    let pieces = good_facts().to_string();
    let (left, right) = pieces.split_at(20);
    let event = |text: &str| {
        let event = json!({"choices": [{"delta": {"content": text}}]});
        format!("data: {event}\n\n")
    };
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}});
    let (left, right) = (event(left), event(right));
    let stream = format!("{left}{right}data: {usage}\n\ndata: [DONE]\n\n");
    let endpoint = Endpoint::start().await;
    let answer = move |request: &Request| {
        let body: Value = request.body_json().expect("JSON");
        if body["stream"] != true {
            ResponseTemplate::new(400).set_body_string("Stream must be set to true")
        } else if body.get("stream_options").is_some() {
            ResponseTemplate::new(400).set_body_string("Unknown parameter: stream_options")
        } else {
            ResponseTemplate::new(200).set_body_raw(stream.clone(), "text/event-stream")
        }
    };
    endpoint.on_completion(answer, ..).await;
    let last = finds_out(&endpoint, 3).await;
    // Nothing else is left out.
    assert_eq!(last["temperature"], 0);
    assert!(last.get("response_format").is_some());
}

#[tokio::test]
async fn what_was_refused_is_asked_for_again_after_an_hour() {
    let refusal = ResponseTemplate::new(400).set_body_string("temperature is not supported");
    let endpoint = refusing_field(refusal, "temperature").await;
    let model = endpoint.model();
    let asks = async |requests: usize| {
        assert_eq!(found(&model).await, Ok(2));
        assert_eq!(endpoint.requests().await.len(), requests);
    };
    asks(2).await;
    asks(3).await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_mins(61)).await;
    tokio::time::resume();
    asks(5).await;
    asks(6).await;
}

// Azure and gateways

#[tokio::test]
async fn a_key_may_have_a_header_of_its_own_and_there_may_be_others() {
    let endpoint = Endpoint::start().await;
    let whole = "/openai/deployments/gpt-4o/chat/completions";
    let completions = Mock::given(path(whole)).and(query_param("api-version", "2024-10-21"));
    let completions = completions.respond_with(good()).expect(1);
    endpoint.mount(completions).await;
    let url = endpoint.url().replace("/v1", whole) + "?api-version=2024-10-21";
    let mut config = config(&url, Duration::from_secs(5));
    config.key_header = Some("api-key".parse().expect("a header"));
    config.headers = vec![("x-team".parse().expect("a header"), "memory".into())];
    let model = Model::new(config).expect("a model");
    assert_eq!(found(&model).await, Ok(2));
    let headers = &endpoint.requests().await[0].headers;
    assert_eq!(headers["api-key"], KEY);
    assert_eq!(headers["x-team"], "memory");
    assert!(!headers.contains_key("authorization"));
}
