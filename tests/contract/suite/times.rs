//! Times of exchanges: `at` in an update, and the day where the user is.

use std::sync::Arc;

use ctxmem_test_outside::extraction_data;
use ctxmem_types::Scope;
use serde_json::{Value, json};

use crate::suite::support::{
    Agent, FakeModel, RawRequest, RawResponse, Server, Setup, TestClock, Text as _, fact, named,
    user,
};

const TOMORROW: &str = "My exam is due tomorrow. Remember that my exam is tomorrow.";

fn request(agent: &Agent, message: &str, at: Value) -> RawRequest {
    let mut body = json!({"userId": "ada", "userMessage": message, "agentResponse": "Noted."});
    if !at.is_null() {
        body["at"] = at;
    }
    agent.raw("POST", "/api/context/update").json(&body)
}

async fn update(agent: &Agent, message: &str, at: Value) -> RawResponse {
    request(agent, message, at).send().await
}

/// Half an hour to midnight, in UTC.
async fn late() -> (Server, Agent, Arc<TestClock>) {
    let (clock, server) = Setup::new().start_at("2026-03-05T23:30:00Z").await;
    let agent = server.agent().await;
    (server, agent, clock)
}

#[tokio::test]
async fn relative_days_are_those_of_the_exchange() {
    let (_server, agent, _clock) = late().await;
    for (at, day) in [
        (Value::Null, "2026-03-06"),
        (json!("2024-02-28T12:00:00Z"), "2024-02-29"),
        (json!("2024-06-30T23:00:00-05:00"), "2024-07-02"),
    ] {
        let answer = update(&agent, TOMORROW, at).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(answer.body.contains(day), "{day}: {}", answer.body);
    }
    // When it was stored is told by the server's clock.
    let facts = agent.facts(&user("ada")).await.unwrap();
    for fact in facts {
        assert!(fact.stored_at.as_str().starts_with("2026-03-05T23:30"));
    }
}

#[tokio::test]
async fn an_exchange_that_is_still_to_come_is_refused() {
    let (_server, agent, clock) = late().await;
    for at in [
        json!("2026-03-05T23:35:01Z"),
        json!("2027-01-01T00:00:00Z"),
        json!("yesterday"),
        json!(7),
    ] {
        let answer = update(&agent, TOMORROW, at.clone()).await;
        assert_eq!(answer.status, 400, "{at}");
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        error.assert_has("at");
        error.assert_lacks("yesterday");
    }
    // A clock that is a little ahead is taken for right.
    let answer = update(&agent, TOMORROW, json!("2026-03-05T23:34:00Z")).await;
    answer.body.assert_has("2026-03-06");
    clock.set("2027-01-01T00:00:00Z");
    let answer = update(&agent, TOMORROW, json!("2027-01-01T00:00:00Z")).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn the_same_exchange_at_another_time_is_another_request() {
    let (_server, agent, _clock) = late().await;
    let send = |at: &'static str| {
        let request = request(&agent, TOMORROW, json!(at));
        request.header("idempotency-key", "one").send()
    };
    assert_eq!(send("2024-02-28T12:00:00Z").await.status, 200);
    let again = send("2024-02-28T12:00:00Z").await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(send("2024-02-29T12:00:00Z").await.status, 400);
}

#[tokio::test]
async fn every_extractor_knows_the_day_where_the_user_is() {
    // The built-in one.
    let (_server, agent, _clock) = late().await;
    let zone = update(&agent, "My time zone is Asia/Tokyo.", Value::Null).await;
    zone.body.assert_has("Asia/Tokyo");
    // There it is the sixth already.
    let answer = update(&agent, TOMORROW, Value::Null).await;
    answer.body.assert_has("2026-03-07");
    let answer = update(&agent, TOMORROW, json!("2024-02-28T16:00:00Z")).await;
    answer.body.assert_has("2024-03-01");

    // A model.
    let model = FakeModel::start().await;
    let (_, server) = Setup::asking(&model).start_at("2026-03-05T23:30:00Z").await;
    let agent = server.agent().await;
    model.finds([named(Scope::General, "timezone", "Asia/Tokyo")]);
    update(&agent, "My time zone is Asia/Tokyo.", Value::Null).await;
    for (at, day) in [
        (Value::Null, "2026-03-06"),
        (json!("2024-02-28T16:00:00Z"), "2024-02-29"),
        (json!("2024-02-28T14:00:00Z"), "2024-02-28"),
    ] {
        model.finds([fact(Scope::Goals, "Pass the exam")]);
        update(&agent, TOMORROW, at).await;
        let asked = extraction_data(model.bodies().await.last().unwrap());
        asked["today"].as_str().unwrap().assert_begins(day);
    }
}
