//! `GET` and `DELETE /api/context/{userId}`.

use chrono::Duration;
use ctxmem_client::{Access, UserId};
use ctxmem_server::core::FirstGrant;
use ctxmem_types::{GrantRequest, Scope, ScopeSet};
use serde_json::{Value, json};

use crate::suite::support::{
    Agent, BASE, FakeModel, HELLO, Server, Setup, Text as _, exact, fact, named, no_longer,
    observed, refused, user,
};

const NOW: &str = "2026-03-01T09:30:00.120Z";

/// A context in which nothing is remembered.
fn empty(user_id: &str, last_updated: &str) -> Value {
    json!({
        "userId": user_id,
        "communication_style": "",
        "ongoing_tasks": [],
        "key_relationships": [],
        "domain_expertise": [],
        "raw_history": [],
        "preferences": {},
        "general": {},
        "last_updated": last_updated,
    })
}

fn facts_in_every_scope() -> Vec<Value> {
    vec![
        named(Scope::General, "name", "Ada"),
        named(Scope::General, "location", "Lisbon"),
        fact(Scope::CommunicationStyle, "Short answers"),
        fact(Scope::CommunicationStyle, "No emoji"),
        named(Scope::Preferences, "editor", "Helix"),
        fact(Scope::Knowledge, "Rust"),
        fact(Scope::Knowledge, "SQL"),
        fact(Scope::Relationships, "Noor, manager"),
        fact(Scope::History, "Moved to gRPC"),
        fact(Scope::Goals, "Ship the release"),
    ]
}

// Reading

#[tokio::test]
async fn a_context_has_the_documented_fields() {
    let model = FakeModel::start().await;
    let (_, _server, agent, ada) = Setup::asking(&model).start_with_ada_at(NOW).await;
    model.finds(facts_in_every_scope());
    agent.tells(&ada, &model.said()).await;
    let response = agent.raw("GET", "/api/context/ada").gets(200).await;
    let expected = json!({
        "userId": "ada",
        "communication_style": "Short answers; No emoji",
        "ongoing_tasks": [observed("Ship the release")],
        "key_relationships": [observed("Noor, manager")],
        "domain_expertise": [observed("Rust"), observed("SQL")],
        "raw_history": [observed("Moved to gRPC")],
        "preferences": {"editor": observed("Helix")},
        "general": {"name": observed("Ada"), "location": observed("Lisbon")},
        "last_updated": NOW,
    });
    assert_eq!(response.json(), expected);
    assert_eq!(agent.reads(&ada).await, expected);
}

#[tokio::test]
async fn slices_beyond_the_effective_scopes_are_empty() {
    let model = FakeModel::start().await;
    let (_, server, agent, ada) = Setup::asking(&model).start_with_ada_at(NOW).await;
    model.finds(facts_in_every_scope());
    agent.tells(&ada, &model.said()).await;
    let full = agent.reads(&ada).await;
    for scope in Scope::ALL {
        let mut expected = empty("ada", NOW);
        expected[scope.storage_key()] = full[scope.storage_key()].clone();
        // Whether it is the key that is narrow or the grant.
        let key = server.key_of(&agent, scope.into()).await;
        assert_eq!(key.reads(&ada).await, expected);
        let other = server.agent().await;
        server.user_grants(&ada, &other, scope).await;
        assert_eq!(other.reads(&ada).await, expected);
    }
    let nothing = server.agent().await;
    server.user_grants(&ada, &nothing, ScopeSet::EMPTY).await;
    assert_eq!(nothing.reads(&ada).await, empty("ada", NOW));
}

#[tokio::test]
async fn a_grant_with_nothing_stored_reads_as_empty_since_its_creation() {
    let (clock, _server, agent, ada) = Setup::new().start_with_ada_at(NOW).await;
    agent.injects(&ada).await;
    clock.advance(Duration::days(3));
    assert_eq!(agent.reads(&ada).await, empty("ada", NOW));
}

#[tokio::test]
async fn reading_makes_no_grant() {
    let (server, agent, ada) = Server::with_ada().await;
    for _ in 0..2 {
        refused(agent.context(&ada).await, 403);
    }
    assert_eq!(server.grant(&ada, &agent).await, None);
}

#[tokio::test]
async fn a_revoked_grant_reads_nothing() {
    let (server, agent, ada) = Server::with_ada().await;
    agent.tells(&ada, HELLO).await;
    server.user_revokes(&ada, &agent).await;
    refused(agent.context(&ada).await, 403);
    // What was stored is still the user's, and there when access is given again.
    server.user_allows(&ada, &agent).await;
    assert_eq!(agent.reads(&ada).await["general"]["name"], observed("Ada"));
}

