//! Rows that somebody else has locked, as with psql.

use std::time::{Duration, Instant};

use ctxmem_client::{Client, ErrorCode};
use sqlx::{Connection as _, PgConnection};

use crate::process::{Home, fresh_postgres, user};

/// How long the rows stay locked if nobody is answered before.
const PATIENCE: Duration = Duration::from_secs(30);

/// Twice as long as a caller waits: the machine may be busy.
const BOUND: Duration = Duration::from_secs(5);

/// Updates of the same user, one soon after the other.
const CALLERS: u32 = 8;

/// Sends updates about a user who is locked, and then one about another. All must be answered while
/// the rows are still locked. Answers how long the slowest answer took.
async fn update_beside(client: &Client, lock: &'static str, url: &str) -> Duration {
    let mut other = PgConnection::connect(url).await.unwrap();
    let mut locking = other.begin().await.unwrap();
    let rows = sqlx::query(lock).fetch_all(&mut *locking).await.unwrap();
    assert!(!rows.is_empty(), "nothing is locked");

    let (ada, eve) = (user("ada"), user("eve"));
    let send = async |delay: u32, user| {
        tokio::time::sleep(Duration::from_millis(200) * delay).await;
        let began = Instant::now();
        let answer = client.update(user, "My name is Bob.", "Hello.").await;
        (answer, began.elapsed())
    };
    let callers = futures_util::future::join_all((0..CALLERS).map(|n| send(n, &ada)));
    let all = async { tokio::join!(callers, send(CALLERS, &eve)) };
    let (ada, eve) = tokio::time::timeout(PATIENCE, all).await.unwrap();
    let slowest = ada.iter().map(|(_, after)| *after).max().unwrap();
    assert!(slowest < BOUND, "{slowest:?}");
    for (refused, _) in ada {
        let refused = refused.unwrap_err();
        assert_eq!(refused.code(), Some(&ErrorCode::PersistenceError));
    }
    eve.0.unwrap();

    locking.rollback().await.unwrap();
    let again = client
        .update(&user("ada"), "My name is Eve.", "Hello.")
        .await;
    again.unwrap();
    slowest
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_do_not_wait_for_rows_that_others_have_locked() {
    let database = fresh_postgres().await;
    let home = Home::on(&database.url);
    let serving = home.serve(&["--rate-limit", "0", "--log", "off"]).await;
    let client = serving.client(None);
    for name in ["eve", "ada"] {
        let answer = client
            .update(&user(name), "My name is Ada.", "Hello.")
            .await;
        answer.unwrap();
    }
    // The one whose row is locked is the one who was stored last.
    for lock in [
        "SELECT * FROM users ORDER BY last_updated DESC LIMIT 1 FOR UPDATE",
        "SELECT * FROM facts WHERE user_key = (
             SELECT user_key FROM users ORDER BY last_updated DESC LIMIT 1) FOR UPDATE",
    ] {
        let slowest = update_beside(&client, lock, &database.url).await;
        println!("figure: rows locked by others: the slowest answer took {slowest:.2?}");
    }
}
