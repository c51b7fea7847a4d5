//! Consent requests that wait for a user, and the user's choices for all agents.

use chrono::Duration;
use ctxmem_server::core::FirstGrant::{Ask, Auto};
use ctxmem_types::{Scope, ScopeSet};

use super::{in_mode, inject_asks, page_of, update_asks, waiting};
use crate::suite::account::browser::Browser;
use crate::suite::support::{HELLO, Setup, refused, user};

#[tokio::test]
async fn a_request_waits_once_and_counts_later_calls() {
    let (clock, server) = in_mode(Ask).start_at("2026-03-01T09:00:00Z").await;
    let (agent, ada) = (server.agent_with(Scope::Goals.into()).await, user("ada"));
    for _ in 0..3 {
        assert_eq!(
            inject_asks(&agent, &ada).await,
            Some(page_of(&server, &agent))
        );
    }
    clock.advance(Duration::minutes(1));
    assert!(update_asks(&agent.client, &ada).await.is_some());
    let found = waiting(&server, &ada).await;
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0].agent_id, found[0].times), (&agent.id, 1));
    assert_eq!(found[0].scopes, Scope::Goals.into());
    assert_eq!(found[0].agent_name, "an agent");

    clock.advance(Duration::minutes(5));
    server.grants.flush_repeated_calls().await.unwrap();
    let found = waiting(&server, &ada).await;
    assert_eq!(found[0].times, 4);
    assert_eq!(found[0].last_at - found[0].first_at, 60_000);
    // An agent that stops asking is forgotten.
    clock.advance(Duration::days(30));
    server.grants.drop_old_consent_requests().await.unwrap();
    assert_eq!(waiting(&server, &ada).await, []);
}

#[tokio::test]
async fn made_up_users_leave_neither_a_row_nor_a_history() {
    let (server, agent) = in_mode(Ask).start_with_agent().await;
    for n in 0..20 {
        let nobody = user(&format!("nobody-{n}"));
        assert!(inject_asks(&agent, &nobody).await.is_some());
        assert!(update_asks(&agent.client, &nobody).await.is_some());
        assert_eq!(server.trail(&nobody).await, []);
    }
    assert_eq!(server.store.rows("users").await, 0);
    assert_eq!(server.store.rows("grants").await, 0);
    assert_eq!(server.store.rows("consent_requests").await, 20);
}

