//! `POST /api/grants` and `DELETE /api/grants/{grantId}`: who may give access, narrow it,
//! renew it and take it away.

use std::sync::Arc;

use chrono::Duration;
use ctxmem_client::types::ScopeName;
use ctxmem_client::{Client, Error, Grant, GrantRequest, InjectReason, Scope, UserClient, UserId};
use ctxmem_types::ScopeSet;
use serde_json::{Value, json};

use crate::suite::support::{
    Agent, RawRequest, Server, Setup, TestClock, Text as _, refused, user,
};

const NOON: &str = "2026-03-01T12:00:00Z";
const ONE_O_CLOCK: &str = "2026-03-01T13:00:00Z";
const ABSENT: &str = "8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c";

fn some() -> ScopeSet {
    [Scope::General, Scope::Goals].into_iter().collect()
}

/// A request for access, without an end unless one is set.
fn access(user: &UserId, agent: &Agent, scopes: ScopeSet) -> GrantRequest {
    GrantRequest::new(user.clone(), &agent.id, scopes.iter())
}

fn until(end: &str, request: GrantRequest) -> GrantRequest {
    GrantRequest {
        expires_at: Some(end.parse().unwrap()),
        ..request
    }
}

/// Whoever grants: an agent or a user.
trait Grantor {
    async fn ask(&self, request: GrantRequest) -> Result<Grant, Error>;
}

impl Grantor for Client {
    async fn ask(&self, request: GrantRequest) -> Result<Grant, Error> {
        self.create_grant(&request).await
    }
}

impl Grantor for UserClient {
    async fn ask(&self, request: GrantRequest) -> Result<Grant, Error> {
        self.create_grant(&request).await
    }
}

async fn grant(client: &impl Grantor, request: GrantRequest) -> Grant {
    client.ask(request).await.unwrap()
}

/// The text with which a request is refused that goes too far.
async fn denied(client: &impl Grantor, request: GrantRequest) -> String {
    refused(client.ask(request).await, 403)
}

/// What inject says of an agent's access to a user of whom nothing is stored.
async fn access_of(agent: &Agent, user: &UserId) -> InjectReason {
    let injected = agent.inject(user, "Be brief.").await.unwrap();
    injected.reason().unwrap().clone()
}

const OPEN: InjectReason = InjectReason::SeededDemo;

#[track_caller]
fn assert_scopes(grant: &Grant, scopes: impl IntoIterator<Item = Scope>) {
    let expected: ScopeSet = scopes.into_iter().collect();
    assert_eq!(grant.scopes, expected.names());
}

async fn at_noon() -> (Arc<TestClock>, Server) {
    Setup::auto().start_at(NOON).await
}

/// A server, an agent, and a user with a session.
async fn signed_in() -> (Server, Agent, UserId, UserClient) {
    let (server, agent, ada) = Server::with_ada().await;
    let session = server.client_of(&server.sign_in(&ada).await);
    (server, agent, ada, session)
}

/// The same at noon.
async fn signed_in_at_noon() -> (Arc<TestClock>, Server, Agent, UserId, UserClient) {
    let (clock, server, agent, ada) = Setup::auto().start_with_ada_at(NOON).await;
    let session = server.client_of(&server.sign_in(&ada).await);
    (clock, server, agent, ada, session)
}

/// A server, a user, and an agent whose key reaches [`some`].
async fn with_narrow_agent() -> (Server, Agent, UserId) {
    let server = Server::start().await;
    let agent = server.agent_with(some()).await;
    (server, agent, user("ada"))
}

fn post(agent: &Agent, body: &Value) -> RawRequest {
    agent.raw("POST", "/api/grants").json(body)
}

// ---- what a grant looks like ---------------------------------------------------------

