//! The same stack on Postgres by the shortest way: one statement that reads, or the four of
//! a careful write in a transaction.

use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use super::{Routes, Update, answer, inject, update};

const READ: &str = "SELECT answer FROM blocks WHERE user_id = $1";
const ADD_USER: &str = "INSERT INTO users (user_id, version) VALUES ($1, 0) ON CONFLICT DO NOTHING";
const LOCK: &str = "SELECT version FROM users WHERE user_id = $1 FOR UPDATE";
const PUT: &str = "INSERT INTO facts (user_id, slot, value) VALUES ($1, $2, $3)
                   ON CONFLICT (user_id, slot) DO UPDATE SET value = excluded.value";
const TOUCH: &str = "UPDATE users SET version = version + 1 WHERE user_id = $1";

pub(super) async fn reading(url: &str, bytes: usize) -> Routes {
    let pool = open(url).await;
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
    let pool = open(url).await;
    update(move |request| {
        let pool = pool.clone();
        async move { store(&pool, request).await }
    })
}

/// A row to lock, two facts, a version: four statements.
async fn store(pool: &PgPool, request: Update) -> Result<(), sqlx::Error> {
    let user = &request.user_id;
    let mut tx = pool.begin_with("BEGIN").await?;
    let found = sqlx::query(LOCK)
        .bind(user)
        .fetch_optional(&mut *tx)
        .await?;
    if found.is_none() {
        sqlx::query(ADD_USER).bind(user).execute(&mut *tx).await?;
    }
    for (slot, value) in [
        ("name", request.user_message),
        ("place", request.agent_response),
    ] {
        sqlx::query(PUT)
            .bind(user)
            .bind(slot)
            .bind(value)
            .execute(&mut *tx)
            .await?;
    }
    sqlx::query(TOUCH).bind(user).execute(&mut *tx).await?;
    tx.commit().await
}

async fn open(url: &str) -> PgPool {
    let pool = PgPoolOptions::new()
        .max_connections(10)
        .test_before_acquire(false)
        .connect(url)
        .await
        .unwrap();
    for table in [
        "CREATE TABLE users (user_id TEXT PRIMARY KEY, version BIGINT)",
        "CREATE TABLE facts (user_id TEXT, slot TEXT, value TEXT, PRIMARY KEY (user_id, slot))",
        "CREATE TABLE blocks (user_id TEXT PRIMARY KEY, answer TEXT)",
    ] {
        sqlx::query(table).execute(&pool).await.unwrap();
    }
    pool
}
