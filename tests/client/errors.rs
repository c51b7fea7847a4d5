//! Every error that a deployment, or a proxy in front of it, may answer.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ctxmem_client::{Error, ErrorCode};
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::raw::{Ending, RawServer};
use crate::support::{Deployment, builder, json as answer, user};

async fn fail(answer: ResponseTemplate) -> Error {
    let deployment = Deployment::injecting(answer).await;
    let client = deployment.client();
    let error = client.inject(&user(), "Hi").await.unwrap_err();
    assert!(matches!(error, Error::Api(_)), "{error:?}");
    error
}

#[tokio::test]
async fn every_documented_error() {
    for (status, text, code, retryable) in [
        (400, "BAD_REQUEST", ErrorCode::BadRequest, false),
        (401, "UNAUTHORIZED", ErrorCode::Unauthorized, false),
        (403, "FORBIDDEN", ErrorCode::Forbidden, false),
        (404, "NOT_FOUND", ErrorCode::NotFound, false),
        (405, "BAD_REQUEST", ErrorCode::BadRequest, false),
        (413, "BAD_REQUEST", ErrorCode::BadRequest, false),
        (415, "BAD_REQUEST", ErrorCode::BadRequest, false),
        (429, "RATE_LIMITED", ErrorCode::RateLimited, true),
        (500, "PERSISTENCE_ERROR", ErrorCode::PersistenceError, true),
        (500, "INTERNAL_ERROR", ErrorCode::InternalError, true),
        (502, "MODEL_ERROR", ErrorCode::ModelError, true),
        (503, "BUSY", ErrorCode::Other("BUSY".to_owned()), true),
    ] {
        let body = json!({"error": "In words.", "code": text});
        let error = fail(answer(status, &body).insert_header("x-request-id", "req-7")).await;
        assert_eq!(error.status(), Some(status));
        assert_eq!(error.code(), Some(&code));
        assert_eq!(error.message(), Some("In words."));
        assert_eq!(error.request_id(), Some("req-7"));
        assert_eq!(error.retry_after(), None);
        assert_eq!(error.is_retryable(), retryable);
        assert!(!error.is_timeout());
        assert!(!error.is_connect());
        let printed = error.to_string();
        assert!(printed.starts_with(&format!("the service answered {status} {text}")));
        assert!(printed.ends_with("(request id req-7)"));
    }
}

#[tokio::test]
async fn an_error_reads_well() {
    let body = json!({"error": "Invalid API key.", "code": "UNAUTHORIZED"});
    let error = fail(answer(401, &body)).await;
    assert_eq!(
        error.to_string(),
        "the service answered 401 UNAUTHORIZED: the API key or session is missing or not valid"
    );
}

#[tokio::test]
async fn bodies_that_are_not_the_services() {
    for body in [
        "",
        "<html><h1>Bad Gateway</h1></html>",
        "null",
        "[]",
        "\"down\"",
        r#"{"message": "down"}"#,
        r#"{"error": {"nested": true}, "code": 7}"#,
        r#"{"error": "cut of"#,
        "\u{0}",
    ] {
        for (status, retryable) in [(404, false), (502, true), (504, true)] {
            let error = fail(ResponseTemplate::new(status).set_body_string(body)).await;
            assert_eq!(error.status(), Some(status));
            assert_eq!(error.code(), None, "{body}");
            assert_eq!(error.message(), None, "{body}");
            assert_eq!(error.is_retryable(), retryable);
        }
    }
}

#[tokio::test]
async fn part_of_the_body_counts() {
    let error = fail(answer(500, &json!({"error": "Oops."}))).await;
    assert_eq!((error.code(), error.message()), (None, Some("Oops.")));
    let error = fail(answer(500, &json!({"code": "INTERNAL_ERROR", "more": 1}))).await;
    assert_eq!(error.code(), Some(&ErrorCode::InternalError));
}

#[tokio::test]
async fn a_rate_limit_says_when_to_retry_in_any_form() {
    const DATE: &str = "Sun, 01 Mar 2026 09:30:00 GMT";
    for (headers, seconds) in [
        ("", None),
        ("x-ratelimit-reset: 1772357412", Some(12.0)),
        ("X-RateLimit-Reset: 1772357412500", Some(12.5)),
        ("x-ratelimit-reset: 30", Some(30.0)),
        ("x-ratelimit-reset: 1m30s", Some(90.0)),
        ("x-ratelimit-reset: 2026-03-01T09:30:10Z", Some(10.0)),
        ("retry-after: 7", Some(7.0)),
        ("Retry-After: 0", Some(0.0)),
        ("retry-after: Sun, 01 Mar 2026 09:30:45 GMT", Some(45.0)),
        ("retry-after: Sun, 01 Mar 2026 09:00:00 GMT", Some(0.0)),
        ("retry-after: 3600", Some(300.0)),
        ("retry-after: soon", None),
        ("retry-after: 2\nx-ratelimit-reset: 1772357460", Some(2.0)),
        (
            "retry-after: soon\nx-ratelimit-reset: 1772357460",
            Some(60.0),
        ),
    ] {
        let body = json!({"error": "Rate limit exceeded.", "code": "RATE_LIMITED"});
        let mut limited = answer(429, &body).insert_header("date", DATE);
        for header in headers.lines() {
            let (name, value) = header.split_once(": ").unwrap();
            limited = limited.insert_header(name, value);
        }
        let error = fail(limited).await;
        let expected = seconds.map(Duration::from_secs_f64);
        assert_eq!(error.retry_after(), expected, "{headers}");
        assert!(error.is_retryable());
    }
}

#[tokio::test]
async fn without_a_date_the_local_clock_counts() {
    let at = SystemTime::now() + Duration::from_mins(1);
    let reset = at.duration_since(UNIX_EPOCH).unwrap().as_secs();
    let head = format!("HTTP/1.1 429 Slow Down\r\nx-ratelimit-reset: {reset}\r\n\r\n");
    let server = RawServer::saying(head, Ending::Close);
    let client = builder(&server.url);
    let error = client.build().unwrap().context(&user()).await.unwrap_err();
    let wait = error.retry_after().unwrap().as_secs();
    assert!((50..=60).contains(&wait), "{wait}");
}

#[tokio::test]
async fn other_statuses_may_say_when_to_retry() {
    let error = fail(ResponseTemplate::new(503).insert_header("retry-after", "20")).await;
    assert_eq!(error.retry_after(), Some(Duration::from_secs(20)));

    let body = json!({"error": "In words.", "code": "BAD_REQUEST"});
    let error = fail(answer(400, &body).insert_header("x-ratelimit-reset", "30")).await;
    assert_eq!(error.retry_after(), None);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        // A request to the other address would fail the test.
        let elsewhere = Deployment::silent().await;
        let location = format!("{}/api/context/inject", elsewhere.url());
        let redirect = ResponseTemplate::new(status).insert_header("location", location);
        let error = fail(redirect).await;
        assert_eq!(error.status(), Some(status));
        assert!(!error.is_retryable());
        assert!(error.to_string().contains("redirects are not followed"));
    }
}
