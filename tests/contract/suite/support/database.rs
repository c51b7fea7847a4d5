//! The databases of the suite: SQLite in a folder, a database on the shared Postgres, or one on the
//! shared cluster of Citus, which is distributed.

use std::any::Any;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use ctxmem_client::UserId;
use ctxmem_server::store::{Db, DbConfig, StoreError};
use ctxmem_test_postgres::{CitusDatabase, Database, fresh_citus_database, fresh_database};
use ctxmem_types::Scope;
use sqlx::{Connection as _, PgConnection, SqliteConnection};
use tempfile::TempDir;

use super::{Agent, chosen};

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
    pub(crate) async fn mark_deleted(&self, agent: &Agent) {
        let deleted = format!("UPDATE agents SET deleted_at = 1 WHERE id = '{}'", agent.id);
        assert_eq!(self.change(deleted).await, 1);
    }

    /// Adds an agent that belongs to this id of a developer.
    pub(crate) async fn add_agent(&self, name: &str, developer_id: &str) {
        let added = format!(
            "INSERT INTO agents (id, developer_id, name, created_at)
             VALUES ('{name}', '{developer_id}', '{name}', 1)"
        );
        assert_eq!(self.change(added).await, 1);
    }

    /// Notes when an agent last used its grants.
    pub(crate) async fn mark_used(&self, agent: &Agent, at: i64) {
        let id = &agent.id;
        let used = format!("UPDATE grants SET last_used_at = {at} WHERE agent_id = '{id}'");
        assert_eq!(self.change(used).await, 1);
    }

    /// Puts the one preference that an agent stored of a user into a slot of its bare name.
    pub(crate) async fn name_slot(&self, agent: &Agent, user: &UserId) {
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
        let signed_in = "FROM audit WHERE action = 'sign_in' AND actor = 'user' LIMIT 1";
        let (with, who, numbers) = if let Place::Citus(_) = self.place {
            // It takes no recursive query here.
            let who = format!("SELECT encode(user_key, 'hex') {signed_in}");
            let who = self.texts(who).await.remove(0);
            (
                String::new(),
                format!("decode('{who}', 'hex')"),
                format!("generate_series(1, {entries}) AS n"),
            )
        } else {
            let numbers = "SELECT 1 UNION ALL SELECT n + 1 FROM n";
            (
                format!("WITH RECURSIVE n (n) AS ({numbers} WHERE n < {entries})"),
                format!("(SELECT user_key {signed_in})"),
                "n".to_owned(),
            )
        };
        self.change(format!(
            "{with} INSERT INTO audit (user_key, id, at, action, actor, scopes, outcome, facts, grants,
                                       times)
             SELECT {who}, '00000000-0000-7000-8000-' || substr(CAST(1000000000000 + n AS TEXT), 2),
                    {now} + n, 'read', 'user', 0, 'done', 0, 0, 1
             FROM {numbers}"
        ))
        .await;
    }

    /// From now on the audit log can't be read.
    pub(crate) async fn break_history(&self) {
        self.change("ALTER TABLE audit RENAME TO broken").await;
    }

    /// Changes something behind the server's back, and answers how many rows that concerned.
    pub(crate) async fn change(&self, change: impl Into<String>) -> u64 {
        let (url, change) = (self.url(), sqlx::AssertSqlSafe(change.into()));
        match self.place {
            Place::Sqlite => sqlx::query(change)
                .execute(&mut SqliteConnection::connect(&url).await.unwrap())
                .await
                .unwrap()
                .rows_affected(),
            Place::Postgres(_) | Place::Citus(_) => sqlx::query(change)
                .execute(&mut PgConnection::connect(&url).await.unwrap())
                .await
                .unwrap()
                .rows_affected(),
        }
    }

    /// How many grants of an agent are stored, those that were replaced included.
    pub(crate) async fn grants_kept(&self, agent: &Agent) -> usize {
        let id = &agent.id;
        self.rows(&format!("grants WHERE agent_id = '{id}'")).await
    }

    /// How many idempotency keys of an agent are remembered.
    pub(crate) async fn idempotency_keys(&self, agent: &Agent) -> usize {
        let of_agent = format!("idempotency_keys WHERE agent_id = '{}'", agent.id);
        self.rows(&of_agent).await
    }

    /// What the audit log holds about an agent: action, actor and the developer who acted.
    pub(crate) async fn audited(&self, agent_id: &str) -> Vec<String> {
        self.texts(format!(
            "SELECT action || ' ' || actor || ' ' || COALESCE(developer_id, '') FROM audit
             WHERE agent_id = '{agent_id}' AND actor IN ('developer', 'operator') ORDER BY id"
        ))
        .await
    }

    /// How often a developer signed in, as the audit log has it.
    pub(crate) async fn sign_ins(&self, developer_id: &str) -> usize {
        let events = format!(
            "audit WHERE developer_id = '{developer_id}' AND action = 'sign_in' AND actor = 'developer'"
        );
        self.rows(&events).await
    }

    /// How many sessions of a developer are stored, however old.
    pub(crate) async fn developer_sessions(&self, developer_id: &str) -> usize {
        let sessions = format!("developer_sessions WHERE developer_id = '{developer_id}'");
        self.rows(&sessions).await
    }

    /// How many sessions the developer with this address has.
    pub(crate) async fn sessions_of(&self, email: &str) -> usize {
        let of = format!("(SELECT id FROM developers WHERE email = '{email}')");
        let sessions = format!("developer_sessions WHERE developer_id IN {of}");
        self.rows(&sessions).await
    }

    /// How many sign-ins at the provider are under way, of users and developers.
    pub(crate) async fn oidc_sign_ins(&self) -> usize {
        let sign_ins = "oidc_sign_ins WHERE purpose IN ('user', 'developer')";
        self.rows(sign_ins).await
    }

    /// How many rows a table has, or those of them that a condition after its name admits.
    pub(crate) async fn rows(&self, table: &str) -> usize {
        let rows = self.texts(format!("SELECT 'row' FROM {table}")).await;
        rows.len()
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
        let found = self.texts(deadlocks).await;
        found[0].parse().unwrap()
    }

    /// The rows of a query that answers one column of text.
    pub(crate) async fn texts(&self, query: impl Into<String>) -> Vec<String> {
        let (url, query) = (self.url(), sqlx::AssertSqlSafe(query.into()));
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
        let holders = async || match self.place {
            Place::Sqlite => {
                let mut connection = SqliteConnection::connect(&self.url()).await.unwrap();
                let at_once = sqlx::query("PRAGMA busy_timeout = 0");
                at_once.execute(&mut connection).await.unwrap();
                let busy: i64 = sqlx::query_scalar("PRAGMA wal_checkpoint(TRUNCATE)")
                    .fetch_one(&mut connection)
                    .await
                    .unwrap();
                usize::from(busy != 0)
            }
            Place::Postgres(_) | Place::Citus(_) => {
                let open = "pg_stat_activity
                            WHERE datname = current_database() AND pid <> pg_backend_pid()
                              AND backend_type = 'client backend'
                              AND (xact_start IS NOT NULL OR backend_xmin IS NOT NULL)";
                self.rows(open).await
            }
        };
        left_after_a_moment(holders).await > 0
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
    pub(crate) async fn open_transactions(&self) -> usize {
        if let Place::Sqlite = self.place {
            return 0;
        }
        let open = "pg_stat_activity
                    WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
        left_after_a_moment(async || self.rows(open).await).await
    }
}

/// How many there still are when those that are ending have had a moment to do so.
async fn left_after_a_moment(count: impl AsyncFn() -> usize) -> usize {
    let mut left = count().await;
    for _ in 0..100 {
        if left == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        left = count().await;
    }
    left
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
