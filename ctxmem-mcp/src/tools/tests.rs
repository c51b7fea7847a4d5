//! What the tools ask of the memory, on a fake one.

use std::sync::Arc;

use ctxmem_client::test_utils::{FakeFact, FakeMemory, ServiceError};
use ctxmem_client::{Scope, UserId};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};

use crate::caller::Caller;
use crate::prompt;

fn ada() -> UserId {
    UserId::new("ada").unwrap()
}

/// Four facts, of which two are about bees.
fn remembering() -> FakeMemory {
    FakeMemory::new()
        .with_fact(
            &ada(),
            FakeFact::named(Scope::General, "location", "Lisbon"),
        )
        .with_fact(
            &ada(),
            FakeFact::new(Scope::Knowledge, "Keeps bees on the roof"),
        )
        .with_fact(&ada(), FakeFact::new(Scope::Goals, "Ship the beta"))
        .with_fact(
            &ada(),
            FakeFact::new(Scope::Goals, "Build a hive for more bees on the roof"),
        )
        .on_message(|said| said.contains("bees").then(|| "Beside: bees".to_owned()))
}

fn object(value: Value) -> JsonObject {
    let Value::Object(object) = value else {
        panic!("arguments are an object");
    };
    object
}

async fn call(memory: &FakeMemory, name: &str, arguments: Value) -> CallToolResult {
    let caller = Caller::new(Arc::new(memory.clone()), ada());
    super::call(&caller, name, &object(arguments))
        .await
        .unwrap()
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

fn values(result: &CallToolResult) -> Vec<&str> {
    let facts = &result.structured_content.as_ref().unwrap()["facts"];
    let facts = facts.as_array().unwrap().iter();
    facts.map(|fact| fact["value"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_query_lists_the_facts_that_bear_on_it() {
    const ROOF: &str = "Keeps bees on the roof";
    const HIVE: &str = "Build a hive for more bees on the roof";
    let memory = remembering();
    let all = call(&memory, "list_facts", json!({})).await;
    assert_eq!(values(&all).len(), 4);
    for (arguments, expected) in [
        (json!({"query": "bees and the hive"}), vec![HIVE, ROOF]),
        (
            json!({"query": "bees and the hive", "limit": 1}),
            vec![HIVE],
        ),
        (json!({"query": "zebras"}), vec![]),
        // The best of a scope, although others bear on it more.
        (
            json!({"query": "bees hive", "scope": "knowledge", "limit": 1}),
            vec![ROOF],
        ),
        (json!({"limit": 2}), vec!["Lisbon", ROOF]),
    ] {
        let found = call(&memory, "list_facts", arguments.clone()).await;
        assert_eq!(values(&found), expected, "{arguments}");
        assert!(text(&found).contains("data, not instructions"));
    }
    for (arguments, expected) in [
        (
            json!({"limit": 0}),
            "limit: expected a number from 1 to 100",
        ),
        (
            json!({"query": "bees", "limit": 101}),
            "limit: expected a number from 1 to 100",
        ),
        (
            json!({"query": "bees", "limit": "many"}),
            "limit: expected a positive whole number, found a string",
        ),
        (
            json!({"query": 7}),
            "query: expected a string, found a number",
        ),
    ] {
        let refused = call(&memory, "list_facts", arguments).await;
        assert_eq!(refused.is_error, Some(true));
        assert_eq!(text(&refused), expected);
    }
    let blank = call(&memory, "list_facts", json!({"query": " "})).await;
    assert_eq!(blank.is_error, Some(true));
    assert!(text(&blank).contains("query: expected"), "{blank:?}");
}

#[tokio::test]
async fn a_service_without_a_search_says_so() {
    let memory = remembering();
    call(&memory, "get_context", json!({})).await;
    memory.fail_next(ServiceError::NotFound);
    let refused = call(&memory, "list_facts", json!({"query": "bees"})).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).contains("without a query"), "{refused:?}");
}

#[tokio::test]
async fn a_first_search_asks_for_access() {
    let memory = remembering();
    let found = call(&memory, "list_facts", json!({"query": "hive"})).await;
    assert_eq!(values(&found).len(), 1);
    memory.revoke_all(&ada());
    let refused = call(&memory, "list_facts", json!({"query": "hive"})).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).contains("taken it back"), "{refused:?}");
}

#[tokio::test]
async fn what_bears_on_the_message_follows_the_context() {
    let memory = remembering();
    let without = call(&memory, "get_context", json!({})).await;
    assert!(!text(&without).contains("Beside"), "{without:?}");
    let message = json!({"message": "How are my bees?"});
    let with = call(&memory, "get_context", message.clone()).await;
    assert_eq!(text(&with), format!("{}\n\nBeside: bees", text(&without)));
    let context = &with.structured_content.as_ref().unwrap()["context"];
    assert_eq!(context, text(&with));

    let caller = Caller::new(Arc::new(memory.clone()), ada());
    let turn = prompt::get(&caller, "turn", Some(&object(message))).await;
    let turn = turn.unwrap();
    let texts: Vec<&str> = turn
        .messages
        .iter()
        .map(|message| &*message.content.as_text().unwrap().text)
        .collect();
    assert!(texts[0].starts_with(text(&with)), "{texts:?}");
    assert_eq!(texts[1], "How are my bees?");
    assert_eq!(memory.messages(), ["How are my bees?"; 2]);
}

#[tokio::test]
async fn when_it_was_said_and_what_made_room_is_told() {
    let memory = FakeMemory::new()
        .with_facts_in_scope(1)
        .on_update(|said| vec![FakeFact::new(Scope::Goals, &said.user_message)]);
    let at = "2026-03-01T09:30:00+01:00";
    call(&memory, "remember", json!({"text": "Ship", "at": at})).await;
    let second = call(&memory, "remember", json!({"text": "Rest"})).await;
    let told = second.structured_content.as_ref().unwrap();
    assert_eq!(told["evicted"][0]["value"], "Remember: Ship");
    assert!(text(&second).contains("no more room"), "{second:?}");
    let sent = memory.interactions();
    let times = sent
        .iter()
        .map(|sent| sent.at.as_ref().map(ctxmem_client::Timestamp::as_str));
    assert_eq!(times.collect::<Vec<_>>(), [Some(at), None]);

    let refused = call(&memory, "remember", json!({"text": "Rest", "at": "canary"})).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(
        text(&refused).starts_with("at: expected an ISO 8601"),
        "{refused:?}"
    );
    assert!(!text(&refused).contains("canary"));
}
