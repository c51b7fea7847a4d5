//! Access on the page: its end, what became of it, agents that are gone.

use std::sync::Arc;

use chrono::Duration;
use ctxmem_types::{GrantRequest, Scope};

use ctxmem_client::InjectReason;
use ctxmem_server::core::Clock as _;
use ctxmem_server::core::FirstGrant::Auto;

use super::browser::Browser;
use super::{hidden, reason, ticked};
use crate::suite::support::{Agent, Server, Setup, TestClock, user};

#[tokio::test]
async fn an_end_is_set_kept_and_cleared() {
    let clock = Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    let server = Setup::new().clock(&clock).start().await;
    let agent = server.agent().await;
    let browser = Browser::of_ada(&server).await;
    agent.prompt(&browser.user).await;
    let end = async || {
        let grants = server.core().grants(&browser.user).await.unwrap();
        grants[0].0.expires_text.clone()
    };
    let of_agent = ("agent_id", &*agent.id);
    let scope = ("scope", "goals");
    let until = ("expires_at_local", "2026-03-02T10:30");
    let page = browser
        .submit("/account/allow", &[of_agent, scope, until])
        .await;
    assert_eq!(end().await.as_deref(), Some("2026-03-02T10:30:00.000Z"));
    assert!(
        page.contains("until <time datetime=\"2026-03-02T10:30:00.000Z\">2 March 2026, 10:30 UTC")
    );
    assert!(page.contains(r#"name="expires_at_local" value="2026-03-02T10:30""#));
    assert!(page.contains("Access was changed."));

    // What an agent asked for to the millisecond stays so while the field is not changed.
    let exact = "2026-03-02T11:30:15.678+01:00";
    server
        .user_grants_until(&browser.user, &agent, Scope::Goals, Some(exact))
        .await;
    let page = browser.page().await;
    assert_eq!(
        hidden(&page, "expires_at"),
        "2026-03-02T11:30:15.678&#43;01:00".replace("&#43;", "+")
    );
    let unchanged = [
        of_agent,
        ("scope", "general"),
        ("expires_at", exact),
        ("expires_at_local", "2026-03-02T10:30:15"),
    ];
    browser.submit("/account/allow", &unchanged).await;
    assert_eq!(end().await.as_deref(), Some(exact));
    let cleared = [
        of_agent,
        scope,
        ("expires_at", exact),
        ("expires_at_local", ""),
    ];
    browser.submit("/account/allow", &cleared).await;
    assert_eq!(end().await, None);

    for wrong in ["tomorrow", "2026-02-30T10:00", "2026-03-01T08:59"] {
        let fields = [of_agent, scope, ("expires_at_local", wrong)];
        let answer = browser.post("/account/allow", &fields).await;
        let text = answer.assert_error(400, "BAD_REQUEST");
        assert!(
            text.starts_with("expires") && !text.contains(wrong),
            "{text}"
        );
    }
    assert_eq!(end().await, None);

    browser
        .submit("/account/allow", &[of_agent, scope, until])
        .await;
    clock.advance(Duration::days(2));
    // The session went with the time.
    let browser = Browser::of_ada(&server).await;
    let page = browser.page().await;
    assert!(page.contains("<strong>expired") && page.contains("Allow again"));
    assert!(
        !page.contains(r#"name="expires_at""#),
        "an end in the past is not asked for again"
    );
    let again = [of_agent, scope, ("expires_at_local", "")];
    let page = browser.submit("/account/allow", &again).await;
    assert!(page.contains("<strong>has access"));
}

#[tokio::test]
async fn a_page_says_when_access_was_used_and_whose_agent_is_gone() {
    let server = Server::start().await;
    let agent = server.agent_named("Agent of Ada").await;
    let ada = user("ada");
    server.user_grants(&ada, &agent, Scope::Goals).await;
    let browser = Browser::of(&server, &ada).await;
    let page = browser.page().await;
    assert!(page.contains("never used"));
    assert!(page.contains("One agent can use"));
    assert_eq!(ticked(&page), Scope::Goals.into());
    server.store.mark_used(&agent, 1_772_355_600_000).await;
    let page = browser.page().await;
    assert!(page.contains("last used <time datetime=\"2026-03-01T09:00:00.000Z\">"));
    server.store.mark_deleted(&agent).await;
    let page = browser.page().await;
    assert!(page.contains("deleted by its developer") && page.contains("no agent has access"));
    assert!(
        !page.contains("/account/allow"),
        "it can't be allowed again"
    );
}

/// How the user ends the access of an agent.
#[derive(Clone, Copy)]
enum Ending {
    /// By the form of a page that has been open for long.
    Form,
    /// By the id of the grant as it was then.
    Id,
}

/// An agent that asks for what it has again and again, or for what it had once that has expired.
#[derive(Clone, Copy)]
enum Asking {
    Again,
    AfterItsEnd,
}

impl Asking {
    async fn ask(self, agent: &Agent, browser: &Browser<'_>, clock: &TestClock) {
        let mut request = request_of(browser, agent);
        if let Self::AfterItsEnd = self {
            let end = clock.now() + Duration::seconds(1);
            request.expires_at = Some(end.into());
            agent.client.create_grant(&request).await.unwrap();
            clock.advance(Duration::seconds(2));
            request.expires_at = None;
        }
        agent.client.create_grant(&request).await.unwrap();
    }
}

fn request_of(browser: &Browser<'_>, agent: &Agent) -> GrantRequest {
    GrantRequest::new(browser.user.clone(), &agent.id, Scope::ALL)
}

#[tokio::test]
async fn whatever_a_key_asked_for_since_the_user_ends_its_access() {
    let clock = Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    let server = Setup::new().first_grant(Auto).clock(&clock).start().await;
    for ending in [Ending::Form, Ending::Id] {
        for asking in [Asking::Again, Asking::AfterItsEnd] {
            for times in [1, 12] {
                let agent = server.agent().await;
                let browser = Browser::of(&server, &user("ada")).await;
                agent.injects(&browser.user).await;
                let (id, _) = server.grant(&browser.user, &agent).await.unwrap();
                for _ in 0..times {
                    asking.ask(&agent, &browser, &clock).await;
                }
                assert_ne!(
                    reason(&agent, &browser.user).await,
                    Some(InjectReason::NoGrant)
                );
                match ending {
                    Ending::Form => {
                        let fields = [("agent_id", &*agent.id)];
                        browser.submit("/account/revoke", &fields).await;
                    }
                    Ending::Id => {
                        let client = server.client_of(browser.cookie());
                        assert!(client.revoke_grant(&id).await.unwrap().revoked);
                    }
                }
                assert_eq!(
                    reason(&agent, &browser.user).await,
                    Some(InjectReason::NoGrant)
                );
                let again = agent
                    .client
                    .create_grant(&request_of(&browser, &agent))
                    .await;
                assert_eq!(again.unwrap_err().status(), Some(403));
            }
        }
    }
}

#[tokio::test]
async fn the_form_of_an_old_page_ends_what_the_user_granted_since() {
    let server = Server::start().await;
    let agent = server.agent().await;
    let browser = Browser::of_ada(&server).await;
    agent.injects(&browser.user).await;
    let page = browser.page().await;
    server
        .user_grants(&browser.user, &agent, Scope::Goals)
        .await;
    let agent_id = ("agent_id", hidden(&page, "agent_id"));
    browser.submit("/account/revoke", &[agent_id]).await;
    assert_eq!(
        reason(&agent, &browser.user).await,
        Some(InjectReason::NoGrant)
    );
}

#[tokio::test]
async fn an_agent_that_was_seen_is_not_announced_again_whatever_it_asks_for() {
    let clock = Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    let server = Setup::new().first_grant(Auto).clock(&clock).start().await;
    let agent = server.agent_named("Planner").await;
    let browser = Browser::of_ada(&server).await;
    agent.injects(&browser.user).await;
    assert!(browser.page().await.contains("/account/access-seen"));
    clock.advance(Duration::minutes(1));
    let seen = browser.post("/account/access-seen", &[]).await;
    assert_eq!(seen.status, 303);
    for _ in 0..10 {
        clock.advance(Duration::minutes(1));
        let request = request_of(&browser, &agent);
        agent.client.create_grant(&request).await.unwrap();
        assert!(!browser.page().await.contains("/account/access-seen"));
    }
}
