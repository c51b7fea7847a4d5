//! Postgres: its connections and their settings.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, PgPool, Pool, Postgres};

use super::tx::{self, Inner};
use super::{OpenError, Salt, StoreError, Tx, Unit, open};

pub(super) static MIGRATIONS: Migrator = sqlx::migrate!("migrations/postgres");

/// How long a caller waits for the database in all.
pub(super) const PATIENCE: Duration = Duration::from_millis(2500);

/// How long a connection may take to be had.
const ACQUIRE: Duration = Duration::from_secs(2);

/// Connections of each pool. Writers wait for the disk together, readers for the processor.
const CONNECTIONS: u32 = 10;

/// A connection that idled for longer is asked whether it still lives before it is used.
const IDLE: Duration = Duration::from_secs(1);

/// For how long nobody waits for a database that was just found to be unreachable.
const BREAK: Duration = Duration::from_millis(500);

/// How often a unit is run again when the database gave it up in favour of another.
const RETRIES: u32 = 5;

/// What every connection is told. A statement ends before its caller gives up, a lock does
/// not keep others for long, and a transaction that was left open does not stay so. Statements
/// are planned once a connection: rows are found by their keys, whatever is asked for, and to
/// plan a join of eight tables takes longer than to run it. To read a table as a whole would pay
/// while it is small, and the plan be kept when it has grown.
const SETTINGS: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
                        SET enable_hashjoin = off; SET enable_mergejoin = off; \
                        SET statement_timeout = '2400ms'; SET lock_timeout = '2s'; \
                        SET idle_in_transaction_session_timeout = '10s'; \
                        SET client_min_messages = 'error'";

/// Settings without which an acknowledged write may be lost.
const DURABILITY: [&str; 3] = ["fsync", "full_page_writes", "synchronous_commit"];

/// Postgres: a pool that reads and a pool that writes.
#[derive(Clone)]
pub(super) struct Engine {
    pub(super) readers: PgPool,
    pub(super) writers: PgPool,
    breaker: Arc<Breaker>,
}

impl Engine {
    /// Connects and brings the schema up to date, under a lock: several processes may start
    /// at once.
    pub(super) async fn open(url: &str) -> Result<Self, OpenError> {
        let options = PgConnectOptions::from_str(url)
            .map_err(|_| OpenError::Url)?
            .application_name("ctxmem-server");
        // Not from a pool: that would keep trying, and not say why it can't connect.
        let mut connection = PgConnection::connect_with(&options).await?;
        open::migrated(MIGRATIONS.run(&mut connection).await)?;
        warn_of_danger(&mut connection).await?;
        connection.close().await?;

        // Units that write are never cut off half-way, but a transaction that was begun
        // while its pool shut down, say, may be left open: it ends before the next use.
        let writers = pool().after_release(|connection, _| {
            Box::pin(async move {
                sqlx::raw_sql("ROLLBACK").execute(connection).await?;
                Ok(true)
            })
        });
        Ok(Self {
            readers: pool().connect_lazy_with(options.clone()),
            writers: writers.connect_lazy_with(options),
            breaker: Arc::default(),
        })
    }

    pub(super) async fn read(&self) -> Result<Inner, StoreError> {
        self.breaker.check()?;
        let acquired = self.readers.acquire().await;
        self.breaker
            .judge(&self.readers, acquired)
            .map(Inner::PostgresRead)
    }

    /// Runs a unit of work in a transaction of its own. Transactions go side by side, and
    /// Postgres flushes together what commits together.
    pub(super) async fn write<T, E, F>(&self, unit: F, salt: Salt) -> Result<T, E>
    where
        F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, E>,
        E: From<StoreError>,
    {
        let mut tries_left = RETRIES;
        loop {
            let mut tx = Tx::new(self.begin().await?, salt);
            let (outcome, worth_retrying) = match unit(&mut tx).await {
                Ok(value) => match tx.commit().await {
                    Ok(()) => return Ok(value),
                    Err(error) => {
                        let again = tx::is_worth_retrying(&error);
                        (Err(StoreError::from(error).into()), again)
                    }
                },
                Err(error) => (Err(error), tx.worth_retrying),
            };
            if !worth_retrying || tries_left == 0 {
                return outcome;
            }
            tries_left -= 1;
            // Two that got in each other's way should not come back at the same time.
            let pause = rand::random_range(1..=20 * u64::from(RETRIES - tries_left));
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    }

    async fn begin(&self) -> Result<Inner, StoreError> {
        self.breaker.check()?;
        let begun = self.writers.begin_with("BEGIN").await;
        self.breaker
            .judge(&self.writers, begun)
            .map(Inner::PostgresWrite)
    }

    /// Whether the server answers and takes writes: a standby or one that was set to read
    /// only answers, and is of no use.
    pub(super) async fn is_healthy(&self) -> bool {
        sqlx::query_scalar("SELECT current_setting('transaction_read_only')")
            .fetch_one(&self.readers)
            .await
            .is_ok_and(|read_only: String| read_only == "off")
    }

    pub(super) async fn close(&self) {
        self.readers.close().await;
        self.writers.close().await;
    }
}

fn pool() -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(ACQUIRE)
        .idle_timeout(Duration::from_mins(10))
        .max_lifetime(Duration::from_mins(30))
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for > IDLE {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .after_connect(|connection, _| {
            Box::pin(async move {
                sqlx::raw_sql(SETTINGS).execute(connection).await?;
                Ok(())
            })
        })
}

/// Operators should know when their server may lose what was acknowledged.
async fn warn_of_danger(connection: &mut PgConnection) -> Result<(), StoreError> {
    for setting in DURABILITY {
        let value: String = sqlx::query_scalar("SELECT current_setting($1)")
            .bind(setting)
            .fetch_one(&mut *connection)
            .await?;
        if value == "off" {
            tracing::warn!(
                setting,
                "Postgres has this off: acknowledged writes may be lost in a crash"
            );
        }
    }
    Ok(())
}

/// Lets requests fail at once while the database can't be reached, instead of each waiting
/// for a connection. The first after a pause tries again.
struct Breaker {
    began: Instant,
    /// Milliseconds after `began` until which nobody tries.
    open_until: AtomicU64,
}

impl Default for Breaker {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            open_until: AtomicU64::new(0),
        }
    }
}

impl Breaker {
    fn check(&self) -> Result<(), StoreError> {
        if self.elapsed() < self.open_until.load(Ordering::Relaxed) {
            Err(StoreError::Unavailable)
        } else {
            Ok(())
        }
    }

    /// Opens when no connection could be made. A pool that is merely busy is no reason.
    fn judge<T>(
        &self,
        pool: &Pool<Postgres>,
        acquired: Result<T, sqlx::Error>,
    ) -> Result<T, StoreError> {
        if matches!(acquired, Err(sqlx::Error::PoolTimedOut)) && pool.size() < CONNECTIONS {
            let pause = u64::try_from(BREAK.as_millis()).unwrap_or(u64::MAX);
            self.open_until
                .store(self.elapsed() + pause, Ordering::Relaxed);
        }
        Ok(acquired?)
    }

    fn elapsed(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
