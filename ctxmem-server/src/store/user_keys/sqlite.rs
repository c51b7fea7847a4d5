//! The keys of a SQLite database: a small database beside it.
//!
//! Here bytes can be destroyed. All rows are of the same length and none is ever deleted, so no row
//! moves and no copy of it remains in an unused part of a page: a key is overwritten where it lies.
//! Older states of its page are in the write-ahead log only, which is emptied before a destruction
//! is answered (`writer.rs`).

mod copied;
mod tables;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::aead::RawKey;
use super::key::{FreshKey, IndexKey, KeyRef, NOWHERE};
use super::master_key::MasterKey;
use super::shared::Shared;
use crate::locked;
use crate::store::files::{self, OpenFiles, beside};
use crate::store::{OpenError, Result, StoreError};
use writer::Writer;

pub(in crate::store) use copied::CopiedKeys;

/// How long a connection waits for the lock of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How long opening pauses when another process is opening the database too.
const OPEN_PAUSE: Duration = Duration::from_millis(10);

/// Settings of the connection that writes. What a statement needs besides the tables stays in
/// memory, so that no key gets into a temporary file.
const WRITER_SETTINGS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
                               PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; \
                               PRAGMA cache_size = -512";

/// One connection that writes, on a thread of its own, and one that reads.
pub(super) struct Engine {
    /// `None` when it is closed. Reading a key takes some microseconds, so callers read in their
    /// own task and one connection is enough.
    reader: Mutex<Option<Connection>>,
    writer: Writer,
    shared: Arc<Shared>,
}

impl Engine {
    /// Opens the keys that belong to a database, whose file this is.
    pub(super) async fn open(
        database: &Path,
        master: Option<MasterKey>,
        index: Option<IndexKey>,
    ) -> Result<(Self, Arc<Shared>), OpenError> {
        let file = key_file(database);
        // It may have to wait for another process.
        let opening = tokio::task::spawn_blocking(move || Self::open_file(&file, master, index));
        let opened = opening.await.map_err(|_| StoreError::Interrupted)??;
        if opened.is_former_master_removed {
            match opened.engine.writer.destroy(Vec::new()).await {
                // It is gone from the log when something is destroyed, at the latest.
                Ok(()) | Err(StoreError::Busy) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let shared = Arc::clone(&opened.engine.shared);
        Ok((opened.engine, shared))
    }

    fn open_file(
        file: &Path,
        master: Option<MasterKey>,
        index: Option<IndexKey>,
    ) -> Result<Opened, OpenError> {
        files::create(file)?;
        // The log lies beside the file itself, wherever that is.
        let file = file.canonicalize()?;
        let mut connection = connect(&file)?;
        let prepared = tables::prepare(&mut connection, master, index)?;
        let reader = Mutex::new(Some(reading(&file)?));
        let shared = Arc::new(Shared::new(prepared.wrapping, prepared.index));
        let files = OpenFiles::of(&[&file])?;
        let log = beside(&file, "-wal");
        let writer = Writer::start(connection, files, log, Arc::clone(&shared))?;
        Ok(Opened {
            engine: Self {
                reader,
                writer,
                shared,
            },
            is_former_master_removed: prepared.is_former_master_removed,
        })
    }

    fn reader(&self) -> MutexGuard<'_, Option<Connection>> {
        locked(&self.reader)
    }
}

#[async_trait]
impl super::shared::KeyDatabase for Engine {
    async fn key(&self, at: KeyRef) -> Result<Option<RawKey>> {
        let reader = self.reader();
        let connection = reader.as_ref().ok_or(sqlx::Error::PoolClosed)?;
        let wrapping = &self.shared.wrapping;
        for _ in 0..2 {
            let Some(wrapped) = tables::find(connection, at)? else {
                return Ok(None);
            };
            if let Some(key) = wrapping.unwrap(at, &wrapped)? {
                return Ok(Some(key));
            }
            // The master key is being rotated. Meanwhile the key may have been wrapped once more.
            wrapping.learn(&tables::wrapping_keys(connection)?);
        }
        Err(StoreError::MasterKeyReplaced)
    }

    async fn fresh(&self) -> Result<FreshKey> {
        match self.shared.unused.take() {
            Some(key) => Ok(key),
            None => self.writer.fresh().await,
        }
    }

    async fn is_healthy(&self) -> bool {
        self.key(NOWHERE).await.is_ok()
    }

    /// It empties the log as well.
    async fn destroy(&self, keys: &[KeyRef]) -> Result<()> {
        self.writer.destroy(keys.to_vec()).await
    }

    async fn add_wrapping_key(&self, new: Option<&MasterKey>) -> Result<i64> {
        let new = new.cloned();
        let add = move |connection: &mut Connection, shared: &Shared| {
            tables::add_wrapping_key(connection, &shared.wrapping, new.as_ref())
        };
        self.writer.run(add).await
    }

    async fn rewrap(&self, number: i64, after: i64) -> Result<Option<i64>> {
        let rewrap = move |connection: &mut Connection, shared: &Shared| {
            tables::rewrap(connection, &shared.wrapping, number, after)
        };
        self.writer.run(rewrap).await
    }

    async fn retire_others(&self, number: i64) -> Result<bool> {
        let retire = move |connection: &mut Connection, _: &Shared| {
            tables::retire_others(connection, number)
        };
        self.writer.run(retire).await
    }

    async fn forget_retired(&self) -> Result<()> {
        // They are still in the log.
        self.destroy(&[]).await
    }

    async fn close(&self, unused: Vec<KeyRef>) {
        // They are of no use to anybody, so neither is a failure. What remains of them may stay in
        // the log.
        let free =
            move |connection: &mut Connection, _: &Shared| tables::destroy(connection, &unused);
        let _ = self.writer.run(free).await;
        self.reader().take();
        // The last connection: closing it empties the log.
        self.writer.close().await;
    }
}

struct Opened {
    engine: Engine,
    is_former_master_removed: bool,
}

/// The file of the keys that belong to a database.
pub(in crate::store) fn key_file(database: &Path) -> PathBuf {
    // SQLite resolves links before it names the files beside a database.
    let resolved = database.canonicalize();
    beside(resolved.as_deref().unwrap_or(database), "-keys")
}

/// Opens the connection that writes. It tries again while the database is busy: SQLite does not
/// wait where two connections turn the log on at the same time.
fn connect(file: &Path) -> Result<Connection> {
    let began = Instant::now();
    loop {
        match writing(file) {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && began.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::sleep(OPEN_PAUSE);
            }
            connected => return Ok(connected?),
        }
    }
}

fn writing(file: &Path) -> Result<Connection, rusqlite::Error> {
    // The compiler ensures that only one thread at a time uses it.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch(WRITER_SETTINGS)?;
    Ok(connection)
}

fn reading(file: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // The first read opens the log. Opened later, it could be another file by then.
    tables::find(&connection, NOWHERE)?;
    Ok(connection)
}
