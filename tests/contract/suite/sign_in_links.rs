//! Sign-in links that the operator's application has made.

use ctxmem_client::Client;
use ctxmem_types::SignInLinkResponse;
use reqwest::Url;
use serde_json::json;

use super::sign_in::{confirm, is_signed_in};
use crate::suite::support::{RawRequest, Server, Setup, Text as _, user};

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const PATH: &str = "/api/sign-in-links";

fn with_secret() -> Setup {
    Setup::new().with(|config| config.sign_in_secret = Some(SECRET.into()))
}

fn ask(server: &Server, secret: &str) -> RawRequest {
    let body = json!({"userId": "ada"});
    server.raw("POST", PATH).key(secret).json(&body)
}

#[tokio::test]
async fn the_application_gets_a_link_that_signs_its_user_in() {
    let (_, server) = with_secret().start_at("2026-03-01T09:00:00Z").await;
    let answer = ask(&server, SECRET).gets(200).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let link: SignInLinkResponse = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(link.expires_at.as_str(), "2026-03-01T09:15:00.000Z");
    let start = format!("{}/sign-in?token=", server.url);
    let token = link.url.strip_prefix(&start).unwrap();
    let signed_in = confirm(&server, token).gets(303).await;
    let cookie = signed_in.session_cookie();
    assert!(is_signed_in(&server, &cookie).await);
    let account = server.get("/account").cookie(&cookie).send().await;
    account.body.assert_has("ada");
}

#[tokio::test]
async fn the_client_requests_a_link_with_the_secret() {
    let server = with_secret().start().await;
    let client = Client::builder()
        .base_url(&server.url)
        .build_operator(SECRET)
        .unwrap();
    let link = client.create_sign_in_link(&user("ada")).await.unwrap();
    let start = format!("{}/sign-in?token=", server.url);
    let token = link.url.strip_prefix(&start).unwrap();
    let cookie = confirm(&server, token).send().await.session_cookie();
    assert!(is_signed_in(&server, &cookie).await);

    let wrong = Client::builder()
        .base_url(&server.url)
        .build_operator("x".repeat(32))
        .unwrap();
    let error = wrong.create_sign_in_link(&user("ada")).await.unwrap_err();
    assert!(error.is_unauthorized());
}

#[tokio::test]
async fn the_link_leads_to_the_public_address() {
    let setup = with_secret().public_url("https://memory.example.com");
    let server = setup.start().await;
    let answer = ask(&server, SECRET).send().await.json();
    let url = Url::parse(answer["url"].as_str().unwrap()).unwrap();
    assert_eq!(
        url.origin().ascii_serialization(),
        "https://memory.example.com"
    );
}

#[tokio::test]
async fn nothing_but_the_secret_is_taken() {
    let (server, agent) = with_secret().start_with_agent().await;
    let cookie = server.sign_in(&user("ada")).await;
    let ada = json!({"userId": "ada"});
    let post = || server.raw("POST", PATH).json(&ada);
    let session = cookie.split_once('=').unwrap().1;
    let refused = [
        post(),
        post().cookie(&cookie),
        post().key(session),
        post().key(&agent.key),
        post().key(""),
        post().key(&SECRET[..31]),
        post().key(&format!("{SECRET}0")),
        post().key(&SECRET.to_uppercase()),
        post().header("authorization", SECRET),
        post().header("authorization", &format!("Basic {SECRET}")),
        post().header("x-sign-in-secret", SECRET),
        // The caller is checked before the body.
        server.raw("POST", PATH).key("wrong").body("{"),
    ];
    for (n, request) in refused.into_iter().enumerate() {
        let answer = request.gets(401).await;
        assert_eq!(answer.assert_error(401), "Invalid sign-in secret.", "{n}");
    }
    // And it opens nothing else.
    let read = server.get("/api/context/ada").key(SECRET).send().await;
    assert_eq!(read.assert_error(401), "Invalid API key.");
}

#[tokio::test]
async fn without_a_secret_every_one_is_wrong() {
    let server = Server::start().await;
    let expected = ask(&with_secret().start().await, "another").send().await;
    for secret in [SECRET, "", "ctxm_abc"] {
        let answer = ask(&server, secret).send().await;
        answer.assert_error(401);
        assert_eq!(answer.body, expected.body);
    }
}

#[tokio::test]
async fn a_grant_request_must_be_well_formed() {
    let server = with_secret().start().await;
    let post = || server.raw("POST", PATH).key(SECRET);
    for (body, expected) in [
        (json!({}), "userId: "),
        (json!({"userId": ""}), "userId: "),
        (json!({"userId": 7}), "userId: "),
        (json!({"userId": "a".repeat(257)}), "userId: "),
        (json!(["ada"]), "body: "),
    ] {
        let text = post().json(&body).send().await;
        let text = text.assert_error(400);
        assert!(text.starts_with(expected), "{body}: {text}");
    }
    post().form(&[("userId", "ada")]).gets_error(415).await;
    let more = json!({"userId": "ada", "locale": "pt"});
    assert_eq!(post().json(&more).send().await.status, 200);
}
