//! kill -9 of a machine under load: what was acknowledged is there afterwards, whole.

use std::time::Duration;

use crate::load::{Load, users};
use crate::process::{count, until, user};
use crate::setup::{Setup, WRITERS, until_works};

/// Kills a machine again and again while updates go on, and looks for what was acknowledged.
async fn kill_under_load(machine: usize) {
    let setup = Setup::start(&[0, 1, 2]).await;
    let killed = if machine == 0 {
        "the coordinator"
    } else {
        "a worker"
    };
    let found = kill_and_look(setup, machine, count(4, 20), killed).await;
    assert_eq!(found, Found::default());
}

/// What is not as it was acknowledged.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    lost: usize,
    invented: usize,
    half: i64,
    stale: usize,
}

async fn kill_and_look(mut setup: Setup, machine: usize, kills: usize, killed: &str) -> Found {
    let clients = [setup.client(0), setup.client(1), setup.client(2)];
    let users = users(WRITERS);
    for name in &users {
        clients[0].inject(&user(name), "Hello").await.unwrap();
    }
    let load = Load::start(&clients, &users, 0);
    for kill in 0..kills {
        load.until_acknowledged(60).await;
        tokio::time::sleep(Duration::from_millis((kill as u64 * 37) % 120)).await;
        tokio::task::block_in_place(|| {
            setup.cluster.node_mut(machine).kill();
            setup.cluster.node_mut(machine).resume();
        });
        for client in &clients {
            for name in &users {
                until_works(client, name).await;
            }
        }
    }
    load.until_acknowledged(60).await;
    let outcome = load.stop().await;
    let (lost, invented) = outcome.lost_and_invented(&clients[0]).await;
    let half = half_stored(&setup).await;
    let (acknowledged, stale, failed) = (outcome.count(), outcome.stale, outcome.failed);
    println!(
        "figure: kill -9 of {killed}: {kills} kills under load, {acknowledged} acknowledged, {lost} lost, \
         {half} half, {invented} never sent, {stale} read that showed less, {failed} failed meanwhile"
    );
    assert!(failed > 0, "no kill hit anything");
    // Nothing is left prepared.
    for node in 0..3 {
        let prepared = "SELECT COUNT(*) FROM pg_prepared_xacts";
        let nothing = async || setup.number(node, prepared).await == 0;
        until(&format!("nothing is prepared on node {node}"), nothing).await;
    }
    Found {
        lost,
        invented,
        half,
        stale,
    }
}

/// How many users have another number of facts than their positions say, or an entry in the audit
/// log for another number of facts: each update here stores one fact and one entry.
async fn half_stored(setup: &Setup) -> i64 {
    let half = "
        SELECT COUNT(*) FROM (
            SELECT u.user_key, u.next_position,
                   (SELECT COUNT(*) FROM facts f WHERE f.user_key = u.user_key) AS facts,
                   (SELECT COALESCE(SUM(a.facts), 0) FROM audit a
                    WHERE a.user_key = u.user_key AND a.action = 'update') AS noted
            FROM users u) AS counted
        WHERE facts <> next_position OR facts <> noted";
    setup.number(0, half).await
}

/// The control: workers that acknowledge what they have not flushed.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_worker_loses_is_noticed() {
    let careless = ["synchronous_commit=off", "wal_writer_delay=10s"];
    let setup = Setup::start_with(&[0, 1, 2], &careless).await;
    let found = kill_and_look(setup, 1, 2, "a worker that does not flush").await;
    assert!(found.lost > 0, "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_updates_survive_kill_9_of_a_worker() {
    kill_under_load(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_updates_survive_kill_9_of_the_coordinator() {
    kill_under_load(0).await;
}
