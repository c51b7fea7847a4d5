//! A connection breaks while Postgres stores an update: it is stored, and its answer gets lost.

use std::collections::HashSet;

use ctxmem_client::ErrorCode;
use ctxmem_test_postgres::Cluster;
use sqlx::{Connection as _, PgConnection};

use crate::forwarder::Forwarder;
use crate::process::{Home, until, user};

/// Makes storing slow, so that the connection can be cut meanwhile.
const SLOWLY: &str = "
    CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(1); RETURN NULL; END';
    CREATE TRIGGER slowly BEFORE UPDATE ON users
        FOR EACH STATEMENT EXECUTE FUNCTION slowly()";

/// Statements that are storing updates.
const STORING: &str = "SELECT pid || ' ' || query_start FROM pg_stat_activity \
                       WHERE wait_event = 'PgSleep' AND state = 'active'";

const LOGGED: &str = "SELECT count(*) FROM audit WHERE action = 'update' AND facts > 0";

/// How many statements store at the same time.
const CONCURRENT: usize = 2;

/// How many updates wait for these, and then share a statement.
const TOGETHER: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn what_may_have_been_stored_is_not_stored_again() {
    let postgres = Cluster::start(&[]);
    let address = Forwarder::to(&postgres);
    let home = Home::on(&address.url());
    let serving = home.serve("--rate-limit 0 --log off").await;
    let client = serving.client(None);
    let users: Vec<_> = (0..CONCURRENT + TOGETHER)
        .map(|n| user(&format!("u-{n}")))
        .collect();
    let update = |n: usize, message: &'static str| {
        let (client, user) = (client.clone(), users[n].clone());
        tokio::spawn(async move { client.update(&user, message, "Hello.").await })
    };
    for n in 0..users.len() {
        update(n, "My name is Ada.").await.unwrap().unwrap();
    }

    let url = postgres.url("postgres");
    let mut beside = PgConnection::connect(&url).await.unwrap();
    sqlx::raw_sql(SLOWLY).execute(&mut beside).await.unwrap();
    let mut seen = HashSet::new();
    let mut sent = Vec::new();
    for n in 0..CONCURRENT {
        sent.push(update(n, "My name is Bob."));
        until_stored_by(n + 1, &mut seen, &mut beside).await;
    }
    sent.extend((CONCURRENT..users.len()).map(|n| update(n, "My name is Bob.")));
    until_stored_by(CONCURRENT + 1, &mut seen, &mut beside).await;
    address.cut();

    let mut refused = 0;
    for answer in sent {
        if let Err(error) = answer.await.unwrap() {
            assert_eq!(error.code(), Some(&ErrorCode::PersistenceError));
            refused += 1;
        }
    }
    // Stored again, each alone, they would have been acknowledged.
    assert!(refused > CONCURRENT, "{refused}");
    for user in &users {
        until("it is stored", async || {
            let injected = client.inject(user, "Hello").await;
            injected.is_ok_and(|injected| injected.prompt().contains("Bob"))
        })
        .await;
    }
    let logged = sqlx::query_scalar::<_, i64>(LOGGED);
    let logged = logged.fetch_one(&mut beside).await.unwrap();
    assert_eq!(usize::try_from(logged).unwrap(), 2 * users.len());
}

/// Waits until so many statements have been storing.
async fn until_stored_by(statements: usize, seen: &mut HashSet<String>, beside: &mut PgConnection) {
    until("an update is stored", async || {
        let found = sqlx::query_scalar::<_, String>(STORING).fetch_all(&mut *beside);
        seen.extend(found.await.unwrap());
        seen.len() >= statements
    })
    .await;
}