#[tokio::test]
async fn a_new_grant_is_answered_whole() {
    let (_server, agent) = Server::with_agent().await;
    let body = json!({"userId": "ada", "agentId": agent.id, "scopes": ["general", "goals"]});
    let answer = post(&agent, &body).gets(200).await.json();
    let id = answer["grant"]["id"].as_str().unwrap();
    assert!(is_uuid(id), "{id}");
    let expected = json!({"grant": {
        "id": id,
        "user_id": "ada",
        "agent_id": agent.id,
        "scopes": ["general", "goals"],
        "expires_at": null,
        "revoked": false,
    }});
    assert_eq!(answer, expected);
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12] && text.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

#[tokio::test]
async fn scopes_are_answered_by_name_once_and_in_prompt_order() {
    let (_server, agent) = Server::with_agent().await;
    let keys = Scope::ALL.into_iter().rev().map(Scope::storage_key);
    let names = Scope::ALL.into_iter().map(Scope::name);
    let request = GrantRequest::new(user("ada"), &agent.id, keys.chain(names));
    let grant = grant(&agent.client, request).await;
    let answered: Vec<&str> = grant.scopes.iter().map(ScopeName::as_str).collect();
    let expected = "general communication_style preferences knowledge relationships history goals";
    assert_eq!(answered.join(" "), expected);
}

#[tokio::test]
async fn an_unknown_scope_is_refused_and_named() {
    let (_server, agent) = Server::with_agent().await;
    for unknown in ["emotional_state", "Goals", "goals ", "", "*"] {
        let request = GrantRequest::new(user("ada"), &agent.id, ["general", unknown]);
        let text = refused(agent.ask(request).await, 400);
        text.assert_has("scopes[1]");
        text.assert_has(format!("{unknown:?}"));
        text.assert_has("communication_style");
    }
}

#[tokio::test]
async fn a_grant_without_scopes_is_a_grant() {
    let (_server, agent, ada) = Server::with_ada().await;
    let paused = grant(&agent.client, access(&ada, &agent, ScopeSet::EMPTY)).await;
    assert_scopes(&paused, []);
    assert_eq!(access_of(&agent, &ada).await, InjectReason::NoScopes);
    assert!(agent.context(&ada).await.is_ok());
}

// ---- expiry --------------------------------------------------------------------------

#[tokio::test]
async fn an_expiry_is_answered_as_it_was_sent() {
    let (_, server) = at_noon().await;
    let agent = server.agent().await;
    for (n, end) in [
        "2026-03-01T13:00:00Z",
        "2026-03-01T13:00:00.000Z",
        "2026-03-01T13:00:00.123456Z",
        "2026-03-01T15:30:00+02:30",
        "2026-03-01T04:00:00-09:00",
    ]
    .into_iter()
    .enumerate()
    {
        let request = until(end, access(&user(&format!("u{n}")), &agent, some()));
        let grant = grant(&agent.client, request).await;
        assert_eq!(grant.expires_at.unwrap().as_str(), end);
    }
}

#[tokio::test]
async fn an_expiry_that_is_malformed_or_not_ahead_is_refused() {
    let (_, server) = at_noon().await;
    let agent = server.agent().await;
    for end in [
        json!(NOON),
        json!("2026-03-01T11:59:59.999Z"),
        json!("2026-03-01T13:00:00+02:00"),
        json!("0001-01-01T00:00:00Z"),
        json!("tomorrow"),
        json!(""),
        json!("2026-03-01"),
        json!("2026-02-30T12:00:00Z"),
        json!("2026-03-01T25:00:00Z"),
        json!("+12026-03-01T12:00:00Z"),
        json!("2026-03-01T13:00:00Zcanary"),
        json!(1_772_370_000),
        json!(true),
        json!([ONE_O_CLOCK]),
    ] {
        let body =
            json!({"userId": "ada", "agentId": agent.id, "scopes": ["goals"], "expiresAt": end});
        let text = post(&agent, &body).gets_error(400).await;
        assert!(text.starts_with("expiresAt: expected "), "{end}: {text}");
        text.assert_lacks("canary");
    }
    // What is refused leaves nothing behind.
    assert!(server.grants_of(&user("ada")).await.is_empty());
}

