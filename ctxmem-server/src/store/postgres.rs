//! Postgres: its connections and their settings.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, PgPool, Pool, Postgres};

use super::job::Job;
use super::keyring::Keyring;
use super::tx::{self, Inner};
use super::{OpenError, StoreError, Tx, compatibility, migrations};

/// How long a caller waits for the database in total.
pub(super) const CALLER_TIMEOUT: Duration = Duration::from_millis(2500);

/// How long a caller waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);

/// Connections of each pool.
const CONNECTIONS: u32 = 10;

/// A connection that was idle for longer is tested before it is used.
const TEST_AFTER_IDLE: Duration = Duration::from_secs(1);

/// After the database was found to be unreachable, requests fail at once for this time.
const BREAKER_PAUSE: Duration = Duration::from_millis(500);

/// How often a unit is retried when the database gave it up in favour of another.
const RETRIES: u32 = 5;

/// Settings of every connection. Statements time out before their callers do, locks are not held
/// for long, and a transaction that was left open is ended.
///
/// Statements are planned once per connection, because planning a join of eight tables takes
/// longer than running it. All rows are found by their keys. Sequential scans and hash joins are
/// off because they are cheapest while tables are small, and the plan would stay when they grow.
/// Nothing is compiled: that takes longer than any statement here, and a plan with a step that is
/// "off" looks costly enough for it.
const SETTINGS: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
                        SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off; \
                        SET statement_timeout = '2400ms'; SET lock_timeout = '2s'; \
                        SET idle_in_transaction_session_timeout = '10s'; \
                        SET client_min_messages = 'error'";

const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";

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
    /// Connects and migrates the schema, under a lock: several processes may start at once.
    pub(super) async fn open(url: &str) -> Result<Self, OpenError> {
        let options = options(url)?;
        // A pool would keep trying, and hide why it can't connect.
        // Its name keeps it from being ended by the migration of another process.
        let migrating = options.clone().application_name("ctxmem-server migration");
        let mut connection = PgConnection::connect_with(&migrating).await?;
        migrations::migrated(migrations::postgres().run(&mut connection).await)?;
        compatibility::check_postgres(&mut connection).await?;
        warn_of_danger(&mut connection).await?;
        connection.close().await?;

        // A transaction may be left open, for example if it began while the pool shut down. It
        // ends before the connection is used again.
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

    /// Runs a unit of work in a transaction of its own, and answers after its commit. Transactions
    /// run in parallel, and Postgres itself groups their commits.
    pub(super) async fn write(&self, mut job: Box<dyn Job>, keys: &Keyring) {
        let mut tries_left = RETRIES;
        loop {
            let inner = match self.begin().await {
                Ok(inner) => inner,
                Err(error) => return job.fail(error),
            };
            let mut tx = Tx::new(inner, keys.clone());
            let (failure, worth_retrying) = if job.run(&mut tx).await {
                match tx.commit().await {
                    Ok(()) => return job.answer(),
                    Err(error) => {
                        let again = tx::is_worth_retrying(&error);
                        (StoreError::from(error), again)
                    }
                }
            } else {
                // The unit's own error is answered.
                (StoreError::Interrupted, tx.worth_retrying)
            };
            if !worth_retrying || tries_left == 0 {
                return job.fail(failure);
            }
            tries_left -= 1;
            // Two units that collided should not retry at the same time.
            let pause = rand::random_range(1..=20 * u64::from(RETRIES - tries_left));
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    }

    async fn begin(&self) -> Result<Inner, StoreError> {
        self.breaker.check()?;
        let begun = self.writers.begin_with("BEGIN").await;
        self.breaker
            .judge(&self.writers, begun)
            .map(Inner::PostgresTransaction)
    }

    /// Begins a transaction whose statements see one snapshot. Connections of this pool end it even
    /// where its caller leaves.
    pub(super) async fn snapshot(&self) -> Result<Inner, StoreError> {
        self.breaker.check()?;
        let begun = self.writers.begin_with(SNAPSHOT).await;
        self.breaker
            .judge(&self.writers, begun)
            .map(Inner::PostgresTransaction)
    }

    /// Whether the server answers and takes writes. A standby answers but is of no use.
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

/// How to connect to the database at this URL.
pub(super) fn options(url: &str) -> Result<PgConnectOptions, OpenError> {
    let options = PgConnectOptions::from_str(url).map_err(|_| OpenError::Url)?;
    Ok(options.application_name("ctxmem-server"))
}

fn pool() -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(Duration::from_mins(10))
        .max_lifetime(Duration::from_mins(30))
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for > TEST_AFTER_IDLE {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .after_connect(|connection, _| {
            Box::pin(async move {
                sqlx::raw_sql(SETTINGS).execute(&mut *connection).await?;
                let compatible = compatibility::check_postgres(connection).await;
                compatible.map_err(|error| sqlx::Error::Configuration(error.into()))
            })
        })
}

/// Warns operators whose server may lose acknowledged writes.
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

/// A circuit breaker: while the database can't be reached, requests fail at once instead of each
/// waiting for a connection. After a pause they try again.
struct Breaker {
    began: Instant,
    /// Until when nobody tries, in milliseconds after `began`.
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

    /// Opens if no connection could be made. If all connections are merely busy, it stays closed.
    fn judge<T>(
        &self,
        pool: &Pool<Postgres>,
        acquired: Result<T, sqlx::Error>,
    ) -> Result<T, StoreError> {
        if matches!(acquired, Err(sqlx::Error::PoolTimedOut)) && pool.size() < CONNECTIONS {
            let pause = u64::try_from(BREAKER_PAUSE.as_millis()).unwrap_or(u64::MAX);
            self.open_until
                .store(self.elapsed() + pause, Ordering::Relaxed);
        }
        Ok(acquired?)
    }

    fn elapsed(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
