//! Storing pending updates.
//!
//! On Postgres the updates that arrive while others are being stored make up the next batch
//! ([`Batcher`]). A batch goes the optimistic way first; what that leaves goes the locked way, in
//! batches of their own, which skip users whom somebody else has locked. Only updates about these
//! wait for the lock, each alone: nobody waits for a lock that only others need. A finished update is answered without
//! waiting for the rest of its batch. An update that is not stored in time fails, and is not started afterwards. On
//! SQLite each update is a unit of work of its own: the store makes one commit of those that come together.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use tokio_util::task::TaskTracker;

use super::optimistic::Attempt;
use super::pending::{PendingUpdate, UpdateResult};
use crate::core::batch::{Batcher, Caller};
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

/// How many updates wait for locks at the same time. Each holds a connection meanwhile.
const MAX_WAITING: usize = 4;

/// Takes updates to be stored.
pub(in crate::core) struct UpdateWriter {
    storing: Storing,
    /// On Postgres only.
    batches: Option<UpdateBatches>,
}

struct UpdateBatches {
    optimistic: Batcher<PendingUpdate, Attempt>,
    locked: Batcher<PendingUpdate, Attempt>,
    /// They wait for locks.
    patient: Batcher<PendingUpdate, UpdateResult>,
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
            let [optimistic, locked, patient] = std::array::from_fn(|_| storing.clone());
            UpdateBatches {
                optimistic: Batcher::answering(size, concurrent, tasks, move |batch| {
                    let storing = optimistic.clone();
                    async move {
                        let store = |updates| storing.store_optimistically(updates);
                        together_or_alone(batch, store).await;
                    }
                }),
                locked: Batcher::answering(MAX_BATCH, locked_batches, tasks, move |batch| {
                    let storing = locked.clone();
                    async move {
                        if shares_units {
                            let store = |updates| storing.store_unless_locked(updates);
                            together_or_alone(batch, store).await;
                        } else {
                            let store = |updates| storing.store_locked(updates);
                            user_by_user(batch, store).await;
                        }
                    }
                }),
                patient: Batcher::answering(1, MAX_WAITING, tasks, move |batch| {
                    let storing = patient.clone();
                    async move {
                        let store = |updates| storing.store_locked(updates);
                        together_or_alone(batch, store).await;
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
        let stored: Vec<UpdateResult> = self.storing.store_locked(Arc::new([update])).await?;
        stored.into_iter().next().ok_or(StoreError::Interrupted)?
    }
}

impl UpdateBatches {
    async fn store(&self, update: PendingUpdate) -> UpdateResult {
        let mut update = update;
        for way in [&self.optimistic, &self.locked] {
            let attempt = way.run(update).await;
            match attempt.ok_or(StoreError::Interrupted)? {
                Attempt::Stored(result) => return result,
                Attempt::Left(left) => update = *left,
            }
        }
        let result = self.patient.run(update).await;
        result.ok_or(StoreError::Interrupted)?
    }
}

/// Updates, each with the caller that waits for its outcome.
type Batch<T> = Vec<(PendingUpdate, Caller<T>)>;

/// Stores a batch, the updates about each user together.
async fn user_by_user<T, F, R>(batch: Batch<T>, store: F)
where
    T: From<UpdateResult>,
    F: Fn(Arc<[PendingUpdate]>) -> R,
    R: Future<Output = Result<Vec<T>, Error>>,
{
    let mut of_users: HashMap<Hash, Batch<T>> = HashMap::new();
    for (update, caller) in batch {
        let own = of_users.entry(update.context.user_key).or_default();
        own.push((update, caller));
    }
    let storing = of_users
        .into_values()
        .map(|own| together_or_alone(own, &store));
    futures_util::future::join_all(storing).await;
}

/// Stores a batch. If that fails, stores each update alone, so that one failure does not fail the
/// others.
async fn together_or_alone<T, F, R>(batch: Batch<T>, store: F)
where
    T: From<UpdateResult>,
    F: Fn(Arc<[PendingUpdate]>) -> R,
    R: Future<Output = Result<Vec<T>, Error>>,
{
    let failed = |error: Error| T::from(Err(error));
    let (updates, callers): (Vec<PendingUpdate>, Vec<Caller<T>>) = batch.into_iter().unzip();
    let updates: Arc<[PendingUpdate]> = updates.into();
    match store(Arc::clone(&updates)).await {
        Ok(stored) => {
            for (caller, outcome) in callers.into_iter().zip(stored) {
                caller.answer(outcome);
            }
        }
        Err(Error::Store(error)) if updates.len() == 1 || error.leaves_open() => {
            for caller in callers {
                caller.answer(failed(error.clone().into()));
            }
        }
        Err(error) if updates.len() == 1 => {
            if let Some(caller) = callers.into_iter().next() {
                caller.answer(failed(error));
            }
        }
        Err(_) => {
            let alone = updates.iter().zip(callers).map(|(update, caller)| async {
                let stored = store(Arc::new([update.clone()])).await.map(Vec::into_iter);
                let stored = stored.map(|mut stored| stored.next());
                // Others may have to wait for longer.
                caller.answer(match stored {
                    Ok(Some(stored)) => stored,
                    Ok(None) => failed(StoreError::Interrupted.into()),
                    Err(error) => failed(error),
                });
            });
            futures_util::future::join_all(alone).await;
        }
    }
}