#[tokio::test]
async fn an_expiry_holds_from_that_instant_on() {
    let (clock, _server, agent, ada) = Setup::auto().start_with_ada_at(NOON).await;
    let ends = until(ONE_O_CLOCK, access(&ada, &agent, some()));
    grant(&agent.client, ends).await;
    clock.set("2026-03-01T12:59:59.999Z");
    assert_eq!(access_of(&agent, &ada).await, OPEN);
    assert!(agent.context(&ada).await.is_ok());
    for instant in [
        ONE_O_CLOCK,
        "2026-03-01T13:00:00.001Z",
        "2027-01-01T00:00:00Z",
    ] {
        clock.set(instant);
        assert_shut(&agent, &ada).await;
    }
}

/// Checks that the agent has no access, and that asking does not bring it back.
async fn assert_no_access(agent: &Agent, user: &UserId) {
    for _ in 0..2 {
        assert_eq!(access_of(agent, user).await, InjectReason::NoGrant);
        let updated = agent.update(user, "I live in Lisbon.", "Nice.");
        refused(updated.await, 403);
        refused(agent.context(user).await, 403);
    }
}

/// Checks that the agent may not even delete.
async fn assert_shut(agent: &Agent, user: &UserId) {
    assert_no_access(agent, user).await;
    for _ in 0..2 {
        refused(agent.delete_context(user).await, 403);
    }
}

// ---- what a key may do ---------------------------------------------------------------

#[tokio::test]
async fn a_key_makes_the_first_grant_within_its_own_scopes() {
    let (_server, agent, ada) = with_narrow_agent().await;
    for beyond in [
        ScopeSet::ALL,
        some().with(Scope::History),
        Scope::History.into(),
    ] {
        let text = denied(&agent.client, access(&ada, &agent, beyond)).await;
        assert!(text.starts_with("scopes: "), "{text}");
    }
    let made = grant(&agent.client, access(&ada, &agent, some())).await;
    assert_scopes(&made, some().iter());
    assert_eq!(access_of(&agent, &ada).await, OPEN);
}

#[tokio::test]
async fn a_key_narrows_a_grant_and_never_widens_it() {
    let (_server, agent, ada) = Server::with_ada().await;
    grant(&agent.client, access(&ada, &agent, ScopeSet::ALL)).await;
    let narrow = grant(&agent.client, access(&ada, &agent, some())).await;
    assert_scopes(&narrow, some().iter());
    for wider in [
        ScopeSet::ALL,
        some().with(Scope::History),
        Scope::History.into(),
    ] {
        denied(&agent.client, access(&ada, &agent, wider)).await;
    }
    // The same again is no widening, and less is always possible.
    grant(&agent.client, access(&ada, &agent, some())).await;
    grant(&agent.client, access(&ada, &agent, ScopeSet::EMPTY)).await;
    denied(&agent.client, access(&ada, &agent, some())).await;
    assert_eq!(access_of(&agent, &ada).await, InjectReason::NoScopes);
}

#[tokio::test]
async fn a_key_narrows_the_grant_that_its_first_call_made() {
    let (_server, agent, ada) = with_narrow_agent().await;
    assert_eq!(access_of(&agent, &ada).await, OPEN);
    let narrow = access(&ada, &agent, Scope::Goals.into());
    assert_scopes(&grant(&agent.client, narrow).await, [Scope::Goals]);
    denied(&agent.client, access(&ada, &agent, some())).await;
}

#[tokio::test]
async fn a_narrowed_grant_does_not_outlive_the_one_before() {
    let (_, _server, agent, ada) = Setup::auto().start_with_ada_at(NOON).await;
    let narrow = || access(&ada, &agent, Scope::Goals.into());
    let ends = until(ONE_O_CLOCK, access(&ada, &agent, some()));
    grant(&agent.client, ends).await;
    for longer in [narrow(), until("2026-03-01T13:00:00.001Z", narrow())] {
        let text = denied(&agent.client, longer).await;
        text.assert_begins("expiresAt: ");
    }
    grant(&agent.client, until("2026-03-01T14:00:00+01:00", narrow())).await;
    grant(&agent.client, until("2026-03-01T12:30:00Z", narrow())).await;
    denied(&agent.client, until(ONE_O_CLOCK, narrow())).await;
}

