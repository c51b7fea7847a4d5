//! Health reports in the forms of all deployments.

use ctxmem_client::types::Health;
use ctxmem_client::{Client, Error};
use serde_json::{Value, json};
use wiremock::matchers::{header, path_regex};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::{Deployment, KEY, builder, json as answer, ok};

async fn health(answer: ResponseTemplate) -> Result<Health, Error> {
    let deployment = Deployment::answering("GET", "/api/health", answer).await;
    let keyless = Client::builder().base_url(deployment.url());
    keyless.build().unwrap().health().await
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
    let failed = health(ResponseTemplate::new(500)).await;
    assert_eq!(failed.unwrap_err().status(), Some(500));
}

const CONTEXT: &str = "^/api/context/[0-9a-f-]{36}$";

#[tokio::test]
async fn a_key_is_fine_if_the_service_says_that_nobody_granted_anything() {
    let nothing = json!({"error": "canary", "code": "FORBIDDEN"});
    let unknown = json!({"error": "canary", "code": "NOT_FOUND"});
    let wrong = json!({"error": "canary", "code": "UNAUTHORIZED"});
    for (template, is_fine) in [
        (answer(403, &nothing), true),
        // Without a health there is no such interface at the address.
        (answer(404, &unknown), false),
        (ok(&json!({"userId": "x"})), true),
        (answer(401, &wrong), false),
        // Of a proxy, or of another service.
        (ResponseTemplate::new(403).set_body_string("no"), false),
        (ResponseTemplate::new(404), false),
        (ResponseTemplate::new(500), false),
    ] {
        let server = MockServer::builder().start().await;
        Mock::given(path_regex(CONTEXT))
            .and(header("authorization", format!("Bearer {KEY}")))
            .respond_with(template.clone())
            .expect(1..)
            .mount(&server)
            .await;
        let client = builder(server.uri()).build().unwrap();
        assert_eq!(client.check_key().await.is_ok(), is_fine, "{template:?}");
    }
}

#[tokio::test]
async fn a_user_who_is_not_found_where_the_service_is_healthy_says_that_the_key_is_good() {
    let server = MockServer::builder().start().await;
    let unknown = json!({"error": "canary", "code": "NOT_FOUND"});
    for (path, template) in [
        (CONTEXT, answer(404, &unknown)),
        ("^/api/health$", ok(&json!({"status": "ok"}))),
    ] {
        let mock = Mock::given(path_regex(path)).respond_with(template);
        mock.mount(&server).await;
    }
    let client = builder(server.uri()).build().unwrap();
    client.check_key().await.unwrap();
    let wrong = builder(format!("{}/api", server.uri())).build().unwrap();
    assert!(wrong.check_key().await.is_err());
}
