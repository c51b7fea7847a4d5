//! Many users and facts, written past the server: by updates it would take hours.

use std::path::Path;

use sha2::{Digest as _, Sha256};
use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, SqliteConnection};

use super::Bench;
use super::facts::message;
use crate::server::Server;

/// How many users one statement writes.
const AT_ONCE: usize = 10_000;

/// The length of the facts of the user who has many: ten fill the token budget.
const FACT_BYTES: usize = 258;

/// What a file holds.
#[derive(Clone, Copy)]
pub(super) struct Data {
    /// Facts of the user `ada`.
    pub(super) facts: usize,
    /// Other users, whose ids `user` tells.
    pub(super) users: usize,
    /// Facts of each of them.
    pub(super) facts_each: usize,
}

/// The nth of the other users.
pub(super) fn user(n: usize) -> String {
    format!("user {n:07}")
}

impl Data {
    /// A server on a file that holds this.
    pub(super) async fn serve(self, bench: &Bench, flags: &[&str]) -> Server {
        let server = Server::on_sqlite(&bench.server, flags);
        // The update stores two facts and makes the grant of the agent.
        server
            .tell(&mut server.wire().await, "ada", &message(0))
            .await;
        let fill = async |file| self.fill(file).await;
        server.restart(flags, fill).await
    }

    async fn fill(self, file: impl AsRef<Path>) {
        let mut db: SqliteConnection = SqliteConnectOptions::new()
            .filename(file)
            // After a failure the file is written again from the start.
            .synchronous(SqliteSynchronous::Off)
            .pragma("cache_size", "-262144")
            .connect()
            .await
            .unwrap();
        let numbers = self.facts.max(AT_ONCE);
        sqlx::query("CREATE TEMP TABLE n (i INTEGER PRIMARY KEY)")
            .execute(&mut db)
            .await
            .unwrap();
        sqlx::query(
            "INSERT INTO n WITH RECURSIVE n(i) AS
                 (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
             SELECT i FROM n",
        )
        .bind(signed(numbers))
        .execute(&mut db)
        .await
        .unwrap();
        self.learn(&mut db).await;
        for first in (0..self.users).step_by(AT_ONCE) {
            self.add_users(&mut db, first).await;
        }
        self.teach_users(&mut db).await;
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(&mut db)
            .await
            .unwrap();
    }

    /// Adds to the two facts of the user who has been told them.
    async fn learn(self, db: &mut SqliteConnection) {
        let head = "skill number 00000: ".len();
        sqlx::query(
            "INSERT INTO facts (user_key, scope, slot, name, value, source_type, agent_id,
                                position, first_stored_at, confirmed_at)
             SELECT user_key, 3, 'skill ' || i, NULL, printf('skill number %05d: %s', i, $1),
                    'observed', (SELECT id FROM agents), 1000 + i,
                    1700000000000 + i, 1700000000000 + i
             FROM users, n WHERE i < $2",
        )
        .bind("x".repeat(FACT_BYTES - head))
        .bind(signed(self.facts - 2))
        .execute(&mut *db)
        .await
        .unwrap();
        sqlx::query("UPDATE users SET next_position = 1000 + $1")
            .bind(signed(self.facts))
            .execute(db)
            .await
            .unwrap();
    }

    /// Adds users from this one on, under the keys by which the server finds them.
    async fn add_users(self, db: &mut SqliteConnection, first: usize) {
        let salt: Vec<u8> = sqlx::query_scalar("SELECT value FROM meta WHERE name = 'user_salt'")
            .fetch_one(&mut *db)
            .await
            .unwrap();
        let salted = Sha256::new_with_prefix(salt);
        let count = AT_ONCE.min(self.users - first);
        let keys: Vec<u8> = (first..first + count)
            .flat_map(|n| salted.clone().chain_update(user(n)).finalize())
            .collect();
        sqlx::query(
            "INSERT INTO users (user_key, user_id, epoch, next_position, last_updated)
             SELECT substr($1, 1 + 32 * i, 32), printf('user %07d', $2 + i), 0, 100, 1700000000000
             FROM n WHERE i < $3",
        )
        .bind(keys)
        .bind(signed(first))
        .bind(signed(count))
        .execute(db)
        .await
        .unwrap();
    }

    /// Gives each user a grant, as the agent makes it, and facts.
    async fn teach_users(self, db: &mut SqliteConnection) {
        sqlx::query(
            "INSERT INTO grants (user_key, id, agent_id, scopes, made_by, created_at, latest)
             SELECT user_key, lower(hex(randomblob(16))), (SELECT id FROM agents), 127, 'agent',
                    1700000000000, 1
             FROM users WHERE user_id <> 'ada' ORDER BY user_key",
        )
        .execute(&mut *db)
        .await
        .unwrap();
        sqlx::query(
            "INSERT INTO facts (user_key, scope, slot, name, value, source_type, agent_id,
                                position, first_stored_at, confirmed_at)
             SELECT user_key, 3, 'skill ' || i, NULL, 'skill number ' || i, 'observed',
                    (SELECT id FROM agents), i, 1700000000000, 1700000000000
             FROM users CROSS JOIN n WHERE user_id <> 'ada' AND i < $1 ORDER BY user_key",
        )
        .bind(signed(self.facts_each))
        .execute(db)
        .await
        .unwrap();
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap()
}