#[tokio::test]
async fn a_key_may_put_an_end_to_a_grant_that_had_none() {
    let (clock, _server, agent, ada) = Setup::auto().start_with_ada_at(NOON).await;
    grant(&agent.client, access(&ada, &agent, some())).await;
    let ends = until(ONE_O_CLOCK, access(&ada, &agent, some()));
    grant(&agent.client, ends).await;
    clock.set(ONE_O_CLOCK);
    assert_shut(&agent, &ada).await;
}

#[tokio::test]
async fn a_key_is_any_key_of_the_agent() {
    let (server, agent) = Server::with_agent().await;
    let other_key = server.key_of(&agent, some().with(Scope::History)).await;
    let ada = user("ada");
    grant(&agent.client, access(&ada, &agent, some())).await;
    // Bounded by the grant, whoever made it, and by the key that asks.
    let history = access(&ada, &agent, Scope::History.into());
    denied(&other_key.client, history).await;
    grant(&other_key.client, access(&ada, &agent, Scope::Goals.into())).await;
    denied(&agent.client, access(&ada, &agent, some())).await;
}

#[tokio::test]
async fn a_key_acts_for_its_own_agent_only() {
    let (server, agent, other, ada) = Server::with_two_agents().await;
    let text = denied(&agent.client, access(&ada, &other, some())).await;
    assert!(text.starts_with("agentId: "), "{text}");
    // It does not learn which agents there are.
    for absent in [ABSENT, "not-a-uuid", ""] {
        let request = GrantRequest::new(ada.clone(), absent, some().iter());
        assert_eq!(denied(&agent.client, request).await, text);
    }
    assert!(server.grants_of(&ada).await.is_empty());
}

#[tokio::test]
async fn a_key_grants_nothing_after_the_user_revoked() {
    let (server, agent) = Server::with_agent().await;
    let other_key = server.key_of(&agent, ScopeSet::ALL).await;
    let ada = user("ada");
    let session = server.client_of(&server.sign_in(&ada).await);
    let made = grant(&agent.client, access(&ada, &agent, some())).await;
    session.revoke_grant(&made.id).await.unwrap();
    for scopes in [some(), ScopeSet::EMPTY, ScopeSet::ALL] {
        denied(&agent.client, access(&ada, &agent, scopes)).await;
        denied(&other_key.client, access(&ada, &agent, scopes)).await;
    }
    assert_shut(&agent, &ada).await;
    grant(&session, access(&ada, &agent, some())).await;
    assert_eq!(access_of(&agent, &ada).await, OPEN);
}

#[tokio::test]
async fn a_key_grants_nothing_after_the_data_was_deleted() {
    let (server, agent, other, ada) = Server::with_two_agents().await;
    grant(&agent.client, access(&ada, &agent, some())).await;
    grant(&other.client, access(&ada, &other, some())).await;
    agent.delete_context(&ada).await.unwrap();
    for agent in [&agent, &other] {
        denied(&agent.client, access(&ada, agent, some())).await;
        assert_no_access(agent, &ada).await;
    }
    let session = server.client_of(&server.sign_in(&ada).await);
    grant(&session, access(&ada, &other, some())).await;
    assert_eq!(access_of(&other, &ada).await, OPEN);
    assert_shut(&agent, &ada).await;
}

