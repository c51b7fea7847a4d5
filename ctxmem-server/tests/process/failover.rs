//! Postgres changes places: a standby is promoted, or an address leads to another host.

use std::time::{Duration, Instant};

use ctxmem_client::Client;
use ctxmem_test_postgres::Cluster;
use sqlx::{Connection as _, Executor as _, PgConnection};

use crate::deployment::until_true;
use crate::forwarder::Forwarder;
use crate::process::{Home, ServerProcess, tell, until, user, within};

const FLAGS: &str = "--rate-limit 0 --log off";

/// What a client may still meet after the database is back.
const AFTERMATH: Duration = Duration::from_secs(2);

/// How many updates have to succeed one after the other. They reach every connection.
const UPDATES: usize = 60;

/// Updates of ten users at the same time, each with something to store. Answers how many failed.
async fn update(client: &Client, updates: usize) -> usize {
    let name = ["My name is Ada.", "My name is Bob."];
    let mut failed = 0;
    for n in 0..updates / 10 {
        let users = (0..10).map(|u| {
            let client = client.clone();
            let message = name[n % 2];
            async move {
                client
                    .update(&user(&format!("u-{u}")), message, "Hello.")
                    .await
            }
        });
        let answers = futures_util::future::join_all(users).await;
        failed += answers.iter().filter(|answer| answer.is_err()).count();
    }
    failed
}

