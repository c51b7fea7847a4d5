//! Metrics of the store.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use prometheus::proto::MetricFamily;
use prometheus::{GaugeVec, Histogram, HistogramVec, IntCounter, IntGaugeVec};
use tracing::Span;

use super::arg::args;
use super::files::{beside, free_bytes};
use super::statement::statements;
use super::{Db, Engine, Result, Tx};
use crate::metrics::{Histograms, labels, metrics, set};
use crate::traces;

/// In seconds: from a statement on SQLite, to the time after which callers on Postgres give up.
const DURATIONS: &[f64] = &[
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
    1.0, 2.5, 10.0,
];

/// Up to the largest group of units of work that share a commit.
const UNITS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// How many rows of a table are counted at most, which takes some tenths of a second.
const MOST_COUNTED: i64 = 1_000_000;

statements! {
    COUNT_STORED_USERS:
        "SELECT count(*) AS found FROM (SELECT 1 FROM users WHERE key_slot IS NOT NULL LIMIT $1) AS counted";
    COUNT_STORED_FACTS: "SELECT count(*) AS found FROM (SELECT 1 FROM facts LIMIT $1) AS counted";
    COUNT_SIGN_IN_LINKS:
        "SELECT count(*) AS found FROM (SELECT 1 FROM sign_in_links LIMIT $1) AS counted";
    COUNT_SESSIONS: "SELECT count(*) AS found FROM (SELECT 1 FROM sessions LIMIT $1) AS counted";
    COUNT_DEVELOPER_SESSIONS:
        "SELECT count(*) AS found FROM (SELECT 1 FROM developer_sessions LIMIT $1) AS counted";
    COUNT_OIDC_SIGN_INS:
        "SELECT count(*) AS found FROM (SELECT 1 FROM oidc_sign_ins LIMIT $1) AS counted";
    COUNT_IDEMPOTENCY_RECORDS:
        "SELECT count(*) AS found FROM (SELECT 1 FROM idempotency_keys LIMIT $1) AS counted";
    COUNT_LOGGED_REQUESTS:
        "SELECT count(*) AS found FROM (SELECT 1 FROM request_log LIMIT $1) AS counted";
    COUNT_CONSENT_REQUESTS:
        "SELECT count(*) AS found FROM (SELECT 1 FROM consent_requests LIMIT $1) AS counted";
    COUNT_AUDIT_ENTRIES: "SELECT count(*) AS found FROM (SELECT 1 FROM audit LIMIT $1) AS counted";
    COUNT_NOTED_KEYS:
        "SELECT count(*) AS found FROM (SELECT 1 FROM keys_to_destroy LIMIT $1) AS counted";
}

/// What there is, as operators know it, with the statement that counts it.
const COUNTED: [(&str, super::Statement); 11] = [
    ("users", COUNT_STORED_USERS),
    ("facts", COUNT_STORED_FACTS),
    ("sign_in_links", COUNT_SIGN_IN_LINKS),
    ("sessions", COUNT_SESSIONS),
    ("developer_sessions", COUNT_DEVELOPER_SESSIONS),
    ("oidc_sign_ins", COUNT_OIDC_SIGN_INS),
    ("idempotency_records", COUNT_IDEMPOTENCY_RECORDS),
    ("logged_requests", COUNT_LOGGED_REQUESTS),
    ("consent_requests", COUNT_CONSENT_REQUESTS),
    ("audit_entries", COUNT_AUDIT_ENTRIES),
    ("unfinished_erasures", COUNT_NOTED_KEYS),
];

labels! {
    /// How a unit of work runs.
    pub(super) enum Operation {
        /// With the wait for a connection.
        Read = "read",
        /// With the wait in the queue and the commit.
        Write = "write",
        /// In autocommit mode, on Postgres.
        OptimisticWrite = "optimistic_write",
    }
}

metrics! {
    /// The metrics of a database.
    pub(super) struct StoreMetrics {
        /// How long units of work on the database took, with their wait for it.
        durations: Histograms<Operation> = "ctxmem_database_duration_seconds" ["operation"] in DURATIONS;
        /// Connections to the database.
        connections: IntGaugeVec = "ctxmem_database_connections" ["pool", "state"];
        /// How long commits took, which is mostly the flush to the disk.
        commits: Histogram = "ctxmem_commit_duration_seconds" in DURATIONS;
        /// How many units of work shared a commit. On SQLite.
        commit_units: HistogramVec = "ctxmem_commit_units" in UNITS;
        /// Commits that failed.
        commit_failures: IntCounter = "ctxmem_commit_failures_total";
        /// Rows, up to a million of each kind, counted every ten minutes.
        rows: IntGaugeVec = "ctxmem_stored_rows" ["kind"];
        /// When these rows were counted, in seconds since 1970.
        rows_counted: GaugeVec = "ctxmem_stored_rows_counted_timestamp_seconds";
    }
}

