//! The keys in a Postgres database: tables beside the others, or in a database of their own.
//!
//! Postgres keeps deleted rows in a table's file. After destructions the tables are therefore
//! copied to spare ones, which take their places (`UserKeys::rewrite_if_due`), and the old ones are
//! truncated: what was deleted goes with their files. The spare tables are always there, because
//! Postgres never removes the file of a table whose creation a crash undid. A half-made copy would
//! outlive every later destruction.

mod tables;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::pool::PoolConnection;
use sqlx::{Connection as _, PgConnection, PgPool, Postgres, Transaction};
use tokio::sync::Mutex;

use super::aead::RawKey;
use super::key::{FreshKey, IndexKey, KeyRef, NOWHERE};
use super::master_key::MasterKey;
use super::shared::Shared;
use crate::failpoint;
use crate::store::postgres::{CLOSE_TIMEOUT, Primary, SETTINGS, end_transaction, is_writable};
use crate::store::{OpenError, Result, StoreError};

/// Keys are read once and then kept in memory.
const CONNECTIONS: u32 = 4;

/// How long a read of keys may take. Callers wait longer, so that a second try is in time.
const READ_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a change of keys may take: several statements, of which each has its own limit. A host
/// that has fallen silent would hold it until the system gives the connection up.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(10);

/// A small pool.
#[derive(Clone)]
pub(super) struct Engine {
    pool: PgPool,
    primary: Arc<Primary>,
    /// Held by who makes keys, so that many who find none make them once.
    making: Arc<Mutex<()>>,
    shared: Arc<Shared>,
}

impl Engine {
    pub(super) async fn open(
        (primary, mut connection): (Arc<Primary>, PgConnection),
        master: Option<MasterKey>,
        index: Option<IndexKey>,
    ) -> Result<(Self, Arc<Shared>), OpenError> {
        sqlx::raw_sql(SETTINGS).execute(&mut connection).await?;
        let (wrapping, index) = tables::prepare(&mut connection, master, index).await?;
        connection.close().await?;
        let options = primary.options(CONNECTIONS, |_| Box::pin(async { Ok(()) }));
        let options = options.after_release(|connection, _| Box::pin(end_transaction(connection)));
        let shared = Arc::new(Shared::new(wrapping, index));
        let engine = Self {
            pool: primary.pool(options),
            primary,
            making: Arc::default(),
            shared: Arc::clone(&shared),
        };
        Ok((engine, shared))
    }

    async fn acquire(&self) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        // It has room for all that connecting may take, some 28 KB.
        Box::pin(self.pool.acquire()).await
    }

    /// What work on keys answers, and [`StoreError::Unavailable`] when it takes too long: a host may
    /// have fallen silent, and another has to be looked for.
    async fn within<T>(&self, limit: Duration, work: impl Future<Output = Result<T>>) -> Result<T> {
        let done = tokio::time::timeout(limit, work).await;
        let done = done.unwrap_or(Err(StoreError::Unavailable));
        self.primary.noticed(done)
    }

    /// Whether a host that takes writes has this key.
    async fn has(&self, at: KeyRef) -> Result<bool> {
        let mut connection = self.acquire().await?;
        let (is_there, is_read_only) = tables::look(&mut connection, at).await?;
        if is_read_only {
            // A former host may have what the new one lacks.
            self.primary.leave_connections();
            return Err(StoreError::Unavailable);
        }
        Ok(is_there)
    }

    async fn find(&self, at: KeyRef) -> Result<Option<RawKey>> {
        let wrapping = &self.shared.wrapping;
        let mut connection = self.acquire().await?;
        for _ in 0..2 {
            let Some(wrapped) = tables::find(&mut connection, at).await? else {
                return Ok(None);
            };
            if let Some(key) = wrapping.unwrap(at, &wrapped)? {
                return Ok(Some(key));
            }
            // The master key is being rotated. Meanwhile the key may have been wrapped once more.
            wrapping.learn(&tables::wrapping_keys(&mut connection).await?);
        }
        Err(StoreError::MasterKeyReplaced)
    }

    async fn make(&self) -> Result<Vec<FreshKey>> {
        let mut tx = self.begin().await?;
        let made = tables::make(&mut tx, &self.shared.wrapping).await?;
        tx.commit().await?;
        Ok(made)
    }

    /// Deletes these keys and notes that the table has to be rewritten.
    async fn delete(&self, keys: &[KeyRef]) -> Result<()> {
        let mut tx = self.begin().await?;
        if tables::delete(&mut tx, keys).await? > 0 {
            tables::note_rewrite(&mut tx).await?;
        }
        failpoint::reach("before-destruction-is-committed");
        Ok(tx.commit().await?)
    }

    /// A transaction that changes keys, as others do at the same time.
    async fn begin(&self) -> Result<Transaction<'static, Postgres>> {
        let mut tx = Box::pin(self.pool.begin_with("BEGIN")).await?;
        tables::lock(&mut tx).await?;
        Ok(tx)
    }

    /// A transaction that changes keys while nobody else does.
    async fn begin_alone(&self) -> Result<Transaction<'static, Postgres>> {
        let mut tx = Box::pin(self.pool.begin_with("BEGIN")).await?;
        tables::lock_alone(&mut tx).await?;
        Ok(tx)
    }
}

