//! What is remembered changes.

use chrono::Duration;
use ctxmem_types::ScopeSet;

use super::Scene;
use crate::suite::account::browser::{Browser, with};
use crate::suite::support::{HELLO, user};

#[tokio::test]
async fn what_another_agent_learns_is_told_at_once() {
    for scene in &Scene::each().await {
        for round in 0..20 {
            let (city, before) = match round % 2 {
                0 => ("Porto", "Lisbon"),
                _ => ("Lisbon", "Porto"),
            };
            scene.warm(&scene.agent, &scene.ada).await;
            let message = format!("I live in {city}.");
            scene.other.tells(&scene.ada, &message).await;
            let prompt = scene.prompt().await;
            assert!(
                prompt.contains(city) && !prompt.contains(before),
                "{prompt}"
            );
        }
    }
}

#[tokio::test]
async fn what_the_user_writes_is_told_at_once() {
    for scene in &Scene::each().await {
        scene.agent.tells(&scene.ada, HELLO).await;
        let browser = Browser::of(scene.there(), &scene.ada).await;
        // Another instant, by which the forms tell values apart.
        scene.clock.advance(Duration::seconds(1));

        scene.warm(&scene.agent, &scene.ada).await;
        let added = [("scope", "goals"), ("value", "Ship the beta")];
        browser.post("/account/facts/add", &added).await;
        assert!(scene.prompt().await.contains("Ship the beta"));

        let fields = browser.fields_of("Helix").await;
        scene.warm(&scene.agent, &scene.ada).await;
        let corrected = with(&fields, &[("value", "Zed")]);
        browser.post("/account/facts/correct", &corrected).await;
        let prompt = scene.prompt().await;
        assert!(
            prompt.contains("Zed") && !prompt.contains("Helix"),
            "{prompt}"
        );

        let fields = browser.fields_of("Ship the beta").await;
        scene.warm(&scene.agent, &scene.ada).await;
        let fields = with(&fields, &[]);
        let answer = browser.post("/account/facts/delete", &fields).await;
        assert_eq!(answer.status, 303);
        assert!(!scene.prompt().await.contains("Ship the beta"));

        let fields = browser.fields_of("Lisbon").await;
        scene.warm(&scene.agent, &scene.ada).await;
        let confirmed = with(&fields, &[("confirm", "yes")]);
        let answer = browser
            .post("/account/facts/delete-scope", &confirmed)
            .await;
        assert_eq!(answer.status, 303);
        let prompt = scene.prompt().await;
        assert!(
            prompt.contains("Zed") && !prompt.contains("Lisbon"),
            "{prompt}"
        );
    }
}

#[tokio::test]
async fn an_erasure_is_seen_at_once() {
    for scene in &Scene::each().await {
        let browser = Browser::of(scene.there(), &scene.ada).await;
        for by_hand in [false, true] {
            for agent in [&scene.agent, &scene.other] {
                scene
                    .there()
                    .user_grants(&scene.ada, agent, ScopeSet::ALL)
                    .await;
            }
            scene.other.tells(&scene.ada, HELLO).await;
            scene.warm(&scene.agent, &scene.ada).await;
            assert!(scene.prompt().await.contains("Lisbon"));
            if by_hand {
                let erased = browser.post("/account/erase", &[("confirm", "erase")]);
                assert_eq!(erased.await.status, 303);
            } else {
                let erased = scene.other.client.delete_context(&scene.ada).await;
                assert!(erased.unwrap().deleted);
            }
            assert_eq!(scene.reason().await.as_deref(), Some("no_grant"));
            assert!(
                scene
                    .agent
                    .client
                    .update(&scene.ada, HELLO, "Noted.")
                    .await
                    .is_err()
            );
        }
    }
}

#[tokio::test]
async fn the_first_fact_of_a_developer_ends_the_demo_at_once() {
    for scene in &Scene::each().await {
        let bob = &user("bob");
        let colleague = scene.there();
        let colleague = colleague.agent_of("ann@example.com", ScopeSet::ALL).await;
        scene.warm(&scene.agent, bob).await;
        let before = scene.agent.reason(bob).await;
        assert_eq!(before.as_deref(), Some("seeded_demo"));
        // Another user, another agent.
        colleague.tells(&scene.ada, HELLO).await;
        let after = scene.agent.reason(bob).await;
        assert_eq!(after.as_deref(), Some("empty"));
    }
}
