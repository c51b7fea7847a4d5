//! `/account`: the pages on which users see what is remembered of them and who has access,
//! and decide about both.

mod access;
mod address;
mod auto_delete;
pub(super) mod browser;
mod decided;
mod erase;
mod export;
mod facts;
mod history;
mod list;
mod preview;
mod refusals;
mod undo;

use ctxmem_client::{InjectReason, Scope, UserId};
use ctxmem_types::ScopeSet;

use self::browser::Browser;
use crate::suite::support::{
    Agent, Server, Text as _, hidden, user, without_own_logo, without_own_script,
};
const REVOKE: &str = "/account/revoke";
const ALLOW: &str = "/account/allow";

/// The scopes that are ticked on the page.
fn ticked(page: &str) -> ScopeSet {
    Scope::ALL
        .into_iter()
        .filter(|scope| page.contains(&format!(r#"value="{}" checked"#, scope.name())))
        .collect()
}

async fn reason(agent: &Agent, user: &UserId) -> Option<InjectReason> {
    let injected = agent.inject(user, "Be brief.").await.unwrap();
    injected.reason().cloned()
}

#[tokio::test]
async fn nobody_in_particular_sees_a_page_that_says_so() {
    let server = Server::start().await;
    for cookie in ["", "ctxmem_session=made-up"] {
        let page = server.get("/account").cookie(cookie).gets(401).await;
        page.assert_html();
        page.body.assert_has("You are not signed in");
    }
    for form in [REVOKE, ALLOW] {
        let answer = server.raw("POST", form).form(&[("agent_id", "x")]);
        answer.send().await.assert_error(401);
    }
}

#[tokio::test]
async fn an_api_key_opens_no_page() {
    let (_server, agent) = Server::with_agent().await;
    agent.raw("GET", "/account").gets(401).await;
}

#[tokio::test]
async fn a_user_sees_their_own_agents_and_no_others() {
    let server = Server::start().await;
    let mine = server.agent_named("Agent of Ada").await;
    let yours = server.agent_named("Agent of Bob").await;
    let (ada, bob) = (user("ada"), user("bob"));
    let browser = Browser::of(&server, &ada).await;
    assert!(!browser.apps().await.contains("Agent of"));
    reason(&mine, &ada).await;
    reason(&yours, &bob).await;
    let page = browser.apps().await;
    page.assert_has("Signed in as <strong><bdi>ada</bdi></strong>");
    assert!(page.contains("Agent of Ada") && page.contains(&mine.id));
    assert!(!page.contains("Agent of Bob") && !page.contains(&yours.id));
    assert_eq!(ticked(&page), ScopeSet::ALL);
}

#[tokio::test]
async fn names_are_text_and_never_markup() {
    let server = Server::start().await;
    let names = [
        "<script>alert(1)</script>",
        r#""><img src=x onerror=alert(1)>"#,
        "'><svg/onload=alert(1)>",
        "</title></h2><h1>",
        "{{ 7 * 7 }} &amp; &lt;",
    ];
    for name in names {
        let agent = server.agent_named(name).await;
        let whose = user(name);
        reason(&agent, &whose).await;
        let browser = Browser::of(&server, &whose).await;
        let link = server.link_for(&whose).await;
        let sign_in = server.get(&format!("/sign-in?token={link}"));
        for page in [
            browser.page().await,
            browser.apps().await,
            sign_in.send().await.body,
        ] {
            assert!(!page.contains(name), "{page}");
            let page = without_own_logo(&without_own_script(&page));
            page.assert_lacks_all(["<script", "<img", "<svg", "</h2><h1>"]);
            assert!(unescaped(&page).contains(name), "{page}");
        }
    }
}

/// What a browser shows for the character references of a page.
fn unescaped(page: &str) -> String {
    page.replace("&#60;", "<")
        .replace("&lt;", "<")
        .replace("&#62;", ">")
        .replace("&gt;", ">")
        .replace("&#34;", "\"")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&#x27;", "'")
        .replace("&#38;", "\0")
        .replace("&amp;", "\0")
        .replace('\0', "&")
}

#[tokio::test]
async fn revoking_on_the_page_ends_the_access() {
    let (server, agent, ada) = Server::with_ada().await;
    assert_eq!(reason(&agent, &ada).await, Some(InjectReason::SeededDemo));
    let browser = Browser::of(&server, &ada).await;
    let page = browser.apps().await;
    page.assert_has("<strong>has access");
    let agent_id = hidden(&page, "agent_id");
    browser.submit(REVOKE, &[("agent_id", agent_id)]).await;
    assert_eq!(reason(&agent, &ada).await, Some(InjectReason::NoGrant));
    let page = browser.apps().await;
    assert!(page.contains("<strong>revoked") && !page.contains("<strong>has access"));
    // Nothing is left to revoke.
    page.assert_lacks(REVOKE);
    // A page that was open for long does no harm.
    browser.submit(REVOKE, &[("agent_id", agent_id)]).await;
}

#[tokio::test]
async fn allowing_on_the_page_gives_the_ticked_scopes() {
    let (server, agent, ada) = Server::with_ada().await;
    reason(&agent, &ada).await;
    let browser = Browser::of(&server, &ada).await;
    let page = browser.apps().await;
    let agent_id = hidden(&page, "agent_id");
    browser.submit(REVOKE, &[("agent_id", agent_id)]).await;

    // What was allowed before is asked for anew.
    let page = browser.apps().await;
    assert!(!page.contains(ALLOW) && page.contains(&format!("/consent/{agent_id}")));
    let some = [
        ("agent_id", agent_id),
        ("scope", "goals"),
        ("scope", "general"),
    ];
    browser.submit(ALLOW, &some).await;
    assert_eq!(
        ticked(&browser.apps().await),
        [Scope::Goals, Scope::General].into_iter().collect()
    );
    assert_eq!(reason(&agent, &ada).await, Some(InjectReason::SeededDemo));

    browser.submit(ALLOW, &[("agent_id", agent_id)]).await;
    let page = browser.apps().await;
    assert_eq!(ticked(&page), ScopeSet::EMPTY);
    page.assert_has("<strong>paused");
    assert_eq!(reason(&agent, &ada).await, Some(InjectReason::NoScopes));
}

#[tokio::test]
async fn forms_only_accept_existing_objects_of_the_user() {
    let (server, agent) = Server::with_agent().await;
    let (ada, bob) = (user("ada"), user("bob"));
    reason(&agent, &bob).await;
    let browser = Browser::of(&server, &ada).await;
    for (path, fields, status) in [
        (REVOKE, [("agent_id", &*agent.id)], 404),
        (REVOKE, [("agent_id", "not-a-uuid")], 404),
        (REVOKE, [("other", "x")], 400),
        (ALLOW, [("agent_id", "not-a-uuid")], 404),
        (ALLOW, [("scope", "goals")], 400),
    ] {
        browser.form(path, &fields).gets_error(status).await;
    }
    let fields = [("agent_id", &*agent.id), ("scope", "everything")];
    browser.form(ALLOW, &fields).gets_error(400).await;
    assert_eq!(reason(&agent, &bob).await, Some(InjectReason::SeededDemo));
    assert!(server.grants_of(&ada).await.is_empty());
}

#[tokio::test]
async fn a_page_loads_nothing_from_elsewhere_and_is_kept_nowhere() {
    let (server, browser) = Browser::start().await;
    let link = server.link_for(&user("ada")).await;
    for (path, status) in [
        ("/account", 200),
        ("/account/facts", 200),
        ("/account/apps", 200),
        ("/account/data", 200),
        (&*format!("/sign-in?token={link}"), 200),
        ("/sign-in?token=made-up", 410),
    ] {
        let page = browser.request("GET", path).gets(status).await;
        page.assert_html();
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(page.header("referrer-policy"), Some("same-origin"));
        let mut policy: Vec<&str> = page
            .header("content-security-policy")
            .unwrap()
            .split(';')
            .map(str::trim)
            .collect();
        policy.sort_unstable();
        assert_eq!(
            policy,
            [
                "base-uri 'none'",
                "default-src 'none'",
                "form-action 'self'",
                "frame-ancestors 'none'",
                "img-src 'self'",
                "script-src 'self'",
                "style-src 'self'",
            ]
        );
        // The policy would block these.
        for blocked in [
            "<script",
            "<style",
            " style=",
            " onclick=",
            "http://",
            "https://",
        ] {
            let body = without_own_script(&page.body);
            assert!(!body.contains(blocked), "{blocked} on {path}");
        }
        page.body.assert_has(r#"href="/style.css?v="#);
    }
    let style = server.get("/style.css").gets(200).await;
    assert_eq!(
        style.header("content-type"),
        Some("text/css; charset=utf-8")
    );
}
