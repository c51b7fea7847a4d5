//! SQLite: the file, its settings, its connections.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection as _, SqlitePool};

use super::tx::Inner;
use super::{OpenError, StoreError, open};

pub(super) static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// Readers gain up to about this many connections, and each costs memory.
const READERS: u32 = 8;

/// SQLite: one connection that writes and several that read.
#[derive(Clone)]
pub(super) struct Engine {
    pub(super) readers: SqlitePool,
    pub(super) writer: SqlitePool,
    /// Whether erased bytes may still stand in the write-ahead log.
    purge_due: Arc<AtomicBool>,
}

impl Engine {
    /// Opens the database, creates it when it is missing and brings its schema up to date.
    pub(super) async fn open(url: &str) -> Result<Self, OpenError> {
        let options = options(url)?;
        let file = options.get_filename().to_owned();
        create(&file)?;
        // SQLite's migrations take no lock of their own, and several processes may start
        // at once; the guard is released when the file is closed.
        let guard = tokio::task::spawn_blocking(move || lock(&file)).await;
        let _guard = guard.map_err(|_| StoreError::Interrupted)??;

        let writer = leave_no_transaction(pool(1))
            .connect_with(options.clone())
            .await?;
        open::migrated(MIGRATIONS.run(&writer).await)?;
        let readers = pool(READERS)
            .connect_with(options.pragma("query_only", "ON"))
            .await?;
        let engine = Self {
            readers,
            writer,
            purge_due: Arc::default(),
        };
        // An erasure may have been committed and its log not emptied when the last process
        // ended. Another that runs now is no obstacle: it sees to its own.
        match engine.purge().await {
            Ok(()) | Err(StoreError::Busy) => Ok(engine),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) async fn read(&self) -> Result<Inner, sqlx::Error> {
        self.readers.acquire().await.map(Inner::SqliteRead)
    }

    pub(super) async fn begin(&self) -> Result<Inner, sqlx::Error> {
        // Deferred, a transaction that reads first fails when another wrote meanwhile.
        let begun = self.writer.begin_with("BEGIN IMMEDIATE").await;
        begun.map(Inner::SqliteWrite)
    }

    pub(super) async fn is_healthy(&self) -> bool {
        sqlx::query("SELECT 1").execute(&self.readers).await.is_ok()
    }

    pub(super) async fn purge(&self) -> Result<(), StoreError> {
        self.purge_due.store(true, Ordering::SeqCst);
        let (busy, _, _): (i64, i64, i64) = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)")
            .fetch_one(&self.writer)
            .await?;
        if busy != 0 {
            return Err(StoreError::Busy);
        }
        self.purge_due.store(false, Ordering::SeqCst);
        Ok(())
    }

    pub(super) fn is_purge_due(&self) -> bool {
        self.purge_due.load(Ordering::SeqCst)
    }

    pub(super) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

fn options(url: &str) -> Result<SqliteConnectOptions, OpenError> {
    // In memory each connection would have a database of its own.
    if url.contains(":memory:") || url.contains("mode=memory") {
        return Err(OpenError::Url);
    }
    let options = SqliteConnectOptions::from_str(url).map_err(|_| OpenError::Url)?;
    Ok(options
        .journal_mode(SqliteJournalMode::Wal)
        // NORMAL loses acknowledged writes when the power fails.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        // Deleted content is overwritten, not merely forgotten.
        .pragma("secure_delete", "ON"))
}

fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(Duration::from_secs(10))
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
}

/// A commit that failed (on a full disk, say) leaves sqlx believing that the transaction
/// goes on, which would fail every later write: such a connection is thrown away.
fn leave_no_transaction(options: SqlitePoolOptions) -> SqlitePoolOptions {
    options.after_release(|connection, _| {
        Box::pin(async move {
            // Lets a rollback that is still queued come first.
            connection.ping().await?;
            Ok(!connection.is_in_transaction())
        })
    })
}

/// Creates the file readable by its owner only, and makes its name durable.
fn create(file: &Path) -> Result<(), OpenError> {
    if file.exists() {
        return Ok(());
    }
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder)?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(file)?.sync_all()?;
    File::open(folder)?.sync_all()?;
    Ok(())
}

fn lock(file: &Path) -> std::io::Result<File> {
    let mut name = file.as_os_str().to_owned();
    name.push(".lock");
    let guard = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(PathBuf::from(name))?;
    guard.lock()?;
    Ok(guard)
}
