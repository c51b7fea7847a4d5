//! Access changes.

use chrono::Duration;
use ctxmem_types::{GrantRequest, Scope, ScopeSet};

use super::Scene;
use crate::suite::account::browser::Browser;
use crate::suite::support::HELLO;

/// What an agent may be told of Ada.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    All,
    Editor,
    Nothing(&'static str),
}

impl Scene {
    async fn told(&self) -> Told {
        match self.reason().await.as_deref() {
            Some("no_grant") => Told::Nothing("no_grant"),
            Some("no_scopes") => Told::Nothing("no_scopes"),
            Some("empty_capsule") => Told::Nothing("empty_capsule"),
            Some(reason) => panic!("{reason}"),
            None if self.prompt().await.contains("Lisbon") => Told::All,
            None => Told::Editor,
        }
    }
}

#[tokio::test]
async fn whatever_a_user_decides_about_access_holds_at_once() {
    for scene in &Scene::each().await {
        scene.other.tells(&scene.ada, HELLO).await;
        scene.agent.injects(&scene.ada).await;
        let there = scene.there();
        let browser = Browser::of(there, &scene.ada).await;
        let session = there.client_of(&there.sign_in(&scene.ada).await);
        let id = &*scene.agent.id;
        for _ in 0..5 {
            for (scopes, told) in [
                (Some(ScopeSet::ALL), Told::All),
                (Some(Scope::Preferences.into()), Told::Editor),
                (Some(ScopeSet::ALL), Told::All),
                (None, Told::Nothing("no_grant")),
                (Some(Scope::Preferences.into()), Told::Editor),
                (Some(ScopeSet::EMPTY), Told::Nothing("no_scopes")),
                (Some(Scope::History.into()), Told::Nothing("empty_capsule")),
                (None, Told::Nothing("no_grant")),
            ] {
                scene.warm(&scene.agent, &scene.ada).await;
                if let Some(scopes) = scopes {
                    let request = GrantRequest::new(scene.ada.clone(), id, scopes.names());
                    session.create_grant(&request).await.unwrap();
                } else {
                    let (grant, _) = there.grant(&scene.ada, &scene.agent).await.unwrap();
                    assert!(session.revoke_grant(&grant).await.unwrap().revoked);
                }
                assert_eq!(scene.told().await, told);
            }
        }
        // The same on the page.
        scene.warm(&scene.agent, &scene.ada).await;
        let fields = [("agent_id", id), ("scope", "preferences")];
        assert_eq!(browser.post("/account/allow", &fields).await.status, 303);
        assert_eq!(scene.told().await, Told::Editor);
        scene.warm(&scene.agent, &scene.ada).await;
        let (grant, _) = there.grant(&scene.ada, &scene.agent).await.unwrap();
        let fields = [("grant_id", &*grant)];
        assert_eq!(browser.post("/account/revoke", &fields).await.status, 303);
        assert_eq!(scene.told().await, Told::Nothing("no_grant"));
        let update = scene.agent.client.update(&scene.ada, HELLO, "Noted.").await;
        assert_eq!(update.unwrap_err().status(), Some(403));
    }
}

#[tokio::test]
async fn an_agent_that_narrows_its_own_access_is_told_less_at_once() {
    for scene in &Scene::each().await {
        scene.other.tells(&scene.ada, HELLO).await;
        scene.warm(&scene.agent, &scene.ada).await;
        assert_eq!(scene.told().await, Told::All);
        let there = scene.there().again(&scene.agent);
        let id = &*scene.agent.id;
        let narrow = GrantRequest::new(scene.ada.clone(), id, [Scope::Preferences]);
        there.client.create_grant(&narrow).await.unwrap();
        assert_eq!(scene.told().await, Told::Editor);
    }
}

#[tokio::test]
async fn another_key_of_the_agent_is_told_what_that_key_may_reach() {
    for scene in &Scene::each().await {
        scene.other.tells(&scene.ada, HELLO).await;
        let narrow = Scope::Preferences.into();
        let narrow = scene.asked.key_of(&scene.agent, narrow).await;
        for agent in [&scene.agent, &narrow, &scene.agent] {
            scene.warm(agent, &scene.ada).await;
            assert!(scene.prompt().await.contains("Lisbon"));
            let prompt = narrow.prompt(&scene.ada).await;
            assert!(prompt.contains("Helix") && !prompt.contains("Lisbon"));
        }
    }
}

#[tokio::test]
async fn an_end_that_comes_is_an_end_at_once() {
    for scene in &Scene::each().await {
        scene.other.tells(&scene.ada, HELLO).await;
        for minutes in [10, 20] {
            let end = format!("2026-03-01T12:{minutes}:00Z");
            let (there, agent) = (scene.there(), &scene.agent);
            there
                .user_grants_until(&scene.ada, agent, ScopeSet::ALL, Some(&end))
                .await;
            scene.warm(agent, &scene.ada).await;
            assert_eq!(scene.told().await, Told::All);
            scene
                .clock
                .set(&format!("2026-03-01T12:{}:59.999Z", minutes - 1));
            scene.warm(agent, &scene.ada).await;
            assert_eq!(scene.told().await, Told::All);
            // Nothing is committed: the clock alone ends it.
            scene.clock.advance(Duration::milliseconds(1));
            assert_eq!(scene.told().await, Told::Nothing("no_grant"));
        }
        // A later end takes the place of an earlier one, and the other way round.
        let end = |end: &'static str| {
            let there = scene.there();
            there.user_grants_until(&scene.ada, &scene.agent, ScopeSet::ALL, Some(end))
        };
        end("2026-03-01T12:30:00Z").await;
        scene.warm(&scene.agent, &scene.ada).await;
        end("2026-03-01T12:40:00Z").await;
        scene.clock.set("2026-03-01T12:35:00Z");
        assert_eq!(scene.told().await, Told::All);
        end("2026-03-01T12:36:00Z").await;
        scene.clock.set("2026-03-01T12:36:00Z");
        assert_eq!(scene.told().await, Told::Nothing("no_grant"));
    }
}
