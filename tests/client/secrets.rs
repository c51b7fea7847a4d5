//! Canaries: nothing from a request or an answer may reach a log through `Debug` or an error.

use std::time::Duration;

use ctxmem_client::{Client, ClientBuilder, Error, GrantRequest, Scope, UserId};
use serde_json::{Value, json};
use wiremock::{MockServer, ResponseTemplate};

use crate::raw::{Ending, RawServer};
use crate::support::{self, answering, everything_printed, ok};

const KEY: &str = "ctxm_canary";
const SESSION: &str = "session=canary";

fn builder(url: &str) -> ClientBuilder {
    support::builder(url).api_key(KEY)
}

fn user() -> UserId {
    UserId::new("canary@example.com").unwrap()
}

fn assert_clean(text: &str) {
    assert!(!text.to_lowercase().contains("canary"), "{text}");
}

/// Makes every call and returns the errors.
async fn every_error(client: &Client) -> Vec<Error> {
    let user = user();
    let grant = GrantRequest::new(user.clone(), "agent", [Scope::Goals]);
    let signed_in = client.as_user(SESSION).unwrap();
    let inject = client.inject_for(&user, "canary prompt", "canary message");
    let update = client.update(&user, "canary said", "canary heard");
    [
        inject.await.err(),
        update.await.err(),
        client.context(&user).await.err(),
        client.delete_context(&user).await.err(),
        client.search_facts(&user, "canary query", None).await.err(),
        client.create_grant(&grant).await.err(),
        signed_in.revoke_grant("canary-grant").await.err(),
        client.health().await.err(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A deployment that gives every request this answer.
async fn echoing(answer: ResponseTemplate) -> (MockServer, Client) {
    let server = answering(answer).await;
    let client = builder(&server.uri()).build().unwrap();
    (server, client)
}

#[tokio::test]
async fn errors_that_quote_the_request() {
    for status in [302, 400, 401, 403, 404, 418, 429, 500, 502, 503] {
        for code in ["BAD_REQUEST", "canary prompt", "said: CANARY"] {
            let body = json!({"error": "canary prompt", "code": code, "detail": "canary"});
            let quote = ResponseTemplate::new(status)
                .set_body_json(body)
                .insert_header("x-request-id", "said canary")
                .insert_header("location", "/canary");
            let (_server, client) = echoing(quote).await;
            let errors = every_error(&client).await;
            assert_eq!(errors.len(), 8);
            for error in errors {
                assert_eq!(error.message(), Some("canary prompt"));
                assert_clean(&everything_printed(&error));
            }
        }
    }
}

#[tokio::test]
async fn answers_that_can_not_be_read() {
    let wrong: [Value; 8] = [
        json!("canary"),
        json!(["canary"]),
        json!({"userId": {"canary": 1}, "injectedPrompt": ["canary"], "updated": "canary"}),
        json!({"userId": "u", "preferences": {"canary": {"value": 7}}, "deleted": "canary"}),
        json!({"userId": "u", "preferences": "canary", "updated": true, "delta": "canary"}),
        json!({"userId": "u", "general": {"canary, expected a canary": 7}}),
        json!({"userId": "u", "last_updated": "canary", "checks": {"canary": 1}}),
        json!({"updated": true, "delta": {"canary": {"canary": {"source_type": "x"}}}}),
    ];
    for body in wrong {
        let (_server, client) = echoing(ok(&body)).await;
        let errors = every_error(&client).await;
        assert!(errors.len() >= 3, "{body}");
        for error in errors {
            assert!(matches!(error, Error::Decode(_)), "{error:?}");
            assert_clean(&everything_printed(&error));
        }
    }
    for text in [
        "<html>canary</html>",
        "{\"injectedPrompt\": \"canary",
        "canary",
    ] {
        let broken = ResponseTemplate::new(200).set_body_string(text);
        let (_server, client) = echoing(broken).await;
        let errors = every_error(&client).await;
        assert_eq!(errors.len(), 8);
        for error in errors {
            assert_clean(&everything_printed(&error));
        }
    }
}

#[tokio::test]
async fn networks_that_fail() {
    let wrong_length = "HTTP/1.1 200 OK\r\ncontent-length: canary\r\n\r\n";
    let cut_off = "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\ncanary";
    for (bytes, then) in [
        ("", Ending::Close),
        ("", Ending::Hang),
        ("canary\r\n\r\n", Ending::Close),
        (wrong_length, Ending::Close),
        (cut_off, Ending::Close),
    ] {
        // The server takes one connection only, so later calls can't connect.
        let server = RawServer::saying(bytes, then);
        let client = builder(&server.url)
            .management_timeout(Duration::from_millis(500))
            .update_timeout(Duration::from_millis(500))
            .build()
            .unwrap();
        let errors = every_error(&client).await;
        assert_eq!(errors.len(), 8);
        for error in errors {
            assert!(matches!(error, Error::Transport(_)), "{error:?}");
            assert_clean(&everything_printed(&error));
        }
        drop(client);
        assert!(server.request().contains("canary"), "the canary was alive");
    }
}

#[tokio::test]
async fn clients_and_answers() {
    let answer = json!({
        "injectedPrompt": "canary",
        "userId": "canary",
        "communication_style": "canary",
        "ongoing_tasks": ["canary"],
        "preferences": {"editor": "canary"},
        "updated": true,
        "delta": {"communication_style": "canary", "general": {"name": "canary"}},
        "removed": {"ongoing_tasks": [{"value": "canary"}]},
        "unknown": "canary",
    });
    let (_server, client) = echoing(ok(&answer)).await;
    assert_clean(&format!("{client:?} {client:#?}"));
    assert_clean(&format!("{:?}", builder("http://u:canary@localhost")));

    let injected = client.inject(&user(), "canary").await.unwrap();
    assert_clean(&format!("{injected:?}"));
    let updated = client.update(&user(), "canary", "canary").await.unwrap();
    assert_clean(&format!("{updated:?}"));
    let context = client.context(&user()).await.unwrap();
    assert_clean(&format!("{context:?}"));
}
