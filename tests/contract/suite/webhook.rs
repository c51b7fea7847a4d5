//! What the operator's application is told of, and that it is told again until it takes it.

use std::collections::BTreeSet;
use std::time::Duration;

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ctxmem_server::config::WebhookConfig;
use ctxmem_server::core::FirstGrant::Ask;
use reqwest::Url;
use serde_json::Value;
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::support::{BASE, HELLO, Setup, user};

/// What it knows the server by.
const KEY: [u8; 32] = [7; 32];

/// The operator's application.
async fn application() -> MockServer {
    let application = MockServer::start().await;
    hook(ResponseTemplate::new(204)).mount(&application).await;
    application
}

/// How it answers news.
fn hook(answer: ResponseTemplate) -> Mock {
    let at = Mock::given(method("POST")).and(path("/hook"));
    at.and(header("content-type", "application/json"))
        .respond_with(answer)
}

fn telling(setup: Setup, application: &MockServer) -> Setup {
    let url = Url::parse(&format!("{}/hook", application.uri())).unwrap();
    setup.with(move |config| {
        let key = KEY.to_vec().into();
        config.webhook = Some(WebhookConfig { url, key });
    })
}

/// The first so many requests, once they have come, and a moment later no others.
async fn told(application: &MockServer, count: usize) -> Vec<Request> {
    let all = async || application.received_requests().await.unwrap();
    for _ in 0..200 {
        if all().await.len() >= count {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let all = all().await;
    assert_eq!(all.len(), count, "{all:?}");
    all
}

fn said(request: &Request) -> (String, String, String) {
    let said: Value = request.body_json().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    assert!(text(&said["timestamp"]).ends_with('Z'), "{said}");
    assert_eq!(said.as_object().unwrap().len(), 3, "{said}");
    let data = &said["data"];
    assert_eq!(data.as_object().unwrap().len(), 2, "{said}");
    (
        text(&said["type"]),
        text(&data["userId"]),
        text(&data["agentId"]),
    )
}

#[tokio::test]
async fn the_application_is_told_what_an_agent_does_without_the_user() {
    let application = application().await;
    let (_server, agent, ada) = telling(Setup::auto(), &application).start_with_ada().await;
    agent.tells(&ada, HELLO).await;
    let facts = agent.facts(&ada).await.unwrap();
    agent.delete_fact(&ada, &facts[0].id).await.unwrap();
    agent.delete_context(&ada).await.unwrap();
    let mut news: Vec<_> = told(&application, 3).await.iter().map(said).collect();
    news.sort();
    let of = |kind: &str| (kind.to_owned(), "ada".to_owned(), agent.id.clone());
    assert_eq!(
        news,
        [of("agent.allowed"), of("fact.deleted"), of("memory.erased")]
    );
}

#[tokio::test]
async fn the_application_is_told_once_that_an_agent_waits() {
    let application = application().await;
    let server = telling(Setup::new().first_grant(Ask), &application);
    let (_server, agent, ada) = server.start_with_ada().await;
    for _ in 0..3 {
        agent.inject(&ada, BASE).await.unwrap();
    }
    let news = told(&application, 1).await;
    let waiting = (
        "agent.waiting".to_owned(),
        "ada".to_owned(),
        agent.id.clone(),
    );
    assert_eq!(said(&news[0]), waiting);
    let headers = &news[0].headers;
    let text = |name| headers[name].to_str().unwrap();
    let sent_at: i64 = text("webhook-timestamp").parse().unwrap();
    assert!((chrono::Utc::now().timestamp() - sent_at).abs() < 60);
    let signature = text("webhook-signature").strip_prefix("v1,").unwrap();
    let signed = [
        text("webhook-id").as_bytes(),
        text("webhook-timestamp").as_bytes(),
        &news[0].body,
    ];
    let key = hmac::Key::new(hmac::HMAC_SHA256, &KEY);
    let signature = STANDARD.decode(signature).unwrap();
    hmac::verify(&key, &signed.join(&b'.'), &signature).unwrap();
}

#[tokio::test]
async fn what_is_not_taken_is_told_again_by_the_same_id() {
    let application = MockServer::start().await;
    let busy = hook(ResponseTemplate::new(503)).up_to_n_times(1);
    busy.with_priority(1).mount(&application).await;
    hook(ResponseTemplate::new(204)).mount(&application).await;
    let server = telling(Setup::auto(), &application);
    let (_server, agent) = server.start_with_agent().await;
    agent.inject(&user("ada"), BASE).await.unwrap();
    let sent = told(&application, 2).await;
    let ids: BTreeSet<&[u8]> = sent
        .iter()
        .map(|sent| sent.headers["webhook-id"].as_bytes())
        .collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    assert_eq!(sent[0].body, sent[1].body);
}
