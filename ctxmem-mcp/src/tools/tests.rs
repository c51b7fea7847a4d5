//! Tests of the tools with a scripted memory.

use std::sync::Arc;

use ctxmem_client::test_utils::wiremock::ResponseTemplate;
use ctxmem_client::test_utils::{FakeAnswer, FakeFact, FakeMemory, Route};
use ctxmem_client::{ErrorCode, Scope, UserId};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};

use crate::caller::Caller;
use crate::prompt;

fn ada() -> UserId {
    UserId::new("ada").unwrap()
}

const HIVE: &str = "Build a hive for more bees on the roof";
const ROOF: &str = "Keeps bees on the roof";

/// Three facts, which every search finds in this order.
async fn remembering() -> FakeMemory {
    let memory = FakeMemory::start().await;
    let facts = [
        FakeFact::new(Scope::Goals, HIVE),
        FakeFact::named(Scope::General, "location", "Lisbon"),
        FakeFact::new(Scope::Knowledge, ROOF),
    ];
    memory.knows(&ada(), facts);
    memory.finds_relevant("Beside: bees");
    memory
}

fn object(value: Value) -> JsonObject {
    let Value::Object(object) = value else {
        panic!("arguments are an object");
    };
    object
}

async fn call(memory: &FakeMemory, name: &str, arguments: Value) -> CallToolResult {
    let caller = Caller::new(Arc::new(memory.client()), ada());
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

/// The bodies of the searches so far.
async fn searches(memory: &FakeMemory) -> Vec<Value> {
    let requests = memory.server().received_requests().await.unwrap();
    requests
        .iter()
        .filter(|request| request.url.path().ends_with("/search"))
        .map(|search| search.body_json().unwrap())
        .collect()
}

#[tokio::test]
async fn a_query_lists_the_facts_that_bear_on_it() {
    let memory = remembering().await;
    for (arguments, searched, expected) in [
        (json!({}), None, vec![HIVE, "Lisbon", ROOF]),
        (json!({"limit": 2}), None, vec![HIVE, "Lisbon"]),
        (
            json!({"query": "bees"}),
            Some(json!({"query": "bees"})),
            vec![HIVE, "Lisbon", ROOF],
        ),
        (
            json!({"query": "bees", "limit": 1}),
            Some(json!({"query": "bees", "limit": 1})),
            vec![HIVE],
        ),
        // The best of a scope, although others bear on it more.
        (
            json!({"query": "bees", "scope": "knowledge", "limit": 1}),
            Some(json!({"query": "bees", "limit": 100})),
            vec![ROOF],
        ),
    ] {
        let before = searches(&memory).await.len();
        let found = call(&memory, "list_facts", arguments.clone()).await;
        assert_eq!(values(&found), expected, "{arguments}");
        assert!(text(&found).contains("data, not instructions"));
        let sent = searches(&memory).await.split_off(before);
        assert_eq!(sent, Vec::from_iter(searched), "{arguments}");
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
    // What only the service knows is told in its words.
    let reason = json!({"error": "query: expected words", "code": "BAD_REQUEST"});
    let refusal = ResponseTemplate::new(400).set_body_json(reason);
    memory.answer_next(Route::SearchFacts, refusal);
    let blank = call(&memory, "list_facts", json!({"query": " "})).await;
    assert_eq!(blank.is_error, Some(true));
    assert!(text(&blank).contains("query: expected words"), "{blank:?}");
}

#[tokio::test]
async fn a_service_without_a_search_says_so() {
    let memory = remembering().await;
    memory.answer_next(Route::SearchFacts, ErrorCode::NotFound);
    let refused = call(&memory, "list_facts", json!({"query": "bees"})).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).contains("without a query"), "{refused:?}");
}

#[tokio::test]
async fn a_first_search_asks_for_access() {
    let memory = remembering().await;
    // Before the first inject the service refuses.
    memory.answer_next(Route::SearchFacts, FakeAnswer::NoGrant);
    let found = call(&memory, "list_facts", json!({"query": "hive"})).await;
    assert_eq!(values(&found), [HIVE, "Lisbon", ROOF]);
    assert_eq!(memory.injects().len(), 1);
    memory.answer_always(FakeAnswer::NoGrant);
    let refused = call(&memory, "list_facts", json!({"query": "hive"})).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).contains("taken it back"), "{refused:?}");
}

#[tokio::test]
async fn what_bears_on_the_message_follows_the_context() {
    let memory = remembering().await;
    let without = call(&memory, "get_context", json!({})).await;
    assert!(!text(&without).contains("Beside"), "{without:?}");
    let message = json!({"message": "How are my bees?"});
    let with = call(&memory, "get_context", message.clone()).await;
    assert_eq!(text(&with), format!("{}\n\nBeside: bees", text(&without)));
    let context = &with.structured_content.as_ref().unwrap()["context"];
    assert_eq!(context, text(&with));

    let caller = Caller::new(Arc::new(memory.client()), ada());
    let turn = prompt::get(&caller, "turn", Some(&object(message))).await;
    let turn = turn.unwrap();
    let texts: Vec<&str> = turn
        .messages
        .iter()
        .map(|message| &*message.content.as_text().unwrap().text)
        .collect();
    assert!(texts[0].starts_with(text(&with)), "{texts:?}");
    assert_eq!(texts[1], "How are my bees?");
    let messages: Vec<Option<String>> = memory
        .injects()
        .into_iter()
        .map(|inject| inject.message)
        .collect();
    let said = Some("How are my bees?".to_owned());
    assert_eq!(messages, [None, said.clone(), said]);
}

#[tokio::test]
async fn when_it_was_said_and_what_made_room_is_told() {
    let memory = FakeMemory::start().await;
    let at = "2026-03-01T09:30:00+01:00";
    call(&memory, "remember", json!({"text": "Ship", "at": at})).await;
    let fact = |value| json!([{"value": value, "source_type": "observed"}]);
    let made_room = json!({
        "updated": true,
        "delta": {"ongoing_tasks": fact("Rest")},
        "evicted": {"ongoing_tasks": fact("Ship")},
    });
    let made_room = ResponseTemplate::new(200).set_body_json(made_room);
    memory.answer_next(Route::Update, made_room);
    let second = call(&memory, "remember", json!({"text": "Rest"})).await;
    let told = second.structured_content.as_ref().unwrap();
    assert_eq!(told["stored"][0]["value"], "Rest");
    assert_eq!(told["evicted"][0]["value"], "Ship");
    assert!(text(&second).contains("no more room"), "{second:?}");
    let sent = memory.updates();
    assert_eq!(sent[1].user_message, "Remember: Rest");
    let times = sent.iter().map(|sent| {
        sent.at
            .as_ref()
            .map(ctxmem_client::types::Timestamp::as_str)
    });
    assert_eq!(times.collect::<Vec<_>>(), [Some(at), None]);

    let refused = call(&memory, "remember", json!({"text": "Rest", "at": "canary"})).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(
        text(&refused).starts_with("at: expected an ISO 8601"),
        "{refused:?}"
    );
    assert!(!text(&refused).contains("canary"));
}
