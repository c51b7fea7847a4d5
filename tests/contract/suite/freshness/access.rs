//! Changes of access.

use chrono::Duration;
use ctxmem_types::{GrantRequest, Scope, ScopeSet};

use super::FreshnessFixture;
use crate::suite::account::browser::Browser;
use crate::suite::support::HELLO;

/// What an agent gets to see of Ada.
#[derive(Debug, PartialEq, Eq)]
enum Visible {
    All,
    EditorOnly,
    Nothing(&'static str),
}

impl FreshnessFixture {
    async fn visible(&self) -> Visible {
        match self.reason().await.as_deref() {
            Some("no_grant") => Visible::Nothing("no_grant"),
            Some("no_scopes") => Visible::Nothing("no_scopes"),
            Some("empty_capsule") => Visible::Nothing("empty_capsule"),
            Some(reason) => panic!("{reason}"),
            None if self.prompt().await.contains("Lisbon") => Visible::All,
            None => Visible::EditorOnly,
        }
    }
}

#[tokio::test]
async fn decisions_about_access_hold_at_once() {
    for fixture in &FreshnessFixture::each().await {
        fixture.other.tells(&fixture.ada, HELLO).await;
        fixture.agent.injects(&fixture.ada).await;
        let there = fixture.there();
        let browser = Browser::of(there, &fixture.ada).await;
        let session = there.client_of(&there.sign_in(&fixture.ada).await);
        let id = &*fixture.agent.id;
        for _ in 0..5 {
            for (scopes, expected) in [
                (Some(ScopeSet::ALL), Visible::All),
                (Some(Scope::Preferences.into()), Visible::EditorOnly),
                (Some(ScopeSet::ALL), Visible::All),
                (None, Visible::Nothing("no_grant")),
                (Some(Scope::Preferences.into()), Visible::EditorOnly),
                (Some(ScopeSet::EMPTY), Visible::Nothing("no_scopes")),
                (
                    Some(Scope::History.into()),
                    Visible::Nothing("empty_capsule"),
                ),
                (None, Visible::Nothing("no_grant")),
            ] {
                fixture.warm(&fixture.agent, &fixture.ada).await;
                if let Some(scopes) = scopes {
                    let request = GrantRequest::new(fixture.ada.clone(), id, scopes.names());
                    session.create_grant(&request).await.unwrap();
                } else {
                    let (grant, _) = there.grant(&fixture.ada, &fixture.agent).await.unwrap();
                    assert!(session.revoke_grant(&grant).await.unwrap().revoked);
                }
                assert_eq!(fixture.visible().await, expected);
            }
        }
        // The same on the page.
        fixture.warm(&fixture.agent, &fixture.ada).await;
        let fields = [("agent_id", id), ("scope", "preferences")];
        assert_eq!(browser.post("/account/allow", &fields).await.status, 303);
        assert_eq!(fixture.visible().await, Visible::EditorOnly);
        fixture.warm(&fixture.agent, &fixture.ada).await;
        let fields = [("agent_id", id)];
        assert_eq!(browser.post("/account/revoke", &fields).await.status, 303);
        assert_eq!(fixture.visible().await, Visible::Nothing("no_grant"));
        let update = fixture.agent.update(&fixture.ada, HELLO, "Noted.").await;
        assert_eq!(update.unwrap_err().status(), Some(403));
    }
}

#[tokio::test]
async fn an_agent_that_narrows_its_own_access_sees_less_at_once() {
    for fixture in &FreshnessFixture::each().await {
        fixture.other.tells(&fixture.ada, HELLO).await;
        fixture.warm(&fixture.agent, &fixture.ada).await;
        assert_eq!(fixture.visible().await, Visible::All);
        let there = fixture.there().again(&fixture.agent);
        let id = &*fixture.agent.id;
        let narrow = GrantRequest::new(fixture.ada.clone(), id, [Scope::Preferences]);
        there.create_grant(&narrow).await.unwrap();
        assert_eq!(fixture.visible().await, Visible::EditorOnly);
    }
}

#[tokio::test]
async fn another_key_of_the_agent_sees_what_that_key_may_reach() {
    for fixture in &FreshnessFixture::each().await {
        fixture.other.tells(&fixture.ada, HELLO).await;
        let narrow = Scope::Preferences.into();
        let narrow = fixture.asked.key_of(&fixture.agent, narrow).await;
        for agent in [&fixture.agent, &narrow, &fixture.agent] {
            fixture.warm(agent, &fixture.ada).await;
            assert!(fixture.prompt().await.contains("Lisbon"));
            let prompt = narrow.prompt(&fixture.ada).await;
            assert!(prompt.contains("Helix") && !prompt.contains("Lisbon"));
        }
    }
}

#[tokio::test]
async fn an_expiry_ends_access_at_once() {
    for fixture in &FreshnessFixture::each().await {
        fixture.other.tells(&fixture.ada, HELLO).await;
        for minutes in [10, 20] {
            let end = format!("2026-03-01T12:{minutes}:00Z");
            let (there, agent) = (fixture.there(), &fixture.agent);
            there.user_allows_until(&fixture.ada, agent, &end).await;
            fixture.warm(agent, &fixture.ada).await;
            assert_eq!(fixture.visible().await, Visible::All);
            fixture
                .clock
                .set(&format!("2026-03-01T12:{}:59.999Z", minutes - 1));
            fixture.warm(agent, &fixture.ada).await;
            assert_eq!(fixture.visible().await, Visible::All);
            // Nothing is committed: only the clock moves.
            fixture.clock.advance(Duration::milliseconds(1));
            assert_eq!(fixture.visible().await, Visible::Nothing("no_grant"));
        }
        // A later end takes the place of an earlier one, and the other way round.
        let end = |end: &'static str| {
            let there = fixture.there();
            there.user_allows_until(&fixture.ada, &fixture.agent, end)
        };
        end("2026-03-01T12:30:00Z").await;
        fixture.warm(&fixture.agent, &fixture.ada).await;
        end("2026-03-01T12:40:00Z").await;
        fixture.clock.set("2026-03-01T12:35:00Z");
        assert_eq!(fixture.visible().await, Visible::All);
        end("2026-03-01T12:36:00Z").await;
        fixture.clock.set("2026-03-01T12:36:00Z");
        assert_eq!(fixture.visible().await, Visible::Nothing("no_grant"));
    }
}