#[tokio::test]
async fn a_key_renews_what_a_key_made_once_it_has_expired() {
    let (clock, server) = at_noon().await;
    let agent = server.agent_with(some()).await;
    let ada = user("ada");
    let narrow = access(&ada, &agent, Scope::Goals.into());
    grant(&agent.client, until(ONE_O_CLOCK, narrow)).await;
    denied(&agent.client, access(&ada, &agent, some())).await;
    clock.set(ONE_O_CLOCK);
    denied(&agent.client, access(&ada, &agent, ScopeSet::ALL)).await;
    let renewed = grant(&agent.client, access(&ada, &agent, some())).await;
    assert_scopes(&renewed, some().iter());
    assert_eq!(renewed.expires_at, None);
    assert_eq!(access_of(&agent, &ada).await, OPEN);
}

#[tokio::test]
async fn only_the_user_renews_what_the_user_made() {
    let (clock, _server, agent, ada, session) = signed_in_at_noon().await;
    let ends = until("2026-03-01T12:30:00Z", access(&ada, &agent, some()));
    grant(&session, ends).await;
    clock.set("2026-03-01T12:30:00Z");
    for scopes in [some(), ScopeSet::EMPTY] {
        denied(&agent.client, access(&ada, &agent, scopes)).await;
    }
    assert_shut(&agent, &ada).await;
    grant(&session, access(&ada, &agent, some())).await;
    assert_eq!(access_of(&agent, &ada).await, OPEN);
}

#[tokio::test]
async fn narrowing_does_not_make_a_users_grant_the_keys_own() {
    let (clock, _server, agent, ada, session) = signed_in_at_noon().await;
    grant(&session, until(ONE_O_CLOCK, access(&ada, &agent, some()))).await;
    let narrow = access(&ada, &agent, Scope::Goals.into());
    grant(&agent.client, until("2026-03-01T12:10:00Z", narrow.clone())).await;
    clock.set("2026-03-01T12:10:00Z");
    denied(&agent.client, narrow).await;
    assert_shut(&agent, &ada).await;
}

#[tokio::test]
async fn a_refused_request_leaves_the_grant_as_it_was() {
    let (server, agent, ada) = Server::with_ada().await;
    let made = grant(&agent.client, access(&ada, &agent, some())).await;
    denied(&agent.client, access(&ada, &agent, ScopeSet::ALL)).await;
    let unknown = GrantRequest::new(ada.clone(), &agent.id, ["nothing"]);
    refused(agent.ask(unknown).await, 400);
    let stored = server.grants_of(&ada).await;
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0].0.id, made.id);
    assert_eq!(stored[0].0.scopes, some());
    assert_eq!(stored[0].0.revoked_at, None);
}

// ---- what a signed-in user may do ----------------------------------------------------

#[tokio::test]
async fn a_signed_in_user_may_do_everything_for_themselves() {
    let (clock, server) = at_noon().await;
    let agent = server.agent_with(some()).await;
    let ada = user("ada");
    let session = server.client_of(&server.sign_in(&ada).await);
    // First, wider than the key, narrower, with an end, for longer, renewed, after revoking.
    let all = access(&ada, &agent, ScopeSet::ALL);
    assert_scopes(
        &grant(&session, access(&ada, &agent, some())).await,
        some().iter(),
    );
    assert_scopes(&grant(&session, all.clone()).await, Scope::ALL);
    grant(&session, access(&ada, &agent, ScopeSet::EMPTY)).await;
    grant(&session, until("2026-03-01T12:10:00Z", all.clone())).await;
    grant(&session, until("2026-03-01T12:20:00Z", all.clone())).await;
    clock.advance(Duration::minutes(30));
    let last = grant(&session, all.clone()).await;
    assert_eq!(last.expires_at, None);
    session.revoke_grant(&last.id).await.unwrap();
    grant(&session, all).await;
    assert_eq!(access_of(&agent, &ada).await, OPEN);
}

#[tokio::test]
async fn a_key_uses_no_more_of_a_grant_than_its_own_scopes() {
    let server = Server::start().await;
    let agent = server.agent_with(Scope::History.into()).await;
    let ada = user("ada");
    let session = server.client_of(&server.sign_in(&ada).await);
    grant(&session, access(&ada, &agent, some())).await;
    assert_eq!(access_of(&agent, &ada).await, InjectReason::NoScopes);
    grant(&session, access(&ada, &agent, ScopeSet::ALL)).await;
    assert_eq!(access_of(&agent, &ada).await, OPEN);
}

