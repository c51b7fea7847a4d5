//! Users who sign in at the provider.

use ctxmem_server::store::{Action, Actor};
use serde_json::json;

use super::super::sign_in::is_signed_in;
use super::{USER, ada, assert_nobody, assert_refused, both};
use crate::suite::support::{OidcProvider, Server, Setup, Signing, Text as _, user};

#[tokio::test]
async fn a_user_signs_in() {
    for signing in [Signing::Es256, Signing::Rs256] {
        let (provider, server) = both().await;
        provider.signs(signing);
        let answer = provider.sign_in(&server, USER).await;
        assert_eq!(answer.status, 303, "{signing:?}: {}", answer.body);
        assert_eq!(answer.header("location"), Some("/account"));
        let cookie = answer.cookie_pair("ctxmem_session");
        let account = server.get("/account").cookie(&cookie).gets(200).await;
        account.body.assert_has("<strong><bdi>ada</bdi></strong>");
        let used = answer.cookie("ctxmem_oidc").unwrap();
        used.assert_has("Max-Age=0");
        assert_eq!(server.store.oidc_sign_ins().await, 0);
        assert_eq!(server.store.sessions_of("ada@example.com").await, 0);
    }
}

#[tokio::test]
async fn requests_to_the_provider_follow_the_protocol() {
    let (provider, server) = both().await;
    let attempt = provider.begin_sign_in(&server, USER).await;
    assert_eq!(attempt.url.path(), "/authorize");
    for (name, expected) in [
        ("tenant", "7"),
        ("response_type", "code"),
        ("client_id", "ctxmem-client"),
        ("scope", "openid email profile"),
        ("code_challenge_method", "S256"),
        (
            "redirect_uri",
            &format!("{}/sign-in/oidc/callback", server.url),
        ),
    ] {
        assert_eq!(attempt.field(name), expected, "{name}");
    }
    let secrets = ["state", "nonce", "code_challenge"].map(|name| attempt.field(name));
    let browser = attempt.cookie.split_once('=').unwrap().1;
    for secret in secrets.iter().map(String::as_str).chain([browser]) {
        assert!(secret.len() >= 43, "{secret}");
    }
    assert!(!attempt.url.as_str().contains(browser));
    // No two sign-ins share anything.
    let other = provider.begin_sign_in(&server, USER).await;
    for (name, secret) in ["state", "nonce", "code_challenge"].iter().zip(&secrets) {
        assert_ne!(other.field(name), *secret, "{name}");
    }
    assert_ne!(other.cookie, attempt.cookie);

    assert_eq!(attempt.returns(&server).await.status, 303);
    let token = &provider.asked("/token").await[0];
    let body = String::from_utf8_lossy(&token.body);
    body.assert_has("grant_type=authorization_code");
    body.assert_lacks("client_secret");
}

#[tokio::test]
async fn the_cookie_of_the_browser_is_kept_from_scripts_and_other_sites() {
    let provider = OidcProvider::start(ada()).await;
    for (public_url, name, secure) in [
        ("http://memory.example.com:8080", "ctxmem_oidc", false),
        ("https://memory.example.com", "__Host-ctxmem_oidc", true),
    ] {
        let setup = Setup::new().oidc(&provider).public_url(public_url);
        let server = setup.start().await;
        let answer = server.get(USER).send().await;
        let mut expected = vec!["HttpOnly", "Max-Age=600", "Path=/", "SameSite=Lax"];
        if secure {
            expected.push("Secure");
        }
        assert_eq!(answer.cookie_attributes(name), expected, "{public_url}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
}

#[tokio::test]
async fn a_session_from_before_is_over_afterwards() {
    let (provider, server) = both().await;
    for before in ["mallory", "ada"] {
        let old = server.sign_in(&user(before)).await;
        let attempt = provider.begin_sign_in(&server, USER).await;
        let cookies = format!("{}; {old}", attempt.cookie);
        let answer = attempt.returns_with(&server, &cookies).await;
        let new = answer.cookie_pair("ctxmem_session");
        assert_ne!(old, new);
        assert!(!is_signed_in(&server, &old).await);
        assert!(is_signed_in(&server, &new).await);
    }
}

#[tokio::test]
async fn any_claim_can_be_the_user_id() {
    let claims = json!({"sub": "s-1", "https://example.com/id": "ada"});
    let provider = OidcProvider::start(claims).await;
    let setup = Setup::new().oidc(&provider).with(|config| {
        config.oidc.as_mut().unwrap().user_claim = "https://example.com/id".to_owned();
    });
    let server = setup.start().await;
    let answer = provider.sign_in(&server, USER).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    assert_eq!(server.sessions(&user("ada")).await, 1);
    assert_eq!(server.sessions(&user("s-1")).await, 0);
}

#[tokio::test]
async fn a_claim_that_is_missing_or_no_user_id_is_named_without_its_value() {
    let (provider, _) = both().await;
    let setup = Setup::new().oidc(&provider).with(|config| {
        config.oidc.as_mut().unwrap().user_claim = "employee".to_owned();
    });
    let server = setup.start().await;
    for value in [
        json!(null),
        json!(""),
        json!("."),
        json!("canary\u{0}"),
        json!("canary".repeat(50)),
        json!(4711),
        json!(["canary"]),
        json!({"canary": "canary"}),
    ] {
        let shown = value.to_string();
        provider.changes(move |claims| claims["employee"] = value.clone());
        let answer = provider.sign_in(&server, USER).await;
        assert_refused(&answer, 403, &["canary", "4711"]);
        assert!(answer.body.contains("employee"), "{shown}");
    }
    provider.changes(|_| {});
    assert_refused(&provider.sign_in(&server, USER).await, 403, &[]);
    assert_nobody(&server).await;
}

#[tokio::test]
async fn signing_in_stands_in_the_log_of_the_user() {
    let (provider, server) = both().await;
    let signed_in = async || {
        let trail = server.trail(&user("ada")).await;
        let events = trail.into_iter().map(|row| row.event);
        let events = events.filter(|event| event.action == Action::SignIn);
        events.map(|event| event.actor).collect::<Vec<_>>()
    };
    provider.sign_in(&server, USER).await;
    assert_eq!(signed_in().await, [Actor::User]);
    server.sign_in(&user("ada")).await;
    assert_eq!(signed_in().await, [Actor::User, Actor::User]);
}

#[tokio::test]
async fn the_page_of_who_is_not_signed_in_has_a_button_where_there_is_a_provider() {
    let button = r#"href="/sign-in/oidc">Sign in with single sign-on</a>"#;
    let (_provider, server) = both().await;
    let page = server.get("/account").gets(401).await;
    assert!(page.body.contains(button), "{}", page.body);
    let without = Server::start().await;
    let page = without.get("/account").send().await;
    page.body.assert_lacks("oidc");
    for path in [USER, super::DEVELOPER, "/sign-in/oidc/callback"] {
        without.get(path).gets_error(404).await;
    }
}
