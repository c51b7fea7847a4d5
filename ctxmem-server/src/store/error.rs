//! What can go wrong in the store.

use std::sync::Arc;

/// A failure of the database. Absence is not an error: it is an `Option`.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused, or could not be reached.
    #[error("the database failed: {0}")]
    Database(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The database does not answer.
    #[error("the database does not answer")]
    Unavailable,
    /// Something in the database is not what this version writes there.
    #[error("the database holds an unexpected value in {0}")]
    Corrupt(&'static str),
    /// Somebody else holds the database; erased bytes stay in its log until they let go.
    #[error("another process holds the database open at an older state")]
    Busy,
    /// The task that ran a unit of work ended early.
    #[error("a unit of work was cut short")]
    Interrupted,
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
    /// The file or its folder can't be used.
    #[error("the database file can't be used: {0}")]
    File(#[from] std::io::Error),
    /// A newer version of ctxmem has been here.
    #[error(
        "the database has schema version {found}, newer than this binary knows; \
         start a newer ctxmem-server or restore a backup"
    )]
    NewerSchema {
        /// The version that this binary does not know.
        found: i64,
    },
    /// A migration failed.
    #[error("migrating the database failed: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// The database refused, or could not be reached.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for OpenError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}