/// Sends updates for this long, whatever comes of them. Answers how many failed.
async fn keep_updating(client: &Client, time: Duration) -> usize {
    let began = Instant::now();
    let mut failed = 0;
    while began.elapsed() < time {
        failed += update(client, 10).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    failed
}

/// Sends updates until ten at once succeed.
async fn until_updates_succeed(client: &Client) -> Duration {
    until("updates succeed", async || update(client, 10).await == 0).await
}

/// Asks for the health until all is well. Keys have connections of their own, which hardly a request
/// uses: the health itself notices that these have to be left.
async fn until_healthy(client: &Client) {
    let is_well = async || client.health().await.is_ok_and(|health| health.is_ok());
    until("it is well", is_well).await;
}

async fn run(postgres: &Cluster, statements: &[&'static str]) {
    let url = postgres.url("postgres");
    let mut connection = PgConnection::connect(&url).await.unwrap();
    for statement in statements {
        connection.execute(*statement).await.unwrap();
    }
    connection.close().await.unwrap();
}

/// Starts a server that is known to work.
async fn serve(home: &Home, flags: &str) -> (ServerProcess, Client) {
    let serving = home.serve(&format!("{FLAGS} {flags}")).await;
    let client = serving.client(None);
    assert_eq!(update(&client, UPDATES).await, 0);
    (serving, client)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_led_to_a_standby_for_a_while_is_used_again() {
    let primary = Cluster::start(&[]);
    let standby = primary.standby();
    let address = Forwarder::to(&primary);
    let home = Home::on(&address.url());
    let (_serving, client) = serve(&home, "").await;

    address.lead_to(&standby);
    address.cut();
    assert!(keep_updating(&client, Duration::from_secs(3)).await > 0);
    // What a standby answers may be older than what was acknowledged.
    assert!(client.inject(&user("u-0"), "Hello").await.is_err());
    assert!(!client.health().await.unwrap().is_ok());

    address.lead_to(&primary);
    // Connections that were made to the standby stay open.
    keep_updating(&client, AFTERMATH).await;
    assert_eq!(update(&client, UPDATES * 5).await, 0);
    until_healthy(&client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_to_a_former_primary_are_left() {
    let former = Cluster::start(&[]);
    let standby = former.standby();
    let address = Forwarder::to(&former);
    let home = Home::on(&address.url());
    let (_serving, client) = serve(&home, "").await;

    // The former one goes on answering on the connections that are open.
    standby.promote();
    let fence = "ALTER SYSTEM SET default_transaction_read_only = on";
    run(&former, &[fence, "SELECT pg_reload_conf()"]).await;
    address.lead_to(&standby);
    keep_updating(&client, AFTERMATH).await;
    assert_eq!(update(&client, UPDATES * 5).await, 0);
    until_healthy(&client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_several_hosts_the_one_that_takes_writes_is_used() {
    let mut primary = Cluster::start(&[]);
    let standby = primary.standby();
    let hosts = |first: &Cluster, second: &Cluster| {
        format!(
            "postgres://postgres@127.0.0.1:{},127.0.0.1:{}/postgres?target_session_attrs=read-write",
            first.port(),
            second.port()
        )
    };
    let url = hosts(&standby, &primary);
    let home = Home::on(&url);
    let keys_at = |url: &str| format!("--keys-database-url {url}");
    let (serving, client) = serve(&home, &keys_at(&url)).await;
    let key = serving.key().to_owned();
    serving.stop().await;
    drop(client);

    let url = hosts(&primary, &standby);
    let home = Home::on(&url);
    let serving = home.serve(&format!("{FLAGS} {}", keys_at(&url))).await;
    let client = serving.client(Some(&key));
    assert_eq!(update(&client, UPDATES).await, 0);

    tokio::task::block_in_place(|| primary.stop());
    assert!(update(&client, 10).await > 0);
    tokio::task::block_in_place(|| standby.promote());
    let recovered_in = until_updates_succeed(&client).await;
    println!("figure: updates succeed {recovered_in:.2?} after the promotion of a standby");
    assert_eq!(update(&client, UPDATES * 5).await, 0);
    until_healthy(&client).await;
    // A new user needs a new key.
    newcomers(&client, "newcomer", 80).await;
}

/// Makes users who are not known yet. All are stored.
async fn newcomers(client: &Client, name: &str, count: usize) {
    for n in 0..count {
        tell(client, &format!("{name}-{n}"), "My name is Ada.").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_whose_making_a_failover_lost_are_given_to_nobody() {
    let mut primary = Cluster::start(&[]);
    let standby = primary.standby();
    let url = format!(
        "postgres://postgres@127.0.0.1:{},127.0.0.1:{}/postgres",
        primary.port(),
        standby.port()
    );
    let home = Home::on(&url);
    let (mut serving, client) = serve(&home, "").await;

    // The standby lags behind from here on, while keys are made for many more users.
    let deaf = "ALTER SYSTEM SET primary_conninfo = ''";
    run(&standby, &[deaf, "SELECT pg_reload_conf()"]).await;
    let alone = "SELECT count(*) = 0 FROM pg_stat_replication";
    until_true(&primary.url("postgres"), alone).await;
    newcomers(&client, "lost", 100).await;
    tokio::task::block_in_place(|| primary.stop());
    tokio::task::block_in_place(|| standby.promote());
    until_updates_succeed(&client).await;
    until_healthy(&client).await;
    newcomers(&client, "found", 20).await;

    let key = serving.key().to_owned();
    serving.kill();
    let serving = home.serve(FLAGS).await;
    let client = serving.client(Some(&key));
    for n in 0..20 {
        let stored = client.context(&user(&format!("found-{n}"))).await.unwrap();
        assert_eq!(stored.facts().count(), 1, "{n}");
    }
}

/// More than there are connections.
const AT_ONCE: usize = 30;

/// Reads of this many users at the same time. Answers how many failed.
async fn read_at_once(client: &Client) -> usize {
    let reads = (0..AT_ONCE).map(|n| {
        let client = client.clone();
        async move { client.context(&user(&format!("u-{}", n % 10))).await }
    });
    let answers = futures_util::future::join_all(reads).await;
    answers.iter().filter(|answer| answer.is_err()).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_falls_silent_is_left() {
    let primary = Cluster::start(&[]);
    let standby = primary.standby();
    let address = Forwarder::to(&primary);
    let url = format!(
        "postgres://postgres@{},127.0.0.1:{}/postgres",
        address.address(),
        standby.port()
    );
    let home = Home::on(&url);
    let (serving, client) = serve(&home, "").await;

    // Many wait for an answer when it falls silent, on every connection.
    let reading = tokio::spawn({
        let client = client.clone();
        async move { while read_at_once(&client).await == 0 {} }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    address.fall_silent();
    standby.promote();
    reading.await.unwrap();
    let recovered_in = until_updates_succeed(&client).await;
    println!("figure: updates succeed {recovered_in:.2?} after a host fell silent");
    assert_eq!(update(&client, UPDATES * 5).await, 0);
    until_healthy(&client).await;
    // No connection to the silent host takes the place of another.
    let all_are_read = async || read_at_once(&client).await == 0;
    within(Duration::from_secs(15), "all are read", all_are_read).await;
    for _ in 0..5 {
        assert_eq!(read_at_once(&client).await, 0);
    }
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_alone_is_refused_with_words() {
    let primary = Cluster::start(&["fsync=off"]);
    let standby = primary.standby();
    let home = Home::on(&standby.url("postgres"));
    home.refused("migrate", 1, "the database takes no writes");
}
