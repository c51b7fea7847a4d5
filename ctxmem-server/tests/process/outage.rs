//! Postgres stopped, killed, and set to read only, under load.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ctxmem_client::{Client, ErrorCode};
use ctxmem_test_outside::FakeModel;
use ctxmem_test_postgres::{Cluster, empty_database};
use sqlx::{Connection as _, Executor as _, PgConnection};
use tokio::task::JoinSet;

use crate::disk::health_becomes;
use crate::model;
use crate::process::{Home, ServerProcess, count, user};

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
        let flags = model.flags();
        let mut flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        flags.extend(["--rate-limit", "0", "--facts-per-list", "0", "--log", "off"]);
        let serving = home.serve(&flags).await;
        Self {
            postgres,
            serving,
            model,
        }
    }
}

/// Clients that send one update after the other, whether or not they succeed.
struct Load {
    tasks: JoinSet<Vec<String>>,
    stop: Arc<AtomicBool>,
    failed: Arc<AtomicUsize>,
    /// In milliseconds.
    slowest: Arc<AtomicU64>,
}

impl Load {
    fn start(client: &Client) -> Self {
        let mut load = Self {
            tasks: JoinSet::new(),
            stop: Arc::default(),
            failed: Arc::default(),
            slowest: Arc::default(),
        };
        for writer in 0..WRITERS {
            let (client, stop) = (client.clone(), load.stop.clone());
            let (failed, slowest) = (load.failed.clone(), load.slowest.clone());
            load.tasks.spawn(async move {
                let ada = user(&format!("ada-{writer}"));
                let mut acknowledged = Vec::new();
                for n in 0.. {
                    if stop.load(Ordering::SeqCst) {
                        break;
                    }
                    let fact = format!("w{writer}-n{n}");
                    let message = format!("I am good at fact:{fact} these days.");
                    let began = Instant::now();
                    let answer = client.update(&ada, message, "Noted.").await;
                    slowest.fetch_max(millis(began.elapsed()), Ordering::SeqCst);
                    match answer {
                        Ok(_) => acknowledged.push(fact),
                        Err(error) => {
                            assert_eq!(error.code(), Some(&ErrorCode::PersistenceError));
                            failed.fetch_add(1, Ordering::SeqCst);
                            tokio::time::sleep(Duration::from_millis(10)).await;
                        }
                    }
                }
                acknowledged
            });
        }
        load
    }

    /// Stops, and answers what was acknowledged.
    async fn stop(mut self) -> HashSet<String> {
        self.stop.store(true, Ordering::SeqCst);
        let mut all = HashSet::new();
        while let Some(acknowledged) = self.tasks.join_next().await {
            all.extend(acknowledged.unwrap());
        }
        all
    }
}

fn millis(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap()
}

/// Everything that is stored of the writers' users.
async fn stored(client: &Client) -> HashSet<String> {
    let mut all = HashSet::new();
    for writer in 0..WRITERS {
        let ada = user(&format!("ada-{writer}"));
        let context = client.context(&ada).await.unwrap();
        all.extend(context.domain_expertise.into_iter().map(|fact| fact.value));
    }
    all
}

async fn until_it_works(client: &Client) -> Duration {
    let began = Instant::now();
    while client.inject(&user("ada-0"), "Hello").await.is_err() {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "it does not recover"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    began.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn while_postgres_is_stopped_answers_come_fast_and_afterwards_all_is_well() {
    let mut setup = Setup::start().await;
    let client = setup.serving.client(None);
    let load = Load::start(&client);
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
    let slowest = Duration::from_millis(load.slowest.load(Ordering::SeqCst));
    let acknowledged = load.stop().await;
    let stored = stored(&client).await;
    let lost = acknowledged.difference(&stored).count();
    println!(
        "figure: Postgres stopped for {down_for:?} under load: slowest answer {slowest:.2?}, \
         first success {recovered_in:.2?} after its return, {} acknowledged, {lost} lost",
        acknowledged.len()
    );
    assert_eq!(lost, 0);
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
    let load = Load::start(&client);
    let kills = count(3, 20);
    for _ in 0..kills {
        tokio::time::sleep(Duration::from_millis(300)).await;
        tokio::task::block_in_place(|| {
            setup.postgres.kill();
            setup.postgres.resume();
        });
        until_it_works(&client).await;
    }
    let acknowledged = load.stop().await;
    let stored = stored(&client).await;
    let lost = acknowledged.difference(&stored).count();
    println!(
        "figure: kill -9 of Postgres: {kills} kills under load, {} acknowledged, {lost} lost",
        acknowledged.len()
    );
    assert_eq!(lost, 0);
    assert!(
        acknowledged.len() >= kills,
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
    use sqlx::{Connection as _, Executor as _};
    let mut connection = sqlx::PgConnection::connect(&postgres.url("postgres"))
        .await
        .unwrap();
    let set = if on {
        "ALTER SYSTEM SET default_transaction_read_only = on"
    } else {
        "ALTER SYSTEM SET default_transaction_read_only = off"
    };
    connection
        .execute("SET default_transaction_read_only = off")
        .await
        .unwrap();
    connection.execute(set).await.unwrap();
    connection.execute("SELECT pg_reload_conf()").await.unwrap();
    // Connections learn of it between two statements, in a moment.
    tokio::time::sleep(Duration::from_millis(200)).await;
}

#[tokio::test]
async fn health_says_that_the_keys_in_a_database_of_their_own_cannot_be_read() {
    let (database, keys) = (empty_database().await, empty_database().await);
    let home = Home::on(&database.url);
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
