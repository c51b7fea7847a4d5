//! A clock that is set back revives no grant that has expired, and nothing lives longer that was made
//! before.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use ctxmem_client::InjectReason;

use super::support::{
    Agent, Developer, ENGINE, HELLO, Server, Setup, TestClock, count, refused, user,
};

const NOON: &str = "2026-03-01T12:00:00Z";
const HALF_PAST: &str = "2026-03-01T12:30:00Z";
const ONE_O_CLOCK: &str = "2026-03-01T13:00:00Z";
const TWO_O_CLOCK: &str = "2026-03-01T14:00:00Z";

/// A server at noon, and an agent to which Ada grants everything until one o'clock.
async fn granted() -> (Arc<TestClock>, Server, Agent) {
    let (clock, server) = Setup::new().start_at(NOON).await;
    let agent = server.agent().await;
    grants(&server, &agent, ONE_O_CLOCK).await;
    assert!(has_access(&agent).await);
    (clock, server, agent)
}

async fn grants(server: &Server, agent: &Agent, end: &str) {
    let ada = user("ada");
    server.user_allows_until(&ada, agent, end).await;
}

/// Whether an inject, an update and a read say that the agent has access.
async fn has_access(agent: &Agent) -> bool {
    let ada = user("ada");
    let injected = agent.inject(&ada, "Be brief.").await.unwrap();
    let injected = injected.reason() != Some(&InjectReason::NoGrant);
    let updated = agent.update(&ada, "I use Helix.", "Nice.").await;
    let read = agent.context(&ada).await;
    assert_eq!(injected, updated.is_ok());
    assert_eq!(injected, read.is_ok());
    injected
}