metrics! {
    /// The sizes of the files of a SQLite database, and of their disk, at one moment.
    pub(super) struct FileMetrics {
        /// Size of the database file. On SQLite.
        pub(super) database: IntGaugeVec = "ctxmem_database_file_bytes";
        /// Size of the write-ahead log. On SQLite.
        pub(super) log: IntGaugeVec = "ctxmem_wal_bytes";
        /// What the disk with the database still has room for. On SQLite.
        pub(super) free: IntGaugeVec = "ctxmem_disk_free_bytes";
    }
}

impl StoreMetrics {
    /// The metrics that a server has on its engine.
    pub(super) fn new(is_sqlite: bool) -> Self {
        let metrics = Self::default();
        metrics.durations.of(Operation::Read);
        metrics.durations.of(Operation::Write);
        if is_sqlite {
            metrics.commit_units();
        } else {
            metrics.durations.of(Operation::OptimisticWrite);
        }
        metrics
    }

    fn commit_units(&self) -> Histogram {
        self.commit_units.with_label_values::<&str>(&[])
    }

    pub(super) fn record_commit(&self, took: Duration) {
        self.commits.observe(took.as_secs_f64());
    }

    pub(super) fn record_commit_units(&self, units: usize) {
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        self.commit_units().observe(units.into());
    }

    pub(super) fn record_failed_commit(&self) {
        self.commit_failures.inc();
    }
}

/// A unit of work that is timed, and is a span of traces, until this is dropped. It is no wrapper around
/// the unit's future: there are hundreds of these, and each would be compiled with it.
pub(super) struct Timed<'m> {
    durations: &'m Histogram,
    began: Instant,
    span: Span,
}

impl<'m> Timed<'m> {
    #[inline(never)]
    pub(super) fn begin(metrics: &'m StoreMetrics, operation: Operation) -> Self {
        Self {
            durations: metrics.durations.of(operation),
            began: Instant::now(),
            span: match operation {
                Operation::Write => traces::database_write(),
                Operation::Read | Operation::OptimisticWrite => traces::database_read(),
            },
        }
    }
}

impl Drop for Timed<'_> {
    #[inline(never)]
    fn drop(&mut self) {
        self.durations.observe(self.began.elapsed().as_secs_f64());
        self.span = Span::none();
    }
}

/// How many wait, and how many can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueLength {
    pub(crate) waiting: usize,
    pub(crate) limit: usize,
}

impl Db {
    /// The current values of all metrics of the store.
    pub(crate) fn gather_metrics(&self) -> Vec<MetricFamily> {
        let files = FileMetrics::default();
        match &self.engine {
            Engine::Sqlite(engine) => {
                if let Ok(database) = engine.file.metadata() {
                    let log = beside(&engine.file, "-wal").metadata();
                    set(&files.database, [], database.len());
                    set(&files.log, [], log.map_or(0, |log| log.len()));
                    if let Some(free) = free_bytes(&engine.file) {
                        set(&files.free, [], free);
                    }
                }
                self.record_connections("read", &engine.readers);
            }
            Engine::Postgres(engine) => {
                self.record_connections("read", &engine.readers);
                self.record_connections("write", &engine.writers);
            }
        }
        let mut families = self.metrics.gather();
        families.extend(files.gather());
        families
    }

    fn record_connections<D: sqlx::Database>(&self, name: &str, pool: &sqlx::Pool<D>) {
        let open = usize::try_from(pool.size()).unwrap_or(usize::MAX);
        // The pool counts both by itself, one after the other.
        let idle = pool.num_idle().min(open);
        set(&self.metrics.connections, [name, "used"], open - idle);
        set(&self.metrics.connections, [name, "idle"], idle);
    }

    /// The units of work that wait for the writer; `None` on Postgres, where they run in parallel.
    pub(crate) fn queue_length(&self) -> Option<QueueLength> {
        match &self.engine {
            Engine::Sqlite(engine) => Some(engine.queue.length()),
            Engine::Postgres(_) => None,
        }
    }

    /// Records how many rows there are, up to a million of each kind. It reads the tables, so
    /// it is done seldom.
    pub(crate) async fn record_rows(&self) -> Result<()> {
        let mut counts = Vec::with_capacity(COUNTED.len());
        for (kind, statement) in COUNTED {
            let count = self.read(async |tx| tx.count(statement).await).await?;
            counts.push((kind, count));
        }
        for (kind, count) in counts {
            set(&self.metrics.rows, [kind], count);
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let counted = self.metrics.rows_counted.with_label_values::<&str>(&[]);
        counted.set(now.unwrap_or_default().as_secs_f64());
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn writes(&self) -> u64 {
        self.metrics
            .durations
            .of(Operation::Write)
            .get_sample_count()
    }
}

impl Tx {
    async fn count(&mut self, statement: super::Statement) -> Result<i64> {
        let row = self.find(statement, args![MOST_COUNTED]).await?;
        row.map_or(Ok(0), |row| row.int("found"))
    }
}
