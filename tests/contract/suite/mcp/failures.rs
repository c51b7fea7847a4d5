//! What fails is told as the SDK tells it of the same failure over HTTP.

use std::num::NonZeroU32;
use std::time::Duration;

use ctxmem_client::types::Timestamp;
use ctxmem_client::{Error, Interaction};
use serde_json::{Value, json};

use super::{setup, with_agent};
use crate::suite::support::{Agent, FakeModel, HELLO, Server, Text as _, user};

/// A text without the id of its request, which it ends with. The id is one of ours.
#[track_caller]
fn without_id(text: &str) -> String {
    let (before, rest) = text.split_once(" (request id ").unwrap();
    let (id, after) = rest.split_once(')').unwrap();
    assert_eq!(id.len(), 32, "{text}");
    format!("{before}{after}")
}

/// Checks that the tool `remember` says of a failure what the SDK says.
async fn assert_told_alike(server: &Server, agent: &Agent, failed: &Error) {
    let said = json!({ "text": HELLO });
    let answer = server.tool(agent, "ada", "remember", &said).await;
    let summary = without_id(&failed.to_string());
    let expected = format!("The memory service is not available: {summary}. Go on without it.");
    let refusal = without_id(answer.refusal());
    assert!(refusal.starts_with(&expected), "{refusal} {expected}");
}

#[tokio::test]
async fn a_model_that_fails_is_told_with_the_id_of_the_request() {
    let model = FakeModel::start().await;
    let setup = setup().model(&model, Duration::from_secs(30));
    let (server, agent) = setup.start_with_agent().await;
    model.breaks().await;
    let failed = agent.update(&user("ada"), HELLO, "").await;
    let failed = failed.unwrap_err();
    assert_eq!(failed.status(), Some(502));
    assert_told_alike(&server, &agent, &failed).await;
}

#[tokio::test]
async fn what_the_service_says_of_a_refusal_is_passed_on() {
    let (server, agent) = with_agent().await;
    let at: Timestamp = "2999-01-01T00:00:00Z".parse().unwrap();
    let early = Interaction::new(user("ada"), HELLO, "").with_time(at);
    let refused = agent.update_with(&early).await.unwrap_err();
    let arguments = json!({ "text": HELLO, "at": "2999-01-01T00:00:00Z" });
    let told = server.tool(&agent, "ada", "remember", &arguments).await;
    let expected = format!(
        "The memory service did not accept this (400). The memory service said: {}",
        refused.message().unwrap()
    );
    assert_eq!(told.refusal(), expected);
}

#[tokio::test]
async fn forgetting_has_the_limit_of_erasures() {
    let setup = setup().with(|config| config.erasure_limit = NonZeroU32::new(1));
    let (server, agent) = setup.start_with_agent().await;
    agent.tells(&user("ada"), HELLO).await;
    let facts = server.tool(&agent, "ada", "list_facts", &json!({})).await;
    let ids: Vec<Value> = facts.data()["facts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fact| json!({ "fact_id": fact["id"] }))
        .collect();
    let gone = server.tool(&agent, "ada", "forget", &ids[0]).await;
    assert!(!gone.is_refused(), "{gone:?}");
    let limited = server.tool(&agent, "ada", "forget", &ids[1]).await;
    limited.refusal().assert_has("too many requests");
    let wait = limited.refusal().rsplit("Try again in ").next().unwrap();
    let wait: u64 = wait.strip_suffix(" s.").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{limited:?}");
    let left = server.tool(&agent, "ada", "list_facts", &json!({})).await;
    assert_eq!(
        left.data()["facts"].as_array().unwrap().len(),
        ids.len() - 1
    );
}
