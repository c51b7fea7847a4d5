//! What the store counts of itself.

use std::time::Instant;

use tracing::Span;

use super::files::FileSizes;
use super::statement::statements;
use super::{Db, Engine, StoreError, Tx};
use crate::figures::{Counter, Histogram};
use crate::traces;

/// From 50 µs, what a statement on SQLite takes, to the time after which callers on Postgres give up.
const DURATIONS: &[u64] = &[
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    2_500_000_000,
    10_000_000_000,
];

/// Up to the most units that share a commit.
const UNITS: &[u64] = &[1, 2, 4, 8, 16, 32, 64, 128, 256];

/// How many rows of a table are counted at most, which takes some tenths of a second.
const MOST_COUNTED: i64 = 1_000_000;

statements! {
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

/// What expires or waits, as operators know it, with the statement that counts it.
const COUNTED: [(&str, super::Statement); 9] = [
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

/// How long units of work took, and what was committed.
#[derive(Debug)]
pub(crate) struct StoreFigures {
    /// Units that read, with the wait for a connection.
    pub(crate) reads: Histogram,
    /// Units in autocommit mode.
    pub(crate) autocommits: Histogram,
    /// Units that write, from the call to the answer: in the queue, the transaction, the commit.
    pub(crate) writes: Histogram,
    /// Commits alone.
    pub(crate) commits: Histogram,
    /// How many units shared each commit, on SQLite.
    pub(crate) group_sizes: Histogram,
    /// Commits that failed.
    pub(crate) failed_commits: Counter,
}

impl Default for StoreFigures {
    fn default() -> Self {
        Self {
            reads: Histogram::of_durations(DURATIONS),
            autocommits: Histogram::of_durations(DURATIONS),
            writes: Histogram::of_durations(DURATIONS),
            commits: Histogram::of_durations(DURATIONS),
            group_sizes: Histogram::of_numbers(UNITS),
            failed_commits: Counter::default(),
        }
    }
}

/// A unit of work that is timed, and is a span of traces, until this is dropped. It is no wrapper around
/// the unit's future: there are hundreds of these, and each would be compiled with it.
pub(super) struct Timed<'f> {
    durations: &'f Histogram,
    began: Instant,
    span: Span,
}

impl<'f> Timed<'f> {
    #[inline(never)]
    pub(super) fn read(durations: &'f Histogram) -> Self {
        Self {
            durations,
            began: Instant::now(),
            span: traces::database_read(),
        }
    }

    #[inline(never)]
    pub(super) fn write(durations: &'f Histogram) -> Self {
        Self {
            durations,
            began: Instant::now(),
            span: traces::database_write(),
        }
    }
}

impl Drop for Timed<'_> {
    #[inline(never)]
    fn drop(&mut self) {
        self.durations.record_since(self.began);
        self.span = Span::none();
    }
}

/// How many wait, and how many can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueLength {
    pub(crate) waiting: usize,
    pub(crate) limit: usize,
}

/// Connections of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PoolSize {
    pub(crate) name: &'static str,
    pub(crate) open: usize,
    pub(crate) idle: usize,
}

impl Db {
    pub(crate) fn figures(&self) -> &StoreFigures {
        &self.figures
    }

    /// The units of work that wait for the writer; `None` on Postgres, where they run in parallel.
    pub(crate) fn queue_length(&self) -> Option<QueueLength> {
        match &self.engine {
            Engine::Sqlite(engine) => Some(engine.queue.length()),
            Engine::Postgres(_) => None,
        }
    }

    /// `None` on Postgres.
    pub(crate) fn file_sizes(&self) -> Option<FileSizes> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.files.sizes(),
            Engine::Postgres(_) => None,
        }
    }

    pub(crate) fn pool_sizes(&self) -> Vec<PoolSize> {
        match &self.engine {
            Engine::Sqlite(engine) => vec![pool_size("read", &engine.readers)],
            Engine::Postgres(engine) => vec![
                pool_size("read", &engine.readers),
                pool_size("write", &engine.writers),
            ],
        }
    }

    /// How many rows there are of what expires by itself, up to a million of each. It reads the
    /// tables, so it is done seldom.
    pub(crate) async fn count_rows(&self) -> Result<Vec<(&'static str, i64)>, StoreError> {
        let mut counts = Vec::with_capacity(COUNTED.len());
        for (name, statement) in COUNTED {
            let count = self
                .read(|tx| Box::pin(async move { tx.count(statement).await }))
                .await?;
            counts.push((name, count));
        }
        Ok(counts)
    }
}

impl Tx {
    async fn count(&mut self, statement: super::Statement) -> Result<i64, StoreError> {
        let row = self.find(statement, &[MOST_COUNTED.into()]).await?;
        row.map_or(Ok(0), |row| row.int("found"))
    }
}

fn pool_size<D: sqlx::Database>(name: &'static str, pool: &sqlx::Pool<D>) -> PoolSize {
    let open = usize::try_from(pool.size()).unwrap_or(usize::MAX);
    PoolSize {
        name,
        open,
        // The pool counts both by itself, one after the other.
        idle: pool.num_idle().min(open),
    }
}
