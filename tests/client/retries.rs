//! Calls that are retried, and calls that are not.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ctxmem_client::test_utils::Route;
use ctxmem_client::{Client, ClientBuilder, Error, Interaction, RetryPolicy};
use serde_json::json;
use wiremock::{MockServer, Request, ResponseTemplate};

use crate::every_call::call;
use crate::support::{failing, header, json, ok, patient, requests, user};

fn down() -> ResponseTemplate {
    json(503, &json!({"error": "Later.", "code": "INTERNAL_ERROR"}))
}

fn builder(server: &MockServer) -> ClientBuilder {
    let retry = RetryPolicy::default().initial_backoff(Duration::from_millis(1));
    patient(server.uri()).retry(retry)
}

fn client(server: &MockServer) -> Client {
    builder(server).build().unwrap()
}

/// The calls that are retried.
fn routes() -> impl Iterator<Item = Route> {
    let all = Route::ALL.into_iter();
    all.filter(|route| *route != Route::Health)
}

#[tokio::test]
async fn every_call_survives_two_failures() {
    for route in routes() {
        for status in [408, 425, 429, 500, 502, 503, 504] {
            let server = failing(2, json(status, &json!({"error": "e", "code": "C"}))).await;
            let error = call(route, &client(&server)).await;
            assert!(error.is_none(), "{route:?}, status {status}: {error:?}");
            let sent = requests(&server).await;
            assert_eq!(sent.len(), 3, "{route:?}, status {status}");
            for again in &sent[1..] {
                assert_eq!(again.body, sent[0].body);
                assert_eq!(again.url, sent[0].url);
            }
        }
        let server = failing(3, down()).await;
        let error = call(route, &client(&server)).await.unwrap();
        assert_eq!(error.status(), Some(503));
        assert_eq!(requests(&server).await.len(), 3);
    }
}

#[tokio::test]
async fn calls_that_can_not_succeed_are_sent_once() {
    for route in routes() {
        for status in [301, 400, 401, 403, 404, 405, 413, 415, 501] {
            let server = failing(1, json(status, &json!({"error": "e", "code": "C"}))).await;
            let error = call(route, &client(&server)).await.unwrap();
            assert_eq!(error.status(), Some(status), "{route:?}");
            let sent = requests(&server).await.len();
            assert_eq!(sent, 1, "{route:?}, status {status}");
        }
        let server = failing(1, ok(&json!([]))).await;
        let error = call(route, &client(&server)).await.unwrap();
        assert!(matches!(error, Error::Decode(_)), "{route:?}: {error:?}");
        assert_eq!(requests(&server).await.len(), 1, "{route:?}");
    }
}

#[tokio::test]
async fn a_policy_without_retries_makes_none() {
    let server = failing(1, down()).await;
    let client = builder(&server).retry(RetryPolicy::none()).build().unwrap();
    client.context(&user()).await.unwrap_err();
    assert_eq!(requests(&server).await.len(), 1);
}

#[tokio::test]
async fn health_is_asked_once() {
    let server = failing(1, down()).await;
    client(&server).health().await.unwrap_err();
    assert_eq!(requests(&server).await.len(), 1);
}

#[tokio::test]
async fn an_update_keeps_its_idempotency_key_across_retries() {
    let server = failing(2, down()).await;
    let client = client(&server);
    client.update(&user(), "one", "").await.unwrap();
    client.update(&user(), "one", "").await.unwrap();
    let key = |request: &Request| header(request, "idempotency-key");
    let keys: Vec<String> = requests(&server).await.iter().map(key).collect();
    assert_eq!(keys.len(), 4);
    assert!(!keys[0].is_empty());
    assert_eq!((&keys[0], &keys[0]), (&keys[1], &keys[2]));
    assert_ne!(keys[2], keys[3], "another call is another update");
}

#[tokio::test]
async fn an_interaction_sent_again_keeps_its_key() {
    let server = failing(0, down()).await;
    let client = client(&server);
    let interaction = Interaction::new(user(), "one", "").with_idempotency_key("m-1");
    let interaction = interaction.unwrap();
    client.update_with(&interaction).await.unwrap();
    client.update_with(&interaction).await.unwrap();
    for request in requests(&server).await {
        assert_eq!(header(&request, "idempotency-key"), "m-1");
    }
}

#[tokio::test]
async fn only_calls_that_change_something_carry_a_key() {
    for (route, has_key) in [
        (Route::Inject, false),
        (Route::Update, true),
        (Route::Context, false),
        (Route::DeleteContext, true),
    ] {
        let server = failing(0, down()).await;
        assert!(call(route, &client(&server)).await.is_none(), "{route:?}");
        let request = requests(&server).await.remove(0);
        let sent = request.headers.contains_key("idempotency-key");
        assert_eq!(sent, has_key, "{route:?}");
    }
}

/// Every way to say when to retry, one second from now by the service's clock.
#[tokio::test]
async fn a_rate_limit_is_waited_for() {
    let soon = SystemTime::now() + Duration::from_secs(1);
    let unix = soon.duration_since(UNIX_EPOCH).unwrap();
    let date: chrono::DateTime<chrono::Utc> = soon.into();
    for (name, value) in [
        ("retry-after", "1".to_owned()),
        ("retry-after", "0.9".to_owned()),
        ("x-ratelimit-reset", unix.as_secs().to_string()),
        ("x-ratelimit-reset", unix.as_millis().to_string()),
        ("x-ratelimit-reset", date.to_rfc3339()),
        ("x-ratelimit-reset", "0m1s".to_owned()),
    ] {
        let limited = json(429, &json!({"error": "e", "code": "RATE_LIMITED"}));
        let server = failing(1, limited.insert_header(name, value.as_str())).await;
        client(&server).context(&user()).await.unwrap();
        assert_eq!(requests(&server).await.len(), 2, "{name}: {value}");
    }
}

#[tokio::test]
async fn a_rate_limit_beyond_the_timeout_fails_at_once() {
    let limited = json(429, &json!({"error": "e", "code": "RATE_LIMITED"}));
    let server = failing(1, limited.insert_header("retry-after", "120")).await;
    let before = SystemTime::now();
    let start = Instant::now();
    let error = client(&server).context(&user()).await.unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(9));
    assert_eq!(error.retry_after(), Some(Duration::from_mins(2)));
    let until = error.retry_at().unwrap();
    assert!(until >= before + Duration::from_mins(2));
    assert!(until <= SystemTime::now() + Duration::from_mins(2));
    assert_eq!(requests(&server).await.len(), 1);
}

#[tokio::test]
async fn all_attempts_share_the_timeout_of_the_call() {
    let server = failing(u64::MAX, down().set_delay(Duration::from_millis(100))).await;
    let many = RetryPolicy::default().max_retries(1000);
    let client = builder(&server)
        .management_timeout(Duration::from_millis(250))
        .retry(many.initial_backoff(Duration::ZERO));
    let client = client.build().unwrap();
    client.context(&user()).await.unwrap_err();
    assert!(requests(&server).await.len() <= 3);
}

#[tokio::test]
async fn clones_share_their_budget() {
    let server = failing(u64::MAX, down()).await;
    let client = client(&server);
    for _ in 0..100 {
        client.clone().context(&user()).await.unwrap_err();
    }
    assert_eq!(requests(&server).await.len(), 110);
}
