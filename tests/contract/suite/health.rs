//! `GET /api/health`, `/livez` and `/readyz`.

use crate::suite::support::{Server, Setup};
use std::time::Instant;

#[tokio::test]
async fn a_running_server_is_healthy() {
    let (_, server) = Setup::new().start_at("2026-03-01T09:30:00.120Z").await;
    let agent = server.agent().await;
    let health = agent.health().await.unwrap();
    assert!(health.is_ok());
    assert_eq!(health.status.as_deref(), Some("ok"));
    assert_eq!(health.checks.unwrap()["database"], "ok");
    assert_eq!(
        health.timestamp.unwrap().as_str(),
        "2026-03-01T09:30:00.120Z"
    );
}

#[tokio::test]
async fn health_needs_no_key() {
    let server = Server::start().await;
    let response = server.get("/api/health").gets(200).await;
    assert_eq!(response.json()["version"], env!("CARGO_PKG_VERSION"));
}

#[tokio::test]
async fn orchestrators_are_answered_in_a_word() {
    let server = Server::start().await;
    for path in ["/livez", "/readyz"] {
        let answer = server.get(path).send().await;
        assert_eq!((answer.status, &*answer.body), (200, "ok\n"), "{path}");
    }
    server.core().close(Instant::now()).await;
    server.get("/livez").gets(200).await;
    let ready = server.get("/readyz").send().await;
    assert_eq!((ready.status, &*ready.body), (503, "unavailable\n"));
}
