//! SQLite: the file, its settings, its connections.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::OpenFlags;
use rusqlite::hooks::Wal;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, SqlitePool};
use tokio::sync::Mutex;

use super::commit_tracker::CommitTracker;
use super::direct::Direct;
use super::error::full_path;
use super::files::OpenFiles;
use super::keyring::Keyring;
use super::metrics::StoreMetrics;
use super::tx::Inner;
use super::user_keys::{self, UserKeys};
use super::writer_lock::WriterLock;
use super::{
    DbConfig, OpenError, Result, StoreError, Tx, backup, commit_tracker, compatibility, files,
    group, migrations,
};

/// More connections than this gain nothing, and each costs memory.
const READERS: u32 = 8;

/// A connection that nobody has used for longer is closed: each keeps 2 MiB of pages in memory.
const READER_IDLE: Duration = Duration::from_secs(30);

/// How long a connection waits for the lock of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How many statements stay prepared on the connection that writes: more than there are.
const STATEMENTS: usize = 256;

const WAS_USED: &str = "SELECT 1 FROM meta WHERE name = 'keys_check'";

#[derive(Clone)]
pub(super) struct Engine {
    pub(super) readers: SqlitePool,
    pub(super) commits: Arc<CommitTracker>,
    /// Keeps the log's index alive when the other connections are closed.
    watching: Arc<Mutex<Option<SqliteConnection>>>,
    pub(super) queue: group::Queue,
    /// The path of the file, on which no link lies.
    pub(super) file: Arc<Path>,
}

impl Engine {
    /// Opens the database and migrates its schema. One that is not there is created, or refused.
    pub(super) async fn open(
        config: &DbConfig,
        metrics: &Arc<StoreMetrics>,
    ) -> Result<(Self, Keyring), OpenError> {
        let options = options(&config.url)?;
        let file = options.get_filename().to_owned();
        backup::complete(&file).map_err(|error| OpenError::from(error).of_file(&file))?;
        if !config.create && !file.exists() {
            return Err(OpenError::Missing(full_path(&file)));
        }
        let opened = Self::open_file(&file, options, config, metrics).await;
        opened.map_err(|error| error.of_file(&file))
    }

    async fn open_file(
        file: &Path,
        options: SqliteConnectOptions,
        config: &DbConfig,
        metrics: &Arc<StoreMetrics>,
    ) -> Result<(Self, Keyring), OpenError> {
        files::create(file)?;
        let lock = WriterLock(files::lock_file(file)?);
        // Migrations on SQLite take no lock of their own, and several processes may start at once.
        // Closing the file releases this one.
        let guard = files::lock_file(file)?;
        let guard = tokio::task::spawn_blocking(move || guard.lock().map(|()| guard)).await;
        let guard = guard.map_err(|_| StoreError::Interrupted)??;

        let mut migrating = options.connect().await?;
        if !config.migrate {
            migrations::check_sqlite(&mut migrating, full_path(file)).await?;
        }
        migrations::migrated(migrations::sqlite().run(&mut migrating).await)?;
        let was_used = sqlx::query(WAS_USED).fetch_optional(&mut migrating).await?;
        migrating.close().await?;
        if was_used.is_some() && !user_keys::key_file(file).exists() {
            return Err(OpenError::KeysMissing);
        }
        let (master, index) = (config.master_key.as_deref(), config.index_key.clone());
        let keys = Keyring::new(UserKeys::open_sqlite(file, master, index).await?);
        drop(guard);
        let options = options.pragma("query_only", "ON");
        let mut watching = options.connect().await?;
        // The first read opens the index.
        sqlx::query(WAS_USED).execute(&mut watching).await?;
        let commits = Arc::new(CommitTracker::watch(options.get_filename()));
        let readers = pool(READERS).connect_with(options).await?;
        let connection = Inner::SqliteWrite(Direct::new(writing(file)?));
        let writer = group::Writer {
            tx: Tx::new(connection, keys.clone(), false),
            lock,
            files: open_files(file)?,
            commits: Arc::clone(&commits),
            metrics: Arc::clone(metrics),
        };
        let queue = group::Queue::start(writer)?;
        let engine = Self {
            readers,
            queue,
            commits,
            watching: Arc::new(Mutex::new(Some(watching))),
            file: file.canonicalize()?.into(),
        };
        Ok((engine, keys))
    }