#[tokio::test]
async fn requests_are_bounded_for_each_user_and_the_last_ones_stay() {
    let (clock, server) = in_mode(Ask).start_at("2026-03-01T09:00:00Z").await;
    let ada = user("ada");
    let mut agents = Vec::new();
    for _ in 0..22 {
        let agent = server.agent_of("one@example.com", ScopeSet::ALL).await;
        clock.advance(Duration::seconds(1));
        assert!(inject_asks(&agent, &ada).await.is_some());
        agents.push(agent.id);
    }
    let found = waiting(&server, &ada).await;
    let found: Vec<&String> = found.iter().map(|it| &it.agent_id).collect();
    assert_eq!(found, agents[2..].iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn an_erasure_leaves_no_request_and_a_later_call_asks_again() {
    let server = in_mode(Auto).start().await;
    let (agent, other, ada) = (server.agent().await, server.agent().await, user("ada"));
    server.grants.ask_first(&ada, true).await.unwrap();
    assert!(inject_asks(&agent, &ada).await.is_some());
    assert_eq!(server.store.rows("consent_requests").await, 1);
    let browser = Browser::of(&server, &ada).await;
    let export = browser.export().await;
    assert_eq!(export["requests"][0]["agent"]["id"], *agent.id);
    assert_eq!(export["choices"]["asked_first"], true);
    server.erase(&ada).await;
    assert_eq!(server.store.rows("consent_requests").await, 0);
    for agent in [&agent, &other] {
        assert_eq!(
            inject_asks(agent, &ada).await,
            Some(page_of(&server, agent))
        );
        assert_eq!(
            update_asks(&agent.client, &ada).await,
            Some(page_of(&server, agent))
        );
    }
    assert_eq!(waiting(&server, &ada).await.len(), 2);
}

#[tokio::test]
async fn an_erased_user_stays_erased_also_over_a_restart() {
    let (server, agent, ada) = in_mode(Auto).start_with_ada().await;
    agent.tells(&ada, HELLO).await;
    server.erase(&ada).await;
    let newcomer = server.agent().await;
    let server = Setup::on(server.stop().await).start().await;
    let newcomer = server.again(&newcomer);
    assert_eq!(
        inject_asks(&newcomer, &ada).await,
        Some(page_of(&server, &newcomer))
    );
    assert_eq!(
        newcomer.context(&ada).await.unwrap_err().status(),
        Some(403)
    );
}

#[tokio::test]
async fn a_refused_agent_is_not_asked_about_again_and_can_still_be_allowed() {
    let (server, agent, ada) = in_mode(Ask).start_with_ada().await;
    assert!(inject_asks(&agent, &ada).await.is_some());
    server.user_refuses(&ada, &agent).await;
    for _ in 0..2 {
        assert_eq!(agent.reason(&ada).await.unwrap(), "no_grant");
        assert_eq!(inject_asks(&agent, &ada).await, None);
        assert_eq!(update_asks(&agent.client, &ada).await, None);
        refused(agent.context(&ada).await, 403);
        assert_eq!(waiting(&server, &ada).await, []);
    }
    // A refusal outlives whatever mode the server is in.
    let server = Setup::on(server.stop().await).start().await;
    let agent = server.again(&agent);
    assert_eq!(agent.reason(&ada).await.unwrap(), "no_grant");
    server.user_allows(&ada, &agent).await;
    assert_eq!(agent.reason(&ada).await.unwrap(), "seeded_demo");
    // To refuse who has access ends it.
    server.user_refuses(&ada, &agent).await;
    assert_eq!(agent.reason(&ada).await.unwrap(), "no_grant");
}

#[tokio::test]
async fn a_choice_to_be_asked_takes_effect_at_once_and_can_be_taken_back() {
    let server = in_mode(Auto).start().await;
    let (first, second, ada) = (server.agent().await, server.agent().await, user("ada"));
    assert_eq!(inject_asks(&first, &ada).await, None);
    server.grants.ask_first(&ada, true).await.unwrap();
    assert!(inject_asks(&second, &ada).await.is_some());
    // An agent that has access keeps it.
    assert_eq!(update_asks(&first.client, &ada).await, None);
    server.grants.ask_first(&ada, false).await.unwrap();
    assert_eq!(inject_asks(&second, &ada).await, None);
    assert_eq!(waiting(&server, &ada).await, []);
}

#[tokio::test]
async fn a_pause_takes_effect_at_once_on_every_server_and_ends_as_it_began() {
    let here = Setup::new().start().await;
    let there = Setup::on(here.store.clone()).start().await;
    let (agent, ada) = (here.agent().await, user("ada"));
    let agent_there = there.again(&agent);
    agent.tells(&ada, HELLO).await;
    for _ in 0..3 {
        // Both have the answer in memory.
        assert!(agent.prompt(&ada).await.contains("Helix"));
        assert!(agent_there.prompt(&ada).await.contains("Helix"));
        here.grants.pause(&ada, true).await.unwrap();
        for agent in [&agent, &agent_there] {
            assert_eq!(agent.reason(&ada).await.unwrap(), "no_scopes");
            let told = agent.tells(&ada, "I use Emacs as my editor.").await;
            assert_eq!(told["delta"], serde_json::json!({}));
            assert_eq!(told["denied_scopes"], serde_json::json!(["preferences"]));
            assert!(agent.context(&ada).await.unwrap().is_empty());
            refused(agent.delete_context(&ada).await, 403);
        }
        there.grants.pause(&ada, false).await.unwrap();
    }
    assert!(agent.prompt(&ada).await.contains("Helix"));
    assert!(!agent.prompt(&ada).await.contains("Emacs"));
    agent_there.tells(&ada, "I use Emacs as my editor.").await;
    assert!(agent.prompt(&ada).await.contains("Emacs"));
}

#[tokio::test]
async fn what_is_allowed_while_everything_is_paused_begins_with_its_end() {
    let (server, agent, ada) = in_mode(Ask).start_with_ada().await;
    server.grants.pause(&ada, true).await.unwrap();
    assert!(inject_asks(&agent, &ada).await.is_some());
    server.user_allows(&ada, &agent).await;
    assert_eq!(agent.reason(&ada).await.unwrap(), "no_scopes");
    server.grants.pause(&ada, false).await.unwrap();
    assert_eq!(agent.reason(&ada).await.unwrap(), "seeded_demo");
}
