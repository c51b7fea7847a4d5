//! The connections to one database: their settings, which of its hosts they lead to, and which of
//! them can still be used.
//!
//! After a failover, connections to the former host may go on answering while they take no writes,
//! or lead to a host that lags behind. So when one connection fails in a way that tells of its host,
//! connections of the same age are no longer used, and a standby is never used at all. With several hosts in the URL
//! the one that takes writes is looked for, until it is found.

use std::io::ErrorKind;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use sqlx::pool::PoolConnectionMetadata;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, PgPool, Row as _};

use super::hosts::Hosts;
use super::pooler;
use crate::locked;
use crate::store::{OpenError, Result, StoreError, citus};

/// What Postgres calls the connections to the users' keys.
pub(in crate::store) const KEYS_APPLICATION: &str = "ctxmem-server keys";

/// How long closing waits for connections that are in use, and for hosts that are silent.
pub(in crate::store) const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a caller waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);

/// A connection that was idle for longer is tested before it is used.
const TEST_AFTER_IDLE: Duration = Duration::from_secs(1);

/// How long such a test may take.
const TEST_TIMEOUT: Duration = Duration::from_millis(500);

/// How long a host may take to answer at the start.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a host may take to answer when the one that takes writes is looked for: it may be in
/// another region, and several round trips are needed until it says anything. All are asked at once.
const LOOK_TIMEOUT: Duration = Duration::from_secs(3);

/// The pause before hosts are looked at again, or connections distrusted again.
const PAUSE: Duration = Duration::from_millis(500);

/// Statements are written for this level. At higher ones Postgres gives up transactions that only
/// seem to collide. The default may be another.
const ISOLATION: &str = "SET default_transaction_isolation = 'read committed'";

/// The timeline of the log. Every promotion begins another one, with a higher number.
const TIMELINE: &str = "SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)";

/// Settings of every connection of a pool, besides its isolation level. Statements time out before
/// their callers do, locks are not held for long, and a transaction that was left open is ended.
///
/// Statements are planned once per connection, because planning a join of eight tables takes
/// longer than running it. All rows are found by their keys. Sequential scans and hash joins are
/// off because they are cheapest while tables are small, and the plan would stay when they grow.
/// Nothing is compiled: that takes longer than any statement here, and a plan with a step that is
/// "off" looks costly enough for it.
pub(in crate::store) const SETTINGS: &str = "
    SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;
    SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off;
    SET statement_timeout = '2400ms'; SET lock_timeout = '2s';
    SET idle_in_transaction_session_timeout = '10s';
    SET client_min_messages = 'error'";

/// States of SQL that tell of the host: it takes no writes, or it is shutting down or starting.
const OF_THE_HOST: [&str; 4] = ["25006", "57P01", "57P02", "57P03"];

/// What a new connection has to pass besides.
pub(in crate::store) type Check =
    for<'c> fn(&'c mut PgConnection) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'c>>;

/// The host of a database that takes writes, and the pools that are connected to it.
pub(in crate::store) struct Primary {
    hosts: Hosts,
    /// Where in `hosts` the pools connect to.
    used: AtomicUsize,
    /// No connection that was made before is used.
    trusted_since: Mutex<Instant>,
    /// The highest timeline that a connection was made to; 0 at first.
    timeline: Mutex<u32>,
    /// How often another host, or another timeline, began to be used.
    generation: AtomicU64,
    pools: Mutex<Vec<PgPool>>,
    is_looking: AtomicBool,
}

/// What a failure tells of the host.
#[derive(PartialEq, Eq)]
enum Suspicion {
    /// The connection can no longer be used, nor can those that are as old.
    Connections,
    /// It may not answer.
    Host,
}

impl Primary {
    /// Connects to the first of the hosts that takes writes. The connection has no settings but its
    /// isolation level, and a name of its own: a migration ends the connections of the pools.
    pub(in crate::store) async fn connect(
        hosts: Hosts,
        application: &str,
    ) -> Result<(Arc<Self>, PgConnection), OpenError> {
        let hosts = hosts.named(application);
        let mut failure = OpenError::Url;
        let migration = hosts.clone().named(&format!("{application} migration"));
        for (n, host) in migration.all().iter().enumerate() {
            let connecting = tokio::time::timeout(START_TIMEOUT, connect_for_writing(host));
            match connecting.await {
                Ok(Ok(mut connection)) => {
                    sqlx::raw_sql(ISOLATION).execute(&mut connection).await?;
                    return Ok((Arc::new(Self::new(hosts, n)), connection));
                }
                Ok(Err(error)) => failure = unreachable(host, error),
                Err(_) => {
                    failure = OpenError::Unreachable {
                        place: place(host),
                        cause: ErrorKind::TimedOut.into(),
                    };
                }
            }
        }
        Err(failure)
    }

