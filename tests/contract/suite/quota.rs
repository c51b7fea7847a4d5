//! The monthly quota of updates.

use ctxmem_client::UserId;
use ctxmem_types::{Scope, ScopeSet};
use futures_util::future::join_all;
use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use crate::suite::support::{Agent, FakeModel, HELLO, Setup, fact, refused, unlearned, user};

const SMALL_TALK: &str = "Thanks!";

fn limit_reached() -> Value {
    json!({"updated": false, "limitReached": true})
}

/// Checks that the agent has just this many updates left, and uses them.
async fn assert_left(agent: &Agent, user: &UserId, updates: usize) {
    for n in 0..updates {
        assert_eq!(
            agent.tells(user, HELLO).await["updated"],
            true,
            "update {n}"
        );
    }
    assert_eq!(agent.tells(user, HELLO).await, limit_reached());
}

#[tokio::test]
async fn over_the_limit_every_update_answers_limit_reached() {
    let (_server, agent, ada) = Setup::new().monthly_quota(2).start_with_ada().await;
    assert_left(&agent, &ada, 2).await;
    for message in [HELLO, SMALL_TALK, "", "I live in Porto now."] {
        let response = agent.raw_update("ada", message).gets(200).await;
        assert_eq!(response.json(), limit_reached(), "{message}");
    }
    let location = agent.reads(&ada).await["general"]["location"].clone();
    assert_eq!(location["value"], "Lisbon");
    // Reading goes on.
    assert_eq!(agent.reason(&ada).await, None);
}

#[tokio::test]
async fn the_client_says_that_the_limit_is_reached() {
    let (_server, agent, ada) = Setup::new().monthly_quota(1).start_with_ada().await;
    assert_left(&agent, &ada, 1).await;
    let answer = agent.update(&ada, HELLO, "Noted.").await.unwrap();
    assert!(!answer.updated);
    assert_eq!(answer.limit_reached, Some(true));
    assert_eq!(answer.delta, None);
}

#[tokio::test]
async fn small_talk_is_free() {
    let (_server, agent, ada) = Setup::new().monthly_quota(2).start_with_ada().await;
    for _ in 0..5 {
        assert_eq!(agent.tells(&ada, SMALL_TALK).await, unlearned("filtered"));
    }
    assert_left(&agent, &ada, 2).await;
}

#[tokio::test]
async fn updates_that_teach_nothing_count() {
    let model = FakeModel::start().await;
    let server = Setup::asking(&model).monthly_quota(3).start().await;
    let agent = server.agent_with(Scope::Goals.into()).await;
    let ada = user("ada");
    // Nothing found, everything denied.
    agent.tells(&ada, HELLO).await;
    model.finds([fact(Scope::Knowledge, "Rust")]);
    agent.tells(&ada, HELLO).await;
    assert_left(&agent, &ada, 1).await;
}

#[tokio::test]
async fn failed_updates_are_given_back() {
    let model = FakeModel::start().await;
    let setup = Setup::asking(&model).monthly_quota(2);
    let (_server, agent, ada) = setup.start_with_ada().await;
    model.answers(ResponseTemplate::new(500));
    for _ in 0..3 {
        refused(agent.update(&ada, HELLO, "Noted.").await, 502);
    }
    model.finds([]);
    assert_left(&agent, &ada, 2).await;
}

#[tokio::test]
async fn an_update_that_is_overtaken_by_a_deletion_is_given_back() {
    let model = FakeModel::start().await;
    let setup = Setup::asking(&model).monthly_quota(2);
    let (_server, agent, ada) = setup.start_with_ada().await;
    model.finds([fact(Scope::Goals, "Ship the release")]);
    agent.injects(&ada).await;
    let mut completion = model.pause();
    let update = agent.update(&ada, HELLO, "Noted.");
    let (result, ()) = futures_util::join!(update, async {
        completion.started().await;
        agent.delete_context(&ada).await.unwrap();
        completion.finish();
    });
    refused(result, 403);
    assert_left(&agent, &user("bob"), 2).await;
}

#[tokio::test]
async fn the_grant_is_checked_before_the_quota() {
    let server = Setup::new().monthly_quota(1).start().await;
    let (agent, ada, bob) = (server.agent().await, user("ada"), user("bob"));
    agent.injects(&ada).await;
    server.user_revokes(&ada, &agent).await;
    for _ in 0..2 {
        refused(agent.update(&ada, HELLO, "Noted.").await, 403);
    }
    assert_left(&agent, &bob, 1).await;
    refused(agent.update(&ada, HELLO, "Noted.").await, 403);
}

#[tokio::test]
async fn the_quota_is_the_agents_not_the_users_keys_or_developers() {
    let server = Setup::new().monthly_quota(2).start().await;
    let agent = server.agent_of("dev@example.com", ScopeSet::ALL).await;
    let colleague = server.agent_of("dev@example.com", ScopeSet::ALL).await;
    let second_key = server.key_of(&agent, ScopeSet::ALL).await;
    let (ada, bob) = (user("ada"), user("bob"));
    agent.tells(&ada, HELLO).await;
    assert_left(&second_key, &bob, 1).await;
    assert_eq!(agent.tells(&ada, HELLO).await, limit_reached());
    assert_left(&colleague, &ada, 2).await;
}

#[tokio::test]
async fn a_new_quota_begins_with_the_month_in_utc() {
    let setup = Setup::new().monthly_quota(2);
    let (clock, _server, agent, ada) = setup.start_with_ada_at("2026-03-01T00:00:00Z").await;
    assert_left(&agent, &ada, 2).await;
    clock.set("2026-03-31T23:59:59.999Z");
    assert_left(&agent, &ada, 0).await;
    clock.set("2026-04-01T00:00:00Z");
    assert_left(&agent, &ada, 2).await;
    clock.set("2027-03-01T00:00:00Z");
    assert_left(&agent, &ada, 2).await;
}

#[tokio::test]
async fn usage_survives_a_restart() {
    let (server, agent, ada) = Setup::new().monthly_quota(2).start_with_ada().await;
    agent.tells(&ada, HELLO).await;
    let store = server.stop().await;
    let server = Setup::on(store).monthly_quota(2).start().await;
    assert_left(&server.again(&agent), &ada, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_updates_never_exceed_the_quota() {
    const LEFT: usize = 5;
    const MORE: usize = 20;
    let (_server, agent) = Setup::new().monthly_quota(5).start_with_agent().await;
    let answers = (0..LEFT + MORE).map(async |n| {
        let nobody = user(&format!("user-{n}"));
        agent.tells(&nobody, HELLO).await
    });
    let answers = join_all(answers).await;
    let refusals = answers.iter().filter(|answer| **answer == limit_reached());
    assert_eq!(refusals.count(), MORE);
    let learned = answers.iter().filter(|answer| answer["updated"] == true);
    assert_eq!(learned.count(), LEFT);
}
