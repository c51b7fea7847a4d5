//! The address, its headers, and who may post to it from where.

use serde_json::json;

use super::request::{self, ToolAnswer};
use super::{server, with_agent};
use crate::suite::support::{Connection, HELLO, Server, Text as _, user};

#[tokio::test]
async fn without_the_flag_there_is_nothing() {
    let (server, agent) = Server::with_agent().await;
    for method in ["POST", "GET", "DELETE", "PUT"] {
        let raw = agent.raw(method, "/mcp");
        let answer = request::of(raw, "ada", "tools/list", json!({}))
            .send()
            .await;
        let there_is_nothing = server.raw(method, "/nowhere").send().await;
        assert_eq!(answer.status, 404, "{method}");
        assert_eq!(answer.body, there_is_nothing.body, "{method}");
        assert_eq!(answer.header("allow"), None);
    }
}

#[tokio::test]
async fn it_takes_posts_alone() {
    let (_server, agent) = with_agent().await;
    for method in ["GET", "DELETE", "PUT"] {
        let answer = agent.raw(method, "/mcp").gets(405).await;
        assert_eq!(answer.header("allow"), Some("POST"));
    }
}

#[tokio::test]
async fn pages_of_other_sites_can_not_post_not_even_by_a_name_that_leads_here() {
    let (server, agent) = with_agent().await;
    agent.tells(&user("ada"), HELLO).await;
    let port = server.address().rsplit(':').next().unwrap();
    let rebound = format!("evil.example:{port}");
    let from = |origin: &str| {
        let raw = agent.raw("POST", "/mcp");
        let raw = raw.header("origin", origin);
        request::call(raw, "ada", "get_context", &json!({}))
    };
    for origin in [
        "http://evil.example",
        "https://127.0.0.1",
        "null",
        "",
        &format!("http://{rebound}"),
    ] {
        let text = from(origin).gets_error(403).await;
        assert_eq!(text, "This request comes from another site.", "{origin}");
    }
    let own = from(&server.url).send().await;
    assert!(!ToolAnswer::of(&own).is_refused());

    // A page whose host's name leads to this server says that name, and where it comes from.
    let rebinding = format!(
        "POST /mcp HTTP/1.1\r\nhost: {rebound}\r\norigin: http://{rebound}\r\n\
         sec-fetch-site: same-origin\r\nauthorization: Bearer {}\r\n\
         content-length: 0\r\nconnection: close\r\n\r\n",
        agent.key
    );
    let mut connection = Connection::open(&server).await;
    connection.write(&rebinding).await;
    assert_eq!(connection.answer().await.status, 403);
}

#[tokio::test]
async fn the_user_is_named_by_one_header_in_ascii() {
    let (server, agent) = with_agent().await;
    let raw = || {
        let raw = agent.raw("POST", "/mcp");
        raw.header("accept", "application/json, text/event-stream")
    };
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    for request in [
        raw(),
        raw().header("x-ctxmem-user-id", ""),
        raw().header("x-ctxmem-user-id", "."),
        raw().header("x-ctxmem-user-id", "%zz"),
        raw().header("x-ctxmem-user-id", "%00"),
        raw().header("x-ctxmem-user-id", "canary%"),
        raw()
            .header("x-ctxmem-user-id", "canary")
            .header("x-ctxmem-user-id", "canary"),
    ] {
        let text = request.json(&list).gets_error(400).await;
        assert!(text.starts_with("X-CtxMem-User-Id: expected "), "{text}");
        text.assert_lacks("canary");
    }
    let said = json!({ "text": HELLO });
    server.tool(&agent, "%C3%A5da%2F1", "remember", &said).await;
    let context = agent.reads(&user("åda/1")).await;
    assert_eq!(context["general"]["name"]["value"], "Ada");
}

#[tokio::test]
async fn whoever_has_no_key_learns_nothing() {
    let server = server().await;
    for request in [
        server.raw("POST", "/mcp"),
        server.raw("POST", "/mcp").key("ctxm_unknown"),
        server.raw("POST", "/mcp").key(""),
        server.raw("POST", "/mcp").body("{"),
        server.raw("POST", "/mcp").header("x-ctxmem-user-id", "%zz"),
    ] {
        assert_eq!(request.send().await.assert_error(401), "Invalid API key.");
    }
}

