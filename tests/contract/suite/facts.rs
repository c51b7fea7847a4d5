//! `GET /api/context/{userId}/facts` and `DELETE /api/context/{userId}/facts/{factId}`.

use ctxmem_client::{FactRecord, UserId};
use ctxmem_server::store::Action;
use ctxmem_types::{Scope, ScopeSet};
use serde_json::{Value, json};

use crate::suite::support::{
    Agent, ENGINE, FakeModel, HELLO, Server, Setup, count, fact, named, refused,
};

/// A server with an agent that stored an editor, a place and a goal about Ada.
async fn with_facts() -> (Server, FakeModel, Agent, UserId) {
    let (model, server, agent, ada) = Server::with_model_and_ada().await;
    model.finds(vec![
        named(Scope::Preferences, "editor", "Helix"),
        named(Scope::General, "location", "Lisbon"),
        fact(Scope::Goals, "Ship the release"),
    ]);
    agent.tells(&ada, HELLO).await;
    (server, model, agent, ada)
}

fn find<'f>(facts: &'f [FactRecord], value: &str) -> &'f FactRecord {
    facts.iter().find(|fact| fact.value == value).unwrap()
}

fn values(facts: &[FactRecord]) -> Vec<&str> {
    facts.iter().map(|fact| &*fact.value).collect()
}

#[tokio::test]
async fn facts_are_listed_with_the_documented_fields() {
    let (_server, _model, agent, ada) = with_facts().await;
    let answer = agent.raw("GET", "/api/context/ada/facts").gets(200).await;
    let facts = &answer.json()["facts"];
    assert_eq!(facts.as_array().unwrap().len(), 3);
    let place = &facts[0];
    let mut names: Vec<&String> = place.as_object().unwrap().keys().collect();
    names.sort();
    let expected = [
        "canDelete",
        "id",
        "name",
        "scope",
        "source_type",
        "storedAt",
        "value",
    ];
    assert_eq!(names, expected);
    assert_eq!(place["scope"], "general");
    assert_eq!(place["name"], "location");
    assert_eq!(place["value"], "Lisbon");
    assert_eq!(place["source_type"], "observed");
    assert_eq!(place["canDelete"], true);
    assert_eq!(facts[2]["name"], Value::Null, "goals have no names");
    let listed = agent.facts(&ada).await.unwrap();
    assert_eq!(values(&listed), ["Lisbon", "Helix", "Ship the release"]);
}

#[tokio::test]
async fn only_granted_scopes_are_listed_and_deleted_from() {
    let (server, _model, agent, ada) = with_facts().await;
    let all = agent.facts(&ada).await.unwrap();
    server
        .user_grants(&ada, &agent, ScopeSet::from(Scope::Goals))
        .await;
    let listed = agent.facts(&ada).await.unwrap();
    assert_eq!(values(&listed), ["Ship the release"]);
    let hidden = &find(&all, "Lisbon").id;
    refused(agent.delete_fact(&ada, hidden).await, 404);
    server.user_allows(&ada, &agent).await;
    assert_eq!(agent.facts(&ada).await.unwrap(), all);
}

#[tokio::test]
async fn a_deleted_fact_is_gone_for_everybody_and_the_others_stay() {
    let (server, _model, agent, ada) = with_facts().await;
    let listed = agent.facts(&ada).await.unwrap();
    let editor = find(&listed, "Helix").id.clone();
    assert!(agent.delete_fact(&ada, &editor).await.unwrap().deleted);
    let left = agent.facts(&ada).await.unwrap();
    assert_eq!(values(&left), ["Lisbon", "Ship the release"]);
    let context = agent.context(&ada).await.unwrap();
    assert!(context.preferences.is_empty());
    let prompt = agent.inject(&ada, "Be brief.").await.unwrap();
    assert!(!prompt.prompt().contains("Helix"), "{}", prompt.prompt());
    assert!(prompt.prompt().contains("Lisbon"));
    // Without the first answer, a client that asks again is told that it is not there.
    refused(agent.delete_fact(&ada, &editor).await, 404);
    let trail = server.trail(&ada).await;
    let deed = trail
        .iter()
        .find(|row| row.event.action == Action::DeleteFact);
    assert_eq!(deed.unwrap().event.facts, 1);
}

