//! `--mcp`.

use serde_json::{Value, json};

use crate::process::{Home, ServerProcess, assert_has, browser};

const USER: &str = "canary-user-1d7c";
const SAID: &str = "canary-said-88aa";
const ARGUMENT: &str = "canary-argument-f391";
const METHOD: &str = "canary-method-02be";

/// What `/mcp` answers to a message with the first key.
async fn post(server: &ServerProcess, message: &Value) -> reqwest::Response {
    browser()
        .post(format!("{}/mcp", server.url()))
        .bearer_auth(server.key())
        .header("accept", "application/json, text/event-stream")
        .header("x-ctxmem-user-id", USER)
        .json(message)
        .send()
        .await
        .unwrap()
}

fn call(tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

#[tokio::test]
async fn it_is_off_until_the_flag_or_the_environment_turns_it_on() {
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    for (flags, variable, status) in [
        (&[][..], None, 404),
        (&["--mcp"][..], None, 200),
        (&["--mcp=on"][..], Some("off"), 200),
        (&["--mcp=off"][..], Some("on"), 404),
        (&[][..], Some("on"), 200),
    ] {
        let home = Home::new();
        let mut command = home.serving(flags);
        if let Some(value) = variable {
            command.env("CTXMEM_MCP", value);
        }
        let server = home.start(command).await;
        let answer = post(&server, &list).await;
        assert_eq!(answer.status(), status, "{flags:?} {variable:?}");
    }
    let wrong = Home::new().refused("serve --mcp=maybe", 2, "--mcp");
    assert_has(&wrong, &["on", "off"]);
}

#[tokio::test]
async fn oauth_needs_the_protocol_and_an_address_that_nobody_can_listen_to() {
    let http = "serve --mcp --mcp-oauth --public-url http://memory.example.com";
    for (command, expected) in [
        ("serve --mcp-oauth", "--mcp-oauth: it needs --mcp"),
        (http, "--mcp-oauth: it needs a --public-url of https"),
    ] {
        Home::new().refused(command, 1, expected);
    }
    for (flags, status) in [("--mcp", 404), ("--mcp --mcp-oauth", 200)] {
        let server = Home::new().serve(flags).await;
        let metadata = "/.well-known/oauth-authorization-server";
        let found = browser().get(format!("{}{metadata}", server.url()));
        assert_eq!(found.send().await.unwrap().status(), status);
    }
}

#[tokio::test]
async fn the_log_at_trace_holds_nothing_of_what_is_said() {
    let home = Home::new();
    let server = home.serve("--mcp --log trace").await;
    let said = format!("My name is {SAID}. My password is {ARGUMENT}.");
    for message in [
        call("remember", &json!({ "text": said })),
        call("get_context", &json!({ "scope": ARGUMENT })),
        call("list_facts", &json!({})),
        call(ARGUMENT, &json!({ "text": SAID })),
        json!({ "jsonrpc": "2.0", "id": 1, "method": METHOD, "params": { "a": ARGUMENT } }),
        json!({ "jsonrpc": "2.0", "method": METHOD, "params": { "a": ARGUMENT } }),
        json!({ "canary": ARGUMENT }),
    ] {
        let answer = post(&server, &message).await;
        assert!(answer.status().as_u16() < 500);
    }
    let key = server.key().to_owned();
    let log = server.stop().await;
    assert!(log.contains("TRACE"), "the log is not at its finest level");
    assert!(log.contains("route=\"/mcp\""), "{log}");
    assert!(log.contains("route=\"/api/context/update\""), "{log}");
    for canary in [USER, SAID, ARGUMENT, METHOD, &key] {
        let found = log.lines().find(|line| line.contains(canary));
        assert!(found.is_none(), "{canary} stands in the log: {found:?}");
    }
}