#[tokio::test]
async fn an_expired_grant_neither_reads_nor_deletes() {
    let (clock, server, agent, ada) = Setup::new().start_with_ada_at(NOW).await;
    server
        .user_allows_until(&ada, &agent, "2026-03-01T10:00:00Z")
        .await;
    agent.tells(&ada, HELLO).await;
    clock.set("2026-03-01T10:00:00Z");
    refused(agent.context(&ada).await, 403);
    refused(agent.delete_context(&ada).await, 403);
    server.user_allows(&ada, &agent).await;
    assert_eq!(agent.reads(&ada).await["general"]["name"], observed("Ada"));
}

#[tokio::test]
async fn last_updated_moves_when_content_changes_and_only_then() {
    let model = FakeModel::start().await;
    let (clock, server, agent, ada) = Setup::asking(&model).start_with_ada_at(NOW).await;
    let narrow = server.agent_with(Scope::Goals.into()).await;
    let editor = |value| vec![named(Scope::Preferences, "editor", value)];
    let steps: [(&str, &Agent, Vec<Value>, bool); 8] = [
        ("a new fact", &agent, editor("VS Code"), true),
        ("a confirmation", &agent, editor("VS Code"), false),
        (
            "its confirmation in capitals",
            &agent,
            editor("VS CODE"),
            false,
        ),
        ("a denied fact", &narrow, editor("Emacs"), false),
        ("a replacement", &agent, editor("Helix"), true),
        ("nothing", &agent, vec![], false),
        (
            "a removal",
            &agent,
            vec![no_longer(Scope::Preferences, "Helix")],
            true,
        ),
        (
            "a removal of what is not there",
            &agent,
            vec![no_longer(Scope::Preferences, "Helix")],
            false,
        ),
    ];
    let mut last_updated = Value::Null;
    for (what, who, facts, moves) in steps {
        clock.advance(Duration::seconds(1));
        model.finds(facts);
        who.tells(&ada, &model.said()).await;
        let before = last_updated;
        last_updated = agent.reads(&ada).await["last_updated"].clone();
        assert_eq!(last_updated != before, moves, "{what}");
    }
    clock.advance(Duration::seconds(1));
    agent.injects(&ada).await;
    agent.tells(&ada, "Thanks!").await;
    server.user_grants(&ada, &agent, Scope::Goals).await;
    assert_eq!(agent.reads(&ada).await["last_updated"], last_updated);
}

// Deleting

#[tokio::test]
async fn deleting_answers_deleted_and_nothing_else() {
    let (server, agent) = Server::with_agent().await;
    agent.tells(&user("ada"), HELLO).await;
    let response = agent.raw("DELETE", "/api/context/ada").gets(200).await;
    // Where the user can begin again with this agent, which has no access until then.
    let page = format!("{}/consent/{}", server.url, agent.id);
    assert_eq!(
        response.json(),
        json!({"deleted": true, "consent_url": page})
    );
    let refused = agent.inject(&user("ada"), "Be brief.").await.unwrap();
    assert_eq!(refused.access(), Access::Denied);
}

#[tokio::test]
async fn deleting_needs_a_grant_and_makes_none() {
    let (server, agent, stranger, ada) = Server::with_two_agents().await;
    agent.tells(&ada, HELLO).await;
    let revoked = server.agent().await;
    revoked.injects(&ada).await;
    server.user_revokes(&ada, &revoked).await;
    for agent in [&stranger, &revoked] {
        refused(agent.delete_context(&ada).await, 403);
    }
    assert_eq!(server.grant(&ada, &stranger).await, None);
    assert_eq!(agent.reads(&ada).await["general"]["name"], observed("Ada"));
}

#[tokio::test]
async fn deleting_revokes_the_grants_of_all_agents() {
    let (_server, agent, other, ada) = Server::with_two_agents().await;
    agent.tells(&ada, HELLO).await;
    other.injects(&ada).await;
    agent.delete_context(&ada).await.unwrap();
    for agent in [&agent, &other] {
        assert_shut_out(agent, &ada).await;
    }
    refused(other.delete_context(&ada).await, 403);
}

#[tokio::test]
async fn an_agent_that_may_use_nothing_erases_nothing() {
    let setup = Setup::new().first_grant(FirstGrant::Auto);
    let (server, agent, ada) = setup.start_with_ada().await;
    agent.tells(&ada, HELLO).await;
    let goals = server.key_of(&agent, Scope::Goals.into()).await;
    let notice =
        "The user has paused access, or the grant and this API key have no scope in common.";
    let refuses = async |agent: &Agent| {
        let text = refused(agent.delete_context(&ada).await, 403);
        assert!(text.starts_with(notice), "{text}");
        let injected = agent.inject(&ada, BASE).await.unwrap();
        assert_eq!(injected.notice(), Some(&*text));
    };
    // The user unticked everything; the key and the grant have nothing in common; all is paused.
    server.user_grants(&ada, &agent, ScopeSet::EMPTY).await;
    refuses(&agent).await;
    refuses(&goals).await;
    server.user_grants(&ada, &agent, Scope::General).await;
    refuses(&goals).await;
    server.grants.pause(&ada, true).await.unwrap();
    for agent in [&agent, &goals] {
        refused(agent.delete_context(&ada).await, 403)
            .assert_begins("The user has paused all access.");
    }
    server.grants.pause(&ada, false).await.unwrap();
    server.user_allows(&ada, &agent).await;
    assert_eq!(agent.reads(&ada).await["general"]["name"], observed("Ada"));

    // An agent that may use a part may erase everything.
    server.user_grants(&ada, &agent, Scope::Goals).await;
    assert!(goals.delete_context(&ada).await.unwrap().deleted);
    server.user_allows(&ada, &agent).await;
    assert_eq!(agent.reason(&ada).await.as_deref(), Some("empty"));
}

