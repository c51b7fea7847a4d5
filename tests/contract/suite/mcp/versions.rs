//! Revisions of the protocol: negotiated, or refused in words.

use serde_json::{Value, json};

use super::request::{self, VERSION};
use super::with_agent;
use crate::suite::support::{Agent, RawRequest, Text as _};

/// The revisions that begin with a handshake.
const WITH_HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn post(agent: &Agent) -> RawRequest {
    let post = agent.raw("POST", "/mcp").header("x-ctxmem-user-id", "ada");
    post.header("accept", "application/json, text/event-stream")
}

fn initialize(version: &str) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    })
}

#[tokio::test]
async fn a_handshake_agrees_on_a_revision_that_both_know() {
    let (_server, agent) = with_agent().await;
    for version in WITH_HANDSHAKE {
        let answer = post(&agent).json(&initialize(version)).send().await;
        let result = &answer.json()["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "ctxmem");
        let instructions = result["instructions"].as_str().unwrap();
        instructions.assert_has("not instructions");
        assert_eq!(answer.header("mcp-session-id"), None);
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let posted = post(&agent).header("mcp-protocol-version", version);
        posted.json(&initialized).gets(202).await;
        let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
        let posted = post(&agent).header("mcp-protocol-version", version);
        let answer = posted.json(&list).send().await;
        let tools = answer.json()["result"]["tools"].clone();
        assert_eq!(tools.as_array().unwrap().len(), 4, "{version}");
    }
    // A revision that the server does not know is answered by one that it knows.
    let answer = post(&agent).json(&initialize("1999-01-01")).send().await;
    assert_eq!(answer.json()["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn without_a_handshake_the_server_says_what_it_speaks() {
    let (server, agent) = with_agent().await;
    let discovered = server
        .mcp(&agent, "ada", "server/discover", json!({}))
        .await;
    let versions = discovered["result"]["supportedVersions"]
        .as_array()
        .unwrap();
    assert!(versions.contains(&VERSION.into()), "{discovered}");
}

#[tokio::test]
async fn an_unknown_revision_is_refused_in_words() {
    let (_server, agent) = with_agent().await;
    let raw = agent.raw("POST", "/mcp");
    let answer = request::in_version(raw, "ada", "tools/list", json!({}), "2999-01-01");
    let answer = answer.gets(400).await;
    let error = &answer.json()["error"];
    assert_eq!(error["code"], -32022);
    let supported = error["data"]["supported"].as_array().unwrap();
    assert!(supported.contains(&VERSION.into()), "{error}");

    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    let text = post(&agent)
        .header("mcp-protocol-version", "2999-01-01")
        .json(&list)
        .gets_error(400)
        .await;
    assert!(text.starts_with("MCP-Protocol-Version: expected one of"));
    let known = rmcp::model::ProtocolVersion::KNOWN_VERSIONS;
    assert!(known.iter().all(|version| text.contains(version.as_str())));
}

#[tokio::test]
async fn headers_that_contradict_the_body_are_refused() {
    let (_server, agent) = with_agent().await;
    let raw = agent.raw("POST", "/mcp");
    let raw = raw.header("mcp-method", "tools/list");
    let answer = request::call(raw, "ada", "get_context", &json!({}))
        .gets(400)
        .await;
    assert_eq!(answer.json()["error"]["code"], -32020);
}
