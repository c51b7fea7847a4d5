//! Errors of the store. An error says table, column and row, but never shows a value or names a
//! person: it goes to the log.

use std::path::Path;
use std::sync::Arc;

use rusqlite::ErrorCode;

use super::HostsError;
use super::arg::Arg;

/// States of SQL: the disk is full, memory is short, input or output failed.
const OF_DISK: [&str; 3] = ["53100", "53200", "58030"];

pub(super) type Result<T, E = StoreError> = std::result::Result<T, E>;

/// A failure of the database. Absence is not an error: it is an `Option`.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused, or could not be reached.
    #[error("the database failed: {0}")]
    Database(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// A newer version of ctxmem has migrated the database.
    #[error(
        "a newer version of ctxmem has migrated the database, and this one can't use it any more; \
         start the newer ctxmem-server"
    )]
    Incompatible,
    /// Since this process started, the database was distributed over several machines.
    #[error(
        "the database was distributed over several machines since this process started; restart it"
    )]
    Distributed,
    /// The database does not answer.
    #[error("the database does not answer")]
    Unavailable,
    /// The database holds a value that this version never writes.
    #[error(
        "the database holds an unexpected value in {table}.{column}{}",
        of_row(row.as_deref())
    )]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The row's primary key, where it is known and names nobody: an id or a user key.
        row: Option<String>,
    },
    /// A statement that changes one row, which must be there, changed another number of rows.
    #[error(
        "{affected} rows of {table} were changed instead of one{}",
        of_row(Some(row))
    )]
    RowsAffected {
        /// The table.
        table: &'static str,
        /// The primary key of the row that must be there: an id or a user key.
        row: String,
        /// How many rows were changed.
        affected: u64,
    },
    /// Another process still reads an older state, so erased bytes stay in the log.
    #[error("another process holds the database open at an older state")]
    Busy,
    /// The user's key was replaced or destroyed while the user's data was read: read again.
    #[error("the user's key was replaced while the user's data was read")]
    KeyReplaced,
    /// A unit of work panicked, or its task ended early.
    #[error("a unit of work was cut short")]
    Interrupted,
    /// The master key was rotated, and this process still has the former one.
    #[error(
        "a user's key can't be read with the master key of this process; \
         restart it with the current one"
    )]
    MasterKeyReplaced,
    /// The master key can be rotated by one process at a time.
    #[error("another rotation of the master key has begun, and this one ends")]
    RotationSuperseded,
    /// The files of the database are not those that were opened, so what is written is lost.
    #[error(
        "a file of the database was removed or replaced while the server was using it; \
         put it back and restart the server"
    )]
    FilesReplaced,
    /// Too many units of work wait to be written.
    #[error("too many changes wait to be written")]
    Overloaded,
    /// The cryptographic library failed.
    #[error("the cryptographic library failed")]
    Crypto,
}

impl StoreError {
    /// An unexpected value in a column.
    pub fn corrupt(table: &'static str, column: &'static str) -> Self {
        Self::Corrupt {
            table,
            column,
            row: None,
        }
    }

    /// Whether the database may still carry out, or have carried out, what failed: the answer is
    /// missing, and nobody must do it once more.
    pub fn outcome_unknown(&self) -> bool {
        match self {
            Self::Unavailable | Self::Interrupted => true,
            // It was shut down, perhaps after a commit and before the answer, or where the database is
            // distributed, a machine behind it was lost.
            _ => {
                matches!(
                    self.of_sqlx(),
                    Some(sqlx::Error::Io(_) | sqlx::Error::Protocol(_))
                ) || self.is_of_another_machine()
            }
        }
    }

    pub(super) fn is_of_disk(&self) -> bool {
        if let Self::Database(error) = self
            && let Some(error) = error.downcast_ref::<rusqlite::Error>()
        {
            let code = error.sqlite_error_code();
            return matches!(code, Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure));
        }
        self.has_state(|state| OF_DISK.contains(&state))
    }

    /// Whether a machine with a part of the data, where it is distributed, could not be reached or was
    /// shut down. The others go on.
    pub(super) fn is_of_another_machine(&self) -> bool {
        self.has_state(|state| state.starts_with("08") || state.starts_with("57P"))
    }

    /// Whether the database gave up a transaction that would have succeeded alone, in a serialization
    /// failure or a deadlock.
    pub(super) fn is_worth_retrying(&self) -> bool {
        self.has_state(|state| state == "40001" || state == "40P01")
    }

    pub(super) fn has_state(&self, is_meant: impl FnOnce(&str) -> bool) -> bool {
        let error = self.of_sqlx().and_then(sqlx::Error::as_database_error);
        let state = error.and_then(sqlx::error::DatabaseError::code);
        state.is_some_and(|state| is_meant(&state))
    }

    pub(super) fn of_sqlx(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => error.downcast_ref(),
            _ => None,
        }
    }

    /// Names the row of an unexpected value by an id or a user key, unless it is named already.
    pub(super) fn in_row<'a>(mut self, key: impl Into<Arg<'a>>) -> Self {
        if let Self::Corrupt { row, .. } = &mut self {
            row.get_or_insert_with(|| key.into().to_string());
        }
        self
    }
}

