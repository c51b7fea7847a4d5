//! Providers that are away, slow, broken or hostile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ctxmem_server::config::OidcConfig;
use ctxmem_server::{App, Config, StartError};
use reqwest::Url;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use wiremock::ResponseTemplate;

use super::{USER, ada, assert_nobody, assert_refused, both};
use crate::suite::support::{CLIENT_SECRET, OidcProvider, Server, Setup, TestClock, Text as _};

const METADATA: &str = "/.well-known/openid-configuration";

/// Checks that nobody can begin to sign in, and that an attempt stores nothing.
async fn assert_cannot_begin(server: &Server, status: u16) {
    let answer = server.get(USER).send().await;
    assert_refused(&answer, status, &["canary", "127.0.0.1"]);
    assert_eq!(answer.cookie("ctxmem_oidc"), None);
    assert_eq!(server.store.oidc_sign_ins().await, 0);
}

#[tokio::test]
async fn the_server_starts_while_the_provider_is_down_and_says_so() {
    let setup = Setup::new().with(|config| {
        config.oidc = Some(OidcConfig::new("http://127.0.0.1:1", "c"));
    });
    let server = setup.start().await;
    assert_cannot_begin(&server, 503).await;
    assert_eq!(server.get("/api/health").send().await.status, 200);
}

#[tokio::test]
async fn a_provider_that_comes_back_is_used_at_once() {
    let (provider, server) = both().await;
    provider.answers(METADATA, ResponseTemplate::new(500));
    assert_cannot_begin(&server, 502).await;
    provider.recovers();
    let attempt = provider.begin_sign_in(&server, USER).await;
    provider.answers(
        "/token",
        ResponseTemplate::new(503).set_body_string("canary"),
    );
    assert_refused(&attempt.returns(&server).await, 502, &["canary"]);
    provider.recovers();
    assert_eq!(provider.sign_in(&server, USER).await.status, 303);
}

#[tokio::test]
async fn a_provider_that_hangs_is_waited_for_no_longer_than_said() {
    for path in [METADATA, "/jwks", "/token"] {
        let provider = OidcProvider::start(ada()).await;
        let setup = Setup::new().oidc(&provider).with(|config| {
            config.oidc.as_mut().unwrap().timeout = Duration::from_millis(1500);
        });
        let server = setup.start().await;
        let hang = ResponseTemplate::new(200).set_delay(Duration::from_secs(50));
        let began = Instant::now();
        if path == "/token" {
            let attempt = provider.begin_sign_in(&server, USER).await;
            provider.answers(path, hang);
            assert_refused(&attempt.returns(&server).await, 503, &[]);
        } else {
            provider.answers(path, hang);
            assert_cannot_begin(&server, 503).await;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{path}");
    }
}

#[tokio::test]
async fn broken_metadata_of_a_provider_is_refused() {
    let (provider, server) = both().await;
    let good = provider.metadata();
    let broken = [
        ("issuer", json!("https://canary.example")),
        (
            "issuer",
            json!(format!("{}/", good["issuer"].as_str().unwrap())),
        ),
        // Without TLS.
        (
            "authorization_endpoint",
            json!("http://canary.example/authorize"),
        ),
        ("authorization_endpoint", json!("javascript:canary")),
        ("jwks_uri", json!("http://canary.example/jwks")),
        ("jwks_uri", json!("file:///canary")),
        ("jwks_uri", json!(7)),
    ];
    for (field, value) in broken {
        let mut metadata = good.clone();
        metadata[field] = value;
        provider.answers(METADATA, ResponseTemplate::new(200).set_body_json(metadata));
        assert_cannot_begin(&server, 502).await;
    }
    for answer in [
        ResponseTemplate::new(200).set_body_string("canary"),
        ResponseTemplate::new(200),
        ResponseTemplate::new(404),
        ResponseTemplate::new(302).insert_header("location", "/elsewhere"),
    ] {
        provider.answers(METADATA, answer);
        assert_cannot_begin(&server, 502).await;
    }
    assert!(provider.asked("/elsewhere").await.is_empty());
}

#[tokio::test]
async fn the_secret_is_sent_to_no_address_without_tls() {
    let (provider, server) = both().await;
    let mut metadata = provider.metadata();
    metadata["token_endpoint"] = json!("http://canary.example/token");
    provider.answers(METADATA, ResponseTemplate::new(200).set_body_json(metadata));
    assert_refused(&provider.sign_in(&server, USER).await, 502, &["canary"]);
}

#[tokio::test]
async fn redirects_of_the_token_endpoint_are_not_followed() {
    let (provider, server) = both().await;
    let away = ResponseTemplate::new(307).insert_header("location", "/elsewhere");
    provider.answers("/token", away);
    assert_refused(&provider.sign_in(&server, USER).await, 502, &[]);
    assert!(provider.asked("/elsewhere").await.is_empty());
}

#[tokio::test]
async fn no_more_is_read_than_a_mebibyte() {
    let (provider, server) = both().await;
    for (path, mut good) in [(METADATA, provider.metadata()), ("/jwks", provider.keys())] {
        // But for its size it would do.
        good["padding"] = json!("x".repeat(20_000_000));
        provider.answers(path, ResponseTemplate::new(200).set_body_json(good));
        assert_cannot_begin(&server, 502).await;
        provider.recovers();
    }
    // Nor when nobody says how long it is.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut metadata = provider.metadata();
    metadata["jwks_uri"] = json!(format!("http://{}/jwks", listener.local_addr().unwrap()));
    provider.answers(METADATA, ResponseTemplate::new(200).set_body_json(metadata));
    let sending = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"keys\": [";
        stream.write_all(head).await.unwrap();
        let (spaces, mut sent) = (vec![b' '; 65_536], 0);
        while sent < 20_000_000 && stream.write_all(&spaces).await.is_ok() {
            sent += spaces.len();
        }
        sent
    });
    assert_cannot_begin(&server, 502).await;
    assert!(sending.await.unwrap() < 20_000_000);
    assert_nobody(&server).await;
}