    /// The machine that has the tables which are not distributed, for pools of this name, and a connection
    /// to it. Where Citus distributes the database, that is its coordinator: only there the schema is
    /// changed. Otherwise it is the machine of the given connection, which is used on.
    pub(in crate::store) async fn at_home(
        &self,
        mut connection: PgConnection,
        application: &str,
    ) -> Result<(Arc<Self>, PgConnection), OpenError> {
        let used = self.used.load(Ordering::Relaxed);
        let Some((host, port)) = citus::other_coordinator(&mut connection).await? else {
            let hosts = self.hosts.clone().named(application);
            return Ok((Arc::new(Self::new(hosts, used)), connection));
        };
        connection.close().await?;
        let home = self.hosts.at(used, &host, port);
        let connecting = Self::connect(home.clone(), application).await;
        connecting.map_err(|cause| match home.all().first() {
            Some(options) => OpenError::Coordinator {
                place: place(options),
                cause: Box::new(cause),
            },
            None => cause,
        })
    }

    fn new(hosts: Hosts, used: usize) -> Self {
        Self {
            hosts,
            used: AtomicUsize::new(used),
            trusted_since: Mutex::new(Instant::now()),
            timeline: Mutex::default(),
            generation: AtomicU64::default(),
            pools: Mutex::default(),
            is_looking: AtomicBool::new(false),
        }
    }

    /// Host, port and name of the database, for people.
    pub(in crate::store) fn place(&self) -> String {
        place(&self.hosts.all()[self.used.load(Ordering::Relaxed)])
    }

    /// What every pool has in common.
    pub(in crate::store) fn options(
        self: &Arc<Self>,
        connections: u32,
        check: Check,
    ) -> PgPoolOptions {
        let (acquiring, connecting) = (Arc::downgrade(self), Arc::downgrade(self));
        PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .idle_timeout(Duration::from_mins(10))
            .max_lifetime(Duration::from_mins(30))
            .test_before_acquire(false)
            .before_acquire(move |connection, meta| {
                let primary = Weak::clone(&acquiring);
                Box::pin(async move { Ok(is_usable(connection, meta, &primary).await) })
            })
            .after_connect(move |connection, _| {
                let primary = Weak::clone(&connecting);
                Box::pin(async move { prepare(connection, &primary, check).await })
            })
    }

    /// A pool of connections to the host that takes writes.
    pub(in crate::store) fn pool(&self, options: PgPoolOptions) -> PgPool {
        let used = self.used.load(Ordering::Relaxed);
        let pool = options.connect_lazy_with(self.hosts.all()[used].clone());
        self.pools().push(pool.clone());
        pool
    }

    /// Learns from a failure which connections can no longer be used.
    pub(in crate::store) fn notice(self: &Arc<Self>, failure: &StoreError) {
        match suspicion(failure) {
            None => {}
            Some(Suspicion::Host) => self.look(),
            Some(Suspicion::Connections) => self.leave_connections(),
        }
    }

    /// Stops using connections that were made before, and looks for the host that takes writes.
    pub(in crate::store) fn leave_connections(self: &Arc<Self>) {
        let mut trusted_since = self.trusted_since();
        // Many fail at the same time, and connections are made anew once for all.
        if trusted_since.elapsed() > PAUSE {
            *trusted_since = Instant::now();
        }
        drop(trusted_since);
        self.look();
    }

    /// Grows with every failover. Standbys may lag behind, so what was read or stored before may no longer be there,
    /// and other content may have its place. It has grown before anybody uses a connection to the new host.
    pub(in crate::store) fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    /// Stops using connections to the former host, and what was read from it.
    fn begin_generation(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        *self.trusted_since() = Instant::now();
    }

    /// Notes the timeline that a new connection leads to. Where Citus distributes the database, each
    /// machine has its own, and a lower one says nothing.
    fn note_timeline(&self, seen: u32) {
        let mut known = locked(&self.timeline);
        if *known != 0 && seen > *known {
            self.begin_generation();
        }
        *known = seen.max(*known);
    }

    /// Passes on an outcome, and learns from it if it is a failure.
    pub(in crate::store) fn noticed<T>(self: &Arc<Self>, outcome: Result<T>) -> Result<T> {
        outcome.inspect_err(|failure| self.notice(failure))
    }

