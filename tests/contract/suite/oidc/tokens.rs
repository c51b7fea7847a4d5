//! ID tokens that must not be believed.

use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use super::{USER, assert_nobody, assert_refused, both};
use crate::suite::support::{Signing, user};

#[tokio::test]
async fn a_token_that_says_something_else_signs_nobody_in() {
    let (provider, server) = both().await;
    let issuer = provider.metadata()["issuer"].as_str().unwrap().to_owned();
    let cases: Vec<(&str, &str, Value)> = vec![
        ("wrong nonce", "nonce", json!("canary")),
        ("no nonce", "nonce", json!(null)),
        ("wrong audience", "aud", json!("canary")),
        (
            "more than one audience",
            "aud",
            json!(["ctxmem-client", "canary"]),
        ),
        ("no audience", "aud", json!([])),
        ("wrong issuer", "iss", json!("https://canary.example")),
        (
            "issuer of another path",
            "iss",
            json!(format!("{issuer}/canary")),
        ),
        ("no issuer", "iss", json!(null)),
        ("expired", "exp", json!(1_700_000_000)),
        ("no expiry", "exp", json!(null)),
        ("issued later", "iat", json!(4_000_000_000_i64)),
        ("not valid yet", "nbf", json!(4_000_000_000_i64)),
    ];
    for (name, claim, value) in cases {
        provider.changes(move |claims| claims[claim] = value.clone());
        let answer = provider.sign_in(&server, USER).await;
        assert!([403, 502].contains(&answer.status), "{name}");
        assert_refused(&answer, answer.status, &["canary"]);
        assert_nobody(&server).await;
    }
    provider.changes(|_| {});
    assert_eq!(provider.sign_in(&server, USER).await.status, 303);
}

#[tokio::test]
async fn the_nonce_of_another_sign_in_will_not_do() {
    let (provider, server) = both().await;
    let other = provider.begin_sign_in(&server, USER).await;
    let nonce = other.field("nonce");
    provider.changes(move |claims| claims["nonce"] = json!(nonce));
    assert_refused(&provider.sign_in(&server, USER).await, 403, &[]);
    assert_nobody(&server).await;
    assert_eq!(other.returns(&server).await.status, 303);
}

#[tokio::test]
async fn a_token_that_the_provider_did_not_sign_signs_nobody_in() {
    for signing in [
        Signing::WrongKey,
        Signing::UnknownKey,
        Signing::None,
        Signing::Hs256,
        Signing::Hs256ByPublicKey,
    ] {
        let (provider, server) = both().await;
        provider.signs(signing);
        let answer = provider.sign_in(&server, USER).await;
        assert!([403, 502].contains(&answer.status), "{signing:?}");
        assert_refused(&answer, answer.status, &[]);
        assert_nobody(&server).await;
        // Its keys are fetched again where another key could have signed it.
        let by_another = matches!(signing, Signing::WrongKey | Signing::UnknownKey);
        let fetched = provider.asked("/jwks").await.len();
        assert_eq!(fetched, 1 + usize::from(by_another), "{signing:?}");
        provider.signs(Signing::Es256);
        assert_eq!(provider.sign_in(&server, USER).await.status, 303);
    }
}

#[tokio::test]
async fn a_new_key_of_the_provider_is_fetched() {
    let (provider, server) = both().await;
    assert_eq!(provider.sign_in(&server, USER).await.status, 303);
    assert_eq!(provider.sign_in(&server, USER).await.status, 303);
    assert_eq!(provider.asked("/jwks").await.len(), 1);
    provider.signs(Signing::NewKey);
    for _ in 0..2 {
        assert_eq!(provider.sign_in(&server, USER).await.status, 303);
        assert_eq!(provider.asked("/jwks").await.len(), 2);
    }
    assert_eq!(server.sessions(&user("ada")).await, 4);
}

#[tokio::test]
async fn an_answer_without_a_token_signs_nobody_in() {
    let (provider, server) = both().await;
    for answer in [
        json!({"access_token": "canary", "token_type": "Bearer"}),
        json!({"access_token": "canary", "token_type": "Bearer", "id_token": "canary"}),
        json!({"access_token": "canary", "token_type": "Bearer", "id_token": "a.b.c"}),
        json!({}),
    ] {
        provider.answers("/token", ResponseTemplate::new(200).set_body_json(answer));
        let answer = provider.sign_in(&server, USER).await;
        assert!([403, 502].contains(&answer.status), "{}", answer.status);
        assert_refused(&answer, answer.status, &["canary"]);
    }
    assert_nobody(&server).await;
}