fn of_row(key: Option<&str>) -> String {
    key.map(|key| format!(" (row {key})")).unwrap_or_default()
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(Arc::new(error))
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(Arc::new(error))
    }
}

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The URL is not one of a supported database. It may hold a password and is not shown.
    #[error(
        "database URL: expected sqlite://path/to/file.db or \
         postgres://user:password@host:port/database"
    )]
    Url,
    /// The URL of a Postgres database, or of its keys, can't be used. It is not shown.
    #[error("database URL: {0}")]
    Hosts(#[from] HostsError),
    /// There is no database, and none was to be created.
    #[error("there is no ctxmem database at {0}")]
    Missing(String),
    /// No host of the URL can be reached.
    #[error("the database at {place} can't be reached: {cause}")]
    Unreachable {
        /// The host, port and name.
        place: String,
        /// Why the last attempt failed.
        cause: std::io::Error,
    },
    /// No host of the URL takes writes.
    #[error(
        "the database takes no writes: it is a standby or read only; with all hosts in the URL, \
         separated by commas, the one that takes writes is found"
    )]
    TakesNoWrites,
    /// There is no cluster to distribute the database over.
    #[error("the database can't be distributed: {0}")]
    NoCluster(&'static str),
    /// The coordinator of a Citus cluster, as one of its nodes names it, can't be used.
    #[error(
        "the coordinator of the Citus cluster, which its nodes know as {place}, can't be used from \
         here: {cause}"
    )]
    Coordinator {
        /// Host, port and name of the database.
        place: String,
        /// Why not.
        cause: Box<OpenError>,
    },
    /// A pooler hands out connections by transaction.
    #[error(
        "this address leads to a connection pooler in transaction mode; \
         connect to Postgres directly or use session mode"
    )]
    TransactionPooler,
    /// The file or its folder can't be used.
    #[error("the database file {file} can't be used: {cause}")]
    File {
        /// Its path.
        file: String,
        /// What the system or SQLite said.
        cause: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// The folder that the database file should lie in does not exist.
    #[error("the folder {0} does not exist; create it, or name another database file")]
    NoFolder(String),
    /// The URL of the key database is not one that the database can have.
    #[error(
        "keys database URL: expected postgres://user:password@host:port/database, and only with a \
         database on Postgres; beside an SQLite file the keys are always in a file"
    )]
    KeysUrl,
    /// The database has been in use, and its key database is gone.
    #[error(
        "the key database that belongs to this database is missing; without it nothing that is \
         stored can be read: restore it beside the database (its name ends in -keys)"
    )]
    KeysMissing,
    /// The key database belongs to another database.
    #[error(
        "the key database does not belong to this database; without its own, nothing that is \
         stored can be read"
    )]
    OtherKeys,
    /// An older version of ctxmem made the schema, and it was not to be migrated.
    #[error(
        "the database at {0} is of an older version of ctxmem; back it up, then start the server on it \
         or run `ctxmem-server migrate`"
    )]
    Outdated(String),
    /// The database was made before the schema had its present form.
    #[error(
        "the database was made by a version of ctxmem-server from before the first release, and \
         can't be carried over; start with a new one"
    )]
    OldSchema,
    /// A newer version of ctxmem has been here.
    #[error(
        "the database has schema version {0}, newer than this binary knows; \
         start a newer ctxmem-server or restore a backup"
    )]
    NewerSchema(i64),
    /// The users' keys are protected by a master key, and none was given.
    #[error("the users' keys are protected by a master key, and none was given")]
    MasterKeyMissing,
    /// The users' keys are protected by another master key than the one given.
    #[error("the users' keys are protected by another master key than the one given")]
    MasterKeyWrong,
    /// A master key was given, and the users' keys are not protected by one.
    #[error(
        "a master key was given, but the users' keys are not protected by one; \
         run `ctxmem-server master-key rotate` to protect them, or start without a master key"
    )]
    NotProtected,
    /// Some keys are still under the former master key.
    #[error(
        "a rotation of the master key has not ended; \
         run `ctxmem-server master-key rotate` again, from the former master key to this one"
    )]
    RotationUnfinished,
    /// A migration failed.
    #[error("migrating the database failed: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// The database refused, or could not be reached.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OpenError {
    /// Names the file, where the system or SQLite failed.
    pub(super) fn of_file(self, file: &Path) -> Self {
        match self {
            Self::Store(StoreError::Database(cause)) => Self::File {
                file: full_path(file),
                cause,
            },
            other => other,
        }
    }
}

impl From<std::io::Error> for OpenError {
    fn from(error: std::io::Error) -> Self {
        Self::Store(StoreError::Database(Arc::new(error)))
    }
}

impl From<sqlx::Error> for OpenError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// A path that means the same in any folder.
pub(crate) fn full_path(path: &Path) -> String {
    let full = std::path::absolute(path);
    full.as_deref().unwrap_or(path).display().to_string()
}