    /// Looks for the host that takes writes, until it is found.
    fn look(self: &Arc<Self>) {
        if self.hosts.all().len() < 2 || self.is_looking.swap(true, Ordering::AcqRel) {
            return;
        }
        let looking = Arc::downgrade(self);
        tokio::spawn(async move {
            // It ends with the pools.
            while let Some(primary) = looking.upgrade()
                && !primary.pools().iter().all(PgPool::is_closed)
            {
                let is_found = primary.find().await;
                if is_found {
                    primary.is_looking.store(false, Ordering::Release);
                    return;
                }
                drop(primary);
                tokio::time::sleep(PAUSE).await;
            }
        });
    }

    /// Looks at all hosts, and leads the pools to one that takes writes. Answers whether there is
    /// one.
    async fn find(&self) -> bool {
        let looks = self.hosts.all().iter().map(|host| async {
            let looking = tokio::time::timeout(LOOK_TIMEOUT, takes_writes(host));
            looking.await.is_ok_and(|took| took.unwrap_or(false))
        });
        let take_writes = join_all(looks).await;
        let used = self.used.load(Ordering::Relaxed);
        if take_writes.get(used) == Some(&true) {
            return true;
        }
        let mut found = None;
        for (n, takes) in take_writes.into_iter().enumerate() {
            if takes && found.is_none() && self.is_postgres(n).await {
                found = Some(n);
            }
        }
        let Some(found) = found else {
            return false;
        };
        for pool in &*self.pools() {
            pool.set_connect_options(self.hosts.all()[found].clone());
        }
        self.used.store(found, Ordering::Relaxed);
        self.begin_generation();
        tracing::warn!(
            host = found + 1,
            "another host of the database takes writes now"
        );
        true
    }

    /// Whether a host is Postgres itself, or looks like it.
    async fn is_postgres(&self, n: usize) -> bool {
        let looking = connect_for_writing(&self.hosts.all()[n]);
        match tokio::time::timeout(START_TIMEOUT, looking).await {
            Ok(Ok(connection)) => {
                // Nothing was begun on it.
                let _ = connection.close().await;
                true
            }
            Ok(Err(error)) => {
                tracing::error!(host = n + 1, %error, "a host of the database can't be used");
                false
            }
            Err(_) => false,
        }
    }

    fn trusted_since(&self) -> MutexGuard<'_, Instant> {
        let locked = self.trusted_since.lock();
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    fn pools(&self) -> MutexGuard<'_, Vec<PgPool>> {
        locked(&self.pools)
    }
}

/// Whether a connection that was used before can be used again.
async fn is_usable(
    connection: &mut PgConnection,
    meta: PoolConnectionMetadata,
    primary: &Weak<Primary>,
) -> bool {
    let Some(primary) = primary.upgrade() else {
        return false;
    };
    let is_trusted = meta.age < primary.trusted_since().elapsed();
    if !is_trusted || meta.idle_for <= TEST_AFTER_IDLE {
        return is_trusted;
    }
    let answer = tokio::time::timeout(TEST_TIMEOUT, connection.ping()).await;
    let answer = answer.unwrap_or(Err(sqlx::Error::PoolTimedOut));
    primary.noticed(answer.map_err(StoreError::from)).is_ok()
}

/// Brings a new connection of a pool into shape. One to a standby fails: what it answers may be
/// older than what was acknowledged.
async fn prepare(
    connection: &mut PgConnection,
    primary: &Weak<Primary>,
    check: Check,
) -> Result<(), sqlx::Error> {
    if shows(connection, "SELECT pg_is_in_recovery()::text", "true").await? {
        if let Some(primary) = primary.upgrade() {
            primary.look();
        }
        let refused = OpenError::TakesNoWrites;
        return Err(sqlx::Error::Configuration(refused.into()));
    }
    if let (Some(timeline), Some(primary)) = (timeline(connection).await?, primary.upgrade()) {
        primary.note_timeline(timeline);
    }
    sqlx::raw_sql(ISOLATION).execute(&mut *connection).await?;
    sqlx::raw_sql(SETTINGS).execute(&mut *connection).await?;
    let checked = check(connection).await;
    checked.map_err(|error| sqlx::Error::Configuration(error.into()))
}

/// A connection to a host that takes writes and is Postgres itself, or looks like it.
async fn connect_for_writing(host: &PgConnectOptions) -> Result<PgConnection, OpenError> {
    // A pool would keep trying, and hide why it can't connect.
    let mut connection = PgConnection::connect_with(host).await?;
    if !is_writable(&mut connection).await? {
        return Err(OpenError::TakesNoWrites);
    }
    pooler::refuse(&mut connection, host).await?;
    Ok(connection)
}

