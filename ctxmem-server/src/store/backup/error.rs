//! Errors of backups: why one was not made, is not one, or was not restored.

use std::path::Path;

use crate::store::{OpenError, StoreError, full_path};

/// Why a backup was not made, is not one, or was not restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The database is on Postgres.
    #[error(
        "backup and restore are for SQLite; on Postgres use pg_dump and pg_restore, as \
         docs/operating/backup.md shows"
    )]
    Postgres,
    /// A file is there already.
    #[error("{0} exists already, and backups never overwrite; name another file")]
    Exists(String),
    /// There is a database where one is to be restored.
    #[error("{0} exists already; restore over it with --force, which destroys what it holds")]
    InPlace(String),
    /// A process has the database open.
    #[error("a process is using {0}; stop the server before you restore")]
    InUse(String),
    /// A file is missing.
    #[error("there is no file {0}")]
    Missing(String),
    /// The copy of the keys is missing.
    #[error(
        "there is no file {0}, in which the users' keys of this backup should be: without it \
         nothing can be read; name where it is by --keys"
    )]
    KeysMissing(String),
    /// A file is no database of ctxmem.
    #[error("{file} is not a backup of ctxmem: {why}")]
    NotABackup {
        /// Its path.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// A file is cut off or was changed.
    #[error("{file} is damaged: {why}")]
    Damaged {
        /// Its path.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// Users in the database have no key in the file of the keys.
    #[error(
        "{users} users of {file} have no key in {keys}: the two files are not of the same backup"
    )]
    OtherKeys {
        /// The file of the database.
        file: String,
        /// The file of the keys.
        keys: String,
        /// How many users.
        users: u64,
    },
    /// A newer version made the backup.
    #[error("{0} was made by a newer version of ctxmem-server; use that version")]
    Newer(String),
    /// The newer database is another deployment's.
    #[error(
        "the database from which decisions were to be taken over does not know the same users: it is \
         not a later state of this one"
    )]
    OtherDeployment,
    /// A file can't be read or written.
    #[error("{file} can't be used: {cause}")]
    File {
        /// Its path.
        file: String,
        /// What the system or SQLite said.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The database can't be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

pub(super) type Result<T, E = BackupError> = std::result::Result<T, E>;

pub(super) trait At<T> {
    /// Names the file.
    fn at(self, file: &Path) -> Result<T>;
}

impl<T, E: Into<Box<dyn std::error::Error + Send + Sync>>> At<T> for Result<T, E> {
    fn at(self, file: &Path) -> Result<T> {
        self.map_err(|cause| BackupError::File {
            file: full_path(file),
            cause: cause.into(),
        })
    }
}
