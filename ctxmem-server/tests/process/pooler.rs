//! `PgBouncer` between the server and Postgres.

use ctxmem_test_postgres::{Cluster, PgBouncer};

use crate::process::{Home, tell, user};

const REFUSAL: &str = "this address leads to a connection pooler in transaction mode; \
                       connect to Postgres directly or use session mode";

#[tokio::test(flavor = "multi_thread")]
async fn in_session_mode_a_pooler_does_no_harm() {
    let postgres = Cluster::start(&["fsync=off"]);
    let pooler = PgBouncer::start(&postgres, "session", &["default_pool_size=50"]);
    let home = Home::on(&pooler.url("postgres"));
    for _start in 0..2 {
        let serving = home.serve("--log off").await;
        if serving.announced["api_key"].is_string() {
            let client = serving.client(None);
            tell(&client, "ada", "My name is Ada.").await;
            let injected = client.inject(&user("ada"), "Hello").await;
            assert!(injected.unwrap().is_enriched());
        }
        serving.stop().await;
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
        println!("{mode} {settings:?}");
        Home::on(&url).refused("migrate", 1, REFUSAL);
        let keys = ["migrate", "--keys-database-url", &url];
        Home::on(&postgres.url("postgres")).refused(&keys, 1, REFUSAL);
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
    serving.logs(REFUSAL).await;
    assert!(update().await.is_err());
}
