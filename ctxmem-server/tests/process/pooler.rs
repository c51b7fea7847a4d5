//! `PgBouncer` between the server and Postgres.

use std::time::{Duration, Instant};

use ctxmem_test_postgres::{Cluster, PgBouncer};

use crate::process::{Home, user};

const REFUSAL: &str = "this address leads to a connection pooler in transaction mode; \
                       connect to Postgres directly or use session mode";

#[tokio::test(flavor = "multi_thread")]
async fn in_session_mode_a_pooler_does_no_harm() {
    let postgres = Cluster::start(&["fsync=off"]);
    let pooler = PgBouncer::start(&postgres, "session", &["default_pool_size=50"]);
    let home = Home::on(&pooler.url("postgres"));
    for _start in 0..2 {
        let mut serving = home.serve(&["--log", "off"]).await;
        if serving.announced["api_key"].is_string() {
            let client = serving.client(None);
            let message = "My name is Ada.";
            client
                .update(&user("ada"), message, "Hello.")
                .await
                .unwrap();
            assert!(
                client
                    .inject(&user("ada"), "Hello")
                    .await
                    .unwrap()
                    .is_enriched()
            );
        }
        serving.signal("TERM");
        assert!(serving.ended().await.success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_modes_are_refused_with_words() {
    let postgres = Cluster::start(&["fsync=off"]);
    for (mode, settings) in [
        ("transaction", &[][..]),
        ("transaction", &["default_pool_size=1"]),
        ("transaction", &["server_round_robin=1", "min_pool_size=2"]),
        ("statement", &[]),
    ] {
        let pooler = PgBouncer::start(&postgres, mode, settings);
        let url = pooler.url("postgres");
        let refused = Home::on(&url).run(&["migrate"]);
        assert_eq!(refused.status.code(), Some(1), "{mode} {settings:?}");
        assert!(refused.stderr.contains(REFUSAL), "{}", refused.stderr);
        let keys = ["migrate", "--keys-database-url", &url];
        let refused = Home::on(&postgres.url("postgres")).run(&keys);
        assert!(refused.stderr.contains(REFUSAL), "{}", refused.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_a_failover_leads_to_is_refused_too() {
    let mut primary = Cluster::start(&[]);
    let standby = primary.standby();
    let pooler = PgBouncer::start(&standby, "transaction", &[]);
    let url = pooler.url("postgres");
    let address = url.split(['@', '/']).nth(3).unwrap();
    let hosts = format!("127.0.0.1:{},{address}", primary.port());
    let home = Home::on(&format!("postgres://postgres@{hosts}/postgres"));
    let serving = home.serve(&["--log", "error"]).await;
    let client = serving.client(None);
    let ada = user("ada");
    let update = || client.update(&ada, "My name is Ada.", "Hello.");
    update().await.unwrap();

    tokio::task::block_in_place(|| primary.stop());
    tokio::task::block_in_place(|| standby.promote());
    let began = Instant::now();
    while !serving.stderr().contains(REFUSAL) {
        assert!(began.elapsed() < Duration::from_secs(30), "not refused");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(update().await.is_err());
}
