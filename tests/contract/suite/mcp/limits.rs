//! Each request to the memory counts and is logged as one over HTTP.

use ctxmem_server::core::FirstGrant::Auto;
use serde_json::{Value, json};

use super::request::{self, ToolAnswer};
use super::{setup, with_agent};
use crate::suite::support::{Developer, HELLO, RawResponse, user};

fn remaining(answer: &RawResponse) -> u32 {
    let remaining = answer.header("x-ratelimit-remaining").unwrap();
    remaining.parse().unwrap()
}

#[tokio::test]
async fn a_request_counts_once_and_over_the_limit_the_tool_says_so() {
    let (_server, agent) = setup().rate_limit(4).start_with_agent().await;
    let raw = || agent.raw("POST", "/mcp");
    let list = || request::of(raw(), "ada", "tools/list", json!({}));
    let call = || request::call(raw(), "ada", "get_context", &json!({}));
    let mut before = 4;
    for request in [list(), call(), list(), call()] {
        let answer = request.gets(200).await;
        before -= 1;
        assert_eq!(remaining(&answer), before);
    }
    let over = call().send().await;
    let told = ToolAnswer::of(&over);
    assert!(told.refusal().contains("too many requests"), "{told:?}");
    assert!(told.refusal().contains("Try again in "), "{told:?}");
    let answer = list().send().await;
    answer.assert_error(429);
    assert!(answer.header("retry-after").is_some());
}

#[tokio::test]
async fn the_logs_say_what_was_done() {
    let server = setup().first_grant(Auto).start().await;
    let (agent, ann) = Developer::with_agent(&server).await;
    let ask = async |tool: &str, arguments: Value| {
        server.tool(&agent, "ada-canary", tool, &arguments).await
    };
    ask("remember", json!({ "text": HELLO })).await;
    ask("get_context", json!({})).await;
    ask("list_facts", json!({ "query": "editor" })).await;
    ask("forget", json!({ "fact_id": "000000000000000000000000" })).await;
    let facts = ask("list_facts", json!({})).await;
    let id = &facts.data()["facts"][0]["id"];
    ask("forget", json!({ "fact_id": id })).await;
    let early = json!({ "text": "I use Zed.", "at": "2999-01-01T00:00:00Z" });
    ask("remember", early).await;
    let list = server.mcp(&agent, "ada-canary", "tools/list", json!({}));
    list.await;
    let path = format!("/dashboard/requests.csv?agent={}", agent.id);
    let table = ann.get(&path).await;
    for (method_and_path, times) in [
        ("POST /api/context/update,200", 1),
        ("POST /api/context/update,400,BAD_REQUEST", 1),
        ("POST /api/context/inject,200", 1),
        ("POST /api/context/{userId}/facts/search,200", 1),
        // Before a fact is forgotten it is looked for.
        ("GET /api/context/{userId}/facts,200", 3),
        ("DELETE /api/context/{userId}/facts/{factId},200", 1),
        // What asks nothing of the memory.
        ("POST /mcp", 1),
    ] {
        let found = table.matches(method_and_path).count();
        assert_eq!(found, times, "{method_and_path} in {table}");
    }
    assert!(!table.contains("canary") && !table.contains("Lisbon"));
    let ada = user("ada-canary");
    let trail = server.trail(&ada).await;
    let actions: Vec<String> = trail
        .iter()
        .map(|row| format!("{:?}", row.event.action))
        .collect();
    for action in ["Update", "Inject", "Search", "Read", "DeleteFact"] {
        assert!(actions.iter().any(|it| it == action), "{actions:?}");
    }
}

#[tokio::test]
async fn a_long_body_is_refused_as_everywhere() {
    let (_server, agent) = with_agent().await;
    let raw = agent.raw("POST", "/mcp");
    let said = json!({ "text": "x".repeat(1 << 20) });
    let answer = request::call(raw, "ada", "remember", &said).send().await;
    answer.assert_error(413);
}
