//! Tracing by the client: the endpoint, the attempts and the status, but nothing that was said.

use ctxmem_client::{RetryPolicy, UserId};
use serde_json::json;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer};

use crate::logs;
use crate::support::{builder, fails, json, ok};

#[tokio::test]
async fn spans_name_route_status_attempt_and_request_id_and_nothing_else() {
    let server = MockServer::builder().start().await;
    let failure = json!({"error": "canary", "code": "INTERNAL_ERROR"});
    fails(&server, 1, json(503, &failure)).await;
    let answer = json!({
        "injectedPrompt": "canary", "userId": "canary", "communication_style": "canary",
    });
    let answer = ok(&answer).insert_header("x-request-id", "r-1");
    let good = Mock::given(method("GET")).respond_with(answer);
    good.with_priority(u8::MAX).mount(&server).await;
    logs::keep();
    let retry = RetryPolicy::default().initial_backoff(std::time::Duration::ZERO);
    let client = builder(server.uri()).api_key("ctxm_canary").retry(retry);
    let client = client.build().unwrap();
    let user = UserId::new("canary").unwrap();
    client.context(&user).await.unwrap();
    let ours = logs::ours().join("\n");
    for expected in [
        "method=\"GET\"",
        "route=\"/api/context/{userId}\"",
        "attempt=1",
        "status=503",
        "attempt=2",
        "status=200",
        "request_id=\"r-1\"",
    ] {
        assert!(ours.contains(expected), "{expected} is missing:\n{ours}");
    }
    // One event sums the call up.
    let ended = ours.lines().filter(|line| line.contains("a call ended"));
    let ended: Vec<&str> = ended.collect();
    assert_eq!(ended.len(), 1, "{ours}");
    for expected in [
        "DEBUG",
        "route=\"/api/context/{userId}\"",
        "status=200",
        "attempts=2",
        "elapsed_ms=",
        "request_id=\"r-1\"",
    ] {
        let is_there = ended[0].contains(expected);
        assert!(is_there, "{expected} is missing: {ended:?}");
    }
    assert!(!ours.contains("canary"), "{ours}");
}
