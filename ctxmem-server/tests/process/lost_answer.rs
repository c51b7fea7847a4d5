//! A connection breaks while Postgres stores an update: it is stored, and its answer gets lost.

use std::time::{Duration, Instant};

use ctxmem_client::ErrorCode;
use ctxmem_test_postgres::Cluster;
use sqlx::{Connection as _, PgConnection};

use crate::forwarder::Forwarder;
use crate::process::{Home, user};

/// Makes storing slow, so that the connection can be cut meanwhile.
const SLOWLY: &str = "
    CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(1); RETURN NEW; END';
    CREATE TRIGGER slowly BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION slowly()";

const IS_STORING: &str = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity \
                          WHERE wait_event = 'PgSleep' AND state = 'active')";

const LOGGED: &str = "SELECT count(*) FROM audit WHERE action = 'update' AND facts > 0";

#[tokio::test(flavor = "multi_thread")]
async fn what_may_have_been_stored_is_not_stored_again() {
    let postgres = Cluster::start(&[]);
    let address = Forwarder::to(&postgres);
    let home = Home::on(&address.url());
    let serving = home.serve(&["--log", "off"]).await;
    let client = serving.client(None);
    let ada = user("ada");
    client
        .update(&ada, "My name is Ada.", "Hello.")
        .await
        .unwrap();

    let mut beside = PgConnection::connect(&postgres.url("postgres"))
        .await
        .unwrap();
    sqlx::raw_sql(SLOWLY).execute(&mut beside).await.unwrap();
    let cut = async {
        until("an update is stored", async || {
            let found = sqlx::query_scalar(IS_STORING).fetch_one(&mut beside);
            found.await.unwrap()
        })
        .await;
        address.cut();
    };
    let (answer, ()) = tokio::join!(client.update(&ada, "My name is Bob.", "Hello."), cut);
    let refused = answer.unwrap_err();
    assert_eq!(refused.code(), Some(&ErrorCode::PersistenceError));
    until("it is stored", async || {
        let injected = client.inject(&ada, "Hello").await;
        injected.is_ok_and(|injected| injected.prompt().contains("Bob"))
    })
    .await;
    let logged = sqlx::query_scalar::<_, i64>(LOGGED);
    assert_eq!(logged.fetch_one(&mut beside).await.unwrap(), 2);
}

async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !is_so().await {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "not once: {what}"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
