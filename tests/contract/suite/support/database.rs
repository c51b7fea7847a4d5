//! The databases of the suite: SQLite in a folder, or a database on the shared Postgres.

use std::path::Path;
use std::sync::Arc;

use ctxmem_server::store::Db;
use ctxmem_test_postgres::{Database, fresh_database};
use sqlx::{Connection as _, PgConnection, SqliteConnection};
use tempfile::TempDir;

/// The engine on which the suite runs.
#[derive(Clone, Copy)]
#[expect(dead_code, reason = "each root runs on one of them")]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// A database that outlives the servers that run on it, and goes with the test.
#[derive(Clone)]
pub(crate) struct Store {
    folder: Arc<TempDir>,
    postgres: Option<Arc<Database>>,
}

impl Store {
    pub(super) async fn new() -> Self {
        let postgres = match crate::ENGINE {
            Engine::Sqlite => None,
            Engine::Postgres => Some(Arc::new(
                fresh_database(|url| async move {
                    Db::open(&url).await.unwrap().close().await;
                })
                .await,
            )),
        };
        Self {
            folder: Arc::new(tempfile::tempdir().unwrap()),
            postgres,
        }
    }

    /// How the database is named.
    pub(crate) fn url(&self) -> String {
        match &self.postgres {
            Some(database) => database.url.clone(),
            None => format!("sqlite://{}", self.path().join("ctxmem.db").display()),
        }
    }

    /// Where the files of a SQLite database are.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Deletes an agent as its developer would.
    pub(crate) async fn mark_deleted(&self, agent: &super::Agent) {
        let deleted = "UPDATE agents SET deleted_at = 1 WHERE id = $1";
        self.run(deleted, &agent.id).await;
    }

    /// Notes when an agent last used its grants.
    pub(crate) async fn mark_used(&self, agent: &super::Agent, at: i64) {
        let used = format!("UPDATE grants SET last_used_at = {at} WHERE agent_id = $1");
        self.run(&used, &agent.id).await;
    }

    async fn run(&self, change: &str, agent_id: &str) {
        let url = self.url();
        let change = sqlx::AssertSqlSafe(change.to_owned());
        let touched = match crate::ENGINE {
            Engine::Sqlite => sqlx::query(change)
                .bind(agent_id)
                .execute(&mut SqliteConnection::connect(&url).await.unwrap())
                .await
                .unwrap()
                .rows_affected(),
            Engine::Postgres => sqlx::query(change)
                .bind(agent_id)
                .execute(&mut PgConnection::connect(&url).await.unwrap())
                .await
                .unwrap()
                .rows_affected(),
        };
        assert_eq!(touched, 1);
    }

    /// How many grants an agent ever had, those that were replaced included.
    pub(super) async fn grants_ever_made(&self, agent_id: &str) -> i64 {
        let grants = "SELECT COUNT(*) FROM grants WHERE agent_id = $1";
        self.count(grants, agent_id).await
    }

    /// How many idempotency keys of an agent are remembered.
    pub(super) async fn idempotency_keys(&self, agent_id: &str) -> i64 {
        let keys = "SELECT COUNT(*) FROM idempotency_keys WHERE agent_id = $1";
        self.count(keys, agent_id).await
    }

    async fn count(&self, count: &'static str, agent_id: &str) -> i64 {
        let url = self.url();
        match crate::ENGINE {
            Engine::Sqlite => sqlx::query_scalar(count)
                .bind(agent_id)
                .fetch_one(&mut SqliteConnection::connect(&url).await.unwrap())
                .await
                .unwrap(),
            Engine::Postgres => sqlx::query_scalar(count)
                .bind(agent_id)
                .fetch_one(&mut PgConnection::connect(&url).await.unwrap())
                .await
                .unwrap(),
        }
    }

    /// How many connections hold a transaction open and do nothing, once what is under way
    /// has had a moment to end. SQLite does not tell; there the next write would not get
    /// through.
    pub(super) async fn open_transactions(&self) -> i64 {
        let Engine::Postgres = crate::ENGINE else {
            return 0;
        };
        let url = self.url();
        let mut connection = PgConnection::connect(&url).await.unwrap();
        let mut open = 0;
        for _ in 0..100 {
            open = sqlx::query_scalar(
                "SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
            )
            .fetch_one(&mut connection)
            .await
            .unwrap();
            if open == 0 {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        open
    }
}

impl std::fmt::Display for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "Postgres",
        })
    }
}
