//! Health reports in the forms of all deployments.

use ctxmem_client::{Client, Error, Health};
use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use crate::support::{Deployment, json as answer, ok};

async fn health(answer: ResponseTemplate) -> Result<Health, Error> {
    let deployment = Deployment::answering("GET", "/api/health", answer).await;
    let keyless = Client::builder()
        .base_url(deployment.url())
        .build()
        .unwrap();
    keyless.health().await
}

#[tokio::test]
async fn the_primary_form_needs_no_key() {
    let body = json!({
        "status": "ok",
        "checks": {"database": "ok", "model": "ok"},
        "timestamp": "2026-03-01T09:30:00.000Z",
    });
    let health = health(ok(&body)).await.unwrap();
    assert!(health.is_ok());
    assert_eq!(health.checks.as_ref().unwrap()["database"], "ok");
    assert_eq!(serde_json::to_value(&health).unwrap(), body);
}

#[tokio::test]
async fn the_older_form() {
    assert!(health(ok(&json!({"ok": true}))).await.unwrap().is_ok());
    assert!(!health(ok(&json!({"ok": false}))).await.unwrap().is_ok());
}

#[tokio::test]
async fn a_report_of_trouble_is_not_an_error() {
    for body in [
        json!({"status": "degraded", "checks": {"database": "unreachable"}}),
        json!({"ok": false}),
    ] {
        for status in [200, 503] {
            let health = health(answer(status, &body)).await.unwrap();
            assert!(!health.is_ok());
        }
    }
}

#[tokio::test]
async fn a_503_that_is_no_report_of_trouble_is_an_error() {
    let bodies: [Value; 5] = [
        json!({"error": "Busy.", "code": "INTERNAL_ERROR"}),
        json!({"status": "ok"}),
        json!({"ok": true}),
        json!({}),
        json!("down"),
    ];
    for body in bodies {
        let error = health(answer(503, &body)).await.unwrap_err();
        assert_eq!(error.status(), Some(503), "{body}");
        assert!(error.is_retryable());
    }
    let html = ResponseTemplate::new(503).set_body_string("<h1>Service Unavailable</h1>");
    assert_eq!(health(html).await.unwrap_err().code(), None);
}

#[tokio::test]
async fn any_other_page_is_an_error() {
    let html = ResponseTemplate::new(200).set_body_string("<h1>Welcome to nginx!</h1>");
    let error = health(html).await.unwrap_err();
    assert!(matches!(error, Error::Decode(_)));
    assert_eq!(
        health(ResponseTemplate::new(500))
            .await
            .unwrap_err()
            .status(),
        Some(500)
    );
}
