//! Each action and the entry that it leaves.

use ctxmem_server::store::{Action, Actor, Outcome};
use ctxmem_types::{GrantRequest, Scope, ScopeSet};
use serde_json::json;

use super::{SMALL_TALK, Watched, by_agent, event, set, trail};
use crate::suite::support::{
    HELLO, RawRequest, Server, Setup, Text as _, fact, named, no_longer, refused, user,
};

#[tokio::test]
async fn each_action_of_an_agent_that_is_let_in_leaves_its_entry() {
    use Action::{Grant, Inject, Read, Update};
    use Outcome::{Done, Failed, Filtered, Nothing, Partly};
    let mut watched = Watched::start().await;
    let agent = watched.server.agent().await;
    let ada = watched.ada.clone();
    agent.injects(&ada).await;
    let granted = by_agent(Grant, Done, ScopeSet::ALL);
    let nothing = || by_agent(Inject, Nothing, ScopeSet::EMPTY);
    watched.expects(&agent, [granted, nothing()]).await;
    agent.reads(&ada).await;
    let read = by_agent(Read, Nothing, ScopeSet::EMPTY);
    watched.expects(&agent, [read]).await;

    // Two are stored; then one is replaced and one taken back.
    let two = set(&[Scope::Preferences, Scope::Goals]);
    watched.model.finds([
        named(Scope::Preferences, "editor", "Helix"),
        fact(Scope::Goals, "Ship the release"),
    ]);
    agent.tells(&ada, &watched.model.said()).await;
    let learned = || by_agent(Update, Done, two).facts(2);
    watched.expects(&agent, [learned()]).await;
    watched.model.finds([
        named(Scope::Preferences, "editor", "Zed"),
        no_longer(Scope::Goals, "Ship the release"),
    ]);
    agent.tells(&ada, &watched.model.said()).await;
    watched.expects(&agent, [learned()]).await;
    agent.injects(&ada).await;
    agent.reads(&ada).await;
    let looks = [Inject, Read].map(|action| by_agent(action, Done, Scope::Preferences));
    watched.expects(&agent, looks).await;

    // What teaches nothing: the same again, no fact, small talk, a model that fails.
    let taught_nothing = || by_agent(Update, Nothing, ScopeSet::EMPTY);
    watched
        .model
        .finds([named(Scope::Preferences, "editor", "Zed")]);
    agent.tells(&ada, &watched.model.said()).await;
    watched.expects(&agent, [taught_nothing()]).await;
    watched.model.finds([]);
    agent.tells(&ada, HELLO).await;
    watched.expects(&agent, [taught_nothing()]).await;
    agent.tells(&ada, SMALL_TALK).await;
    let filtered = by_agent(Update, Filtered, ScopeSet::EMPTY);
    watched.expects(&agent, [filtered]).await;
    watched.model.writes("no JSON");
    refused(agent.update(&ada, HELLO, "").await, 502);
    let failed = by_agent(Update, Failed, ScopeSet::EMPTY);
    watched.expects(&agent, [failed]).await;

    // With a narrow grant some is stored, or nothing.
    let narrow = GrantRequest::new(ada.clone(), &agent.id, [Scope::Goals]);
    agent.create_grant(&narrow).await.unwrap();
    let narrowed = by_agent(Grant, Done, Scope::Goals);
    watched.expects(&agent, [narrowed]).await;
    watched.model.finds([
        fact(Scope::Goals, "Learn to sail"),
        fact(Scope::Knowledge, "Rust"),
    ]);
    agent.tells(&ada, &watched.model.said()).await;
    let partly = by_agent(Update, Partly, Scope::Goals).facts(1);
    watched.expects(&agent, [partly]).await;
    watched.model.finds([fact(Scope::Knowledge, "Rust")]);
    agent.tells(&ada, &watched.model.said()).await;
    let denied = by_agent(Update, Outcome::Denied, Scope::Knowledge);
    watched.expects(&agent, [denied]).await;
    agent.injects(&ada).await;
    let injected = by_agent(Inject, Done, Scope::Goals);
    watched.expects(&agent, [injected]).await;

    agent.delete_context(&ada).await.unwrap();
    let erased = by_agent(
        Action::Erase,
        Done,
        set(&[Scope::Preferences, Scope::Goals]),
    );
    watched.expects(&agent, [erased.facts(2).grants(1)]).await;
}

