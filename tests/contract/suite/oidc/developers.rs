//! Developers who sign in at the provider.

use serde_json::json;

use super::{DEVELOPER, USER, assert_nobody, assert_refused, both};
use crate::suite::support::user;

#[tokio::test]
async fn a_developer_with_a_verified_address_signs_in() {
    let (provider, server) = both().await;
    server.add_developer("ada@example.com").await;
    let answer = provider.sign_in(&server, DEVELOPER).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    assert_eq!(answer.header("location"), Some("/dashboard"));
    let cookie = answer.cookie_pair("ctxmem_developer");
    assert!(cookie.len() > "ctxmem_developer=".len() + 40);
    assert_eq!(server.store.sessions_of("ada@example.com").await, 1);
    // It is no user's session, under either name.
    assert_eq!(answer.cookie("ctxmem_session"), None);
    assert_eq!(server.sessions(&user("ada")).await, 0);
    let as_user = cookie.replace("ctxmem_developer", "ctxmem_session");
    let cookies = format!("{cookie}; {as_user}");
    server.get("/account").cookie(&cookies).gets(401).await;
}

#[tokio::test]
async fn a_session_from_before_is_over_afterwards() {
    let (provider, server) = both().await;
    server.add_developer("ada@example.com").await;
    let first = provider.sign_in(&server, DEVELOPER).await;
    let old = first.cookie_pair("ctxmem_developer");
    let attempt = provider.begin_sign_in(&server, DEVELOPER).await;
    let cookies = format!("{old}; {}", attempt.cookie);
    let second = attempt.returns_with(&server, &cookies).await;
    assert_ne!(second.cookie_pair("ctxmem_developer"), old);
    assert_eq!(server.store.sessions_of("ada@example.com").await, 1);
}

#[tokio::test]
async fn all_sign_ins_that_are_refused_read_the_same() {
    let (provider, server) = both().await;
    server.add_developer("ada@example.com").await;
    server.add_developer("kelvin@example.com").await;
    let mut pages = Vec::new();
    for claims in [
        json!({"email": "nobody@example.com", "email_verified": true}),
        json!({"email": "ada@example.com", "email_verified": false}),
        json!({"email": "ada@example.com", "email_verified": null}),
        json!({"email": "nobody@example.com", "email_verified": false}),
        json!({"email": null, "email_verified": true}),
        json!({"email": "", "email_verified": true}),
        json!({"email": "ada@example.com ", "email_verified": true}),
        // The Kelvin sign is a k to those who fold more than ASCII.
        json!({"email": "\u{212a}elvin@example.com", "email_verified": true}),
    ] {
        let shown = claims.to_string();
        provider.changes(move |all| {
            for (name, value) in claims.as_object().unwrap() {
                all[name] = value.clone();
            }
        });
        let answer = provider.sign_in(&server, DEVELOPER).await;
        assert_refused(&answer, 403, &["example.com", "ada"]);
        pages.push((shown, answer.body));
    }
    for (shown, page) in &pages {
        assert_eq!(*page, pages[0].1, "{shown}");
    }
    assert_nobody(&server).await;
    assert_eq!(server.store.sessions_of("kelvin@example.com").await, 0);
}

#[tokio::test]
async fn a_sign_in_as_a_user_makes_no_developer_nor_the_other_way_round() {
    let (provider, server) = both().await;
    server.add_developer("ada@example.com").await;
    let as_user = provider.sign_in(&server, USER).await;
    assert_eq!(as_user.cookie("ctxmem_developer"), None);
    assert_eq!(server.store.sessions_of("ada@example.com").await, 0);
    let as_developer = provider.sign_in(&server, DEVELOPER).await;
    assert_eq!(as_developer.cookie("ctxmem_session"), None);
    assert_eq!(server.sessions(&user("ada")).await, 1);
}
