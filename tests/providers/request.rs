//! The request that the endpoint receives.

use ctxmem_server::extract::{Extractor, Interaction, Model};
use ctxmem_test_outside::{completion, extraction_data};
use ctxmem_types::Scope;
use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use crate::endpoints::{finds_out, refusing_field};
use crate::support::{Endpoint, KEY, MESSAGE, RESPONSE, config, extract, extract_from, good};

#[tokio::test]
async fn one_bounded_question_with_a_strict_schema() {
    let endpoint = Endpoint::in_turn([good()]).await;
    endpoint.extract().await.expect("facts");

    let requests = endpoint.requests().await;
    let request = &requests[0];
    assert_eq!(request.method.as_str(), "POST");
    assert_eq!(request.url.path(), "/v1/chat/completions");
    assert_eq!(request.headers["content-type"], "application/json");
    let key = format!("Bearer {KEY}");
    assert_eq!(request.headers["authorization"], *key);

    let body: Value = request.body_json().expect("JSON");
    let fields = body.as_object().expect("an object").keys();
    let fields: Vec<&str> = fields.map(String::as_str).collect();
    let expected = "model messages temperature max_tokens response_format";
    assert_eq!(fields.join(" "), expected);
    assert_eq!(body["model"], "small-model");
    assert_eq!(body["temperature"], 0);
    assert_eq!(body["messages"].as_array().map(Vec::len), Some(2));
    assert_eq!(body["messages"][0]["role"], "system");
    assert_eq!(body["messages"][1]["role"], "user");

    let format = &body["response_format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["json_schema"]["strict"], true);
    let fact = &format["json_schema"]["schema"]["properties"]["facts"]["items"];
    let required = json!(["scope", "key", "value", "op", "known", "was", "quote"]);
    assert_eq!(fact["required"], required);
    assert_eq!(fact["additionalProperties"], false);
    let scopes = json!(Scope::ALL.map(Scope::name));
    assert_eq!(fact["properties"]["scope"]["enum"], scopes);
}

#[tokio::test]
async fn the_conversation_is_fenced_by_a_mark_that_nobody_can_guess() {
    let endpoint = Endpoint::start().await;
    let nothing = completion("{\"facts\": []}");
    endpoint.on_completion(nothing, 2).await;
    let model = endpoint.model();
    extract(&model).await.expect("facts");
    extract(&model).await.expect("facts");

    let mut marks = Vec::new();
    for body in endpoint.bodies().await {
        let text = body["messages"][1]["content"].as_str().expect("text");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0], lines[2]);
        let data: Value = serde_json::from_str(lines[1]).expect("the exchange as JSON");
        let today = "2026-03-05, Thursday";
        let expected = json!({"today": today, "user": MESSAGE, "assistant": RESPONSE});
        assert_eq!(data, expected);
        marks.push(lines[0].to_owned());
    }
    assert_ne!(marks[0], marks[1]);
    assert!(marks.iter().all(|mark| mark.len() >= 32));
}

#[tokio::test]
async fn a_secret_does_not_go_to_the_provider() {
    let endpoint = Endpoint::saying("{\"facts\": []}").await;
    let message = "I'm Ada. Remember that the alarm code is 4471, and my password is hunter2!";
    let facts = extract_from(&endpoint.model(), message, &[]).await;
    facts.expect("facts");
    let data = extraction_data(&endpoint.bodies().await[0]);
    assert_eq!(data["user"], "I'm Ada.");
}

#[tokio::test]
async fn long_texts_are_cut() {
    let endpoint = Endpoint::saying("{\"facts\": []}").await;
    let long = "é".repeat(100_000);
    let interaction = Interaction {
        user_message: &long,
        agent_response: &long,
        known: &[],
        today: chrono::NaiveDate::default(),
    };
    endpoint.model().extract(&interaction).await.expect("facts");
    assert!(endpoint.requests().await[0].body.len() < 40 * 1024);
}

#[tokio::test]
async fn an_endpoint_without_schemas_is_asked_again_once_and_remembered() {
    for status in [400, 422] {
        let refusal = ResponseTemplate::new(status);
        let endpoint = refusing_field(refusal, "response_format").await;
        println!("{status}");
        finds_out(&endpoint, 2).await;
        for (n, body) in endpoint.bodies().await.iter().enumerate() {
            let has_format = body.get("response_format").is_some();
            assert_eq!(has_format, n == 0, "{status}, request {n}");
            // Models that refuse the one often refuse the other.
            assert_eq!(has_format, body.get("temperature").is_some());
        }
    }
}

#[tokio::test]
async fn without_a_key_no_authorization_is_sent() {
    let endpoint = Endpoint::saying("{\"facts\": []}").await;
    let url = format!("{}/", endpoint.url());
    let mut config = config(&url, std::time::Duration::from_secs(5));
    config.api_key = None;
    let model = Model::new(config).expect("a model");
    extract(&model).await.expect("facts");
    let request = &endpoint.requests().await[0];
    assert!(!request.headers.contains_key("authorization"));
}
