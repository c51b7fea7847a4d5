//! Rows that somebody else has locked, as with psql.

use std::time::{Duration, Instant};

use ctxmem_client::{Client, ErrorCode};
use sqlx::{Connection as _, PgConnection};

use crate::process::{Home, tell, user};

/// How long the rows stay locked if nobody is answered before.
const PATIENCE: Duration = Duration::from_secs(30);

/// Twice as long as a caller waits: the machine may be busy.
const BOUND: Duration = Duration::from_secs(5);

/// Updates of the same user, one soon after the other.
const CALLERS: u32 = 8;

/// What one statement can store, and what it can't, because facts are searched for by words.
const NAME: &str = "My name is Bob.";
const BY_WORDS: &str = "Forget what I said about Lisbon.";

/// Sends updates about a user who is locked, with these messages in turn, and such about another, from
/// this one of them on. All must be answered while the rows are still locked, and those about the other succeed. Answers how
/// long the slowest answer took.
async fn update_beside(
    client: &Client,
    lock: &'static str,
    messages: [&'static str; 2],
    others_from: u32,
    url: &str,
) -> Duration {
    let mut other = PgConnection::connect(url).await.unwrap();
    let mut locking = other.begin().await.unwrap();
    let rows = sqlx::query(lock).fetch_all(&mut *locking).await.unwrap();
    assert!(!rows.is_empty(), "nothing is locked");

    let send = async |n: u32, name: &str| {
        tokio::time::sleep(Duration::from_millis(200) * n).await;
        let began = Instant::now();
        let message = messages[usize::try_from(n).unwrap() % 2];
        let answer = client.update(&user(name), message, "Hello.").await;
        (answer, began.elapsed())
    };
    let [ada, eve] = [("ada", 0), ("eve", others_from)].map(|(name, first)| {
        futures_util::future::join_all((first..CALLERS).map(|n| send(n, name)))
    });
    let both = async { tokio::join!(ada, eve) };
    let (ada, eve) = tokio::time::timeout(PATIENCE, both).await.unwrap();
    let slowest = ada.iter().map(|(_, after)| *after).max().unwrap();
    assert!(slowest < BOUND, "{slowest:?}");
    for (refused, _) in ada {
        let refused = refused.unwrap_err();
        assert_eq!(refused.code(), Some(&ErrorCode::PersistenceError));
    }
    for (answer, _) in eve {
        answer.unwrap();
    }

    locking.rollback().await.unwrap();
    tell(client, "ada", "My name is Eve.").await;
    slowest
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_do_not_wait_for_rows_that_others_have_locked() {
    let home = Home::migrated_on_postgres().await;
    let serving = home.serve("--rate-limit 0 --log off").await;
    let client = serving.client(None);
    for name in ["eve", "ada"] {
        tell(&client, name, "My name is Ada.").await;
    }
    // The one whose row is locked is the one who was stored last.
    let user = "SELECT * FROM users ORDER BY last_updated DESC LIMIT 1 FOR UPDATE";
    let facts = "SELECT * FROM facts WHERE user_key = (
                     SELECT user_key FROM users ORDER BY last_updated DESC LIMIT 1) FOR UPDATE";
    for (lock, messages, others_from) in [
        (user, [NAME, BY_WORDS], 0),
        // Callers that share a statement with the first wait as well.
        (facts, [NAME, NAME], CALLERS - 1),
    ] {
        let slowest = update_beside(&client, lock, messages, others_from, &home.url()).await;
        println!("figure: rows locked by others: the slowest answer took {slowest:.2?}");
    }
}
