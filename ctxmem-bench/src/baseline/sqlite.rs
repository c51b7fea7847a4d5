//! The same stack on SQLite by the shortest way: one statement that reads, or a commit a
//! request with the settings that make it durable.

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::{Routes, Update, answer, inject, update};

const READ: &str = "SELECT answer FROM blocks WHERE user_id = $1";
const PUT: &str = "INSERT INTO facts (user_id, slot, value) VALUES ($1, $2, $3)
                   ON CONFLICT (user_id, slot) DO UPDATE SET value = excluded.value";

pub(super) async fn reading(url: &str, bytes: usize) -> Routes {
    let pool = open(url, 8).await;
    sqlx::query("INSERT INTO blocks (user_id, answer) VALUES ('ada', $1)")
        .bind(answer(bytes))
        .execute(&pool)
        .await
        .unwrap();
    inject(move |user| {
        let pool = pool.clone();
        async move {
            let answer = sqlx::query_scalar(READ).bind(user).fetch_one(&pool);
            answer.await.unwrap()
        }
    })
}

pub(super) async fn committing(url: &str) -> Routes {
    let pool = open(url, 1).await;
    update(move |request| {
        let pool = pool.clone();
        async move { store(&pool, request).await }
    })
}

async fn store(pool: &SqlitePool, request: Update) -> Result<(), sqlx::Error> {
    let mut tx = pool.begin_with("BEGIN IMMEDIATE").await?;
    for (slot, value) in [
        ("name", request.user_message),
        ("place", request.agent_response),
    ] {
        sqlx::query(PUT)
            .bind(&request.user_id)
            .bind(slot)
            .bind(value)
            .execute(&mut *tx)
            .await?;
    }
    tx.commit().await
}

async fn open(url: &str, connections: u32) -> SqlitePool {
    let options = SqliteConnectOptions::from_str(url)
        .unwrap()
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let pool = SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(Duration::from_secs(30))
        .test_before_acquire(false)
        .connect_with(options)
        .await
        .unwrap();
    for table in [
        "CREATE TABLE facts (user_id TEXT, slot TEXT, value TEXT, PRIMARY KEY (user_id, slot))",
        "CREATE TABLE blocks (user_id TEXT PRIMARY KEY, answer TEXT)",
    ] {
        sqlx::query(table).execute(&pool).await.unwrap();
    }
    pool
}
