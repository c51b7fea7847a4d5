//! The same stack on SQLite by the shortest way: one statement that reads, or a commit a
//! request with the settings that make it durable.

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use warp::Filter;

use super::{Inject, Routes, Update, answer, body, json_reply};

const PUT: &str = "INSERT INTO facts (user_id, slot, value) VALUES ($1, $2, $3)
                   ON CONFLICT (user_id, slot) DO UPDATE SET value = excluded.value";

pub(super) async fn reading(url: &str, bytes: usize) -> Routes {
    let pool = open(url, 8).await;
    sqlx::query("INSERT INTO blocks (user_id, answer) VALUES ('ada', $1)")
        .bind(answer(bytes))
        .execute(&pool)
        .await
        .unwrap();
    warp::path!("api" / "context" / "inject")
        .and(body())
        .then(move |request: Inject| {
            let pool = pool.clone();
            async move {
                std::hint::black_box(request.base_prompt);
                let answer = sqlx::query_scalar("SELECT answer FROM blocks WHERE user_id = $1")
                    .bind(request.user_id)
                    .fetch_one(&pool)
                    .await;
                json_reply(answer.unwrap())
            }
        })
        .boxed()
}

pub(super) async fn committing(url: &str) -> Routes {
    let pool = open(url, 1).await;
    warp::path!("api" / "context" / "update")
        .and(body())
        .then(move |request: Update| {
            let pool = pool.clone();
            async move {
                let mut tx = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
                for (slot, value) in [
                    ("name", request.user_message),
                    ("place", request.agent_response),
                ] {
                    sqlx::query(PUT)
                        .bind(&request.user_id)
                        .bind(slot)
                        .bind(value)
                        .execute(&mut *tx)
                        .await
                        .unwrap();
                }
                tx.commit().await.unwrap();
                json_reply("{\"updated\":true}".to_owned())
            }
        })
        .boxed()
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
