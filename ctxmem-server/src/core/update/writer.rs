//! Storing pending updates.
//!
//! On Postgres the updates that arrive while others are being stored make up the next batch
//! ([`Batcher`]). A batch goes the optimistic way first; what that leaves goes the locked way, in
//! batches of their own: nobody waits for a lock that only others need. An update that is not stored
//! in time fails, and is not begun any more.
//! On SQLite each update is a unit of work of its own: the store makes one commit of those that
//! come together.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use tokio_util::task::TaskTracker;

use super::optimistic::Attempt;
use super::pending::{PendingUpdate, UpdateResult};
use crate::core::batch::Batcher;
use crate::core::grant_clock::GrantClock;
use crate::core::{Clock, Error};
use crate::store::{Db, Hash, StoreError};
use crate::traces;

/// How many updates a batch holds at most.
const MAX_BATCH: usize = 64;
/// How many batches are stored at the same time.
const MAX_BATCHES: usize = 2;
/// How many are stored at the same time where the database is distributed, and each goes alone to the
/// machine of its user.
const MAX_ALONE: usize = 8;
/// How many batches are stored the locked way at the same time there. Each holds the updates of some
/// users, and those of one user share a transaction: they would wait for each other.
const MAX_BATCHES_BY_USER: usize = 4;

/// Takes updates to be stored.
pub(in crate::core) struct UpdateWriter {
    storing: Storing,
    /// On Postgres only.
    batches: Option<UpdateBatches>,
}

struct UpdateBatches {
    optimistic: Batcher<PendingUpdate, Attempt>,
    locked: Batcher<PendingUpdate, UpdateResult>,
}

/// What storing updates needs.
#[derive(Clone)]
pub(super) struct Storing {
    pub(super) db: Db,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) grant_clock: GrantClock,
    /// How many facts a list holds.
    pub(super) list_cap: Option<NonZeroU32>,
}

impl UpdateWriter {
    pub(in crate::core) fn new(
        db: Db,
        clock: Arc<dyn Clock>,
        grant_clock: GrantClock,
        list_cap: Option<NonZeroU32>,
        tasks: &TaskTracker,
    ) -> Self {
        let is_optimistic = db.supports_optimistic_writes();
        let shares_units = db.shares_units();
        let (size, concurrent, locked_batches) = if shares_units {
            (MAX_BATCH, MAX_BATCHES, MAX_BATCHES)
        } else {
            (1, MAX_ALONE, MAX_BATCHES_BY_USER)
        };
        let storing = Storing {
            db,
            clock,
            grant_clock,
            list_cap,
        };
        let batches = is_optimistic.then(|| {
            let (optimistic, locked) = (storing.clone(), storing.clone());
            UpdateBatches {
                optimistic: Batcher::new(size, concurrent, tasks, move |updates| {
                    let storing = optimistic.clone();
                    async move {
                        let store = |updates| storing.store_optimistically(updates);
                        together_or_alone(updates, store).await
                    }
                }),
                locked: Batcher::new(MAX_BATCH, locked_batches, tasks, move |updates| {
                    let storing = locked.clone();
                    async move {
                        let store = |updates| storing.store_locked(updates);
                        if shares_units {
                            together_or_alone(updates, store).await
                        } else {
                            user_by_user(updates, store).await
                        }
                    }
                }),
            }
        });
        Self { storing, batches }
    }

    /// Stores an update, if the snapshot that is read here allows it.
    pub(super) async fn store(&self, update: PendingUpdate) -> UpdateResult {
        if let Some(batches) = &self.batches {
            let _span = traces::database_write();
            return self.storing.db.within_timeout(batches.store(update)).await;
        }
        let stored = self.storing.store_locked(Arc::new([update])).await?;
        stored.into_iter().next().ok_or(StoreError::Interrupted)?
    }
}

impl UpdateBatches {
    async fn store(&self, update: PendingUpdate) -> UpdateResult {
        let attempt = self.optimistic.run(update).await;
        match attempt.ok_or(StoreError::Interrupted)? {
            Attempt::Stored(result) => result,
            Attempt::Left(update) => {
                let result = self.locked.run(*update).await;
                result.ok_or(StoreError::Interrupted)?
            }
        }
    }
}

/// Stores a batch, the updates about each user together.
async fn user_by_user<F, R>(updates: Vec<PendingUpdate>, store: F) -> Vec<UpdateResult>
where
    F: Fn(Arc<[PendingUpdate]>) -> R,
    R: Future<Output = Result<Vec<UpdateResult>, Error>>,
{
    let mut results: Vec<UpdateResult> = Vec::new();
    let mut of_users: HashMap<Hash, (Vec<usize>, Vec<PendingUpdate>)> = HashMap::new();
    for (n, update) in updates.into_iter().enumerate() {
        // Overwritten below.
        results.push(Err(StoreError::Interrupted.into()));
        let (places, own) = of_users.entry(update.context.user_key).or_default();
        places.push(n);
        own.push(update);
    }
    let storing = of_users.into_values().map(|(places, own)| async {
        let stored = together_or_alone(own, &store).await;
        places.into_iter().zip(stored)
    });
    for (n, result) in futures_util::future::join_all(storing)
        .await
        .into_iter()
        .flatten()
    {
        results[n] = result;
    }
    results
}

/// Stores a batch. If that fails, stores each update alone, so that one failure does not fail the
/// others.
async fn together_or_alone<T, F, R>(updates: Vec<PendingUpdate>, store: F) -> Vec<T>
where
    T: From<UpdateResult>,
    F: Fn(Arc<[PendingUpdate]>) -> R,
    R: Future<Output = Result<Vec<T>, Error>>,
{
    let failed = |error: Error| T::from(Err(error));
    let updates: Arc<[PendingUpdate]> = updates.into();
    match store(Arc::clone(&updates)).await {
        Ok(stored) => stored,
        Err(error) if updates.len() == 1 => vec![failed(error)],
        Err(Error::Store(error)) if error.leaves_open() => updates
            .iter()
            .map(|_| failed(error.clone().into()))
            .collect(),
        Err(_) => {
            let alone = updates.iter().map(|update| async {
                let stored = store(Arc::new([update.clone()])).await.map(Vec::into_iter);
                let stored = stored.map(|mut stored| stored.next());
                match stored {
                    Ok(Some(stored)) => stored,
                    Ok(None) => failed(StoreError::Interrupted.into()),
                    Err(error) => failed(error),
                }
            });
            futures_util::future::join_all(alone).await
        }
    }
}
