//! Keys and agents go.

use ctxmem_server::core::Manager;
use ctxmem_types::ScopeSet;

use super::Scene;
use crate::suite::support::{Agent, Developer, HELLO, refused};

/// Checks that the key is refused by the very next request of each kind.
async fn assert_dead(scene: &Scene, agent: &Agent) {
    let client = &agent.client;
    refused(client.inject(&scene.ada, "Be brief.").await, 401);
    refused(client.inject(&scene.ada, "Be brief.").await, 401);
    refused(client.update(&scene.ada, HELLO, "Noted.").await, 401);
    refused(client.context(&scene.ada).await, 401);
}

#[tokio::test]
async fn a_key_that_is_revoked_is_refused_at_once() {
    for scene in &Scene::each().await {
        scene.agent.tells(&scene.ada, HELLO).await;
        let ann = Developer::existing(scene.there(), "ann@example.com").await;
        for round in 0..20 {
            let key = scene.asked.key_of(&scene.agent, ScopeSet::ALL).await;
            scene.warm(&key, &scene.ada).await;
            scene.warm(&scene.agent, &scene.ada).await;
            if round % 2 == 0 {
                let fields = [("key_id", &*key.key_id)];
                let answer = ann.post("/dashboard/keys/revoke", &fields).await;
                assert_eq!(answer.status, 303);
            } else {
                let core = scene.there().core();
                let revoked = core.revoke_key(Manager::Operator, key.key_id.clone());
                revoked.await.unwrap();
            }
            assert_dead(scene, &key).await;
            assert_eq!(scene.reason().await, None);
        }
    }
}

#[tokio::test]
async fn an_update_is_the_first_to_find_a_key_revoked() {
    for scene in &Scene::each().await {
        let key = scene.asked.key_of(&scene.agent, ScopeSet::ALL).await;
        scene.warm(&key, &scene.ada).await;
        let core = scene.there().core();
        let revoked = core.revoke_key(Manager::Operator, key.key_id.clone());
        revoked.await.unwrap();
        refused(key.client.update(&scene.ada, HELLO, "Noted.").await, 401);
        let context = scene.agent.client.context(&scene.ada).await.unwrap();
        assert!(context.is_empty());
    }
}

#[tokio::test]
async fn the_keys_of_an_agent_that_is_deleted_are_refused_at_once() {
    for scene in &Scene::each().await {
        scene.agent.tells(&scene.ada, HELLO).await;
        let second = scene.asked.key_of(&scene.agent, ScopeSet::ALL).await;
        let ann = Developer::existing(scene.there(), "ann@example.com").await;
        scene.warm(&second, &scene.ada).await;
        scene.warm(&scene.agent, &scene.ada).await;
        let fields = [("agent_id", &*scene.agent.id), ("name", "an agent")];
        let answer = ann.post("/dashboard/agents/delete", &fields).await;
        assert_eq!(answer.status, 303);
        assert_dead(scene, &scene.agent).await;
        assert_dead(scene, &second).await;
    }
}
