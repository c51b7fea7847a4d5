//! The disk of Postgres fills up. Postgres refuses what needs room, and goes on with what needs none.

use std::time::{Duration, Instant};

use ctxmem_client::Client;
use ctxmem_test_postgres::empty_database;
use sqlx::{Connection as _, PgConnection};

use crate::disk::health_becomes;
use crate::process::{Home, browser, tell, user};

const FLAGS: &str = "--rate-limit 0 --log off";

const NO_ROOM: &str = "
    CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE ''could not extend file'' USING ERRCODE = ''53100''; END'";

/// Makes users who are not known yet, until one is refused.
async fn until_refused(client: &Client) {
    // More than there are keys in stock.
    for n in 0..200 {
        let newcomer = user(&format!("newcomer-{n}"));
        let answer = client.update(&newcomer, "My name is Ada.", "Hello.").await;
        if answer.is_err() {
            return;
        }
    }
    panic!("nothing was refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_rows_or_keys_find_no_room_is_not_healthy() {
    for table in ["facts", "user_keys"] {
        let (home, keys) = (Home::on_postgres().await, empty_database().await);
        let flags = format!("{FLAGS} --keys-database-url {}", keys.url);
        let serving = home.serve(&flags).await;
        let client = serving.client(None);
        tell(&client, "ada", "My name is Ada.").await;
        health_becomes(&serving, 200).await;

        let full = match table {
            "facts" => home.url(),
            _ => keys.url.clone(),
        };
        let mut connection = PgConnection::connect(&full).await.unwrap();
        let full = format!(
            "{NO_ROOM}; CREATE TRIGGER no_room BEFORE INSERT ON {table}
             FOR EACH ROW EXECUTE FUNCTION no_room()"
        );
        let full = sqlx::raw_sql(sqlx::AssertSqlSafe(full));
        full.execute(&mut connection).await.unwrap();
        until_refused(&client).await;
        health_becomes(&serving, 503).await;

        let room = format!("DROP TRIGGER no_room ON {table}");
        let room = sqlx::raw_sql(sqlx::AssertSqlSafe(room));
        room.execute(&mut connection).await.unwrap();
        health_becomes(&serving, 200).await;
    }
}

/// Longer than a good result is kept.
const WATCHED: Duration = Duration::from_secs(8);

#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_holds_does_no_harm_to_the_health() {
    let home = Home::migrated_on_postgres().await;
    let serving = home.serve(FLAGS).await;
    let mut other = PgConnection::connect(&home.url()).await.unwrap();
    let row = "INSERT INTO meta (name, value) VALUES ('trial', '') ON CONFLICT DO NOTHING";
    sqlx::raw_sql(row).execute(&mut other).await.unwrap();
    let mut holding = other.begin().await.unwrap();
    let hold = "UPDATE meta SET value = '' WHERE name = 'trial'";
    sqlx::raw_sql(hold).execute(&mut *holding).await.unwrap();
    let (began, browser) = (Instant::now(), browser());
    while began.elapsed() < WATCHED {
        let health = browser.get(format!("{}/api/health", serving.url())).send();
        assert_eq!(health.await.unwrap().status(), 200);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