#[tokio::test]
async fn the_agent_that_deleted_is_told_so_again_for_an_hour() {
    let (clock, server, agent, ada) = Setup::new().start_with_ada_at("2026-03-03T12:00:00Z").await;
    refused(agent.delete_context(&ada).await, 403);
    agent.tells(&ada, HELLO).await;
    for _ in 0..2 {
        assert!(agent.delete_context(&ada).await.unwrap().deleted);
    }
    clock.advance(Duration::minutes(59));
    assert!(agent.delete_context(&ada).await.unwrap().deleted);
    clock.advance(Duration::minutes(2));
    refused(agent.delete_context(&ada).await, 403);
    // It is not told so of what came after its deletion.
    server.user_allows(&ada, &agent).await;
    assert!(agent.delete_context(&ada).await.unwrap().deleted);
    let other = server.agent().await;
    server.user_allows(&ada, &other).await;
    refused(agent.delete_context(&ada).await, 403);
}

/// Checks that no call of the agent gets through, and that its key can't change that.
async fn assert_shut_out(agent: &Agent, user: &UserId) {
    let client = &agent.client;
    refused(client.context(user).await, 403);
    for message in [HELLO, "Thanks!"] {
        refused(client.update(user, message, "").await, 403);
    }
    assert_eq!(agent.reason(user).await.as_deref(), Some("no_grant"));
    for scopes in [ScopeSet::ALL, ScopeSet::EMPTY] {
        let request = GrantRequest::new(user.clone(), &agent.id, scopes.names());
        refused(client.create_grant(&request).await, 403);
    }
    assert_eq!(agent.reason(user).await.as_deref(), Some("no_grant"));
}

#[tokio::test]
async fn after_deleting_the_user_can_begin_again_with_nothing_remembered() {
    let (clock, server) = Setup::new().start_at(NOW).await;
    let (agent, other, ada) = (server.agent().await, server.agent().await, user("ada"));
    agent.tells(&ada, HELLO).await;
    other.injects(&ada).await;
    clock.advance(Duration::days(1));
    agent.delete_context(&ada).await.unwrap();
    clock.set("2026-03-03T00:00:00Z");
    server.user_allows(&ada, &agent).await;
    assert_eq!(
        agent.reads(&ada).await,
        empty("ada", "2026-03-03T00:00:00.000Z")
    );
    assert_eq!(agent.reason(&ada).await.as_deref(), Some("empty"));
    // What is known again is new.
    let answer = agent.tells(&ada, "I live in Lisbon.").await;
    let general = json!({"location": observed("Lisbon")});
    assert_eq!(answer["delta"], json!({"general": general}));
    assert_eq!(agent.reads(&ada).await["general"], general);
    assert_shut_out(&other, &ada).await;
}

#[tokio::test]
async fn deleted_facts_do_not_come_back_after_a_restart() {
    let (server, agent, ada) = Server::with_ada().await;
    agent.tells(&ada, HELLO).await;
    agent.delete_context(&ada).await.unwrap();
    let store = server.stop().await;
    let server = Setup::on(store).start().await;
    let agent = server.again(&agent);
    assert_shut_out(&agent, &ada).await;
    assert!(agent.delete_context(&ada).await.unwrap().deleted);
    server.user_allows(&ada, &agent).await;
    assert!(agent.context(&ada).await.unwrap().is_empty());
}

#[tokio::test]
async fn deleting_leaves_other_users_alone() {
    let server = Server::start().await;
    let (agent, ada, bob) = (server.agent().await, user("ada"), user("bob"));
    agent.tells(&ada, HELLO).await;
    agent.tells(&bob, HELLO).await;
    let (context, prompt) = (agent.reads(&bob).await, agent.prompt(&bob).await);
    agent.delete_context(&ada).await.unwrap();
    assert_eq!(agent.reads(&bob).await, context);
    assert_eq!(agent.prompt(&bob).await, prompt);
}

// Checking a key

#[tokio::test]
async fn a_client_can_check_its_key() {
    let (server, agent) = Server::with_agent().await;
    agent.check_key().await.unwrap();

    let key = format!("{}x", agent.key);
    let wrong = exact(&server.url).api_key(key).build().unwrap();
    let error = wrong.check_key().await.unwrap_err();
    assert!(error.is_unauthorized(), "{error}");
}