#[tokio::test]
async fn a_provider_that_refuses_the_server_is_the_operators_affair() {
    let (provider, server) = both().await;
    let refusal = json!({"error": "invalid_client", "error_description": "canary"});
    for status in [400, 401] {
        let answer = ResponseTemplate::new(status).set_body_json(&refusal);
        provider.answers("/token", answer);
        assert_refused(&provider.sign_in(&server, USER).await, 502, &["canary"]);
    }
}

#[tokio::test]
async fn metadata_of_the_provider_is_cached_for_an_hour() {
    let clock = Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    let provider = OidcProvider::start(ada()).await;
    let server = Setup::new().oidc(&provider).clock(&clock).start().await;
    for (minutes, expected) in [(0, 1), (59, 1), (1, 2), (59, 2)] {
        clock.advance(chrono::Duration::minutes(minutes));
        assert_eq!(provider.sign_in(&server, USER).await.status, 303);
        assert_eq!(provider.asked(METADATA).await.len(), expected);
        assert_eq!(provider.asked("/jwks").await.len(), expected);
    }
}

#[tokio::test]
async fn a_secret_goes_into_the_body_where_the_provider_takes_it_there_only() {
    let (provider, server) = both().await;
    let mut metadata = provider.metadata();
    metadata["token_endpoint_auth_methods_supported"] = json!(["client_secret_post"]);
    provider.answers(METADATA, ResponseTemplate::new(200).set_body_json(metadata));
    provider.sign_in(&server, USER).await;
    let asked = &provider.asked("/token").await[0];
    assert_eq!(asked.headers.get("authorization"), None);
    String::from_utf8_lossy(&asked.body).assert_has(CLIENT_SECRET);
}

#[tokio::test]
async fn an_issuer_without_tls_is_refused_at_the_start() {
    for issuer in [
        "http://id.example.com",
        "http://10.0.0.1",
        "id.example.com",
        "",
    ] {
        let mut config = Config::new("sqlite::memory:", Url::parse("http://localhost").unwrap());
        config.oidc = Some(OidcConfig::new(issuer, "c"));
        let refused = App::open(config).await.err().unwrap();
        assert!(matches!(refused, StartError::Oidc(_)), "{refused}");
        refused.to_string().assert_begins("--oidc-issuer: ");
    }
}