#[tokio::test]
async fn a_signed_in_user_grants_for_nobody_else() {
    let (server, agent) = Server::with_agent().await;
    let session = server.client_of(&server.sign_in(&user("ada")).await);
    for other in ["Ada", "ada ", "bob"] {
        let text = denied(&session, access(&user(other), &agent, some())).await;
        assert!(text.starts_with("userId: "), "{text}");
        assert!(server.grants_of(&user(other)).await.is_empty());
    }
}

#[tokio::test]
async fn a_signed_in_user_is_told_that_an_agent_does_not_exist() {
    let server = Server::start().await;
    let ada = user("ada");
    let session = server.client_of(&server.sign_in(&ada).await);
    for absent in [ABSENT, "not-a-uuid", ""] {
        let request = GrantRequest::new(ada.clone(), absent, some().iter());
        refused(session.ask(request).await, 404).assert_begins("agentId: ");
    }
}

#[tokio::test]
async fn without_a_key_or_a_session_there_is_no_grant() {
    let (server, agent) = Server::with_agent().await;
    let body = json!({"userId": "ada", "agentId": agent.id, "scopes": ["goals"]});
    for cookie in [
        None,
        Some("ctxmem_session=made-up"),
        Some("ctxmem_session="),
    ] {
        let mut request = server.raw("POST", "/api/grants").json(&body);
        if let Some(cookie) = cookie {
            request = request.cookie(cookie);
        }
        request.send().await.assert_error(401);
    }
}

// ---- replacing and revoking ----------------------------------------------------------

#[tokio::test]
async fn what_the_user_grants_replaces_the_grant_before() {
    let (server, agent, ada, session) = signed_in().await;
    let first = grant(&agent.client, access(&ada, &agent, ScopeSet::ALL)).await;
    let second = grant(&agent.client, access(&ada, &agent, some())).await;
    let third = grant(&session, access(&ada, &agent, ScopeSet::ALL)).await;
    assert_eq!(server.grants_of(&ada).await.len(), 1);
    // A key changes its grant. The user's replaces it.
    assert_eq!(first.id, second.id);
    assert_ne!(first.id, third.id);
    // That before is revoked: to revoke it again changes nothing of what the user granted since.
    assert!(session.revoke_grant(&first.id).await.unwrap().revoked);
    assert_eq!(access_of(&agent, &ada).await, OPEN);
    session.revoke_grant(&third.id).await.unwrap();
    assert_shut(&agent, &ada).await;
}

#[tokio::test]
async fn replaced_grants_do_not_pile_up() {
    let (server, agent, ada, session) = signed_in().await;
    let mut made = Vec::new();
    for n in 0..500 {
        let request = access(&ada, &agent, some());
        made.push(match n % 2 {
            0 => grant(&session, request).await,
            _ => grant(&agent.client, request).await,
        });
    }
    assert_eq!(server.store.grants_kept(&agent).await, 9);
    // The user alone replaced them, and what the user granted last stays.
    assert!(session.revoke_grant(&made[482].id).await.unwrap().revoked);
    for stale in [&made[480], &made[0]] {
        refused(session.revoke_grant(&stale.id).await, 404);
    }
    assert_eq!(access_of(&agent, &ada).await, OPEN);

    agent.delete_context(&ada).await.unwrap();
    assert_eq!(server.store.grants_kept(&agent).await, 1);
    refused(session.revoke_grant(&made[482].id).await, 404);
    denied(&agent.client, access(&ada, &agent, some())).await;
    assert_no_access(&agent, &ada).await;
}

