//! The store: where everything that outlives a request is kept.
//!
//! Reads take a connection from a pool. Writes are units of work handed to [`Db::write`]:
//! they run in a task of their own, one at a time, and end in one commit, so a unit is
//! finished or undone even when the client that asked for it has gone, and no caller can
//! hold a transaction open. One file a table group; the SQL stands beside the function that
//! runs it. The store knows neither HTTP nor the rules of grants.

mod agents;
mod developers;
mod error;
mod facts;
mod grants;
mod keys;
mod open;
mod quota;
mod sessions;
mod statement;
#[cfg(test)]
mod tests;
mod tx;
mod users;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ctxmem_types::UserId;
use sha2::{Digest, Sha256};
use sqlx::SqlitePool;

pub use agents::Agent;
pub use developers::Developer;
pub use error::{OpenError, StoreError};
pub use facts::{Capsule, StoredFact};
pub use grants::{GrantRow, MadeBy};
pub use keys::{KeyRow, NewKey};
pub use sessions::SessionRow;
pub use statement::Statement;
pub use tx::Tx;
pub use users::User;

use tx::Inner;

/// A SHA-256, by which secrets and user ids are looked up.
pub type Hash = [u8; 32];

/// Random bytes of this database, mixed into every user key.
type Salt = [u8; 32];

/// The future of a unit of work.
pub type Unit<'t, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 't>>;

/// An open database.
#[derive(Clone)]
pub struct Db {
    readers: SqlitePool,
    writer: SqlitePool,
    salt: Salt,
    /// Whether erased bytes may still stand in the write-ahead log.
    purge_due: Arc<AtomicBool>,
}

impl Db {
    /// Reads. Each statement sees a snapshot of its own.
    pub async fn read<T, E, F>(&self, unit: F) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut Tx) -> Unit<'t, T, E>,
        E: From<StoreError>,
    {
        let connection = self.readers.acquire().await.map_err(StoreError::from)?;
        let mut tx = Tx {
            inner: Inner::Read(connection),
            salt: self.salt,
        };
        unit(&mut tx).await
    }

    /// Runs a unit of work in a transaction: committed when it answers `Ok`, undone when it
    /// answers `Err`. It runs to its end even when the caller stops waiting. It may be run
    /// more than once, should the database ask for that, so it must not act on anything but
    /// the database.
    pub async fn write<T, E, F>(&self, unit: F) -> Result<T, E>
    where
        F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, E> + Send + Sync + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let db = self.clone();
        // A client that disconnects drops the future that waits here, not this task.
        tokio::spawn(async move { db.write_here(unit).await })
            .await
            .map_err(|_| StoreError::Interrupted)?
    }

    async fn write_here<T, E, F>(&self, unit: F) -> Result<T, E>
    where
        F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, E> + Send + Sync,
        E: From<StoreError>,
    {
        let transaction = self
            .writer
            .begin_with("BEGIN IMMEDIATE")
            .await
            .map_err(StoreError::from)?;
        let mut tx = Tx {
            inner: Inner::Write(transaction),
            salt: self.salt,
        };
        let value = unit(&mut tx).await?;
        if let Inner::Write(transaction) = tx.inner {
            transaction.commit().await.map_err(StoreError::from)?;
        }
        Ok(value)
    }

    /// Moves everything into the database file and empties the write-ahead log, so that no
    /// erased byte is left in it. Waits for readers that still look at an older state, for
    /// as long as a connection waits for a lock; [`Db::purge_if_due`] then tries again.
    pub async fn purge(&self) -> Result<(), StoreError> {
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

    /// Purges where an earlier attempt failed.
    pub async fn purge_if_due(&self) -> Result<(), StoreError> {
        if self.purge_due.load(Ordering::SeqCst) {
            self.purge().await?;
        }
        Ok(())
    }

    /// Whether the database answers within two seconds.
    pub async fn answers(&self) -> bool {
        let probe = sqlx::query("SELECT 1").execute(&self.readers);
        matches!(
            tokio::time::timeout(Duration::from_secs(2), probe).await,
            Ok(Ok(_))
        )
    }

    /// Closes every connection; what was acknowledged is already durable.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

impl Tx {
    /// The key under which everything of this user is stored.
    fn user_key(&self, user_id: &UserId) -> Hash {
        Sha256::new()
            .chain_update(self.salt)
            .chain_update(user_id.as_str())
            .finalize()
            .into()
    }
}

/// The hash by which a secret (an API key, a session, a sign-in link) is looked up. The
/// secrets are random and long, so it needs no salt.
pub fn hash(secret: &str) -> Hash {
    Sha256::digest(secret).into()
}

/// Every statement of the store, by file.
pub fn statements() -> impl Iterator<Item = Statement> {
    [
        agents::STATEMENTS,
        developers::STATEMENTS,
        facts::STATEMENTS,
        grants::STATEMENTS,
        keys::STATEMENTS,
        quota::STATEMENTS,
        sessions::STATEMENTS,
        users::STATEMENTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
