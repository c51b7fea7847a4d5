//! Postgres stopped, killed, and set to read only, under load.

use std::sync::atomic::Ordering;
use std::time::Duration;

use ctxmem_client::{Client, ErrorCode};
use ctxmem_test_outside::FakeModel;
use ctxmem_test_postgres::{Cluster, empty_database};
use sqlx::{Connection as _, Executor as _, PgConnection};

use crate::disk::health_becomes;
use crate::load::{Load, Outcome, users};
use crate::model;
use crate::process::{Home, ServerProcess, count, until, user};

const WRITERS: usize = 8;

/// A server of ours on a Postgres of its own.
struct Setup {
    postgres: Cluster,
    serving: ServerProcess,
    model: FakeModel,
}

impl Setup {
    async fn start() -> Self {
        // Durable, as operators run it.
        let postgres = Cluster::start(&[]);
        let home = Home::on(&postgres.url("postgres"));
        let model = model::model(Duration::ZERO).await;
        let flags = "--rate-limit 0 --facts-per-list 0 --log off";
        let flags = format!("{} {flags}", model.flags());
        let serving = home.serve(&flags).await;
        Self {
            postgres,
            serving,
            model,
        }
    }
}

/// Waits until it works, and answers how long that took.
async fn until_it_works(client: &Client) -> Duration {
    let works = async || client.inject(&user("ada-0"), "Hello").await.is_ok();
    until("it works", works).await
}

/// What was acknowledged is stored, and nothing was refused for another reason. Answers what to say of it.
async fn assert_kept(outcome: &Outcome, client: &Client) -> String {
    let expected = Some(ErrorCode::PersistenceError);
    let others = outcome.refusals.iter().find(|(code, _)| *code != expected);
    assert_eq!(others, None);
    let (lost, _) = outcome.lost_and_invented(client).await;
    let figure = format!("{} acknowledged, {lost} lost", outcome.count());
    assert_eq!(lost, 0, "{figure}");
    figure
}

#[tokio::test(flavor = "multi_thread")]
async fn while_postgres_is_stopped_answers_come_fast_and_afterwards_all_is_well() {
    let mut setup = Setup::start().await;
    let client = setup.serving.client(None);
    let load = Load::start(std::slice::from_ref(&client), &users(WRITERS), 0);
    tokio::time::sleep(Duration::from_millis(500)).await;

    let down_for = Duration::from_secs(count(3, 10) as u64);
    tokio::task::block_in_place(|| setup.postgres.stop());
    let health = client.health().await.unwrap();
    assert!(!health.is_ok());
    assert_eq!(health.status.as_deref(), Some("degraded"));
    tokio::time::sleep(down_for).await;
    assert!(load.failed.load(Ordering::SeqCst) > 0, "nobody noticed");
    tokio::task::block_in_place(|| setup.postgres.resume());
    let recovered_in = until_it_works(&client).await;
    assert!(client.health().await.unwrap().is_ok());

    tokio::time::sleep(Duration::from_millis(500)).await;
    let outcome = load.stop().await;
    let (slowest, kept) = (outcome.slowest, assert_kept(&outcome, &client).await);
    println!(
        "figure: Postgres stopped for {down_for:?} under load: slowest answer {slowest:.2?}, \
         first success {recovered_in:.2?} after its return, {kept}"
    );
    // A test run on a busy machine only asks that there is a bound.
    let within = |in_tests, in_soak| Duration::from_secs(count(in_tests, in_soak) as u64);
    assert!(slowest < within(20, 3), "{slowest:?}");
    assert!(recovered_in < within(20, 2), "{recovered_in:?}");
    drop(setup.model);
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_updates_survive_kill_9_of_postgres() {
    let mut setup = Setup::start().await;
    let client = setup.serving.client(None);
    let load = Load::start(std::slice::from_ref(&client), &users(WRITERS), 0);
    let kills = count(3, 20);
    for _ in 0..kills {
        tokio::time::sleep(Duration::from_millis(300)).await;
        tokio::task::block_in_place(|| {
            setup.postgres.kill();
            setup.postgres.resume();
        });
        until_it_works(&client).await;
    }
    let outcome = load.stop().await;
    let kept = assert_kept(&outcome, &client).await;
    println!("figure: kill -9 of Postgres: {kills} kills under load, {kept}");
    assert!(
        outcome.count() >= kills,
        "too little was acknowledged to prove anything"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_no_writes_still_answers_reads() {
    let setup = Setup::start().await;
    let client = setup.serving.client(None);
    let ada = user("ada-0");
    let message = "I am good at fact:welding these days.";
    client.update(&ada, message, "Noted.").await.unwrap();

    read_only(&setup.postgres, true).await;
    let refused = client.update(&ada, message, "Noted.").await.unwrap_err();
    assert_eq!(refused.code(), Some(&ErrorCode::PersistenceError));
    assert!(client.inject(&ada, "Hello").await.unwrap().is_enriched());
    assert!(!client.health().await.unwrap().is_ok());

    read_only(&setup.postgres, false).await;
    client.update(&ada, message, "Noted.").await.unwrap();
    assert!(client.health().await.unwrap().is_ok());
}

/// What a failover to a standby looks like to the server.
async fn read_only(postgres: &Cluster, on: bool) {
    let url = postgres.url("postgres");
    let mut connection = PgConnection::connect(&url).await.unwrap();
    for statement in [
        "SET default_transaction_read_only = off",
        if on {
            "ALTER SYSTEM SET default_transaction_read_only = on"
        } else {
            "ALTER SYSTEM SET default_transaction_read_only = off"
        },
        "SELECT pg_reload_conf()",
    ] {
        connection.execute(statement).await.unwrap();
    }
    // Connections learn of it between two statements, in a moment.
    tokio::time::sleep(Duration::from_millis(200)).await;
}

#[tokio::test]
async fn health_says_that_the_keys_in_a_database_of_their_own_cannot_be_read() {
    let (home, keys) = (Home::on_postgres().await, empty_database().await);
    let flags = ["--keys-database-url", &keys.url, "--log", "error"];
    let serving = home.serve(&flags).await;
    health_becomes(&serving, 200).await;
    let mut connection = PgConnection::connect(&keys.url).await.unwrap();
    let away = "ALTER TABLE user_keys RENAME TO elsewhere";
    connection.execute(away).await.unwrap();
    health_becomes(&serving, 503).await;
    let back = "ALTER TABLE elsewhere RENAME TO user_keys";
    connection.execute(back).await.unwrap();
    health_becomes(&serving, 200).await;
}
