//! Extraction by a model: what is asked of it, and what becomes of its answers.

use std::time::Duration;

use ctxmem_client::UserId;
use ctxmem_server::ExtractorConfig;
use ctxmem_server::core::OnModelFailure;
use ctxmem_server::extract::ModelConfig;
use ctxmem_types::Scope;
use reqwest::Url;
use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use crate::suite::support::{
    Agent, FakeModel, HELLO, MODEL_KEY, Server, Setup, Text as _, completion, fact, named,
    observed, user,
};

/// What no error may repeat: the message, the model's words, keys and addresses.
const UNSPEAKABLE: [&str; 6] = [
    "Lisbon",
    "Helix",
    "gibberish",
    MODEL_KEY,
    "ctxm_",
    "127.0.0.1",
];

/// Checks that an update is answered with a model error and stores nothing.
async fn assert_model_error(agent: &Agent, user: &UserId) {
    let text = agent.raw_update(user.as_str(), HELLO).gets_error(502).await;
    text.assert_lacks_all(UNSPEAKABLE);
    assert!(agent.context(user).await.unwrap().is_empty());
}

/// What the user says where the model writes by itself.
const RUST: &str = "I write Rust";

/// The same fact with the words of the user as its quote.
fn quoted(mut fact: Value) -> Value {
    fact["quote"] = RUST.into();
    fact
}

