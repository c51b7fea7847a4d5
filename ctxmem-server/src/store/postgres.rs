//! Postgres: its pools, units of work, and what becomes of those that fail.

mod hosts;
mod pooler;
mod primary;
mod returned;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sqlx::{Connection as _, PgConnection, PgPool, Pool, Postgres};
use tokio::time::Instant;

use super::job::Job;
use super::keyring::Keyring;
use super::metrics::StoreMetrics;
use super::tx::Inner;
use super::{DbConfig, OpenError, Result, StoreError, Tx, citus, compatibility, migrations};

pub(super) use hosts::Hosts;
pub use hosts::HostsError;
use primary::Check;
pub(super) use primary::{CLOSE_TIMEOUT, KEYS_APPLICATION, Primary, SETTINGS, is_writable};
pub(super) use returned::{Pooled, end_transaction};

/// How long a caller waits for the database in total.
pub(super) const CALLER_TIMEOUT: Duration = Duration::from_millis(2500);

/// How long a commit is waited for. Its caller has left by then, and whether it succeeds is no longer in our hands.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(5);

/// Connections of each pool.
const CONNECTIONS: u32 = 10;

/// After the database was found to be unreachable, requests fail at once for this time.
const BREAKER_PAUSE: Duration = Duration::from_millis(500);

/// How often a unit is retried when the database gave it up in favour of another.
const RETRIES: u32 = 5;

const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";

/// Settings without which an acknowledged write may be lost.
const DURABILITY: [&str; 3] = ["fsync", "full_page_writes", "synchronous_commit"];

/// Postgres: a pool that reads and a pool that writes.
#[derive(Clone)]
pub(super) struct Engine {
    pub(super) readers: PgPool,
    pub(super) writers: PgPool,
    /// Whether Citus distributes the database.
    pub(super) is_distributed: bool,
    primary: Arc<Primary>,
    breaker: Arc<Breaker>,
    metrics: Arc<StoreMetrics>,
}

impl Engine {
    /// Connects and migrates the schema, under a lock: several processes may start at once. A
    /// database without a schema is refused unless it is to be created, as is one of an older version
    /// unless it is to be migrated. Answers with the engine where
    /// the tables are that are not distributed, for the keys, and a connection to there.
    pub(super) async fn open(
        hosts: Hosts,
        config: &DbConfig,
        metrics: &Arc<StoreMetrics>,
    ) -> Result<(Self, (Arc<Primary>, PgConnection)), OpenError> {
        let (primary, connection) = Primary::connect(hosts, "ctxmem-server").await?;
        let (home, mut connection) = primary.at_home(connection, KEYS_APPLICATION).await?;
        let is_new = !migrations::are_in_postgres(&mut connection).await?;
        if is_new && !config.create {
            return Err(OpenError::Missing(primary.place()));
        }
        if !is_new && !config.migrate {
            migrations::check_postgres(&mut connection, primary.place()).await?;
        }
        migrations::migrated(migrations::postgres().run(&mut connection).await)?;
        let is_distributed = citus::is_distributed(&mut connection).await?;
        if is_distributed {
            citus::complete(&mut connection, &|_| {}).await?;
        }
        compatibility::check_postgres(&mut connection).await?;
        warn_of_danger(&mut connection).await?;

        let options = || {
            let check: Check = if is_distributed {
                |connection| Box::pin(check_distributed(connection))
            } else {
                |connection| Box::pin(check_undistributed(connection))
            };
            primary.options(CONNECTIONS, check)
        };
        let writing =
            options().after_release(|connection, _| Box::pin(end_transaction(connection)));
        let engine = Self {
            readers: primary.pool(options()),
            writers: primary.pool(writing),
            is_distributed,
            primary,
            breaker: Arc::default(),
            metrics: Arc::clone(metrics),
        };
        Ok((engine, (home, connection)))
    }

