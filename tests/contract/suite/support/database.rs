//! The databases of the suite: SQLite in a folder, a database on the shared Postgres, or one on the
//! shared cluster of Citus, which is distributed.

use std::any::Any;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use ctxmem_client::UserId;
use ctxmem_server::store::{Db, DbConfig, StoreError};
use ctxmem_test_postgres::{CitusDatabase, Database, fresh_citus_database, fresh_database};
use ctxmem_types::Scope;
use sqlx::{Connection as _, PgConnection, SqliteConnection};
use tempfile::TempDir;

use super::chosen;

/// What the databases of a server are.
#[derive(Clone, Copy)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
    Citus,
}

/// The engine on which this run of the suite is.
pub(crate) static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    chosen(
        "CTXMEM_TEST_ENGINE",
        &[
            ("sqlite", Engine::Sqlite),
            ("postgres", Engine::Postgres),
            ("citus", Engine::Citus),
        ],
    )
});

/// A database that outlives the servers that run on it, and goes with the test.
#[derive(Clone)]
pub(crate) struct Store {
    folder: Arc<TempDir>,
    place: Place,
}

/// Where a database is.
#[derive(Clone)]
enum Place {
    /// In the folder.
    Sqlite,
    Postgres(Arc<Database>),
    Citus(Arc<Distributed>),
}

/// A distributed database, and how many servers run on it.
struct Distributed {
    database: CitusDatabase,
    servers: AtomicUsize,
}

impl Store {
    /// A new database.
    pub(crate) async fn on(engine: Engine) -> Self {
        let place = match engine {
            Engine::Sqlite => Place::Sqlite,
            Engine::Postgres => {
                let migrate = |url| async move {
                    Db::open(&url).await.unwrap().close().await;
                };
                Place::Postgres(Arc::new(fresh_database(migrate).await))
            }
            Engine::Citus => Place::Citus(Arc::new(Distributed {
                database: fresh_citus_database(distribute).await,
                servers: AtomicUsize::new(0),
            })),
        };
        Self {
            folder: Arc::new(tempfile::tempdir().unwrap()),
            place,
        }
    }

    /// How the database is named.
    pub(crate) fn url(&self) -> String {
        match &self.place {
            Place::Sqlite => format!("sqlite://{}", self.path().join("ctxmem.db").display()),
            Place::Postgres(database) => database.url.clone(),
            Place::Citus(distributed) => distributed.database.urls[0].clone(),
        }
    }