/// Whether an inject says within some seconds that the agent has no access.
async fn sees_the_end(agent: &Agent) -> bool {
    for _ in 0..200 {
        if agent.reason(&user("ada")).await.as_deref() == Some("no_grant") {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    false
}

async fn restarted(server: Server, clock: &Arc<TestClock>, agent: &Agent) -> (Server, Agent) {
    let server = Setup::on(server.stop().await).clock(clock).start().await;
    let agent = server.again(agent);
    (server, agent)
}

#[tokio::test]
async fn what_was_seen_expired_stays_expired_also_over_a_restart() {
    let (clock, server, agent) = granted().await;
    clock.set(ONE_O_CLOCK);
    assert!(!has_access(&agent).await);
    clock.set(HALF_PAST);
    assert!(!has_access(&agent).await);
    let (server, agent) = restarted(server, &clock, &agent).await;
    assert!(!has_access(&agent).await);
    // The user may grant again, with an end that the clock has seen before.
    grants(&server, &agent, ONE_O_CLOCK).await;
    assert!(has_access(&agent).await);
    clock.set(ONE_O_CLOCK);
    assert!(!has_access(&agent).await);
}

#[tokio::test]
async fn what_expired_while_nobody_asked_stays_expired() {
    let (clock, server, agent) = granted().await;
    clock.set(TWO_O_CLOCK);
    let (server, agent) = {
        // It is noted when the server stops, too.
        let store = server.stop().await;
        clock.set(NOON);
        let server = Setup::on(store).clock(&clock).start().await;
        let agent = server.again(&agent);
        (server, agent)
    };
    assert!(!has_access(&agent).await);
    let ada = user("ada");
    let page = server.grants.access(&ada).await.unwrap();
    assert_eq!(page[0].state.as_str(), "expired");
}

#[tokio::test]
async fn the_user_grants_again_while_the_clock_is_behind() {
    let (clock, server, agent) = granted().await;
    clock.set(TWO_O_CLOCK);
    assert!(!has_access(&agent).await);
    clock.set(NOON);
    grants(&server, &agent, HALF_PAST).await;
    assert!(has_access(&agent).await);
    clock.set(HALF_PAST);
    assert!(!has_access(&agent).await);
    clock.set(NOON);
    assert!(!has_access(&agent).await);
}

#[tokio::test]
async fn what_one_server_saw_expired_is_expired_for_others() {
    let (clock, server, agent) = granted().await;
    let behind = Arc::new(TestClock::at(NOON));
    let store = server.store.clone();
    let other = Setup::on(store).clock(&behind).start().await;
    let there = other.again(&agent);
    assert!(has_access(&there).await);
    clock.set(ONE_O_CLOCK);
    assert!(!has_access(&agent).await);
    // It is noted at once, but after the answer.
    assert!(
        sees_the_end(&there).await,
        "the other server still gives access"
    );
    assert!(!has_access(&there).await);
}

#[tokio::test]
async fn an_agent_whose_grant_was_seen_expired_erases_nothing() {
    let (clock, server, agent) = granted().await;
    agent.tells(&user("ada"), HELLO).await;
    clock.set(ONE_O_CLOCK);
    let other = server.agent().await;
    other.injects(&user("ada")).await;
    clock.set(HALF_PAST);
    refused(agent.delete_context(&user("ada")).await, 403);
    let facts = server.memory.facts_with_provenance(&user("ada")).await;
    assert!(!facts.unwrap().is_empty());
    // Operators are told the same.
    let summary = server.operator.user_summary(&user("ada")).await.unwrap();
    let mut grants = summary.grants.iter();
    let found = grants.find(|(grant, _)| grant.agent_id == agent.id);
    assert_eq!(found.unwrap().1.as_str(), "expired");
}

#[tokio::test]
async fn an_erasure_notes_that_a_grant_has_expired() {
    let (clock, server, agent) = granted().await;
    clock.set(ONE_O_CLOCK);
    refused(agent.delete_context(&user("ada")).await, 403);
    // Only the note holds for a server that never saw this time. It is written after the answer.
    let behind = Arc::new(TestClock::at(NOON));
    let other = Setup::on(server.store.clone()).clock(&behind).start().await;
    let there = other.again(&agent);
    assert!(sees_the_end(&there).await, "the end was not noted");
}

#[tokio::test]
async fn what_signs_in_lives_no_longer_because_the_clock_was_ahead() {
    let (clock, server) = Setup::new().start_at(TWO_O_CLOCK).await;
    let ada = user("ada");
    let ahead = server.sign_in(&ada).await;
    let link = server.link_for(&ada).await;
    let ann = Developer::new(&server, "ann@example.com").await;
    let invitation = ann.invites().await;
    let is_in =
        async |path: &str, cookie: &str| server.get(path).cookie(cookie).send().await.status == 200;
    clock.set(NOON);
    let read = server.get("/account/export.json").cookie(&ahead);
    read.send().await.assert_error(401);
    assert!(!is_in("/dashboard", &ann.cookie).await);
    let used = server.sign_in.sign_in(&link).await.unwrap();
    assert!(used.is_none());
    assert!(server.sign_in.look_at_link(&link).await.unwrap().is_none());
    let invited = server
        .console
        .look_at_invitation(&invitation)
        .await
        .unwrap();
    assert!(invited.is_none());
    // A session in order is told of none that is not.
    let session = server.sign_in(&ada).await;
    let secret = session.strip_prefix("ctxmem_session=").unwrap();
    let listed = server.sign_in.sessions(&ada, secret).await.unwrap();
    assert_eq!(listed.len(), 1);
    // Clocks of several servers may differ a little.
    clock.set("2026-03-01T11:56:00Z");
    assert!(is_in("/account", &session).await);
    // Their time comes.
    clock.set(TWO_O_CLOCK);
    assert!(is_in("/account", &ahead).await);
}

#[tokio::test]
async fn wherever_the_clock_jumps_what_expired_stays_expired() {
    let rounds = count(6, 300);
    let (clock, mut server, mut agent) = granted().await;
    let (mut looks, mut revived) = (0, 0);
    for round in 0..rounds {
        clock.set(NOON);
        grants(&server, &agent, ONE_O_CLOCK).await;
        assert!(has_access(&agent).await);
        clock.set(ONE_O_CLOCK);
        assert!(!has_access(&agent).await);
        for _ in 0..4 {
            clock.set(NOON);
            // Up to half a day before the end, or after it.
            clock.advance(TimeDelta::seconds(rand::random_range(0..12 * 3_600)));
            if rand::random::<bool>() {
                clock.set(HALF_PAST);
            }
            looks += 1;
            revived += usize::from(has_access(&agent).await);
        }
        if round % 3 == 0 {
            (server, agent) = restarted(server, &clock, &agent).await;
        }
    }
    let engine = *ENGINE;
    println!(
        "figure: clock on {engine}: {rounds} grants that expired, {looks} looks at other times, {revived} revived"
    );
    assert_eq!(revived, 0);
}