    pub(super) async fn read(&self) -> Result<Inner, sqlx::Error> {
        // It has room for all that connecting may take, some 28 KB.
        let acquired = Box::pin(self.readers.acquire()).await;
        acquired.map(Inner::SqliteRead)
    }

    /// Begins a transaction whose statements see one snapshot. It never writes.
    pub(super) async fn snapshot(&self) -> Result<Inner, sqlx::Error> {
        let begun = Box::pin(self.readers.begin_with("BEGIN")).await;
        begun.map(Inner::SqliteSnapshot)
    }

    pub(super) async fn is_healthy(&self) -> bool {
        let reads = compatibility::check_sqlite(&self.readers).await;
        reads.is_ok() && self.queue.is_running()
    }

    pub(super) async fn close(&self) {
        self.queue.close().await;
        self.readers.close().await;
        if let Some(watching) = self.watching.lock().await.take() {
            // It wrote nothing, so nothing can be lost.
            let _ = watching.close().await;
        }
        self.commits.close();
    }
}

/// The file of the database at this URL; `None` where it is not on SQLite.
pub(super) fn file(url: &str) -> Result<Option<PathBuf>, OpenError> {
    if !url.starts_with("sqlite:") {
        return Ok(None);
    }
    options(url).map(|options| Some(options.get_filename().to_owned()))
}

fn open_files(database: &Path) -> std::io::Result<OpenFiles> {
    let keys = user_keys::key_file(database);
    // A log lies beside the file itself, wherever a link leads.
    OpenFiles::of(&[&database.canonicalize()?, &keys.canonicalize()?])
}

fn options(url: &str) -> Result<SqliteConnectOptions, OpenError> {
    // Each connection would have its own database in memory.
    if url.contains(":memory:") || url.contains("mode=memory") {
        return Err(OpenError::Url);
    }
    let options = SqliteConnectOptions::from_str(url).map_err(|_| OpenError::Url)?;
    Ok(options
        .journal_mode(SqliteJournalMode::Wal)
        // NORMAL loses acknowledged writes when the power fails.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        // No file outside the folder, nor one that a kill leaves behind.
        .pragma("temp_store", "MEMORY")
        .busy_timeout(BUSY_TIMEOUT))
}

/// Settings of the connection that writes. Small writes touch pages all over the file, so it caches
/// 16 MiB of them.
const WRITER_SETTINGS: &str = "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
                               PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384";

/// The log is copied into the file when it has this many pages, 32 MiB. A page that changes often
/// is then copied once for many commits.
const CHECKPOINT_PAGES: i32 = 8192;

/// Opens a connection that writes, for a thread of its own. The file must exist and have a log.
pub(super) fn writing(file: &Path) -> Result<rusqlite::Connection> {
    // The compiler ensures that only one thread at a time uses it.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = rusqlite::Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch(WRITER_SETTINGS)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.wal_hook(Some(after_commit));
    Ok(connection)
}

/// SQLite calls this after each commit that wrote to the log, in place of its own hook, which
/// would do no more than checkpoint.
#[expect(clippy::unnecessary_wraps, reason = "hooks have this signature")]
fn after_commit(log: &Wal, pages: i32) -> rusqlite::Result<()> {
    commit_tracker::note_commit();
    if pages >= CHECKPOINT_PAGES {
        // The commit is durable whatever becomes of this; the next one tries again.
        let _ = log.checkpoint();
    }
    Ok(())
}

fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(Duration::from_secs(30))
        .test_before_acquire(false)
        .idle_timeout(READER_IDLE)
        .max_lifetime(None)
}
