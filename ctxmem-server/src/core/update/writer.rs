//! The update writer: in which order the ways to store an update are tried.
//!
//! On Postgres the updates that arrive while others are being stored make up the next batch ([`Batcher`]), which is
//! stored without locks. An update that was stale is tried once more that way. After that, or where it takes more
//! than a statement, it is stored alone under the lock of its user. Updates about one user take turns at that, so
//! that they don't hold up those about others; what waits too long for its turn is asked to come again. An update
//! that the database does not store in time fails, and is not begun later.
//! On SQLite each update is a unit of work of its own: the store makes one commit of those that come together.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::pending::{PendingUpdate, UpdateResult};
use super::storage::{Attempt, UpdateStorage};
use crate::core::Error;
use crate::core::batch::{Batcher, Caller};
use crate::core::keyed_lock::{KeyedGuard, KeyedLock};
use crate::store::{Db, Hash, StoreError};
use crate::traces;

/// How many updates a batch holds at most.
const MAX_BATCH: usize = 64;
/// How many batches are stored at the same time.
const MAX_BATCHES: usize = 2;
/// How many are stored at the same time where the database is distributed, and each goes alone to the
/// machine of its user.
const MAX_ALONE: usize = 8;
/// How often an update is tried without a lock.
const MAX_ATTEMPTS: usize = 2;
/// How many updates are stored under locks at the same time. Each holds a connection meanwhile.
const MAX_LOCKED: usize = 4;
/// How long an update waits for others about the same user.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Takes updates to be stored.
pub(in crate::core) struct UpdateWriter {
    storing: UpdateStorage,
    /// On Postgres only.
    queues: Option<UpdateQueues>,
}

/// An update whose turn it is among those about the same user.
type LockedUpdate = (Arc<PendingUpdate>, KeyedGuard<Hash>);

struct UpdateQueues {
    batches: Batcher<Arc<PendingUpdate>, Attempt>,
    locked: Batcher<LockedUpdate, UpdateResult>,
    /// Of updates under the lock of the same user.
    turns: KeyedLock<Hash>,
}

impl UpdateWriter {
    pub(in crate::core) fn new(storing: UpdateStorage, tasks: &TaskTracker) -> Self {
        let (size, concurrent) = if storing.db.shares_units() {
            (MAX_BATCH, MAX_BATCHES)
        } else {
            (1, MAX_ALONE)
        };
        let queues = storing.db.supports_optimistic_writes().then(|| {
            let (batched, alone) = (storing.clone(), storing.clone());
            UpdateQueues {
                batches: Batcher::answering(size, concurrent, tasks, move |batch| {
                    store_batch(batched.clone(), batch)
                }),
                locked: Batcher::answering(1, MAX_LOCKED, tasks, move |updates| {
                    store_in_turn(alone.clone(), updates)
                }),
                turns: KeyedLock::default(),
            }
        });
        Self { storing, queues }
    }

    /// Stores an update, if the snapshot that is read here allows it.
    pub(super) async fn store(&self, update: PendingUpdate) -> UpdateResult {
        let update = Arc::new(update);
        let Some(queues) = &self.queues else {
            return self.storing.store_locked(update).await;
        };
        let _span = traces::database_write();
        queues.store(&self.storing.db, update).await
    }
}

impl UpdateQueues {
    async fn store(&self, db: &Db, mut update: Arc<PendingUpdate>) -> UpdateResult {
        let began = Instant::now();
        for _ in 0..MAX_ATTEMPTS {
            let attempt = self.batches.run(Arc::clone(&update));
            let attempt = in_time(db, began.elapsed(), attempt);
            let (epoch, needs_lock) = match attempt.await? {
                Attempt::Done(result) => return result,
                Attempt::Stale(epoch) => (epoch, false),
                Attempt::NeedsLock(epoch) => (epoch, true),
            };
            // An erasure after this snapshot wins.
            if update.context.epoch.is_none() && epoch.is_some() {
                Arc::make_mut(&mut update).context.epoch = epoch;
            }
            if needs_lock {
                break;
            }
        }
        // While it waits for others about the same user, the database is not what keeps it waiting, unless it keeps them.
        let spent = began.elapsed();
        let waits_since = Instant::now();
        let turn = tokio::time::timeout(MAX_WAIT, self.turns.lock(update.context.user_key));
        let turn = turn.await.map_err(|_| Error::TOO_MANY_UPDATES)?;
        if turn.has_failed_since(waits_since) {
            return Err(StoreError::Unavailable.into());
        }
        in_time(db, spent, self.locked.run((update, turn))).await?
    }
}

/// What comes of an item that a batcher handles, if the database answers in time, of which some is spent.
async fn in_time<T>(
    db: &Db,
    spent: Duration,
    outcome: impl Future<Output = Option<T>>,
) -> Result<T, StoreError> {
    let outcome = async { outcome.await.ok_or(StoreError::Interrupted) };
    db.within_rest_of_timeout(spent, outcome).await
}

/// Stores each update under the lock of its user. When the database fails one, those who wait for the same user are
/// told before it is answered.
async fn store_in_turn(storing: UpdateStorage, updates: Vec<(LockedUpdate, Caller<UpdateResult>)>) {
    for ((update, mut turn), caller) in updates {
        let result = storing.store_locked(update).await;
        if let Err(Error::Store(StoreError::Unavailable | StoreError::Database(_))) = &result {
            turn.note_failure();
        }
        drop(turn);
        caller.answer(result);
    }
}

/// Stores a batch. If that fails, stores each update alone, so that one failure does not fail the
/// others.
async fn store_batch(storing: UpdateStorage, batch: Vec<(Arc<PendingUpdate>, Caller<Attempt>)>) {
    let (updates, callers): (Vec<_>, Vec<Caller<Attempt>>) = batch.into_iter().unzip();
    let updates: Arc<[Arc<PendingUpdate>]> = updates.into();
    match storing.store_batch(Arc::clone(&updates)).await {
        Ok(attempts) => {
            for (caller, attempt) in callers.into_iter().zip(attempts) {
                caller.answer(attempt);
            }
        }
        Err(Error::Store(error)) if updates.len() == 1 || error.outcome_unknown() => {
            for caller in callers {
                caller.answer(Attempt::Done(Err(error.clone().into())));
            }
        }
        Err(error) if updates.len() == 1 => {
            if let Some(caller) = callers.into_iter().next() {
                caller.answer(Attempt::Done(Err(error)));
            }
        }
        Err(_) => {
            let alone = updates.iter().zip(callers).map(|(update, caller)| async {
                let attempts = storing.store_batch(Arc::new([Arc::clone(update)])).await;
                // Others may have to wait for longer.
                caller.answer(match attempts.map(Vec::into_iter) {
                    Ok(mut attempts) => attempts
                        .next()
                        .unwrap_or(Attempt::Done(Err(StoreError::Interrupted.into()))),
                    Err(error) => Attempt::Done(Err(error)),
                });
            });
            futures_util::future::join_all(alone).await;
        }
    }
}