#[tokio::test]
async fn decisions_of_users_and_the_refusals_that_follow_are_recorded() {
    use Action::{Erase, Grant, Inject, Read, Revoke, Update};
    let mut watched = Watched::start().await;
    let agent = watched.server.agent().await;
    let ada = watched.ada.clone();
    let two = set(&[Scope::General, Scope::Goals]);
    let grant = watched.server.user_grants(&ada, &agent, two).await;
    let granted = event(Grant, Actor::User, Outcome::Done, two);
    watched.expects(&agent, [granted]).await;
    let session = watched.server.sign_in(&ada).await;
    let client = watched.server.client_of(&session);
    client.revoke_grant(&grant.id).await.unwrap();
    let revoked = event(Revoke, Actor::User, Outcome::Done, two);
    watched.expects(&agent, [revoked]).await;
    // It was revoked, and there is no other.
    client.revoke_grant(&grant.id).await.unwrap();
    refused(client.revoke_grant("made-up").await, 404);
    watched.expects(&agent, []).await;

    agent.injects(&ada).await;
    refused(agent.context(&ada).await, 403);
    refused(agent.update(&ada, HELLO, "").await, 403);
    refused(agent.delete_context(&ada).await, 403);
    let denied = |action| by_agent(action, Outcome::Denied, ScopeSet::EMPTY);
    watched
        .expects(&agent, [Inject, Read, Update, Erase].map(denied))
        .await;
    // Neither what a stranger asks for nor what is not of the form is about anybody.
    let stranger = watched.server.get("/api/context/ada").key("ctxm_x");
    assert_eq!(stranger.send().await.status, 401);
    let inject = watched.server.raw("POST", "/api/context/inject");
    let malformed = inject.key(&agent.key).json(&json!({"userId": "ada"}));
    assert_eq!(malformed.send().await.status, 400);
    let other = watched.server.client_naming(&agent, "another");
    refused(other.context(&ada).await, 403);
    watched.expects(&agent, [denied(Read)]).await;
    watched
        .server
        .user_grants(&ada, &agent, ScopeSet::EMPTY)
        .await;
    agent.injects(&ada).await;
    let emptied = event(Grant, Actor::User, Outcome::Done, ScopeSet::EMPTY);
    watched.expects(&agent, [emptied, denied(Inject)]).await;
}

#[tokio::test]
async fn an_update_beyond_the_quota_is_noted_as_such() {
    let (server, agent, ada) = Setup::new().monthly_quota(1).start_with_ada().await;
    agent.tells(&ada, HELLO).await;
    agent.tells(&ada, HELLO).await;
    agent.tells(&ada, SMALL_TALK).await;
    let found = trail(&server, &ada).await;
    let outcomes: Vec<_> = found.iter().map(|e| (e.action, e.outcome)).collect();
    assert_eq!(
        outcomes[..2],
        [
            (Action::Grant, Outcome::Done),
            (Action::Update, Outcome::Done)
        ]
    );
    let beyond = found[2..].iter();
    assert!(
        beyond
            .clone()
            .all(|e| (e.action, e.outcome) == (Action::Update, Outcome::LimitReached))
    );
    assert_eq!(beyond.map(|e| e.times).sum::<i64>(), 2);
}

#[tokio::test]
async fn a_request_that_is_sent_again_is_noted_once() {
    let (server, agent, ada) = Setup::auto().start_with_ada().await;
    let send = async |request: RawRequest, name: &str| {
        let request = request.header("idempotency-key", name);
        assert_eq!(request.send().await.status, 200);
    };
    for _ in 0..3 {
        send(agent.raw_update("ada", HELLO), "learned").await;
        send(agent.raw_update("ada", SMALL_TALK), "filtered").await;
    }
    for _ in 0..3 {
        send(agent.raw("DELETE", "/api/context/ada"), "erased").await;
    }
    let mut found: Vec<_> = trail(&server, &ada)
        .await
        .into_iter()
        .map(|event| (event.action, event.outcome, event.times))
        .collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            (Action::Update, Outcome::Done, 1),
            (Action::Update, Outcome::Filtered, 1),
            (Action::Grant, Outcome::Done, 1),
            (Action::Erase, Outcome::Done, 1),
        ]
    );
    let usage = server.store.usage_rows(&agent.id).await;
    assert!(usage[0].ends_with(": 0 1 1 0 0"), "{usage:?}");
}

#[tokio::test]
async fn nothing_of_what_was_said_or_stored_is_in_the_log() {
    let (model, server) = Server::with_model().await;
    let (agent, ada) = (server.agent().await, user("canary-of-ada"));
    model.finds([named(Scope::Preferences, "canaries", "canary-in-a-fact")]);
    let said = "canary-in-a-message";
    agent.inject(&ada, "canary-in-a-prompt").await.unwrap();
    agent
        .update(&ada, said, "canary-in-an-answer")
        .await
        .unwrap();
    agent.inject(&ada, "canary-in-a-prompt").await.unwrap();
    agent.reads(&ada).await;
    server.user_revokes(&ada, &agent).await;
    refused(agent.update(&ada, said, "").await, 403);
    server.user_allows(&ada, &agent).await;
    agent.delete_context(&ada).await.unwrap();
    server.memory.flush_audit_buffer().await.unwrap();
    let rows = server.store.audit_rows().await.join("\n").to_lowercase();
    assert!(rows.contains(&agent.id), "the search finds what is there");
    for action in ["inject", "update", "read", "revoke", "grant", "erase"] {
        assert!(rows.contains(action), "{action} is not noted");
    }
    let (key, key_id) = (agent.key.to_lowercase(), &*agent.key_id);
    rows.assert_lacks_all(["canar", "canary-of-ada", &key, key_id, "ctxm_"]);
}
