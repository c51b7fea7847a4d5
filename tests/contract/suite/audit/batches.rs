//! Read-only events: noted in batches, counted by day, and known as the last use of a grant.

use ctxmem_server::core::FirstGrant::Auto;

use chrono::Duration;
use ctxmem_server::core::Clock as _;
use ctxmem_server::store::Action;
use ctxmem_types::{Scope, ScopeSet};
use futures_util::future::join_all;
use futures_util::join;

use super::{SMALL_TALK, Watched, trail};
use crate::suite::support::{
    Agent, FakeModel, HELLO, Server, Setup, Text as _, fact, refused, user,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_injects_make_few_entries_that_add_up_to_a_thousand() {
    const INJECTS: usize = 1_000;
    let (server, agent, ada) = Server::with_ada().await;
    agent.tells(&ada, HELLO).await;
    for _ in 0..INJECTS / 20 {
        join_all((0..20).map(|_| agent.injects(&ada))).await;
    }
    let found = trail(&server, &ada).await;
    let injects = found.iter().filter(|e| e.action == Action::Inject);
    assert_eq!(
        injects.clone().map(|e| e.times).sum::<i64>(),
        i64::try_from(INJECTS).unwrap()
    );
    // One for each second that it took, and for what was merged.
    assert!(injects.count() <= INJECTS / 10, "{} entries", found.len());
    let usage = server.store.usage_rows(&agent.id).await;
    let (injects, updates) = usage.iter().fold((0, 0), |(injects, updates), row| {
        let mut numbers = row.split(' ').skip(1).map(|n| n.parse::<usize>().unwrap());
        let mut next = || numbers.next().unwrap();
        (injects + next(), updates + next())
    });
    assert_eq!((injects, updates), (INJECTS, 1));
}

#[tokio::test]
async fn an_orderly_stop_loses_nothing() {
    let (server, agent) = Setup::auto().start_with_agent().await;
    for n in 0..50 {
        agent.injects(&user(&format!("user-{n}"))).await;
    }
    let store = server.stop().await;
    let rows = store.audit_rows().await;
    let injects = rows.iter().filter(|row| row.contains(" inject ")).count();
    assert_eq!(injects, 50);
    let usage = store.usage_rows(&agent.id).await.join("\n");
    usage.assert_has(": 50 0 0 0 0");
    let uses = store.last_uses(&agent.id).await;
    assert_eq!(uses.len(), 50);
    assert!(!uses.contains(&"never".to_owned()));
}

#[tokio::test]
async fn the_last_use_of_a_grant_moves_with_what_the_agent_does_by_it() {
    let watched = Watched::start().await;
    let server = &watched.server;
    let (agent, unused) = (server.agent().await, server.agent().await);
    let ada = watched.ada.clone();
    server.user_allows(&ada, &unused).await;
    server.user_allows(&ada, &agent).await;
    let uses = async |agent: &Agent| {
        server.memory.flush_audit_buffer().await.unwrap();
        server.store.last_uses(&agent.id).await
    };
    assert_eq!(uses(&agent).await, ["never"]);
    let now = || {
        let now = watched.clock.now();
        now.timestamp_millis().to_string()
    };
    watched
        .model
        .finds([fact(Scope::Goals, "Ship the release")]);
    for n in 0..4 {
        watched.clock.advance(Duration::seconds(1));
        match n {
            0 => drop(agent.injects(&ada).await),
            1 => drop(agent.reads(&ada).await),
            2 => drop(agent.tells(&ada, HELLO).await),
            _ => drop(agent.tells(&ada, SMALL_TALK).await),
        }
        assert_eq!(uses(&agent).await, [now()], "{n}");
    }
    let last = now();
    watched.clock.advance(Duration::seconds(1));
    // Neither what fails nor what is refused is a use.
    watched.model.writes("no JSON");
    refused(agent.update(&ada, HELLO, "").await, 502);
    assert_eq!(uses(&agent).await, [&*last]);
    server.user_revokes(&ada, &agent).await;
    agent.injects(&ada).await;
    assert_eq!(uses(&agent).await, [&*last]);
    // A use is the agent's, also if another grant was made before it was noted.
    server.user_allows(&ada, &agent).await;
    agent.injects(&ada).await;
    let last = now();
    watched.clock.advance(Duration::seconds(1));
    server.user_allows(&ada, &agent).await;
    assert_eq!(uses(&agent).await, [&*last]);
    server.user_grants(&ada, &agent, ScopeSet::EMPTY).await;
    assert_eq!(uses(&agent).await, [&*last]);
    assert_eq!(uses(&unused).await, ["never"]);
}

#[tokio::test]
async fn usage_is_counted_by_agent_and_by_day_in_utc() {
    let model = FakeModel::start().await;
    let setup = Setup::asking(&model).first_grant(Auto).monthly_quota(4);
    let (clock, server) = setup.start_at("2026-02-28T23:59:59Z").await;
    let (agent, other, ada) = (server.agent().await, server.agent().await, user("ada"));
    model.finds([fact(Scope::Goals, "Ship the release")]);
    agent.injects(&ada).await;
    agent.tells(&ada, HELLO).await;
    agent.tells(&ada, HELLO).await;
    agent.tells(&ada, SMALL_TALK).await;
    agent.reads(&ada).await;
    model.writes("no JSON");
    refused(agent.update(&ada, HELLO, "").await, 502);
    clock.advance(Duration::seconds(1));
    model.finds([]);
    // A new month: four are answered, the fifth and the small talk are not.
    for _ in 0..5 {
        agent.tells(&ada, HELLO).await;
    }
    agent.tells(&ada, SMALL_TALK).await;
    server.user_revokes(&ada, &agent).await;
    agent.injects(&ada).await;
    refused(agent.context(&ada).await, 403);
    refused(agent.update(&ada, HELLO, "").await, 403);
    refused(agent.delete_context(&ada).await, 403);
    other.injects(&ada).await;
    server.memory.flush_audit_buffer().await.unwrap();
    assert_eq!(
        server.store.usage_rows(&agent.id).await,
        ["2026-02-28: 1 2 1 0 1", "2026-03-01: 1 4 0 6 0"]
    );
    assert_eq!(
        server.store.usage_rows(&other.id).await,
        ["2026-03-01: 1 0 0 0 0"]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_servers_that_store_their_audit_buffers_at_once_do_not_collide() {
    const ROUNDS: i64 = 8;
    const USERS: i64 = 60;
    let one = Server::start().await;
    let two = Setup::on(one.store.clone()).start().await;
    let (agent, other) = (one.agent().await, one.agent().await);
    let agents = [
        one.again(&agent),
        one.again(&other),
        two.again(&agent),
        two.again(&other),
    ];
    for round in 0..ROUNDS {
        // Each goes through the users in an order of its own; some are erased meanwhile.
        join_all(agents.iter().enumerate().map(async |(n, agent)| {
            for user_n in 0..USERS {
                let backwards = USERS - 1 - user_n;
                let of_user = if n % 2 == 0 { user_n } else { backwards };
                let of_user = user(&format!("user-{round}-{of_user}"));
                agent.injects(&of_user).await;
            }
        }))
        .await;
        let erasures = join_all((0..USERS).step_by(7).map(async |user_n| {
            let ada = user(&format!("user-{round}-{user_n}"));
            agents[0].delete_context(&ada).await.unwrap()
        }));
        let (one, two, _) = join!(
            one.memory.flush_audit_buffer(),
            two.memory.flush_audit_buffer(),
            erasures
        );
        one.unwrap();
        two.unwrap();
    }
    assert_eq!(one.store.deadlocks().await, 0);
    let rows = one.store.audit_rows().await;
    let injects = rows.iter().filter(|row| row.contains(" inject "));
    let times = injects.map(|row| row.rsplit(' ').next().unwrap().parse::<i64>().unwrap());
    assert_eq!(times.sum::<i64>(), ROUNDS * USERS * 4);
    let uses = one.store.last_uses(&agent.id).await;
    assert!(!uses.contains(&"never".to_owned()));
}

#[tokio::test]
async fn entries_are_in_the_order_of_what_happened_and_not_of_when_it_was_stored() {
    use Action::{Grant, Inject, Revoke};

    let watched = Watched::start().await;
    let (server, ada) = (&watched.server, &watched.ada);
    let agent = server.agent().await;
    agent.injects(ada).await;
    watched.clock.advance(Duration::milliseconds(1));
    server.user_revokes(ada, &agent).await;
    watched.clock.advance(Duration::milliseconds(1));
    agent.injects(ada).await;
    watched.clock.advance(Duration::milliseconds(1));
    server.user_allows(ada, &agent).await;
    let found = trail(server, ada).await;
    assert!(found.is_sorted_by_key(|event| event.at), "{found:?}");
    let actions: Vec<Action> = found.iter().map(|event| event.action).collect();
    assert_eq!(actions, [Grant, Inject, Revoke, Inject, Grant]);
}
