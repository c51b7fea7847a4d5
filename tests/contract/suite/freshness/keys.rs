//! Revoked keys and deleted agents.

use ctxmem_types::ScopeSet;

use super::FreshnessFixture;
use crate::suite::support::{Agent, Developer, HELLO, refused};

/// Checks that the key is refused by the very next request of each kind.
async fn assert_dead(fixture: &FreshnessFixture, agent: &Agent) {
    let client = &agent.client;
    refused(client.inject(&fixture.ada, "Be brief.").await, 401);
    refused(client.inject(&fixture.ada, "Be brief.").await, 401);
    refused(client.update(&fixture.ada, HELLO, "Noted.").await, 401);
    refused(client.context(&fixture.ada).await, 401);
}

#[tokio::test]
async fn a_key_that_is_revoked_is_refused_at_once() {
    for fixture in &FreshnessFixture::each().await {
        fixture.agent.tells(&fixture.ada, HELLO).await;
        let ann = Developer::existing(fixture.there(), "ann@example.com").await;
        for round in 0..20 {
            let key = fixture.asked.key_of(&fixture.agent, ScopeSet::ALL).await;
            fixture.warm(&key, &fixture.ada).await;
            fixture.warm(&fixture.agent, &fixture.ada).await;
            if round % 2 == 0 {
                let fields = [("key_id", &*key.key_id)];
                ann.form("/dashboard/keys/revoke", &fields).gets(303).await;
            } else {
                fixture.there().revoke_key(&key.key_id).await;
            }
            assert_dead(fixture, &key).await;
            assert_eq!(fixture.reason().await, None);
        }
    }
}

#[tokio::test]
async fn an_update_is_the_first_to_find_a_key_revoked() {
    for fixture in &FreshnessFixture::each().await {
        let key = fixture.asked.key_of(&fixture.agent, ScopeSet::ALL).await;
        fixture.warm(&key, &fixture.ada).await;
        fixture.there().revoke_key(&key.key_id).await;
        refused(key.update(&fixture.ada, HELLO, "Noted.").await, 401);
        let context = fixture.agent.context(&fixture.ada).await.unwrap();
        assert!(context.is_empty());
    }
}

#[tokio::test]
async fn the_keys_of_an_agent_that_is_deleted_are_refused_at_once() {
    for fixture in &FreshnessFixture::each().await {
        fixture.agent.tells(&fixture.ada, HELLO).await;
        let second = fixture.asked.key_of(&fixture.agent, ScopeSet::ALL).await;
        let ann = Developer::existing(fixture.there(), "ann@example.com").await;
        fixture.warm(&second, &fixture.ada).await;
        fixture.warm(&fixture.agent, &fixture.ada).await;
        let fields = [("agent_id", &*fixture.agent.id), ("name", "an agent")];
        let answer = ann.post("/dashboard/agents/delete", &fields).await;
        assert_eq!(answer.status, 303);
        assert_dead(fixture, &fixture.agent).await;
        assert_dead(fixture, &second).await;
    }
}