    /// How the next server names it. Of a distributed database the first server is at a worker, the
    /// second at the coordinator.
    pub(super) fn url_of_server(&self) -> String {
        let Place::Citus(distributed) = &self.place else {
            return self.url();
        };
        let urls = &distributed.database.urls;
        let number = distributed.servers.fetch_add(1, Ordering::Relaxed);
        urls[(urls.len() - 1 + number) % urls.len()].clone()
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

    /// Adds an agent that belongs to this id of a developer.
    pub(crate) async fn add_agent(&self, name: &str, developer_id: &str) {
        let added = format!(
            "INSERT INTO agents (id, developer_id, name, created_at)
             VALUES ('{name}', $1, '{name}', 1)"
        );
        self.run(&added, developer_id).await;
    }

    /// Notes when an agent last used its grants.
    pub(crate) async fn mark_used(&self, agent: &super::Agent, at: i64) {
        let used = format!("UPDATE grants SET last_used_at = {at} WHERE agent_id = $1");
        self.run(&used, &agent.id).await;
    }

    /// Puts the one preference that an agent stored of a user into a slot of its bare name.
    pub(crate) async fn name_slot(&self, agent: &super::Agent, user: &UserId) {
        let db = Db::open(self.url()).await.unwrap();
        let (agent_id, user) = (agent.id.clone(), user.clone());
        let moved: Result<(), StoreError> = db
            .write(move |tx| {
                let (agent_id, user) = (agent_id.clone(), user.clone());
                Box::pin(async move {
                    tx.lock_user(&user).await?;
                    let mut facts = tx.facts(&user, Scope::Preferences).await?;
                    let mut fact = facts.pop().unwrap();
                    assert!(facts.is_empty());
                    tx.remove_fact(&user, fact.scope, &fact.slot).await?;
                    fact.slot = fact.name.clone().unwrap();
                    tx.put_fact(&user, &agent_id, &fact).await
                })
            })
            .await;
        moved.unwrap();
        db.close().await;
    }

    /// Adds so many entries about the one user who has signed in, before all others.
    pub(crate) async fn add_history(&self, entries: u32) {
        // Housekeeping deletes old entries.
        let now = chrono::Utc::now().timestamp_millis();
        if let Place::Citus(_) = self.place {
            // It takes no recursive query here.
            let who = "SELECT encode(user_key, 'hex') FROM audit
                       WHERE action = 'sign_in' AND actor = 'user' LIMIT 1";
            let who = self.texts(who.to_owned()).await.remove(0);
            return self
                .change(format!(
                    "INSERT INTO audit (user_key, id, at, action, actor, scopes, outcome, facts,
                                        grants, times)
                     SELECT decode('{who}', 'hex'), '00000000-0000-7000-8000-'
                            || substr(CAST(1000000000000 + n AS TEXT), 2), {now} + n, 'read', 'user',
                            0, 'done', 0, 0, 1
                     FROM generate_series(1, {entries}) AS n"
                ))
                .await;
        }
        self.change(format!(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {entries})
             INSERT INTO audit (user_key, id, at, action, actor, scopes, outcome, facts, grants,
                                times)
             SELECT (SELECT user_key FROM audit WHERE action = 'sign_in' AND actor = 'user' LIMIT 1),
                    '00000000-0000-7000-8000-' || substr(CAST(1000000000000 + n AS TEXT), 2),
                    {now} + n, 'read', 'user', 0, 'done', 0, 0, 1
             FROM n"
        ))
        .await;
    }

    /// From now on the audit log can't be read.
    pub(crate) async fn break_history(&self) {
        self.change("ALTER TABLE audit RENAME TO broken".to_owned())
            .await;
    }

    /// Changes something behind the server's back.
    pub(crate) async fn change(&self, change: String) {
        let (url, change) = (self.url(), sqlx::AssertSqlSafe(change));
        match self.place {
            Place::Sqlite => {
                let mut connection = SqliteConnection::connect(&url).await.unwrap();
                sqlx::query(change).execute(&mut connection).await.unwrap();
            }
            Place::Postgres(_) | Place::Citus(_) => {
                let mut connection = PgConnection::connect(&url).await.unwrap();
                sqlx::query(change).execute(&mut connection).await.unwrap();
            }
        }
    }

    async fn run(&self, change: &str, agent_id: &str) {
        let url = self.url();
        let change = sqlx::AssertSqlSafe(change.to_owned());
        let touched = match self.place {
            Place::Sqlite => sqlx::query(change)
                .bind(agent_id)
                .execute(&mut SqliteConnection::connect(&url).await.unwrap())
                .await
                .unwrap()
                .rows_affected(),
            Place::Postgres(_) | Place::Citus(_) => sqlx::query(change)
                .bind(agent_id)
                .execute(&mut PgConnection::connect(&url).await.unwrap())
                .await
                .unwrap()
                .rows_affected(),
        };
        assert_eq!(touched, 1);
    }

    /// How many grants of an agent are stored, those that were replaced included.
    pub(super) async fn grants_kept(&self, agent_id: &str) -> i64 {
        let grants = "SELECT COUNT(*) FROM grants WHERE agent_id = $1";
        self.count(grants, agent_id).await
    }

    /// How many idempotency keys of an agent are remembered.
    pub(super) async fn idempotency_keys(&self, agent_id: &str) -> i64 {
        let keys = "SELECT COUNT(*) FROM idempotency_keys WHERE agent_id = $1";
        self.count(keys, agent_id).await
    }

    /// What the audit log holds about an agent: action, actor and the developer who acted.
    pub(super) async fn audited(&self, agent_id: &str) -> Vec<String> {
        self.texts(format!(
            "SELECT action || ' ' || actor || ' ' || COALESCE(developer_id, '') FROM audit
             WHERE agent_id = '{agent_id}' AND actor IN ('developer', 'operator') ORDER BY id"
        ))
        .await
    }

    /// How often a developer signed in, as the audit log has it.
    pub(super) async fn sign_ins(&self, developer_id: &str) -> usize {
        let events = self.texts(format!(
            "SELECT id FROM audit WHERE developer_id = '{developer_id}'
             AND action = 'sign_in' AND actor = 'developer'"
        ));
        events.await.len()
    }

    /// How many sessions of a developer are stored, however old.
    pub(super) async fn developer_sessions(&self, developer_id: &str) -> usize {
        let sessions = self.texts(format!(
            "SELECT developer_id FROM developer_sessions WHERE developer_id = '{developer_id}'"
        ));
        sessions.await.len()
    }

    /// How many sessions a developer has.
    pub(super) async fn sessions_of_developer(&self, email: &str) -> i64 {
        let sessions = "SELECT COUNT(*) FROM developer_sessions s
                        JOIN developers d ON d.id = s.developer_id WHERE d.email = $1";
        self.count(sessions, email).await
    }

    /// How many sign-ins at the provider are under way, for users or developers.
    pub(super) async fn oidc_sign_ins(&self, purpose: &str) -> i64 {
        let sign_ins = "SELECT COUNT(*) FROM oidc_sign_ins WHERE purpose = $1";
        self.count(sign_ins, purpose).await
    }

    async fn count(&self, count: &'static str, of: &str) -> i64 {
        let url = self.url();
        match self.place {
            Place::Sqlite => sqlx::query_scalar(count)
                .bind(of)
                .fetch_one(&mut SqliteConnection::connect(&url).await.unwrap())
                .await
                .unwrap(),
            Place::Postgres(_) | Place::Citus(_) => sqlx::query_scalar(count)
                .bind(of)
                .fetch_one(&mut PgConnection::connect(&url).await.unwrap())
                .await
                .unwrap(),
        }
    }

    /// How many rows a table has.
    pub(crate) async fn rows(&self, table: &str) -> usize {
        let ids = self.texts(format!("SELECT 'row' FROM {table}")).await;
        ids.len()
    }

    /// Every column of every row of the audit log.
    pub(crate) async fn audit_rows(&self) -> Vec<String> {
        const COLUMNS: &str = "' ' || id || ' ' || at || ' ' || action || ' ' || actor || ' '
            || COALESCE(agent_id, '-') || ' ' || COALESCE(developer_id, '-') || ' ' || scopes
            || ' ' || outcome || ' ' || facts || ' ' || times FROM audit ORDER BY id";
        self.texts(match self.place {
            Place::Sqlite => format!("SELECT hex(user_key) || {COLUMNS}"),
            Place::Postgres(_) | Place::Citus(_) => {
                format!("SELECT encode(user_key, 'hex') || {COLUMNS}")
            }
        })
        .await
    }

    /// What agents did by day, in the order of days: injects, updates, filtered, denied and
    /// errors.
    pub(crate) async fn usage_rows(&self, agent_id: &str) -> Vec<String> {
        self.texts(format!(
            "SELECT day || ': ' || injects || ' ' || updates || ' ' || filtered || ' ' || denied
                 || ' ' || errors
             FROM usage_days WHERE agent_id = '{agent_id}' ORDER BY day"
        ))
        .await
    }

    /// When an agent last used each of its grants that are not replaced, the newest last.
    pub(crate) async fn last_uses(&self, agent_id: &str) -> Vec<String> {
        self.texts(format!(
            "SELECT COALESCE(CAST(last_used_at AS TEXT), 'never') FROM grants
             WHERE agent_id = '{agent_id}' AND latest = 1 ORDER BY created_at, id"
        ))
        .await
    }

    /// How often Postgres gave up a transaction of this database for another.
    pub(crate) async fn deadlocks(&self) -> i64 {
        if let Place::Sqlite = self.place {
            return 0;
        }
        let deadlocks = "SELECT CAST(deadlocks AS TEXT) FROM pg_stat_database
                         WHERE datname = current_database()";
        let found = self.texts(deadlocks.to_owned()).await;
        found[0].parse().unwrap()
    }

    /// The rows of a query that answers one column of text.
    pub(crate) async fn texts(&self, query: String) -> Vec<String> {
        let (url, query) = (self.url(), sqlx::AssertSqlSafe(query));
        match self.place {
            Place::Sqlite => sqlx::query_scalar(query)
                .fetch_all(&mut SqliteConnection::connect(&url).await.unwrap())
                .await
                .unwrap(),
            Place::Postgres(_) | Place::Citus(_) => sqlx::query_scalar(query)
                .fetch_all(&mut PgConnection::connect(&url).await.unwrap())
                .await
                .unwrap(),
        }
    }

    /// Whether somebody else holds the database open as it was before the last write, once what is under
    /// way has had a moment to end.
    pub(crate) async fn is_held(&self) -> bool {
        for _ in 0..100 {
            let is_held = match self.place {
                Place::Sqlite => {
                    let mut connection = SqliteConnection::connect(&self.url()).await.unwrap();
                    let at_once = sqlx::query("PRAGMA busy_timeout = 0");
                    at_once.execute(&mut connection).await.unwrap();
                    let busy: i64 = sqlx::query_scalar("PRAGMA wal_checkpoint(TRUNCATE)")
                        .fetch_one(&mut connection)
                        .await
                        .unwrap();
                    busy != 0
                }
                Place::Postgres(_) | Place::Citus(_) => {
                    let open = "SELECT 'open' FROM pg_stat_activity
                                WHERE datname = current_database() AND pid <> pg_backend_pid()
                                  AND backend_type = 'client backend'
                                  AND (xact_start IS NOT NULL OR backend_xmin IS NOT NULL)";
                    !self.texts(open.to_owned()).await.is_empty()
                }
            };
            if !is_held {
                return false;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        true
    }

    /// Holds the database open as it is, until the answer is dropped.
    pub(crate) async fn hold(&self) -> Box<dyn Any> {
        let (url, look) = (self.url(), "SELECT COUNT(*) FROM audit");
        match self.place {
            Place::Sqlite => {
                let mut connection = SqliteConnection::connect(&url).await.unwrap();
                let begin = sqlx::query("BEGIN").execute(&mut connection);
                begin.await.unwrap();
                sqlx::query(look).execute(&mut connection).await.unwrap();
                Box::new(connection)
            }
            Place::Postgres(_) | Place::Citus(_) => {
                let mut connection = PgConnection::connect(&url).await.unwrap();
                let begin = sqlx::query("BEGIN ISOLATION LEVEL REPEATABLE READ");
                begin.execute(&mut connection).await.unwrap();
                sqlx::query(look).execute(&mut connection).await.unwrap();
                Box::new(connection)
            }
        }
    }

    /// How many connections hold a transaction open and do nothing, once what is under way
    /// has had a moment to end. SQLite does not tell; there the next write would not get
    /// through.
    pub(super) async fn open_transactions(&self) -> i64 {
        if let Place::Sqlite = self.place {
            return 0;
        }
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

async fn distribute(url: String) {
    let config = DbConfig::from(url);
    Db::distribute(&config, &|_| {}).await.unwrap();
    Db::open(config).await.unwrap().close().await;
}

impl std::fmt::Display for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "Postgres",
            Self::Citus => "Citus",
        })
    }
}