    /// Migrates the schema and has Citus distribute it, or what of it is not distributed yet. Tells
    /// each step before it is taken.
    pub(super) async fn distribute(
        hosts: Hosts,
        tell: &(dyn Fn(&str) + Sync),
    ) -> Result<(), OpenError> {
        let (primary, connection) = Primary::connect(hosts, "ctxmem-server").await?;
        let (_, mut connection) = primary.at_home(connection, KEYS_APPLICATION).await?;
        citus::check_cluster(&mut connection).await?;
        migrations::migrated(migrations::postgres().run(&mut connection).await)?;
        compatibility::check_postgres(&mut connection).await?;
        citus::distribute(&mut connection, tell).await?;
        Ok(connection.close().await?)
    }

    /// Learns from the failure of a statement, or of one that did not end in time.
    pub(super) fn notice(&self, failure: &StoreError) {
        self.primary.notice(failure);
    }

    pub(super) async fn read(&self) -> Result<Inner> {
        let waiting = self.breaker.check()?;
        // It has room for all that connecting may take, some 28 KB.
        let acquired = Box::pin(self.readers.acquire()).await.map(Pooled);
        let acquired = self.breaker.judge(waiting, &self.readers, acquired);
        self.primary.noticed(acquired.map(Inner::PostgresRead))
    }

    /// Runs a unit of work in a transaction of its own, and answers after its commit. Transactions
    /// run in parallel, and Postgres itself groups their commits.
    ///
    /// It is given up when its caller has stopped waiting, but for a commit: whether that succeeds
    /// is no longer in our hands.
    pub(super) async fn write(&self, mut job: Box<dyn Job>, keys: &Keyring) {
        let deadline = Instant::now() + CALLER_TIMEOUT;
        let mut tries_left = RETRIES;
        loop {
            let running = tokio::time::timeout_at(deadline, self.run(&mut *job, keys));
            let ran = running.await.unwrap_or(Err(StoreError::Unavailable));
            let (mut tx, is_done) = match ran {
                Ok(ran) => ran,
                Err(error) => {
                    self.notice(&error);
                    return job.fail(error);
                }
            };
            let (failure, worth_retrying) = if is_done {
                let began = Instant::now();
                let committed = tokio::time::timeout(COMMIT_TIMEOUT, tx.commit()).await;
                self.metrics.record_commit(began.elapsed());
                let failure = match committed {
                    Ok(Ok(())) => return job.answer(),
                    Ok(Err(error)) => StoreError::from(error),
                    Err(_) => StoreError::Unavailable,
                };
                self.metrics.record_failed_commit();
                keys.trouble().note(&failure);
                let again = failure.is_worth_retrying();
                (failure, again)
            } else {
                // The unit's own error is answered.
                let failure = tx.failure.take().unwrap_or(StoreError::Interrupted);
                (failure, tx.worth_retrying)
            };
            self.notice(&failure);
            // Two units that collided should not retry at the same time.
            let pause = rand::random_range(1..=20 * u64::from(RETRIES - tries_left + 1));
            let next = Instant::now() + Duration::from_millis(pause);
            if !worth_retrying || tries_left == 0 || next > deadline {
                return job.fail(failure);
            }
            tries_left -= 1;
            tokio::time::sleep_until(next).await;
        }
    }

    /// Runs a unit of work in a transaction, which is still open then, and answers whether to
    /// commit it.
    async fn run(&self, job: &mut dyn Job, keys: &Keyring) -> Result<(Tx, bool)> {
        let begun = self.begin("BEGIN").await?;
        let mut tx = Tx::new(begun, keys.clone(), self.is_distributed);
        let is_done = job.run(&mut tx).await;
        Ok((tx, is_done))
    }

    /// Begins a transaction whose statements see one snapshot. Connections of this pool end it even
    /// where its caller leaves.
    pub(super) async fn snapshot(&self) -> Result<Inner> {
        self.begin(SNAPSHOT).await
    }

    async fn begin(&self, statement: &'static str) -> Result<Inner> {
        let waiting = self.breaker.check()?;
        let begun = Box::pin(self.writers.begin_with(statement)).await;
        let begun = self.breaker.judge(waiting, &self.writers, begun);
        self.primary.noticed(begun.map(Inner::PostgresTransaction))
    }

