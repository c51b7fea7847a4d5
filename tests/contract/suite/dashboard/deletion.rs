//! Deleting an agent: its keys are dead at once, users keep what is theirs.

use ctxmem_client::{Error, ErrorCode};
use ctxmem_server::core::{FirstStart, Manager, State};
use ctxmem_types::{GrantRequest, Scope, ScopeSet};
use futures_util::join;

use super::ABSENT;
use crate::suite::support::{
    Agent, Developer, HELLO, Server, Text as _, fact, fields, refused, user,
};

async fn delete(ann: &Developer, agent: &Agent) -> String {
    let fields = [("agent_id", &*agent.id), ("name", "an agent")];
    ann.submit("/dashboard/agents/delete", &fields).await
}

#[track_caller]
fn assert_unauthorized<T: std::fmt::Debug>(answer: Result<T, Error>) {
    assert_eq!(answer.unwrap_err().code(), Some(&ErrorCode::Unauthorized));
}

#[tokio::test]
async fn no_key_of_a_deleted_agent_works() {
    let (server, agent, ann) = Developer::start_with_agent().await;
    let other = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let second = server.key_of(&agent, Scope::Goals.into()).await;
    let ada = user("ada");
    agent.tells(&ada, HELLO).await;
    let page = delete(&ann, &agent).await;
    assert!(page.contains("The agent is deleted.") && !page.contains(&agent.id));
    for dead in [&agent, &second] {
        assert_unauthorized(dead.inject(&ada, "Be brief.").await);
        assert_unauthorized(dead.update(&ada, HELLO, "Noted.").await);
        assert_unauthorized(dead.context(&ada).await);
        assert_unauthorized(dead.delete_context(&ada).await);
    }
    other.injects(&ada).await;
    let deleted = format!("delete_agent developer {}", ann.id);
    assert_eq!(server.store.audited(&agent.id).await.last(), Some(&deleted));
}

#[tokio::test]
async fn a_deleted_agent_is_as_if_it_had_never_been() {
    let (server, agent, ann) = Developer::start_with_agent().await;
    let (core, ada) = (server.core(), user("ada"));
    agent.tells(&ada, HELLO).await;
    delete(&ann, &agent).await;
    // To its developer.
    let path = format!("/dashboard/agents/{}", agent.id);
    ann.request("GET", &path).gets_error(404).await;
    for (path, sent) in [
        ("/dashboard/agents/rename", "agent_id={agent}&name=x"),
        ("/dashboard/agents/delete", "agent_id={agent}&name=an agent"),
        ("/dashboard/keys", "agent_id={agent}&scope=goals"),
        ("/dashboard/keys/revoke", "key_id={key}"),
    ] {
        let sent = sent.replace("{agent}", &agent.id);
        let sent = sent.replace("{key}", &agent.key_id);
        ann.form(path, &fields(&sent)).gets_error(404).await;
    }
    ann.get("/dashboard/playground")
        .await
        .assert_lacks(&agent.key_id);
    // To operators.
    assert!(core.console.agents().await.unwrap().is_empty());
    assert!(core.grants.keys().await.unwrap().is_empty());
    let made = core
        .grants
        .create_key(Manager::Operator, agent.id.clone(), ScopeSet::ALL)
        .await;
    assert!(made.is_err());
    // To users who would let it in.
    let client = server.client_of(&server.sign_in(&ada).await);
    let request = GrantRequest::new(ada.clone(), &agent.id, ScopeSet::ALL.names());
    let never = GrantRequest::new(ada.clone(), ABSENT, ScopeSet::ALL.names());
    let (deleted, never) = join!(client.create_grant(&request), client.create_grant(&never));
    let text = |answer| refused(answer, 404);
    assert_eq!(text(deleted), text(never));
}

#[tokio::test]
async fn users_keep_their_facts_and_see_who_had_access() {
    let (server, agent, ann) = Developer::start_with_agent().await;
    let other = server.agent_of("bob@example.com", ScopeSet::ALL).await;
    let ada = user("ada");
    agent.tells(&ada, HELLO).await;
    other.injects(&ada).await;
    delete(&ann, &agent).await;
    assert!(other.prompt(&ada).await.contains("Lisbon"));
    let access = server.grants.access(&ada).await.unwrap();
    let deleted: Vec<_> = access.iter().map(|now| now.access.agent_deleted).collect();
    assert_eq!(deleted, [true, false]);
    let first = &access[0].access;
    let state = access[0].state;
    assert_eq!((&*first.agent_name, state), ("an agent", State::Active));
    assert!(access[0].effective().is_empty() && !access[1].effective().is_empty());
    // What stands there can still be taken back.
    let cookie = server.sign_in(&ada).await;
    let revoke = server.raw("POST", "/account/revoke").cookie(&cookie);
    let revoke = revoke.form(&[("agent_id", &first.grant.agent_id)]);
    revoke.made_for(&server.mark(&ada)).gets(303).await;
}

#[tokio::test]
async fn an_update_under_way_is_refused_and_stores_nothing() {
    let (model, server) = Server::with_model().await;
    model.finds([fact(Scope::Goals, "Ship the release")]);
    let (agent, ann) = Developer::with_agent(&server).await;
    let other = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let ada = user("ada");
    other.injects(&ada).await;
    let mut completion = model.pause();
    let update = agent.update(&ada, HELLO, "Noted.");
    let (answer, ()) = join!(update, async {
        completion.started().await;
        delete(&ann, &agent).await;
        completion.finish();
    });
    assert_unauthorized(answer);
    let context = other.context(&ada).await.unwrap();
    assert!(context.is_empty(), "{context:?}");
}

#[tokio::test]
async fn only_who_types_the_name_deletes() {
    let (_, agent, ann) = Developer::start_with_agent().await;
    for typed in ["", "AN AGENT", "an", "another agent"] {
        let fields = [("agent_id", &*agent.id), ("name", typed)];
        let answer = ann.post("/dashboard/agents/delete", &fields).await;
        assert_eq!(answer.status, 400);
        answer.assert_html();
        answer.body.assert_has("Nothing was deleted.");
    }
    ann.form("/dashboard/agents/delete", &[("agent_id", &agent.id)])
        .gets_error(400)
        .await;
    agent.injects(&user("ada")).await;
    // Spaces around it are not the name's.
    let fields = [("agent_id", &*agent.id), ("name", " an agent ")];
    ann.submit("/dashboard/agents/delete", &fields).await;
    assert_unauthorized(agent.inject(&user("ada"), "Be brief.").await);
}

#[tokio::test]
async fn a_server_whose_agents_were_all_deleted_does_not_count_as_new() {
    let (server, agent, ann) = Developer::start_with_agent().await;
    delete(&ann, &agent).await;
    let start = server.console.first_start().await.unwrap();
    assert!(!matches!(start, FirstStart::Created(_)));
}
