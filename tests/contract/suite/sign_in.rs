//! Signing in by one-time link, sessions, signing out, and what other sites may not do.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::Duration;
use ctxmem_types::ScopeSet;
use futures_util::future::join_all;
use serde_json::json;

use crate::suite::account::browser::Browser;
use crate::suite::support::{
    Agent, RawRequest, RawResponse, Server, Setup, TestClock, Text as _, user,
};

const START: &str = "2026-03-01T09:00:00Z";

async fn at_start() -> (Arc<TestClock>, Server) {
    Setup::new().start_at(START).await
}

async fn open_link(server: &Server, token: &str) -> RawResponse {
    let path = format!("/sign-in?token={token}");
    server.get(&path).send().await
}

pub(crate) fn confirm(server: &Server, token: &str) -> RawRequest {
    server.raw("POST", "/sign-in").form(&[("token", token)])
}

pub(crate) async fn is_signed_in(server: &Server, cookie: &str) -> bool {
    let account = server.get("/account").cookie(cookie).send().await;
    assert!([200, 401].contains(&account.status), "{}", account.status);
    account.status == 200
}

// ---- the link ------------------------------------------------------------------------

#[tokio::test]
async fn a_link_signs_in_once() {
    let server = Server::start().await;
    let token = server.link_for(&user("ada")).await;
    let first = confirm(&server, &token).gets(303).await;
    assert_eq!(first.header("location"), Some("/account"));
    assert!(is_signed_in(&server, &first.session_cookie()).await);
    for _ in 0..2 {
        let again = confirm(&server, &token).gets(410).await;
        assert_eq!(again.header("set-cookie"), None);
    }
    assert_eq!(open_link(&server, &token).await.status, 410);
    assert!(is_signed_in(&server, &first.session_cookie()).await);
}

