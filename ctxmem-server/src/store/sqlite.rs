//! SQLite: the file, its settings, its connections.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::{OpenFlags, OptionalExtension as _};
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, SqlitePool};
use tokio::sync::Mutex;

use super::fresh::Fresh;
use super::turn::Turn;
use super::tx::Inner;
use super::{OpenError, StoreError, group, open};

pub(super) static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// Readers gain up to about this many connections, and each costs memory.
const READERS: u32 = 8;

/// How long a connection waits for the lock of another process.
const PATIENCE: Duration = Duration::from_secs(5);

/// So many statements stay prepared on the connection that writes: more than there are.
const STATEMENTS: usize = 256;

/// Written in the transaction of each deletion (see `users`), with another value each time, so
/// that it is not forgotten when the process ends before the bytes are gone.
const PURGE_NOTED: &str = "SELECT value FROM meta WHERE name = 'purge_due'";
const FORGET_PURGE: &str = "DELETE FROM meta WHERE name = 'purge_due' AND value = $1";

/// SQLite: one connection that writes and several that read.
#[derive(Clone)]
pub(super) struct Engine {
    pub(super) readers: SqlitePool,
    pub(super) fresh: Arc<Fresh>,
    /// Keeps the log's index in being, whatever becomes of the others.
    watching: Arc<Mutex<Option<SqliteConnection>>>,
    pub(super) queue: group::Queue,
    purges: Arc<Purges>,
}

/// Counts the purges, so that erasures that wait at the same time share one.
#[derive(Default)]
struct Purges {
    begun: AtomicU64,
    /// The last one that ended well. Whoever holds it purges.
    ended: Mutex<u64>,
    /// Whether erased bytes may still stand in the files.
    due: AtomicBool,
}

impl Engine {
    /// Opens the database, creates it when it is missing and brings its schema up to date.
    pub(super) async fn open(url: &str) -> Result<Self, OpenError> {
        let options = options(url)?;
        let file = options.get_filename().to_owned();
        create(&file)?;
        let turn = Turn::new(lock_file(&file)?);
        // SQLite's migrations take no lock of their own, and several processes may start
        // at once; the guard is released when the file is closed.
        let guard = lock_file(&file)?;
        let guard = tokio::task::spawn_blocking(move || guard.lock().map(|()| guard)).await;
        let guard = guard.map_err(|_| StoreError::Interrupted)??;

        let mut migrating = options.connect().await?;
        open::migrated(MIGRATIONS.run(&mut migrating).await)?;
        migrating.close().await?;
        drop(guard);
        let options = options.pragma("query_only", "ON");
        let mut watching = options.connect().await?;
        // To read something opens the index.
        sqlx::query(PURGE_NOTED).execute(&mut watching).await?;
        let fresh = Arc::new(Fresh::watch(options.get_filename()));
        let readers = pool(READERS).connect_with(options).await?;
        let engine = Self {
            readers,
            queue: group::Queue::start(writing(&file)?, turn, Arc::clone(&fresh))?,
            fresh,
            watching: Arc::new(Mutex::new(Some(watching))),
            purges: Arc::default(),
        };
        // An erasure may have been committed, and its bytes not removed, when the last
        // process ended. Another that runs now is no obstacle: it sees to its own.
        if engine.is_purge_noted().await? {
            match engine.purge().await {
                Ok(()) | Err(StoreError::Busy) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(engine)
    }

    pub(super) async fn read(&self) -> Result<Inner, sqlx::Error> {
        self.readers.acquire().await.map(Inner::SqliteRead)
    }

    pub(super) async fn is_healthy(&self) -> bool {
        let reads = sqlx::query("SELECT 1").execute(&self.readers).await;
        reads.is_ok() && self.queue.is_served()
    }

    /// Rewrites the database and empties the write-ahead log. `secure_delete` overwrites
    /// rows where they lie; where SQLite divided or merged pages before, an old copy may lie
    /// in the unused part of a page, and only a rewrite leaves it behind.
    pub(super) async fn purge(&self) -> Result<(), StoreError> {
        self.purges.due.store(true, Ordering::SeqCst);
        let asked = self.purges.begun.load(Ordering::SeqCst);
        let mut ended = self.purges.ended.lock().await;
        // One that began after this call has taken along what was erased before it.
        if *ended > asked {
            return Ok(());
        }
        let this = self.purges.begun.fetch_add(1, Ordering::SeqCst) + 1;
        self.purges.due.store(false, Ordering::SeqCst);
        let purged = self.queue.alone(rewrite).await;
        if purged.is_err() {
            self.purges.due.store(true, Ordering::SeqCst);
        } else {
            *ended = this;
        }
        purged
    }

    /// Whether something was deleted since the last purge. It only reads: asking often is
    /// cheap.
    pub(super) async fn is_purge_noted(&self) -> Result<bool, sqlx::Error> {
        let note = sqlx::query(PURGE_NOTED)
            .fetch_optional(&self.readers)
            .await?;
        Ok(note.is_some())
    }

    pub(super) fn is_purge_due(&self) -> bool {
        self.purges.due.load(Ordering::SeqCst)
    }

    pub(super) async fn close(&self) {
        self.queue.close().await;
        self.readers.close().await;
        if let Some(watching) = self.watching.lock().await.take() {
            // It wrote nothing that could get lost.
            let _ = watching.close().await;
        }
        self.fresh.close();
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
        .busy_timeout(PATIENCE)
        // Deleted content is overwritten, not merely forgotten.
        .pragma("secure_delete", "ON"))
}

/// What the connection that writes is told. Small writes go all over the file: it has 16 MiB of
/// pages in memory, and a page that is written often goes into the file once in 32 MiB of log.
const WRITING: &str = "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
                       PRAGMA secure_delete = ON; PRAGMA cache_size = -16384; \
                       PRAGMA wal_autocheckpoint = 8192";

/// A connection that writes, for a thread of its own. The file is there, and keeps a log.
pub(super) fn writing(file: &Path) -> Result<rusqlite::Connection, StoreError> {
    // One thread at a time uses it, which the compiler sees to.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = rusqlite::Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.execute_batch(WRITING)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(connection)
}

/// Rewrites the file and empties the log.
fn rewrite(connection: &rusqlite::Connection) -> Result<(), StoreError> {
    let note: Option<Vec<u8>> = connection
        .query_row(PURGE_NOTED, [], |row| row.get(0))
        .optional()?;
    connection.execute_batch("VACUUM")?;
    // An erasure that was committed since has left another note.
    connection.execute(FORGET_PURGE, [note])?;
    let busy: i64 =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy == 0 {
        Ok(())
    } else {
        Err(StoreError::Busy)
    }
}

fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        // A purge of a large file holds writers up for a while.
        .acquire_timeout(Duration::from_secs(30))
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
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
    ours().open(file)?.sync_all()?;
    File::open(folder)?.sync_all()?;
    Ok(())
}

/// The file beside the database by which processes get out of each other's way. Whoever opens
/// it may lock it.
fn lock_file(file: &Path) -> std::io::Result<File> {
    let mut name = file.as_os_str().to_owned();
    name.push(".lock");
    ours().open(PathBuf::from(name))
}

/// Creates what is missing, for its owner only.
fn ours() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}