#[tokio::test]
async fn what_is_no_message_of_the_protocol_is_refused() {
    let (_server, agent) = with_agent().await;
    let raw = || {
        let raw = agent.raw("POST", "/mcp");
        raw.header("x-ctxmem-user-id", "ada")
    };
    let accepting = || raw().header("accept", "application/json, text/event-stream");
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let typed = || accepting().header("content-type", "application/json");
    for (request, status, expected) in [
        (accepting().body("{}"), 415, "Content-Type: "),
        (
            accepting().header("content-type", "text/plain").body("{}"),
            415,
            "Content-Type: ",
        ),
        (typed().body("canary"), 400, "body: expected one message"),
        (typed().body(r#"{"canary":1}"#), 400, "body: "),
        (
            typed().body(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"canary"}"#),
            400,
            "body: ",
        ),
        (accepting().json(&json!([list])), 400, "body: "),
    ] {
        let text = request.gets_error(status).await;
        assert!(text.starts_with(expected), "{text}");
        text.assert_lacks("canary");
    }
    let unknown = request::of(
        agent.raw("POST", "/mcp"),
        "ada",
        "subscriptions/listen",
        json!({ "notifications": {} }),
    );
    let unknown = unknown.gets(404).await;
    assert_eq!(unknown.json()["error"]["code"], -32601);
}

#[tokio::test]
async fn whatever_a_client_accepts_it_gets_json() {
    let (_server, agent) = with_agent().await;
    let list = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list" });
    for path in ["/mcp", "/mcp/", "/mcp/users/ada"] {
        for accept in [
            None,
            Some("application/json"),
            Some("*/*"),
            Some("text/event-stream"),
        ] {
            let mut request = agent.raw("POST", path);
            if !path.contains("users") {
                request = request.header("x-ctxmem-user-id", "ada");
            }
            if let Some(accept) = accept {
                request = request.header("accept", accept);
            }
            let answer = request.json(&list).gets(200).await;
            assert_eq!(answer.header("content-type"), Some("application/json"));
            assert!(
                answer.json()["result"]["tools"].is_array(),
                "{}",
                answer.body
            );
        }
    }
}

#[tokio::test]
async fn the_user_may_stand_in_the_address() {
    let (_server, agent) = with_agent().await;
    agent.tells(&user("ada/b"), HELLO).await;
    let ask = |path: &str| {
        let params = json!({ "name": "get_context", "arguments": {} });
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        agent.raw("POST", path).json(&body)
    };
    let answer = ask("/mcp/users/ada%2Fb").send().await;
    answer.body.assert_has("Helix");
    let other = ask("/mcp/users/bob").gets(200).await;
    other.body.assert_lacks("Helix");
    // A header that names somebody else is a mistake of whoever set it.
    let both = ask("/mcp/users/bob").header("x-ctxmem-user-id", "ada%2Fb");
    both.send().await.assert_bad_request("X-CtxMem-User-Id: ");
    let same = ask("/mcp/users/bob").header("x-ctxmem-user-id", "bob");
    assert_eq!(same.send().await.status, 200);
    for (path, status) in [
        ("/mcp/users/", 404),
        ("/mcp/ada", 404),
        ("/mcp/users/%00", 400),
    ] {
        assert_eq!(ask(path).send().await.status, status, "{path}");
    }
}

#[tokio::test]
async fn who_has_no_key_is_told_how_it_is_shown() {
    let server = server().await;
    for path in ["/mcp", "/mcp/users/ada", "/api/context/inject"] {
        let answer = server.raw("POST", path).key("ctxm_unknown").gets(401).await;
        assert_eq!(
            answer.header("www-authenticate"),
            Some("Bearer realm=\"ctxmem\"")
        );
    }
}

#[tokio::test]
async fn answers_are_of_one_piece_and_neither_stored_nor_compressed() {
    let (_server, agent) = with_agent().await;
    let raw = agent.raw("POST", "/mcp");
    let raw = raw.header("accept-encoding", "gzip");
    let list = request::of(raw, "ada", "tools/list", json!({}));
    let answer = list.gets(200).await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("content-encoding"), None);
    assert_eq!(answer.header("mcp-session-id"), None);
    assert!(answer.header("x-request-id").is_some());
}