/// Host, port and name of a database, for people.
fn place(host: &PgConnectOptions) -> String {
    // Where none is named, Postgres takes the one that is called as the user is.
    let database = host.get_database().unwrap_or_else(|| host.get_username());
    format!("{}:{}/{database}", host.get_host(), host.get_port())
}

/// Names the host, where the network failed.
fn unreachable(host: &PgConnectOptions, error: OpenError) -> OpenError {
    if let OpenError::Store(failure) = &error
        && let Some(sqlx::Error::Io(cause)) = failure.of_sqlx()
    {
        return OpenError::Unreachable {
            place: place(host),
            cause: std::io::Error::new(cause.kind(), cause.to_string()),
        };
    }
    error
}

async fn takes_writes(host: &PgConnectOptions) -> Result<bool, sqlx::Error> {
    let mut connection = PgConnection::connect_with(host).await?;
    let is_writable = is_writable(&mut connection).await?;
    connection.close().await?;
    Ok(is_writable)
}

/// A standby answers but takes no writes, and so does a server that is set to read only.
pub(in crate::store) async fn is_writable(
    connection: &mut PgConnection,
) -> Result<bool, sqlx::Error> {
    shows(connection, "SHOW transaction_read_only", "off").await
}

/// Whether this answers that. Nothing is prepared, so this works with poolers in every mode.
async fn shows(
    connection: &mut PgConnection,
    question: &'static str,
    answer: &str,
) -> Result<bool, sqlx::Error> {
    let row = sqlx::raw_sql(question).fetch_one(connection).await?;
    Ok(row.try_get::<String, _>(0)? == answer)
}

/// The timeline of the host's log; `None` where it doesn't say.
async fn timeline(connection: &mut PgConnection) -> Result<Option<u32>, sqlx::Error> {
    match sqlx::raw_sql(TIMELINE).fetch_one(connection).await {
        Ok(row) => Ok(u32::from_str_radix(row.try_get(0)?, 16).ok()),
        Err(sqlx::Error::Database(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn suspicion(failure: &StoreError) -> Option<Suspicion> {
    if let StoreError::Unavailable = failure {
        return Some(Suspicion::Host);
    }
    match failure.of_sqlx()? {
        sqlx::Error::PoolTimedOut => Some(Suspicion::Host),
        sqlx::Error::Io(_) => Some(Suspicion::Connections),
        _ => failure
            .has_state(|state| OF_THE_HOST.contains(&state))
            .then_some(Suspicion::Connections),
    }
}

#[cfg(test)]
mod tests {
    use ctxmem_test_postgres::empty_database;
    use sqlx::AssertSqlSafe;

    use super::*;

    #[tokio::test]
    async fn statements_run_at_their_level_whatever_the_default_is() {
        let database = empty_database().await;
        let mut connection = PgConnection::connect(&database.url).await.unwrap();
        let name: String = sqlx::query_scalar("SELECT current_database()")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        let by_default = "SET default_transaction_isolation = 'serializable'";
        let alter = format!("ALTER DATABASE {name} {by_default}");
        sqlx::raw_sql(AssertSqlSafe(alter))
            .execute(&mut connection)
            .await
            .unwrap();

        let hosts = database.url.parse().unwrap();
        let (primary, mut first) = Primary::connect(hosts, "ctxmem-server").await.unwrap();
        let pool = primary.pool(primary.options(1, |_| Box::pin(async { Ok(()) })));
        let question = "SHOW transaction_isolation";
        assert!(shows(&mut first, question, "read committed").await.unwrap());
        let mut pooled = pool.acquire().await.unwrap();
        assert!(
            shows(&mut pooled, question, "read committed")
                .await
                .unwrap()
        );
    }

    #[tokio::test]
    async fn a_higher_timeline_begins_a_generation() {
        let database = empty_database().await;
        let hosts = database.url.parse().unwrap();
        let (primary, _first) = Primary::connect(hosts, "ctxmem-server").await.unwrap();
        let pool = primary.pool(primary.options(1, |_| Box::pin(async { Ok(()) })));
        let before = pool.acquire().await.unwrap();
        let known = *primary.timeline.lock().unwrap();
        assert!(known > 0);
        assert_eq!(primary.generation(), 0);
        drop(before);
        primary.note_timeline(known - 1);
        primary.note_timeline(known);
        assert_eq!(primary.generation(), 0);
        primary.note_timeline(known + 1);
        assert_eq!(primary.generation(), 1);
        primary.note_timeline(known);
        assert_eq!(primary.generation(), 1);
    }
}