#[tokio::test]
async fn a_stale_id_never_deletes_a_newer_value() {
    // Everything happens within one millisecond.
    let (_, server, agent, ada) = Setup::new().start_with_ada_at("2026-03-01T09:00:00Z").await;
    let rounds = count(20, 1_000);
    let mut deleted = 0;
    for _ in 0..rounds {
        agent.tells(&ada, "I live in Oslo.").await;
        let listed = agent.facts(&ada).await.unwrap();
        let oslo = &find(&listed, "Oslo").id;
        agent.tells(&ada, "I live in Porto.").await;
        deleted += usize::from(agent.delete_fact(&ada, oslo).await.is_ok());
        let porto = agent.facts(&ada).await.unwrap();
        assert_eq!(values(&porto), ["Porto"]);
    }
    assert_eq!(deleted, 0);
    println!(
        "figure: stale ids of facts on {}: {rounds} deletions by them, {deleted} newer values deleted",
        *ENGINE
    );
    // The user's own programs name facts by the same ids.
    let session = server.client_of(&server.sign_in(&ada).await);
    let porto = session.facts(&ada).await.unwrap();
    agent.tells(&ada, "I live in Oslo.").await;
    refused(session.delete_fact(&ada, &porto[0].id).await, 404);
    let oslo = session.facts(&ada).await.unwrap();
    let answer = session.delete_fact(&ada, &oslo[0].id).await;
    assert!(answer.unwrap().deleted);
}

#[tokio::test]
async fn a_deletion_under_an_idempotency_key_is_told_again() {
    let (server, _model, agent, ada) = with_facts().await;
    let listed = agent.facts(&ada).await.unwrap();
    let path = format!("/api/context/ada/facts/{}", find(&listed, "Helix").id);
    let delete = || {
        let request = server.raw("DELETE", &path).key(&agent.key);
        request.header("idempotency-key", "once").send()
    };
    let (first, again) = (delete().await, delete().await);
    assert_eq!((first.status, again.status), (200, 200));
    assert_eq!(first.body, again.body);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    let other = format!("/api/context/ada/facts/{}", find(&listed, "Lisbon").id);
    let other = server.raw("DELETE", &other).key(&agent.key);
    other.header("idempotency-key", "once").gets(400).await;
}

#[tokio::test]
async fn a_fact_that_changed_since_it_was_listed_is_not_deleted() {
    let (_server, model, agent, ada) = with_facts().await;
    let listed = agent.facts(&ada).await.unwrap();
    let seen = &find(&listed, "Helix").id;
    model.finds(vec![named(Scope::Preferences, "editor", "Zed")]);
    agent.tells(&ada, "I switched to Zed as my editor.").await;
    refused(agent.delete_fact(&ada, seen).await, 404);
    let listed = agent.facts(&ada).await.unwrap();
    let now = &find(&listed, "Zed").id;
    assert_ne!(seen, now);
    assert!(agent.delete_fact(&ada, now).await.unwrap().deleted);
}

#[tokio::test]
async fn an_agent_deletes_only_what_it_saved() {
    let (server, _model, agent, ada) = with_facts().await;
    let other = server.agent().await;
    other.injects(&ada).await;
    let listed = other.facts(&ada).await.unwrap();
    assert_eq!(listed.len(), 3);
    assert!(listed.iter().all(|fact| !fact.can_delete));
    refused(other.delete_fact(&ada, &listed[0].id).await, 403);
    assert_eq!(agent.facts(&ada).await.unwrap().len(), 3);
}

#[tokio::test]
async fn users_list_and_delete_everything_of_their_own() {
    let (server, _model, agent, ada) = with_facts().await;
    let session = server.sign_in(&ada).await;
    let as_ada = |method: &str, path: &str| server.raw(method, path).cookie(&session);
    let listed = as_ada("GET", "/api/context/ada/facts").gets(200).await;
    let facts = listed.json()["facts"].as_array().unwrap().clone();
    assert!(facts.iter().all(|fact| fact["canDelete"] == true));
    for fact in &facts {
        let path = format!("/api/context/ada/facts/{}", fact["id"].as_str().unwrap());
        let answer = as_ada("DELETE", &path).send().await;
        assert_eq!(answer.json(), json!({"deleted": true}));
        assert_eq!(as_ada("DELETE", &path).send().await.status, 404);
    }
    assert!(agent.facts(&ada).await.unwrap().is_empty());
    as_ada("GET", "/api/context/bob/facts").gets(403).await;
    as_ada("DELETE", "/api/context/ada/facts/a-1")
        .header("origin", "https://evil.example")
        .gets(403)
        .await;
}

#[tokio::test]
async fn without_access_nothing_is_listed_or_deleted() {
    let (server, _model, agent, ada) = with_facts().await;
    let listed = agent.facts(&ada).await.unwrap();
    server.user_revokes(&ada, &agent).await;
    refused(agent.facts(&ada).await, 403);
    refused(agent.delete_fact(&ada, &listed[0].id).await, 403);
    for id in ["x", "a-1", "%2F", "0-0"] {
        let path = format!("/api/context/ada/facts/{id}");
        agent.raw("DELETE", &path).gets(403).await;
    }
}