#[tokio::test]
async fn revoking_needs_a_session() {
    let (server, agent, ada) = Server::with_ada().await;
    let made = grant(&agent.client, access(&ada, &agent, some())).await;
    let path = format!("/api/grants/{}", made.id);
    let delete = || server.raw("DELETE", &path);
    for request in [
        delete(),
        delete().key(&agent.key),
        delete().cookie("ctxmem_session=made-up"),
        delete().cookie("ctxmem_session="),
        delete().cookie(&format!("ctxmem_session={}", agent.key)),
        delete().key(&agent.key).cookie("ctxmem_session=made-up"),
    ] {
        request.send().await.assert_error(401);
    }
    assert_eq!(access_of(&agent, &ada).await, OPEN);
}

#[tokio::test]
async fn a_grant_that_is_unknown_or_of_somebody_else_is_not_found() {
    let (server, agent) = Server::with_agent().await;
    let (ada, bob) = (user("ada"), user("bob"));
    grant(&agent.client, access(&ada, &agent, some())).await;
    let foreign = grant(&agent.client, access(&bob, &agent, some())).await;
    let cookie = server.sign_in(&ada).await;
    let mut answers = Vec::new();
    for id in [
        &foreign.id,
        ABSENT,
        "not-a-uuid",
        &foreign.id.to_uppercase(),
        "%00",
        "%ff",
        "%zz",
        "%2e%2e",
        "..",
        "a%2Fb",
        "'%20OR%20'1'='1",
        &"a".repeat(5000),
    ] {
        let path = format!("/api/grants/{id}");
        let response = server.raw("DELETE", &path).cookie(&cookie).send().await;
        response.assert_error(404);
        answers.push(response.body);
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "they can't be told apart: {answers:?}");
    assert_eq!(access_of(&agent, &bob).await, OPEN);
}

#[tokio::test]
async fn revoking_again_answers_the_same() {
    let (clock, server, agent, ada) = Setup::auto().start_with_ada_at(NOON).await;
    let made = grant(&agent.client, access(&ada, &agent, some())).await;
    let cookie = server.sign_in(&ada).await;
    for _ in 0..3 {
        let path = format!("/api/grants/{}", made.id);
        let response = server.raw("DELETE", &path).cookie(&cookie).gets(200).await;
        assert_eq!(response.json(), json!({"revoked": true}));
        clock.advance(Duration::minutes(1));
    }
}

#[tokio::test]
async fn an_expired_grant_can_be_revoked() {
    let (clock, _server, agent, ada, session) = signed_in_at_noon().await;
    let end = "2026-03-01T12:10:00Z";
    let made = grant(&agent.client, until(end, access(&ada, &agent, some()))).await;
    clock.set(end);
    assert!(session.revoke_grant(&made.id).await.unwrap().revoked);
    // It was the key's own and it had expired, but now it is revoked.
    denied(&agent.client, access(&ada, &agent, some())).await;
}

#[tokio::test]
async fn a_revocation_holds_at_once_and_for_that_agent_and_user_only() {
    let (server, agent, other, _) = Server::with_two_agents().await;
    let (ada, bob) = (user("ada"), user("bob"));
    let session = server.client_of(&server.sign_in(&ada).await);
    let made = grant(&agent.client, access(&ada, &agent, some())).await;
    for (agent, user) in [(&agent, &ada), (&agent, &bob), (&other, &ada)] {
        assert_eq!(access_of(agent, user).await, OPEN);
    }
    session.revoke_grant(&made.id).await.unwrap();
    assert_shut(&agent, &ada).await;
    assert_eq!(access_of(&agent, &bob).await, OPEN);
    assert_eq!(access_of(&other, &ada).await, OPEN);
}

#[tokio::test]
async fn no_key_of_the_agent_revives_a_revoked_grant_by_traffic() {
    let (server, agent, ada, session) = signed_in().await;
    let made = grant(&agent.client, access(&ada, &agent, some())).await;
    session.revoke_grant(&made.id).await.unwrap();
    for key in [&agent, &server.key_of(&agent, ScopeSet::ALL).await] {
        assert_shut(key, &ada).await;
    }
    let stored = server.grants_of(&ada).await;
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0].0.id, made.id);
}
