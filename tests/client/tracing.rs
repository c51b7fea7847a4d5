//! What the client logs: the endpoint, the attempts and the status, but nothing that was said.

use std::cell::RefCell;
use std::io::Write;

use ctxmem_client::{Client, RetryPolicy, UserId};
use serde_json::json;
use tracing_subscriber::fmt::format::FmtSpan;
use wiremock::matchers::{any, method};
use wiremock::{Mock, MockServer};

use crate::support::{json, ok};

thread_local! {
    /// What this thread has logged. The subscriber is shared by all tests, so it must leave out
    /// what the others log.
    static LOG: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

struct ToLog;

impl Write for ToLog {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOG.with_borrow_mut(|log| {
            if let Some(log) = log {
                log.extend_from_slice(bytes);
            }
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn spans_name_route_status_attempt_and_request_id_and_nothing_else() {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(json(
            503,
            &json!({"error": "canary", "code": "INTERNAL_ERROR"}),
        ))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    let answer = json!({
        "injectedPrompt": "canary", "userId": "canary", "communication_style": "canary",
    });
    Mock::given(method("GET"))
        .respond_with(ok(&answer).insert_header("x-request-id", "r-1"))
        .with_priority(u8::MAX)
        .mount(&server)
        .await;
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(|| ToLog)
        .init();
    LOG.set(Some(Vec::new()));
    let client = Client::builder()
        .base_url(server.uri())
        .api_key("ctxm_canary")
        .retry(RetryPolicy::default().initial_backoff(std::time::Duration::ZERO))
        .build()
        .unwrap();
    let user = UserId::new("canary").unwrap();
    client.context(&user).await.unwrap();
    let log = String::from_utf8(LOG.take().unwrap()).unwrap();
    let ours: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("ctxmem_client"))
        .collect();
    let ours = ours.join("\n");
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
    assert!(!ours.contains("canary"), "{ours}");
}