#[async_trait]
impl super::shared::KeyDatabase for Engine {
    async fn key(&self, at: KeyRef) -> Result<Option<RawKey>> {
        self.within(READ_TIMEOUT, self.find(at)).await
    }

    /// A failover may have lost the commit that made the supply, and nothing else would notice before
    /// something is sealed under a key of it.
    async fn fresh(&self) -> Result<FreshKey> {
        let unused = &self.shared.unused;
        if let Some(key) = unused.take() {
            match self.within(READ_TIMEOUT, self.has(key.at)).await {
                Ok(true) => return Ok(key),
                // Nor are those that were made with it.
                Ok(false) => drop(unused.take_all()),
                Err(error) => {
                    unused.put([key]);
                    return Err(error);
                }
            }
        }
        let _making = self.making.lock().await;
        if let Some(key) = unused.take() {
            return Ok(key);
        }
        let mut made = self.within(CHANGE_TIMEOUT, self.make()).await?;
        let key = made.pop().ok_or(StoreError::Interrupted)?;
        unused.put(made);
        Ok(key)
    }

    /// Whether the server answers, takes writes and has the table. Keys are seldom read, so after a
    /// failover this may be the first to notice that connections have to be left.
    async fn is_healthy(&self) -> bool {
        let ask = async {
            let mut connection = self.acquire().await?;
            tables::find(&mut connection, NOWHERE).await?;
            Ok(is_writable(&mut connection).await?)
        };
        let Ok(takes_writes) = self.within(READ_TIMEOUT, ask).await else {
            return false;
        };
        if !takes_writes {
            self.primary.leave_connections();
        }
        takes_writes
    }

    fn generation(&self) -> u64 {
        self.primary.generation()
    }

    async fn destroy(&self, keys: &[KeyRef]) -> Result<()> {
        let (engine, keys) = (self.clone(), keys.to_vec());
        // A caller that leaves drops the future that waits here, not this task.
        let task = tokio::spawn(async move {
            let deleted = engine.within(CHANGE_TIMEOUT, engine.delete(&keys)).await;
            // If it failed, it may have been committed all the same.
            engine.shared.ciphers.forget(&keys);
            deleted
        });
        task.await.map_err(|_| StoreError::Interrupted)?
    }

    async fn rewrite_if_due(&self) -> Result<()> {
        let begin = || Box::pin(self.pool.begin_with("BEGIN"));
        // A transaction that is only dropped keeps the rewriters' lock until its connection is looked
        // after, and would turn away the next rewrite.
        let mut tx = begin().await?;
        if !tables::begin_rewrite(&mut tx).await? {
            return Ok(tx.rollback().await?);
        }
        tx.commit().await?;
        let mut tx = begin().await?;
        if !tables::swap(&mut tx).await? {
            return Ok(tx.rollback().await?);
        }
        tx.commit().await?;
        let mut tx = begin().await?;
        tables::end_rewrite(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    async fn add_wrapping_key(&self, new: Option<&MasterKey>) -> Result<i64> {
        let wrapping = &self.shared.wrapping;
        let mut tx = self.begin_alone().await?;
        let (number, added) = tables::add_wrapping_key(&mut tx, wrapping, new).await?;
        tx.commit().await?;
        wrapping.learn(&added);
        Ok(number)
    }

    async fn rewrap(&self, number: i64, after: i64) -> Result<Option<i64>> {
        let mut tx = self.begin().await?;
        let last = tables::rewrap(&mut tx, &self.shared.wrapping, number, after).await?;
        tx.commit().await?;
        Ok(last)
    }

    async fn retire_others(&self, number: i64) -> Result<bool> {
        let mut tx = self.begin_alone().await?;
        let is_retired = tables::retire_others(&mut tx, number).await?;
        tx.commit().await?;
        Ok(is_retired)
    }

    async fn forget_retired(&self) -> Result<()> {
        self.rewrite_if_due().await
    }

    async fn close(&self, unused: Vec<KeyRef>) {
        let closing = async {
            // They are of no use to anybody, so neither is a failure, and nothing has to be rewritten.
            if let Ok(mut tx) = self.begin().await
                && tables::delete(&mut tx, &unused).await.is_ok()
            {
                let _ = tx.commit().await;
            }
            self.pool.close().await;
        };
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, closing).await;
    }
}
