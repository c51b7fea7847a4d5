//! Clients that stay: many at once, over a restart, and such that leave in the middle. The server
//! keeps nothing between two requests, so each goes on wherever it is answered.

use std::collections::HashMap;
use std::time::Duration;

use ctxmem_types::Scope;
use futures_util::future::join_all;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService, ServiceExt as _};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};

use super::{request, server, setup, with_agent};
use crate::suite::support::{Agent, FakeModel, HELLO, Setup, Text as _, fact, user};

type Session = RunningService<RoleClient, ()>;

/// A session of the official client, in this user's name.
async fn session(url: &str, key: &str, user: &str) -> Session {
    let mut config = StreamableHttpClientTransportConfig::with_uri(format!("{url}/mcp"));
    config.auth_header = Some(key.to_owned());
    config.custom_headers = HashMap::from([(
        http::HeaderName::from_static("x-ctxmem-user-id"),
        user.parse().unwrap(),
    )]);
    let transport = StreamableHttpClientTransport::from_config(config);
    ().serve(transport).await.unwrap()
}

async fn call(session: &Session, tool: &'static str, arguments: Value) -> CallToolResult {
    let arguments = arguments.as_object().unwrap().clone();
    let params = CallToolRequestParams::new(tool).with_arguments(arguments);
    session.call_tool(params).await.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

#[tokio::test]
async fn sixty_four_sessions_at_once_keep_apart() {
    let (server, agent) = with_agent().await;
    let name = |n: u8| {
        format!(
            "Ada{}{}",
            char::from(b'a' + n / 8),
            char::from(b'a' + n % 8)
        )
    };
    let beginning = (0..64).map(async |n| {
        let session = session(&server.url, &agent.key, &format!("user-{n}")).await;
        let said = json!({ "text": format!("My name is {}.", name(n)) });
        let stored = call(&session, "remember", said).await;
        assert!(text(&stored).contains(&name(n)), "{stored:?}");
        session
    });
    let sessions = join_all(beginning).await;
    let reading = (0..64).zip(&sessions).map(async |(n, session)| {
        let context = call(session, "get_context", json!({})).await;
        let context = text(&context);
        assert!(
            context.ends_with(&format!("- name: {}", name(n))),
            "{context}"
        );
        assert_eq!(context.matches("Ada").count(), 1, "{context}");
    });
    join_all(reading).await;
    for session in sessions {
        session.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn a_session_goes_on_after_a_restart() {
    let first = server().await;
    let agent = first.agent().await;
    let before = session(&first.url, &agent.key, "ada").await;
    call(&before, "remember", json!({ "text": HELLO })).await;
    let store = first.stop().await;
    let setup = Setup::on(store).with(|config| config.mcp = true);
    let second = setup.start().await;
    // What a client sends that took up its session elsewhere: no handshake, and a session's id that
    // this server never gave out.
    let list = json!({
        "jsonrpc": "2.0",
        "id": 9,
        "method": "tools/call",
        "params": { "name": "get_context", "arguments": {} },
    });
    let answer = second
        .raw("POST", "/mcp")
        .key(&agent.key)
        .header("x-ctxmem-user-id", "ada")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-11-25")
        .header("mcp-session-id", "of-another-server")
        .json(&list)
        .gets(200)
        .await;
    answer.body.assert_has("- location: Lisbon");
    drop(before);
}

#[tokio::test]
async fn what_a_client_began_to_store_is_stored_when_it_has_gone() {
    let model = FakeModel::start().await;
    model.finds([fact(Scope::Goals, "ship")]);
    let setup = setup().model(&model, Duration::from_secs(30));
    let (_server, agent) = setup.start_with_agent().await;
    let mut completion = model.pause();
    let raw = agent.raw("POST", "/mcp");
    let said = json!({ "text": "My goal is to ship." });
    let connection = request::call(raw, "ada", "remember", &said).sent().await;
    completion.started().await;
    drop(connection);
    completion.finish();
    stored(&agent).await;
}

/// Waits until the goal is stored.
async fn stored(agent: &Agent) {
    loop {
        let facts = agent.context(&user("ada")).await;
        if facts.is_ok_and(|context| !context.is_empty()) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
