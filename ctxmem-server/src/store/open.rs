//! Opening a database: the file, its settings, its migrations.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection as _, SqlitePool};

use super::{Db, OpenError, Salt, StoreError};

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

const URL: &str = "sqlite://path/to/file.db";

/// Readers gain up to about this many connections, and each costs memory.
const READERS: u32 = 8;

impl Db {
    /// Opens the database, creates it when it is missing and brings its schema up to date.
    pub async fn open(url: &str) -> Result<Self, OpenError> {
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
        migrate(&writer).await?;
        let salt = salt(&writer).await?;
        let readers = pool(READERS)
            .connect_with(options.pragma("query_only", "ON"))
            .await?;
        let db = Self {
            readers,
            writer,
            salt,
            purge_due: Arc::default(),
        };
        // An erasure may have been committed and its log not emptied when the last process
        // ended. Another that runs now is no obstacle: it sees to its own.
        match db.purge().await {
            Ok(()) | Err(StoreError::Busy) => Ok(db),
            Err(error) => Err(error.into()),
        }
    }
}

fn options(url: &str) -> Result<SqliteConnectOptions, OpenError> {
    let wrong = OpenError::Url { expected: URL };
    if !url.starts_with("sqlite:") || url.contains(":memory:") || url.contains("mode=memory") {
        return Err(wrong);
    }
    let options = SqliteConnectOptions::from_str(url).map_err(|_| wrong)?;
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

async fn migrate(pool: &SqlitePool) -> Result<(), OpenError> {
    MIGRATIONS.run(pool).await.map_err(|error| match error {
        MigrateError::VersionMissing(found) => OpenError::NewerSchema { found },
        error => error.into(),
    })
}

/// The salt of this database, made at its first opening.
async fn salt(pool: &SqlitePool) -> Result<Salt, StoreError> {
    let fresh: Salt = rand::random();
    sqlx::query("INSERT INTO meta (name, value) VALUES ('user_salt', $1) ON CONFLICT DO NOTHING")
        .bind(fresh.as_slice())
        .execute(pool)
        .await?;
    let stored: Vec<u8> = sqlx::query_scalar("SELECT value FROM meta WHERE name = 'user_salt'")
        .fetch_one(pool)
        .await?;
    stored
        .try_into()
        .map_err(|_| StoreError::Corrupt("meta.value"))
}
