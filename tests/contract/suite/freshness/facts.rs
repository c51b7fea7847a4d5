//! Changes of what is remembered.

use chrono::Duration;
use ctxmem_types::ScopeSet;

use super::FreshnessFixture;
use crate::suite::account::browser::{Browser, with};
use crate::suite::support::{HELLO, Text as _, user};

#[tokio::test]
async fn facts_from_another_agent_show_at_once() {
    for fixture in &FreshnessFixture::each().await {
        for round in 0..20 {
            let (city, before) = match round % 2 {
                0 => ("Porto", "Lisbon"),
                _ => ("Lisbon", "Porto"),
            };
            fixture.warm(&fixture.agent, &fixture.ada).await;
            let message = format!("I live in {city}.");
            fixture.other.tells(&fixture.ada, &message).await;
            let prompt = fixture.prompt().await;
            prompt.assert_has(city);
            prompt.assert_lacks(before);
        }
    }
}

#[tokio::test]
async fn facts_written_by_the_user_show_at_once() {
    for fixture in &FreshnessFixture::each().await {
        fixture.agent.tells(&fixture.ada, HELLO).await;
        let browser = Browser::of(fixture.there(), &fixture.ada).await;
        // Another instant, by which the forms tell values apart.
        fixture.clock.advance(Duration::seconds(1));

        fixture.warm(&fixture.agent, &fixture.ada).await;
        let added = [("scope", "goals"), ("value", "Ship the beta")];
        browser.post("/account/facts/add", &added).await;
        assert!(fixture.prompt().await.contains("Ship the beta"));

        let fields = browser.fields_of("Helix").await;
        fixture.warm(&fixture.agent, &fixture.ada).await;
        let corrected = with(&fields, &[("value", "Zed")]);
        browser.post("/account/facts/correct", &corrected).await;
        let prompt = fixture.prompt().await;
        prompt.assert_has("Zed");
        prompt.assert_lacks("Helix");

        let fields = browser.fields_of("Ship the beta").await;
        fixture.warm(&fixture.agent, &fixture.ada).await;
        let fields = with(&fields, &[("confirm", "yes")]);
        let answer = browser.post("/account/facts/delete", &fields).await;
        assert_eq!(answer.status, 303);
        assert!(!fixture.prompt().await.contains("Ship the beta"));

        let fields = browser.fields_of("Lisbon").await;
        fixture.warm(&fixture.agent, &fixture.ada).await;
        let confirmed = with(&fields, &[("confirm", "yes")]);
        let answer = browser
            .post("/account/facts/delete-scope", &confirmed)
            .await;
        assert_eq!(answer.status, 303);
        let prompt = fixture.prompt().await;
        prompt.assert_has("Zed");
        prompt.assert_lacks("Lisbon");
    }
}

#[tokio::test]
async fn an_erasure_is_seen_at_once() {
    for fixture in &FreshnessFixture::each().await {
        let browser = Browser::of(fixture.there(), &fixture.ada).await;
        for by_hand in [false, true] {
            for agent in [&fixture.agent, &fixture.other] {
                fixture
                    .there()
                    .user_grants(&fixture.ada, agent, ScopeSet::ALL)
                    .await;
            }
            fixture.other.tells(&fixture.ada, HELLO).await;
            fixture.warm(&fixture.agent, &fixture.ada).await;
            assert!(fixture.prompt().await.contains("Lisbon"));
            if by_hand {
                let erased = browser.post("/account/erase", &[("confirm", "erase")]);
                assert_eq!(erased.await.status, 303);
            } else {
                let erased = fixture.other.delete_context(&fixture.ada).await;
                assert!(erased.unwrap().deleted);
            }
            assert_eq!(fixture.reason().await.as_deref(), Some("no_grant"));
            let client = &fixture.agent.client;
            let update = client.update(&fixture.ada, HELLO, "Noted.").await;
            assert!(update.is_err());
        }
    }
}

#[tokio::test]
async fn the_first_fact_of_a_developer_ends_the_demo_at_once() {
    for fixture in &FreshnessFixture::each().await {
        let bob = &user("bob");
        let colleague = fixture.there();
        let colleague = colleague.agent_of("ann@example.com", ScopeSet::ALL).await;
        fixture.warm(&fixture.agent, bob).await;
        let before = fixture.agent.reason(bob).await;
        assert_eq!(before.as_deref(), Some("seeded_demo"));
        // Another user, another agent.
        colleague.tells(&fixture.ada, HELLO).await;
        let after = fixture.agent.reason(bob).await;
        assert_eq!(after.as_deref(), Some("empty"));
    }
}