#[tokio::test]
async fn opening_a_link_only_shows_a_button() {
    let server = Server::start().await;
    let token = server.link_for(&user("ada")).await;
    for n in 0..100 {
        let path = format!("/sign-in?token={token}");
        let method = if n % 2 == 0 { "GET" } else { "HEAD" };
        let page = server.raw(method, &path).gets(200).await;
        assert_eq!(page.header("set-cookie"), None);
    }
    let page = open_link(&server, &token).await.body;
    page.assert_has(r#"<form method="post" action="/sign-in">"#);
    page.assert_has(format!(r#"name="token" value="{token}""#));
    page.assert_has(r#"<button type="submit">"#);
    assert_eq!(confirm(&server, &token).send().await.status, 303);
    assert_eq!(confirm(&server, &token).send().await.status, 410);
}

#[tokio::test]
async fn one_of_many_concurrent_uses_signs_in() {
    let server = Server::start().await;
    let token = server.link_for(&user("ada")).await;
    let answers = join_all((0..50).map(|_| confirm(&server, &token).send())).await;
    let mut statuses = HashMap::new();
    for answer in &answers {
        assert_eq!(answer.status == 303, answer.header("set-cookie").is_some());
        *statuses.entry(answer.status).or_insert(0) += 1;
    }
    assert_eq!(statuses, HashMap::from([(303, 1), (410, 49)]));
    assert_eq!(server.sessions(&user("ada")).await, 1);
}

#[tokio::test]
async fn a_link_works_for_fifteen_minutes() {
    let (clock, server) = at_start().await;
    let tokens = [
        server.link_for(&user("ada")).await,
        server.link_for(&user("ada")).await,
    ];
    clock.advance(Duration::minutes(15) - Duration::milliseconds(1));
    assert_eq!(confirm(&server, &tokens[0]).send().await.status, 303);
    clock.advance(Duration::milliseconds(1));
    assert_eq!(open_link(&server, &tokens[1]).await.status, 410);
    let late = confirm(&server, &tokens[1]).send().await;
    assert_eq!((late.status, late.header("set-cookie")), (410, None));
}

#[tokio::test]
async fn a_value_that_is_no_token_signs_nobody_in() {
    let (server, agent) = Server::with_agent().await;
    server.link_for(&user("ada")).await;
    let long = "a".repeat(10_000);
    for token in [
        "",
        "made-up",
        "%00",
        "' OR '1'='1",
        "ada",
        &agent.key,
        &long,
    ] {
        let answer = confirm(&server, token).send().await;
        assert_eq!((answer.status, answer.header("set-cookie")), (410, None));
    }
    for query in ["", "?", "?token", "?token=", "?token=%ff%00", "?other=1"] {
        server.get(&format!("/sign-in{query}")).gets(410).await;
    }
}

#[tokio::test]
async fn the_button_posts_a_form_with_a_token() {
    let server = Server::start().await;
    let token = server.link_for(&user("ada")).await;
    let post = || server.raw("POST", "/sign-in");
    post().json(&json!({"token": token})).gets_error(415).await;
    post()
        .form(&[("other", &token)])
        .send()
        .await
        .assert_bad_request("token: ");
    // The query is for looking only: it ends up in logs and histories.
    let path = format!("/sign-in?token={token}");
    server.raw("POST", &path).form(&[]).gets_error(400).await;
    assert_eq!(confirm(&server, &token).send().await.status, 303);
}

// ---- the cookie and the session ------------------------------------------------------

#[tokio::test]
async fn the_cookie_is_kept_from_scripts_and_other_sites() {
    for (public_url, name, secure) in [
        ("http://memory.example.com:8080", "ctxmem_session", None),
        (
            "https://memory.example.com",
            "__Host-ctxmem_session",
            Some("Secure"),
        ),
    ] {
        let server = Setup::new().public_url(public_url).start().await;
        let token = server.link_for(&user("ada")).await;
        let answer = confirm(&server, &token).send().await;
        let mut expected = vec!["HttpOnly", "Path=/", "SameSite=Lax"];
        expected.extend(secure);
        assert_eq!(answer.cookie_attributes(name), expected);
        let cookie = answer.session_cookie();
        assert!(is_signed_in(&server, &cookie).await);
        // Under another name it is another cookie: a plain one could come from anywhere.
        let value = cookie.split_once('=').unwrap().1;
        for other in ["session", "ctxmem_session", "__Host-ctxmem_session"] {
            let renamed = format!("{other}={value}");
            assert_eq!(is_signed_in(&server, &renamed).await, other == name);
        }
    }
}

#[tokio::test]
async fn a_session_is_a_long_random_token() {
    let server = Server::start().await;
    let first = server.sign_in(&user("ada")).await;
    let second = server.sign_in(&user("ada")).await;
    assert_ne!(first, second);
    for cookie in [first, second] {
        let value = cookie.strip_prefix("ctxmem_session=").unwrap();
        assert!(value.len() >= 32, "{}", value.len());
        assert!(value.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    }
}

#[tokio::test]
async fn a_cookie_that_is_no_session_signs_nobody_in() {
    let (server, agent) = Server::with_agent().await;
    let good = server.sign_in(&user("ada")).await;
    let value = good.strip_prefix("ctxmem_session=").unwrap();
    let unused_link = server.link_for(&user("ada")).await;
    for cookie in [
        String::new(),
        ";;;=;".to_owned(),
        "ctxmem_session".to_owned(),
        "ctxmem_session=".to_owned(),
        "ctxmem_session=ada".to_owned(),
        format!("ctxmem_session={unused_link}"),
        format!("ctxmem_session={}", agent.key),
        format!("ctxmem_session={}", value.to_uppercase()),
        format!("ctxmem_session={value}x"),
        format!("ctxmem_session=\"{value}\""),
        format!("CTXMEM_SESSION={value}"),
        format!("ctxmem_session={}", "a".repeat(10_000)),
    ] {
        assert!(!is_signed_in(&server, &cookie).await, "{cookie}");
    }
    assert!(is_signed_in(&server, &format!("theme=dark; {good}; lang=en")).await);
}

#[tokio::test]
async fn a_session_ends_an_hour_after_its_last_use() {
    let (clock, server) = at_start().await;
    let cookie = server.sign_in(&user("ada")).await;
    clock.advance(Duration::minutes(59));
    assert!(is_signed_in(&server, &cookie).await);
    clock.advance(Duration::minutes(59));
    assert!(is_signed_in(&server, &cookie).await);
    clock.advance(Duration::minutes(60));
    assert!(!is_signed_in(&server, &cookie).await);
}

#[tokio::test]
async fn a_session_ends_twelve_hours_after_it_began_however_busy() {
    let (clock, server) = at_start().await;
    let cookie = server.sign_in(&user("ada")).await;
    for _ in 0..23 {
        clock.advance(Duration::minutes(30));
        assert!(is_signed_in(&server, &cookie).await);
    }
    clock.advance(Duration::minutes(30));
    assert!(!is_signed_in(&server, &cookie).await);
}

#[tokio::test]
async fn signing_out_ends_the_session() {
    let server = Server::start().await;
    let cookie = server.sign_in(&user("ada")).await;
    let elsewhere = server.sign_in(&user("ada")).await;
    let sign_out = || server.raw("POST", "/sign-out").cookie(&cookie);
    let mark = server.mark(&user("ada"));
    let answer = sign_out().made_for(&mark).gets(303).await;
    let attributes = answer.cookie_attributes("ctxmem_session");
    assert!(attributes.contains(&"Max-Age=0"));
    // A kept copy is of no use.
    assert!(!is_signed_in(&server, &cookie).await);
    assert!(is_signed_in(&server, &elsewhere).await);
    sign_out().made_for(&mark).gets(303).await;
}

#[tokio::test]
async fn a_session_from_before_signing_in_is_over_afterwards() {
    let server = Server::start().await;
    for (before, after) in [("ada", "ada"), ("mallory", "ada")] {
        let old = server.sign_in(&user(before)).await;
        let token = server.link_for(&user(after)).await;
        let answer = confirm(&server, &token).cookie(&old).send().await;
        let new = answer.session_cookie();
        assert_ne!(old, new);
        assert!(!is_signed_in(&server, &old).await);
        assert!(is_signed_in(&server, &new).await);
    }
}

#[tokio::test]
async fn a_planted_cookie_does_not_become_a_session() {
    let server = Server::start().await;
    for n in 0..100 {
        // Made up, or one of a session of the person who planted it.
        let planted = if n % 2 == 0 {
            format!("ctxmem_session=planted{n:036}")
        } else {
            server.sign_in(&user("mallory")).await
        };
        let token = server.link_for(&user("ada")).await;
        let answer = confirm(&server, &token).cookie(&planted).gets(303).await;
        assert_ne!(answer.session_cookie(), planted);
        assert!(!is_signed_in(&server, &planted).await);
    }
}

#[tokio::test]
async fn a_used_up_link_leaves_the_session_of_the_browser_alone() {
    let server = Server::start().await;
    let cookie = server.sign_in(&user("ada")).await;
    confirm(&server, "made-up").cookie(&cookie).gets(410).await;
    assert!(is_signed_in(&server, &cookie).await);
}

// ---- other sites ---------------------------------------------------------------------

/// A user who is signed in, and an agent with access.
struct SignedInFixture {
    agent: Agent,
    browser: Browser,
    grant_id: String,
}

impl SignedInFixture {
    async fn new() -> Self {
        let (server, agent, ada) = Server::with_ada().await;
        agent.injects(&ada).await;
        Self {
            agent,
            grant_id: server.grants_of(&ada).await[0].0.id.clone(),
            browser: Browser::of(&server, &ada).await,
        }
    }

    /// Every request that changes something by the power of a session, and signing in.
    async fn requests(&self) -> Vec<(RawRequest, u16)> {
        let (server, browser) = (&self.browser.server, &self.browser);
        let token = server.link_for(&browser.user).await;
        let agent_id = ("agent_id", &*self.agent.id);
        let allow = [agent_id, ("scope", "goals")];
        let grant = json!({"userId": "ada", "agentId": self.agent.id, "scopes": ["goals"]});
        let delete = format!("/api/grants/{}", self.grant_id);
        vec![
            (confirm(server, &token), 303),
            (browser.form("/account/allow", &allow), 303),
            (browser.form("/account/revoke", &[agent_id]), 303),
            (browser.request("POST", "/api/grants").json(&grant), 200),
            (browser.request("DELETE", &delete), 200),
            (browser.form("/sign-out", &[]), 303),
        ]
    }

    /// That nothing of the above was done.
    async fn assert_untouched(&self) {
        let server = &self.browser.server;
        assert!(is_signed_in(server, &self.browser.cookie).await);
        let grants = server.grants_of(&self.browser.user).await;
        assert_eq!(grants.len(), 1);
        assert_eq!(grants[0].0.id, self.grant_id);
        assert_eq!(grants[0].0.revoked_at, None);
        assert_eq!(grants[0].0.scopes, ScopeSet::ALL);
    }
}

#[tokio::test]
async fn requests_from_another_site_change_nothing() {
    let fixture = SignedInFixture::new().await;
    let own = fixture.browser.server.url.clone();
    let other_port = "http://127.0.0.1:1".to_owned();
    let foreign: Vec<Vec<(&str, &str)>> = vec![
        vec![("sec-fetch-site", "cross-site")],
        vec![("sec-fetch-site", "same-site")],
        vec![("sec-fetch-site", "something-new")],
        vec![("sec-fetch-site", "cross-site"), ("origin", &own)],
        vec![("origin", "https://evil.example")],
        vec![("origin", "null")],
        vec![("origin", "")],
        vec![("origin", &other_port)],
        vec![("origin", "http://127.0.0.1")],
        vec![
            ("origin", "http://evil.example"),
            ("x-forwarded-host", "evil.example"),
        ],
    ];
    for headers in foreign {
        for (mut request, _) in fixture.requests().await {
            for (header, value) in &headers {
                request = request.header(header, value);
            }
            let answer = request.gets(403).await;
            answer.assert_error(403);
            assert_eq!(answer.header("set-cookie"), None);
        }
        fixture.assert_untouched().await;
    }
}

#[tokio::test]
async fn requests_from_the_own_site_or_from_no_site_are_carried_out() {
    for own in [
        None,
        Some(("sec-fetch-site", "same-origin")),
        Some(("sec-fetch-site", "none")),
        Some(("origin", "the server's")),
    ] {
        let fixture = SignedInFixture::new().await;
        for (mut request, status) in fixture.requests().await {
            if let Some((header, value)) = own {
                let value = if header == "origin" {
                    &fixture.browser.server.url
                } else {
                    value
                };
                request = request.header(header, value);
            }
            request.gets(status).await;
        }
    }
}

#[tokio::test]
async fn behind_a_proxy_the_public_address_is_the_own_site() {
    let setup = Setup::new().public_url("https://memory.example.com");
    let server = setup.start().await;
    let sign_in = async |origin: &str| {
        let token = server.link_for(&user("ada")).await;
        let request = confirm(&server, &token).header("origin", origin);
        request.send().await.status
    };
    assert_eq!(sign_in("https://memory.example.com").await, 303);
    // As `Host` says, but a page that came without TLS.
    let unprotected = format!("http://{}", server.address());
    for foreign in [
        unprotected.as_str(),
        "http://memory.example.com",
        "https://memory.example.com.evil.example",
        "https://example.com",
        "https://memory.example.com:444",
        "null",
    ] {
        assert_eq!(sign_in(foreign).await, 403, "{foreign}");
    }
}

#[tokio::test]
async fn a_page_may_be_looked_at_from_a_link_on_another_site() {
    let server = Server::start().await;
    let cookie = server.sign_in(&user("ada")).await;
    let token = server.link_for(&user("ada")).await;
    for (path, cookie) in [
        ("/account".to_owned(), cookie),
        (format!("/sign-in?token={token}"), String::new()),
    ] {
        let request = server.get(&path).cookie(&cookie);
        let page = request.header("sec-fetch-site", "cross-site").send().await;
        assert_eq!(page.status, 200, "{path}");
    }
}
