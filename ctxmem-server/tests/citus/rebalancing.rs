//! A worker is added under load, and shards are moved to it.

use std::time::{Duration, Instant};

use ctxmem_client::{Client, RetryPolicy};

use crate::load::{Load, users};
use crate::process::count;
use crate::setup::{DATABASE, Setup, WRITERS};

#[tokio::test(flavor = "multi_thread")]
async fn shards_move_to_a_new_worker_under_load_and_nothing_is_lost() {
    // A third of the shards move.
    let shards = format!("citus.shard_count={}", count(4, 16));
    let mut setup = Setup::start_with(&[0, 1, 2], &[&shards]).await;
    // While the move of a shard ends, what writes to it waits, or is refused where it took a
    // shard's place for granted: a client tries again, as clients do.
    let retrying = |server: usize| {
        Client::builder()
            .base_url(setup.servers[server].url())
            .api_key(setup.key.as_str())
            .retry(RetryPolicy::default())
            .inject_timeout(Duration::from_secs(10))
            .update_timeout(Duration::from_secs(20))
            .build()
            .unwrap()
    };
    let clients = [retrying(0), retrying(1), retrying(2)];
    let load = Load::start(&clients, &users(WRITERS), 0);
    load.until_acknowledged(100).await;
    let before = setup.number(0, SHARDS_OF_LAST).await;

    setup
        .cluster
        .add_worker(&["max_connections=300"], DATABASE)
        .await;
    let began = Instant::now();
    setup
        .run(
            0,
            "SELECT citus_rebalance_start(shard_transfer_mode := 'force_logical')",
        )
        .await;
    setup.run(0, "SELECT citus_rebalance_wait()").await;
    let took = began.elapsed();
    load.until_acknowledged(100).await;
    let outcome = load.stop().await;
    let after = setup.number(0, SHARDS_OF_LAST).await;
    let (lost, invented) = outcome.lost_and_invented(&clients[0]).await;
    println!(
        "figure: a third worker under load: {after} shards moved in {took:.2?}, {} acknowledged, \
         {} failed beyond retries, {lost} lost, {} stale, {invented} never sent",
        outcome.count(),
        outcome.failed,
        outcome.stale
    );
    assert!(after > before, "nothing was moved");
    assert_eq!(
        (lost, invented, outcome.stale, outcome.failed),
        (0, 0, 0, 0)
    );
}

/// How many shards of users lie on the machine that was added last.
const SHARDS_OF_LAST: &str = "
    SELECT COUNT(*) FROM pg_dist_shard s
    JOIN pg_dist_placement p USING (shardid)
    WHERE s.logicalrelid = 'users'::regclass AND p.groupid = (SELECT MAX(groupid) FROM pg_dist_node)
      AND (SELECT COUNT(*) FROM pg_dist_node) > 3";
