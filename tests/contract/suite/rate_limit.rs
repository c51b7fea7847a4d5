//! The rate limit: requests per minute and key.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ctxmem_client::ErrorCode;
use ctxmem_types::ScopeSet;
use serde_json::json;

use crate::suite::support::{RawRequest, RawResponse, Server, Setup, refused, user};

const HEADERS: [&str; 3] = [
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
];

/// The numbers of the three headers.
fn numbers(answer: &RawResponse) -> [u64; 3] {
    HEADERS.map(|name| answer.header(name).unwrap().parse().unwrap())
}

#[track_caller]
fn assert_no_headers(answer: &RawResponse) {
    for name in HEADERS.into_iter().chain(["retry-after"]) {
        assert_eq!(answer.header(name), None);
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap().as_secs()
}

fn inject(server: &Server, key: &str) -> RawRequest {
    let body = json!({"userId": "ada", "basePrompt": "Be brief."});
    server
        .raw("POST", "/api/context/inject")
        .key(key)
        .json(&body)
}

#[tokio::test]
async fn every_answer_after_the_key_was_accepted_tells_the_limit() {
    let (server, agent) = Setup::new().rate_limit(20).start_with_agent().await;
    let raw = |method, path| agent.raw(method, path);
    let inject_with = |body: &[u8]| {
        raw("POST", "/api/context/inject")
            .header("content-type", "application/json")
            .body(body)
    };
    let grant = json!({"userId": "ada", "agentId": "another", "scopes": []});
    let too_large = vec![b' '; (1 << 20) + 1];
    let calls = [
        (inject(&server, &agent.key), 200),
        (raw("GET", "/api/context/ada"), 200),
        (raw("GET", "/api/context/%2e"), 400),
        (raw("GET", "/api/context/bob"), 403),
        (raw("DELETE", "/api/context/bob"), 403),
        (raw("POST", "/api/grants").json(&grant), 403),
        (inject_with(b"{"), 400),
        (inject_with(&too_large), 413),
        (raw("POST", "/api/context/inject").body("{}"), 415),
    ];
    // Each of them counts; one comes back every three seconds.
    let mut before = 20;
    for (call, status) in calls {
        let answer = call.gets(status).await;
        let [limit, remaining, reset] = numbers(&answer);
        assert_eq!(limit, 20);
        assert!(remaining < before, "{remaining}");
        before = remaining;
        assert!((now() - 1..=now() + 61).contains(&reset), "{reset}");
        assert_eq!(answer.header("retry-after"), None);
    }
}

#[tokio::test]
async fn without_an_accepted_key_no_limit_is_shown() {
    let (server, agent) = Setup::new().rate_limit(100).start_with_agent().await;
    server.revoke_key(&agent.key_id).await;
    let keys = [agent.key.as_str(), "ctxm_unknown", ""];
    for call in keys.map(|key| inject(&server, key)) {
        assert_no_headers(&call.gets(401).await);
    }
    for path in ["/api/health", "/nowhere", "/account"] {
        assert_no_headers(&server.get(path).send().await);
    }
}

#[tokio::test]
async fn without_a_limit_there_are_no_headers() {
    let setup = Setup::new().with(|config| config.rate_limit = None);
    let (server, agent) = setup.start_with_agent().await;
    for _ in 0..30 {
        assert_no_headers(&inject(&server, &agent.key).gets(200).await);
    }
}

#[tokio::test]
async fn the_limit_may_be_used_at_once_and_then_it_is_over() {
    let (server, agent) = Setup::auto().rate_limit(5).start_with_agent().await;
    for remaining in (0..5).rev() {
        let answer = inject(&server, &agent.key).gets(200).await;
        assert_eq!(numbers(&answer)[..2], [5, remaining]);
    }
    let answer = inject(&server, &agent.key).send().await;
    assert_eq!(
        answer.json(),
        json!({"error": "Rate limit exceeded.", "code": "RATE_LIMITED"})
    );
    answer.assert_error(429);
    let [limit, remaining, reset] = numbers(&answer);
    assert_eq!((limit, remaining), (5, 0));
    // One request comes back every twelve seconds.
    let retry_after: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=12).contains(&retry_after), "{retry_after}");
    assert!((now()..=now() + 13).contains(&reset), "{reset}");
}

#[tokio::test]
async fn the_client_is_told_when_to_come_back() {
    let (_server, agent) = Setup::new().rate_limit(1).start_with_agent().await;
    agent.context(&user("ada")).await.unwrap_err();
    let error = agent.context(&user("ada")).await.unwrap_err();
    assert_eq!(error.code(), Some(&ErrorCode::RateLimited));
    assert!(error.is_retryable());
    let wait = error.retry_after().unwrap();
    assert!(
        wait > Duration::ZERO && wait <= Duration::from_secs(61),
        "{wait:?}"
    );
}

#[tokio::test]
async fn after_the_wait_there_is_room_again() {
    // A request a tenth of a second.
    let (_server, agent) = Setup::new().rate_limit(600).start_with_agent().await;
    let mut answered = 0;
    while agent.context(&user("ada")).await.unwrap_err().status() == Some(403) {
        answered += 1;
    }
    assert!(answered >= 600, "{answered}");
    tokio::time::sleep(Duration::from_millis(150)).await;
    refused(agent.context(&user("ada")).await, 403);
}

#[tokio::test]
async fn each_key_has_a_limit_of_its_own() {
    let (server, agent) = Setup::auto().rate_limit(1).start_with_agent().await;
    let second_key = server.key_of(&agent, ScopeSet::ALL).await;
    let ada = user("ada");
    agent.inject(&ada, "").await.unwrap();
    refused(agent.inject(&ada, "").await, 429);
    second_key.inject(&ada, "").await.unwrap();
    // Every endpoint draws on the same one,
    refused(agent.context(&ada).await, 429);
    refused(agent.delete_context(&ada).await, 429);
    // but updates, which wait in the background: they don't starve what a conversation waits for.
    agent.update(&ada, "Hi", "Hello").await.unwrap();
    refused(agent.update(&ada, "Hi", "Hello").await, 429);
}

#[tokio::test]
async fn health_pages_and_sessions_know_no_limit() {
    let (server, agent) = Setup::auto().rate_limit(1).start_with_agent().await;
    let cookie = server.sign_in(&user("ada")).await;
    agent.inject(&user("ada"), "").await.unwrap();
    refused(agent.inject(&user("ada"), "").await, 429);
    for _ in 0..10 {
        agent.health().await.unwrap();
        server.get("/account").cookie(&cookie).gets(200).await;
    }
    let grant_id = server.grants_of(&user("ada")).await[0].0.id.clone();
    let session = server.client_of(&cookie);
    assert!(session.revoke_grant(grant_id).await.unwrap().revoked);
}
