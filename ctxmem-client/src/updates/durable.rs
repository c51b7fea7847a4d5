//! A store in a SQLite file (feature `durable`).
//!
//! One process at a time uses the file. A commit reaches the operating system before `add` returns, so
//! it survives the end of the process, however it comes; a power failure may take the last moments.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use ctxmem_types::{Timestamp, UserId};
use rusqlite::{Connection, params};

use super::store::{NotStored, Store, StoredId};
use crate::{Interaction, lock};

/// Why the file of a durable queue can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DurableError {
    /// It can't be created or made private.
    #[error("the file of the queue can't be created, or not made private to its owner")]
    File(#[source] io::Error),
    /// Another process uses it.
    #[error("the file of the queue is in use by another process")]
    InUse,
    /// SQLite can't use it: it is damaged, for example, or not the file of a queue.
    #[error("the file of the queue can't be used")]
    Database(#[source] rusqlite::Error),
    /// It holds something that is no interaction.
    #[error("the file of the queue holds something that is no interaction")]
    Content,
}

impl From<rusqlite::Error> for DurableError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                Self::InUse
            }
            _ => Self::Database(error),
        }
    }
}

/// `secure_delete` overwrites what has ended.
const OPEN: &str = "
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA secure_delete = ON;
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS pending (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        user_message TEXT NOT NULL,
        agent_response TEXT NOT NULL,
        idempotency_key TEXT NOT NULL,
        at TEXT NOT NULL
    ) STRICT;
    COMMIT;
";

pub(super) struct File {
    connection: Mutex<Connection>,
}

impl File {
    /// Opens or makes the file, and reads what an earlier process left.
    pub(super) fn open(path: &Path) -> Result<(Self, Vec<(StoredId, Interaction)>), DurableError> {
        make_private(path).map_err(DurableError::File)?;
        let connection = Connection::open(path)?;
        connection.busy_timeout(std::time::Duration::ZERO)?;
        connection.execute_batch(OPEN)?;
        let pending = pending(&connection)?;
        let connection = Mutex::new(connection);
        Ok((Self { connection }, pending))
    }
}

impl Store for File {
    fn add(&self, interaction: &Interaction) -> Result<StoredId, NotStored> {
        let connection = lock(&self.connection);
        let added = connection
            .prepare_cached(
                "INSERT INTO pending (user_id, user_message, agent_response, idempotency_key, at)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )
            .and_then(|mut insert| {
                insert.insert(params![
                    interaction.user_id.as_str(),
                    interaction.user_message,
                    interaction.agent_response,
                    interaction.idempotency_key(),
                    interaction.at.as_ref().map(Timestamp::as_str),
                ])
            });
        added.map_err(|error| {
            // The code alone: a text might quote what was to be stored.
            let code = error.sqlite_error_code();
            tracing::error!(?code, "an interaction can't be stored in the durable queue");
            NotStored
        })
    }

    fn remove(&self, id: StoredId) {
        let connection = lock(&self.connection);
        let removed = connection
            .prepare_cached("DELETE FROM pending WHERE id = ?1")
            .and_then(|mut delete| delete.execute([id]));
        if let Err(error) = removed {
            let code = error.sqlite_error_code();
            tracing::error!(
                ?code,
                "an interaction that has ended stays in the durable queue and will be sent again"
            );
        }
    }
}

/// In the order in which they were accepted.
fn pending(connection: &Connection) -> Result<Vec<(StoredId, Interaction)>, DurableError> {
    let mut select = connection.prepare(
        "SELECT id, user_id, user_message, agent_response, idempotency_key, at
         FROM pending ORDER BY id",
    )?;
    let rows = select.query_map([], |row| {
        let text = |column| row.get::<_, String>(column);
        Ok((
            row.get(0)?,
            text(1)?,
            text(2)?,
            text(3)?,
            text(4)?,
            text(5)?,
        ))
    })?;
    let mut pending = Vec::new();
    for row in rows {
        let (id, user_id, said, answered, key, at) = row?;
        let user_id = UserId::new(user_id).map_err(|_| DurableError::Content)?;
        let interaction = Interaction::new(user_id, said, answered)
            .with_idempotency_key(key)
            .map_err(|_| DurableError::Content)?
            .with_time(at.parse().map_err(|_| DurableError::Content)?);
        pending.push((id, interaction));
    }
    Ok(pending)
}

/// Only the owner may read conversations. SQLite's own files beside it get the same mode. A file that
/// is there is not opened: closing it would release the locks of a queue in this process.
fn make_private(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}
