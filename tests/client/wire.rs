//! The exact bytes of requests.

use ctxmem_client::UserId;

use crate::raw::{Ending, RawServer, json_answer};
use crate::support::{AGENT, Deployment, KEY, USER, builder as client, header, ok, user};
use serde_json::json;

const USER_AGENT: &str = concat!("ctxmem-client/", env!("CARGO_PKG_VERSION"));

fn context_server() -> RawServer {
    let body = r#"{"userId": "u"}"#;
    RawServer::saying(json_answer("200 OK", body), Ending::Close)
}

/// Sorted, because the order of headers does not matter.
fn head(request: &str) -> Vec<String> {
    let (head, _) = request.split_once("\r\n\r\n").unwrap();
    let mut lines: Vec<_> = head.lines().map(str::to_owned).collect();
    lines[1..].sort();
    lines
}

#[tokio::test]
async fn a_read_sends_exactly_these_headers() {
    let server = context_server();
    let url = server.url.clone();
    let client = client(&url).build().unwrap();
    client.context(&user()).await.unwrap();
    let host = url.trim_start_matches("http://");
    let expected = [
        format!("GET /api/context/{} HTTP/1.1", user().as_str()),
        "accept: application/json".to_owned(),
        format!("authorization: Bearer {KEY}"),
        "content-type: application/json".to_owned(),
        format!("host: {host}"),
        format!("user-agent: {USER_AGENT}"),
    ];
    assert_eq!(head(&server.request()), expected);
}

#[tokio::test]
async fn health_carries_no_credential() {
    let server = RawServer::saying(json_answer("200 OK", r#"{"ok": true}"#), Ending::Close);
    let url = server.url.clone();
    let client = client(&url).build().unwrap();
    client.health().await.unwrap();
    let host = url.trim_start_matches("http://");
    let expected = [
        "GET /api/health HTTP/1.1".to_owned(),
        "accept: application/json".to_owned(),
        format!("host: {host}"),
        format!("user-agent: {USER_AGENT}"),
    ];
    assert_eq!(head(&server.request()), expected);
}

#[tokio::test]
async fn every_user_id_is_one_path_segment() {
    for (id, segment) in [
        ("plain-id_1.2~3", "plain-id_1.2~3"),
        ("alice@example.com", "alice%40example.com"),
        ("a/b", "a%2Fb"),
        ("../../admin", "..%2F..%2Fadmin"),
        ("...", "..."),
        (".hidden", ".hidden"),
        ("two words", "two%20words"),
        ("100%", "100%25"),
        ("%2F", "%252F"),
        ("%2e%2e", "%252e%252e"),
        ("a?b=c#d", "a%3Fb%3Dc%23d"),
        ("a\\b", "a%5Cb"),
        ("a+b&c;d", "a%2Bb%26c%3Bd"),
        ("tab\tline\r\n", "tab%09line%0D%0A"),
        ("Jürgen", "J%C3%BCrgen"),
        ("日本", "%E6%97%A5%E6%9C%AC"),
        ("🦀", "%F0%9F%A6%80"),
    ] {
        let id = UserId::new(id).unwrap();
        for prefix in ["", "/memory/v1"] {
            let server = context_server();
            let client = client(format!("{}{prefix}", server.url)).build().unwrap();
            client.context(&id).await.unwrap();
            let request = server.request();
            let expected = format!("GET {prefix}/api/context/{segment} HTTP/1.1");
            assert_eq!(request.lines().next(), Some(&*expected));
        }
    }
}

#[tokio::test]
async fn in_bodies_user_ids_are_plain_text() {
    let answer = ok(&json!({"injectedPrompt": "Hi"}));
    let deployment = Deployment::injecting(answer).await;
    let id = UserId::new("a/b \"c\" %2F\u{1f980}").unwrap();
    deployment.client().inject(&id, "Hi").await.unwrap();
    let expected = "{\"userId\":\"a/b \\\"c\\\" %2F\u{1f980}\",\"basePrompt\":\"Hi\"}";
    assert_eq!(deployment.body().await, expected);
}

#[tokio::test]
async fn a_write_has_a_content_type_and_a_length() {
    let answer = ok(&json!({"injectedPrompt": "Hi"}));
    let deployment = Deployment::injecting(answer).await;
    deployment.client().inject(&user(), "Hi").await.unwrap();
    let request = deployment.request().await;
    let mut names: Vec<_> = request.headers.keys().map(ToString::to_string).collect();
    names.sort();
    let expected = "accept authorization content-length content-type host user-agent";
    assert_eq!(names.join(" "), expected);
    assert_eq!(header(&request, "authorization"), format!("Bearer {KEY}"));
    assert_eq!(header(&request, "content-type"), "application/json");
    let length = request.body.len().to_string();
    assert_eq!(header(&request, "content-length"), length);
}

#[tokio::test]
async fn settings_reach_the_request() {
    let answer = ok(&json!({"updated": true, "delta": {}}));
    let deployment = Deployment::answering("POST", "/m/api/context/update", answer).await;
    let client = client(format!("{}/m/", deployment.url()))
        .agent_id(AGENT)
        .user_agent("my-agent/1.2 (test)")
        .build()
        .unwrap();
    client.update(&user(), "q", "a").await.unwrap();
    let request = deployment.request().await;
    let expected = format!("{USER_AGENT} my-agent/1.2 (test)");
    assert_eq!(header(&request, "user-agent"), expected);
    let expected = format!(
        r#"{{"userId":"{USER}","userMessage":"q","agentResponse":"a","agentId":"{AGENT}"}}"#
    );
    assert_eq!(deployment.body().await, expected);
}

#[tokio::test]
async fn a_custom_http_client_is_used() {
    let answer = ok(&json!({"ok": true}));
    let deployment = Deployment::answering("GET", "/api/health", answer).await;
    let mut headers = reqwest::header::HeaderMap::new();
    headers.insert("x-mine", reqwest::header::HeaderValue::from_static("yes"));
    let own = reqwest::Client::builder()
        .default_headers(headers)
        .build()
        .unwrap();
    let client = deployment.builder().http_client(own).build().unwrap();
    client.health().await.unwrap();
    assert_eq!(header(&deployment.request().await, "x-mine"), "yes");
}