    /// Whether the server answers and takes writes. A standby answers but is of no use.
    pub(super) async fn is_healthy(&self) -> bool {
        let asked = async {
            let mut connection = Pooled(Box::pin(self.readers.acquire()).await?);
            primary::is_writable(&mut connection.0).await
        };
        let is_healthy = asked.await.unwrap_or(false);
        if !is_healthy {
            self.notice(&StoreError::Unavailable);
        }
        is_healthy
    }

    /// Grows with every failover.
    pub(super) fn generation(&self) -> u64 {
        self.primary.generation()
    }

    pub(super) async fn close(&self) {
        let closing = async { tokio::join!(self.readers.close(), self.writers.close()) };
        // Whatever was acknowledged is durable.
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, closing).await;
    }
}

/// What a new connection to a database that is not distributed has to pass.
async fn check_undistributed(connection: &mut PgConnection) -> Result<()> {
    if citus::is_distributed(connection).await? {
        return Err(StoreError::Distributed);
    }
    compatibility::check_postgres(connection).await
}

/// What a new connection to one that Citus distributes has to pass.
async fn check_distributed(connection: &mut PgConnection) -> Result<()> {
    sqlx::raw_sql(citus::SETTINGS)
        .execute(&mut *connection)
        .await?;
    compatibility::check_postgres(connection).await
}

/// Warns operators whose server may lose acknowledged writes.
async fn warn_of_danger(connection: &mut PgConnection) -> Result<()> {
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
    /// When a connection was had last, in milliseconds after `began`.
    last_had: AtomicU64,
}

/// When somebody began to wait for a connection, in milliseconds after the breaker began.
#[derive(Clone, Copy)]
struct WaitingSince(u64);

impl Default for Breaker {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            open_until: AtomicU64::new(0),
            last_had: AtomicU64::new(0),
        }
    }
}

impl Breaker {
    /// To be called before a connection is waited for.
    fn check(&self) -> Result<WaitingSince> {
        let now = self.elapsed();
        if now < self.open_until.load(Ordering::Relaxed) {
            Err(StoreError::Unavailable)
        } else {
            Ok(WaitingSince(now))
        }
    }

    /// Opens if no connection could be made, and nobody had one meanwhile. If all connections are
    /// merely busy, or Postgres lets us have no further one, it stays closed.
    fn judge<T>(
        &self,
        waiting: WaitingSince,
        pool: &Pool<Postgres>,
        acquired: Result<T, sqlx::Error>,
    ) -> Result<T> {
        if acquired.is_ok() {
            self.last_had.fetch_max(self.elapsed(), Ordering::Relaxed);
        }
        if matches!(acquired, Err(sqlx::Error::PoolTimedOut))
            && pool.size() < CONNECTIONS
            && self.last_had.load(Ordering::Relaxed) <= waiting.0
        {
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

#[cfg(test)]
mod tests {
    use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_gets_no_further_connection_stops_nobody_who_uses_those_there_are() {
        let pool = PgPoolOptions::new().connect_lazy_with(PgConnectOptions::new());
        let breaker = Breaker::default();
        let timed_out = || Err::<(), _>(sqlx::Error::PoolTimedOut);
        let second = Duration::from_secs(1);

        tokio::time::advance(second).await;
        let waiting = breaker.check().unwrap();
        tokio::time::advance(second).await;
        let other = breaker.check().unwrap();
        assert!(breaker.judge(other, &pool, Ok(())).is_ok());
        tokio::time::advance(second).await;
        assert!(breaker.judge(waiting, &pool, timed_out()).is_err());
        assert!(breaker.check().is_ok());

        // Now nobody has had one since.
        let waiting = breaker.check().unwrap();
        tokio::time::advance(second).await;
        assert!(breaker.judge(waiting, &pool, timed_out()).is_err());
        assert!(breaker.check().is_err());
        tokio::time::advance(BREAKER_PAUSE).await;
        assert!(breaker.check().is_ok());
    }
}