#[tokio::test]
async fn the_request_to_a_model_has_the_documented_form() {
    let (model, _server, agent, ada) = Server::with_model_and_ada().await;
    let message = HELLO;
    agent
        .update(&ada, message, "Welcome to Porto.")
        .await
        .unwrap();
    let asked = model.requests().await;
    assert_eq!(asked.len(), 1);
    let request = &asked[0];
    assert_eq!(request.url.path(), "/v1/chat/completions");
    assert_eq!(request.headers["content-type"], "application/json");
    assert_eq!(
        request.headers["authorization"],
        format!("Bearer {MODEL_KEY}")
    );
    let body: Value = request.body_json().unwrap();
    assert_eq!(body["model"], "test-model");
    assert_eq!(body["response_format"]["type"], "json_schema");
    let messages = body["messages"].to_string();
    assert!(messages.contains(message) && messages.contains("Welcome to Porto."));
    // The model does not learn who the user is.
    let whole = body.to_string();
    assert!(!whole.contains(&agent.id) && !whole.contains(r#""ada""#));
}

#[tokio::test]
async fn facts_that_the_model_finds_are_stored() {
    let (model, _server, agent, ada) = Server::with_model_and_ada().await;
    model.finds([
        named(Scope::Preferences, "editor", "Helix"),
        fact(Scope::Knowledge, "Rust"),
    ]);
    let delta = json!({
        "preferences": {"editor": observed("Helix")},
        "domain_expertise": [observed("Rust")],
    });
    assert_eq!(
        agent.tells(&ada, &model.said()).await,
        json!({"updated": true, "delta": delta})
    );
    let context = agent.reads(&ada).await;
    assert_eq!(context["preferences"], delta["preferences"]);
    assert_eq!(context["domain_expertise"], delta["domain_expertise"]);
}

#[tokio::test]
async fn an_answer_may_stand_in_a_code_fence() {
    let (model, _server, agent, ada) = Server::with_model_and_ada().await;
    let facts = json!({"facts": [quoted(fact(Scope::Knowledge, "Rust"))]});
    model.writes(&format!("```json\n{facts}\n```"));
    let answer = agent.tells(&ada, RUST).await;
    assert_eq!(answer["delta"]["domain_expertise"][0]["value"], "Rust");
}

#[tokio::test]
async fn unknown_scopes_and_empty_values_are_ignored() {
    let (model, _server, agent, ada) = Server::with_model_and_ada().await;
    model.finds([
        json!({"scope": "emotional_state", "value": "calm"}),
        json!({"scope": "goals", "value": " "}),
        json!({"scope": "knowledge", "value": "Rust"}),
    ]);
    assert_eq!(
        agent.tells(&ada, &model.said()).await,
        json!({"updated": true, "delta": {
            "domain_expertise": [{"value": "Rust", "source_type": "observed"}],
        }})
    );
}

#[tokio::test]
async fn an_endpoint_that_takes_no_response_format_is_asked_without() {
    let (model, _server, agent, _) = Server::with_model_and_ada().await;
    model.answers_with(|request| match request.get("response_format") {
        Some(_) => ResponseTemplate::new(400),
        None => completion(&json!({"facts": [quoted(fact(Scope::Knowledge, "Rust"))]}).to_string()),
    });
    for n in 0..2 {
        let answer = agent.tells(&user(&format!("user-{n}")), RUST).await;
        assert_eq!(answer["delta"]["domain_expertise"][0]["value"], "Rust");
    }
    // The next request does not ask for it again.
    assert_eq!(model.requests().await.len(), 3);
}

#[tokio::test]
async fn a_refusal_of_the_endpoint_is_a_model_error() {
    let (model, _server, agent, ada) = Server::with_model_and_ada().await;
    for status in [301, 400, 401, 404, 500] {
        let answer = ResponseTemplate::new(status)
            .insert_header("location", "/v1/elsewhere")
            .set_body_string("gibberish Lisbon");
        model.answers(answer);
        assert_model_error(&agent, &ada).await;
    }
}

#[tokio::test]
async fn a_busy_endpoint_is_passed_on_with_its_wait() {
    let (model, _server, agent, _) = Server::with_model_and_ada().await;
    for status in [429, 503] {
        let busy = ResponseTemplate::new(status).insert_header("retry-after", "77");
        model.answers(busy.set_body_string("gibberish Lisbon"));
        let answer = agent.raw_update("ada", HELLO).send().await;
        assert_eq!(
            (answer.status, answer.header("retry-after")),
            (503, Some("77"))
        );
        assert_eq!(answer.json()["code"], "MODEL_ERROR");
    }
}

/// Where the operator chose so, no turn is lost, and the answer says how it was read. A retry tells the same.
#[tokio::test]
async fn what_is_built_in_may_stand_in_for_a_model_that_fails() {
    let model = FakeModel::start().await;
    let (_server, agent) = Setup::asking(&model)
        .with(|config| config.settings.on_model_failure = OnModelFailure::Builtin)
        .start_with_agent()
        .await;
    model.answers(ResponseTemplate::new(500));
    let update = |message: &str| {
        let request = agent.raw_update("ada", message);
        let key = message.len().to_string();
        request.header("idempotency-key", &key).send()
    };
    let first = update(HELLO).await;
    assert_eq!(first.status, 200, "{}", first.body);
    let answer = first.json();
    assert_eq!(answer["outcome"], "model_failed");
    assert_eq!(answer["delta"]["general"]["name"]["value"], "Ada");
    answer["notice"]
        .as_str()
        .unwrap()
        .assert_has("The model failed");
    assert_eq!(update(HELLO).await.body, first.body);
    // Small talk asked nobody.
    assert_eq!(update("Thanks!").await.json()["outcome"], "filtered");
    model.finds([fact(Scope::Knowledge, "Rust")]);
    let found = update(&model.said()).await.json();
    assert_eq!(found.get("outcome"), None, "{found}");
}

#[tokio::test]
async fn an_answer_of_another_shape_is_a_model_error() {
    let (model, _server, agent, ada) = Server::with_model_and_ada().await;
    for text in [
        "",
        "gibberish Lisbon",
        "{}",
        "[]",
        r#"{"facts": "gibberish"}"#,
        r#"{"facts": ["gibberish"]}"#,
        r#"{"facts": [{"scope": "goals", "value": "gibbe"#,
    ] {
        model.writes(text);
        assert_model_error(&agent, &ada).await;
    }
    for body in ["", "gibberish", "{}", r#"{"choices": []}"#] {
        model.answers(ResponseTemplate::new(200).set_body_string(body));
        assert_model_error(&agent, &ada).await;
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_in_time_is_a_model_error() {
    let model = FakeModel::start().await;
    let setup = Setup::new().model(&model, Duration::from_millis(50));
    let (_server, agent) = setup.start_with_agent().await;
    model.finds([fact(Scope::Knowledge, "Rust")]);
    let _never_ends = model.pause();
    assert_model_error(&agent, &user("ada")).await;
}

#[tokio::test]
async fn an_endpoint_that_cannot_be_reached_is_a_model_error_and_told_by_health() {
    let server = Setup::new()
        .with(|config| {
            let url = Url::parse("http://127.0.0.1:9/v1").unwrap();
            let mut model = ModelConfig::new(url, "test-model", Duration::from_secs(30));
            model.api_key = Some(MODEL_KEY.into());
            config.extractor = ExtractorConfig::Model(Box::new(model));
        })
        .start()
        .await;
    let agent = server.agent().await;
    assert_model_error(&agent, &user("ada")).await;
    assert_health(&agent, "unavailable").await;
}

#[tokio::test]
async fn health_tells_whether_the_model_answers_and_is_ok_either_way() {
    let (model, _server, agent, _) = Server::with_model_and_ada().await;
    assert_health(&agent, "ok").await;
    assert!(
        model.requests().await.is_empty(),
        "health costs no completion"
    );

    model.breaks().await;
    let server = Setup::asking(&model).start().await;
    assert_health(&server.agent().await, "unavailable").await;
}

async fn assert_health(agent: &Agent, model: &str) {
    let health = agent.health().await.unwrap();
    assert_eq!(health.status.as_deref(), Some("ok"));
    let checks = health.checks.unwrap();
    assert_eq!(checks["model"], model);
    assert_eq!(checks["database"], "ok");
}

#[tokio::test]
async fn without_a_model_health_has_no_check_of_one() {
    let server = Server::start().await;
    let health = server.agent().await.health().await.unwrap();
    assert!(!health.checks.unwrap().contains_key("model"));
}

#[tokio::test]
async fn secrets_that_a_model_finds_are_dropped() {
    let (model, _server, agent, ada) = Server::with_model_and_ada().await;
    model.finds([
        fact(Scope::Knowledge, "Rust"),
        named(Scope::Preferences, "wifi_password", "GuestHall"),
        named(Scope::Preferences, "ci", "sk-proj-a8Fk29dLq0ZtYw73bNc5"),
        fact(Scope::History, "Set the password to hunter2"),
        fact(Scope::Goals, "Pay with 4111 1111 1111 1111"),
        fact(
            Scope::Relationships,
            "-----BEGIN RSA PRIVATE KEY----- MIIEpAIBAAKCAQEA7",
        ),
    ]);
    let answer = agent.tells(&ada, &model.said()).await;
    let learned = json!([{"value": "Rust", "source_type": "observed"}]);
    assert_eq!(
        answer,
        json!({"updated": true, "delta": {"domain_expertise": learned}})
    );
    let mut context = agent.context(&ada).await.unwrap();
    context.domain_expertise.clear();
    assert!(context.is_empty(), "{context:?}");
}

#[tokio::test]
async fn a_model_is_not_asked_about_small_talk() {
    let (model, _server, agent, ada) = Server::with_model_and_ada().await;
    for message in ["", "Hi!", "Thanks, that helps!", "ok"] {
        agent.tells(&ada, message).await;
    }
    assert!(model.requests().await.is_empty());
    agent.tells(&ada, HELLO).await;
    assert_eq!(model.requests().await.len(), 1);
}

#[tokio::test]
async fn a_model_is_not_asked_when_the_answer_would_be_a_refusal() {
    let model = FakeModel::start().await;
    let server = Setup::asking(&model).monthly_quota(1).start().await;
    let (agent, ada, bob) = (server.agent().await, user("ada"), user("bob"));
    agent.injects(&ada).await;
    server.user_revokes(&ada, &agent).await;
    agent.update(&ada, HELLO, "Hi.").await.unwrap_err();
    assert!(model.requests().await.is_empty());
    agent.tells(&bob, HELLO).await;
    agent.tells(&bob, HELLO).await;
    assert_eq!(model.requests().await.len(), 1);
}
