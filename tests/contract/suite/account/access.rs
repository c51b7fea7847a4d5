//! Access on the page: its end, what became of it, agents that are gone.

use std::sync::Arc;

use chrono::Duration;
use ctxmem_types::Scope;

use super::browser::Browser;
use super::{hidden, ticked};
use crate::suite::support::{Server, Setup, TestClock, user};

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
