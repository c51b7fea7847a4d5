//! Storing updates: snapshots are read, decisions are made, and what they change is applied.
//!
//! On Postgres an update is first stored without a lock: one statement reads for a batch, and one applies what is
//! still as it was read. No transaction is open in between. What that leaves is stored under the lock of its user,
//! by a transaction of its own, with the epoch that was read first: an erasure in between still wins. On SQLite,
//! where there is one writer, every update is stored that way.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::ops::ControlFlow::{Break, Continue};
use std::sync::Arc;

use super::pending::{PendingUpdate, UpdateResult};
use super::plan::UpdatePlan;
use crate::core::grant_clock::GrantClock;
use crate::core::{Clock, Error, Reply, idempotency, json, unit};
use crate::store::{Db, OptimisticUpdate, StoreError, Tx, UpdateQuery};

/// What storing updates needs.
#[derive(Clone)]
pub(in crate::core) struct UpdateStorage {
    pub(in crate::core) db: Db,
    pub(in crate::core) clock: Arc<dyn Clock>,
    pub(in crate::core) grant_clock: GrantClock,
    /// How many facts a list holds.
    pub(in crate::core) list_cap: Option<NonZeroU32>,
}

/// What came of the attempt to store an update without a lock.
#[expect(clippy::large_enum_variant, reason = "nearly all are done")]
pub(super) enum Attempt {
    /// The update has its result.
    Done(UpdateResult),
    /// Somebody changed the user, or has them locked. The epoch of the user, where they have a row.
    Stale(Option<i64>),
    /// It takes more than a statement: words to search for, a full scope, the end of a demo.
    NeedsLock(Option<i64>),
}

impl UpdateStorage {
    /// Stores a batch without locks. It fails for all if a statement fails.
    pub(super) async fn store_batch(
        &self,
        updates: Arc<[Arc<PendingUpdate>]>,
    ) -> Result<Vec<Attempt>, Error> {
        let (storing, now) = (self.clone(), self.clock.millis());
        self.db
            .autocommit(move |tx| {
                Box::pin(async move { attempt(tx, &updates, &storing, now).await })
            })
            .await
    }

    /// Stores an update under the lock of its user, for which it waits.
    pub(super) async fn store_locked(&self, update: Arc<PendingUpdate>) -> UpdateResult {
        let storing = self.clone();
        unit::write(&self.db, async move |tx| {
            // The model may have taken its time: what has expired since is over.
            under_lock(tx, &update, &storing, storing.clock.millis()).await
        })
        .await?
    }
}

async fn attempt(
    tx: &mut Tx,
    updates: &[Arc<PendingUpdate>],
    storing: &UpdateStorage,
    now: i64,
) -> Result<Vec<Attempt>, Error> {
    let list_cap = storing.list_cap;
    let queries: Vec<UpdateQuery<'_>> = updates.iter().map(|it| it.query(list_cap)).collect();
    let before = storing.grant_clock.now();
    let snapshots = tx
        .update_snapshots(&queries, idempotency::over(now))
        .await?;
    let mut attempts = Vec::new();
    let mut plans: Vec<UpdatePlan<'_>> = Vec::new();
    let mut users = HashSet::new();
    for (n, (update, snapshot)) in updates.iter().zip(snapshots).enumerate() {
        let epoch = snapshot.as_ref().map(|it| it.epoch);
        attempts.push(
            match update.decide(snapshot, &storing.grant_clock, before) {
                Break(result) => Attempt::Done(result),
                // The second update about a user has to see what the first stores.
                Continue(_) if !users.insert(&update.context.user_key) => Attempt::Stale(epoch),
                Continue((snapshot, granted)) if update.searched(granted).is_empty() => {
                    let plan = update.plan(n, snapshot, granted, Vec::new(), now);
                    if plan.fits_one_statement(list_cap) {
                        plans.push(plan);
                    }
                    Attempt::NeedsLock(epoch)
                }
                Continue(_) => Attempt::NeedsLock(epoch),
            },
        );
    }
    // Without a change and a record there is nothing to store: the snapshot decides alone.
    let (mut changing, mut idle): (Vec<_>, Vec<_>) =
        plans.iter().partition(|plan| !plan.changes.is_empty());
    idle.retain(|plan| plan.update.context.idempotent.is_none());
    let key = |plan: &&UpdatePlan<'_>| {
        let request = plan.update.context.idempotent.as_ref();
        request.map(|request| *request.key())
    };
    changing.sort_by_key(key);
    let applied = apply_all(tx, &changing, now).await?;
    for (plan, applied) in changing.into_iter().zip(applied) {
        attempts[plan.n] = match applied {
            Some(true) => Attempt::done(plan),
            Some(false) => Attempt::Stale(Some(plan.snapshot.epoch)),
            None => Attempt::NeedsLock(Some(plan.snapshot.epoch)),
        };
    }
    for plan in idle {
        attempts[plan.n] = Attempt::done(plan);
    }
    Ok(attempts)
}

impl Attempt {
    fn done(plan: &UpdatePlan<'_>) -> Self {
        let (answer, event) = plan.answer();
        Self::Done(Ok(Some((Reply::Fresh(answer), event))))
    }
}

/// Answers of each whether it was applied; `None` where the statement failed, and with it all of them.
async fn apply_all(
    tx: &mut Tx,
    plans: &[&UpdatePlan<'_>],
    now: i64,
) -> Result<Vec<Option<bool>>, StoreError> {
    if plans.is_empty() {
        return Ok(Vec::new());
    }
    let mut answers = Vec::new();
    for plan in plans {
        let idempotent = plan.update.context.idempotent.is_some();
        let answer = idempotent.then(|| json(&plan.answer().0));
        answers.push(answer.transpose()?);
    }
    let updates: Vec<OptimisticUpdate<'_>> = plans
        .iter()
        .zip(&answers)
        .filter_map(|(plan, answer)| {
            let context = &plan.update.context;
            let request = context.idempotent.as_ref().zip(answer.as_deref());
            let record =
                request.map(|(request, answer)| request.to_record(Some(&context.user_id), answer));
            plan.to_store(plan.event(now), record)
        })
        .collect();
    match tx.store_updates(&updates, now).await {
        Ok(applied) => Ok(applied.into_iter().map(Some).collect()),
        Err(error) if error.outcome_unknown() => Err(error),
        // A statement that failed stored nothing.
        Err(_) => Ok(vec![None; updates.len()]),
    }
}

async fn under_lock(
    tx: &mut Tx,
    update: &PendingUpdate,
    storing: &UpdateStorage,
    now: i64,
) -> Result<UpdateResult, Error> {
    let list_cap = storing.list_cap;
    let before = storing.grant_clock.now();
    let query = update.query(list_cap);
    let snapshot = tx
        .lock_update_snapshot(&query, idempotency::over(now))
        .await?;
    let (snapshot, granted) = match update.decide(snapshot, &storing.grant_clock, before) {
        Break(result) => return Ok(result),
        Continue(granted) => granted,
    };
    let user_id = &update.context.user_id;
    let mut found = Vec::new();
    for scope in update.searched(granted).iter() {
        found.extend(tx.facts(user_id, scope).await?);
    }
    let mut plan = update.plan(0, snapshot, granted, found, now);
    apply(tx, &mut plan, list_cap, now).await?;
    let (answer, event) = plan.answer();
    if let Some(request) = &update.context.idempotent {
        request.record(tx, Some(user_id), &answer, now).await?;
    }
    Ok(Ok(Some((Reply::Fresh(answer), event))))
}

/// Writes the facts and the entry in the audit log, makes room where a scope is full, and ends the demo with the
/// developer's first fact.
async fn apply(
    tx: &mut Tx,
    plan: &mut UpdatePlan<'_>,
    list_cap: Option<NonZeroU32>,
    now: i64,
) -> Result<(), Error> {
    // What makes room is known only when everything is stored, and noted after that.
    let is_full = plan.grown(list_cap).any(|(_, over)| over > 0);
    let event = (!is_full).then(|| plan.event(now)).flatten();
    if let Some(update) = plan.to_store(event, None) {
        tx.store_locked_update(&update, now).await?;
    }
    let context = &plan.update.context;
    if is_full {
        plan.make_room(tx, list_cap).await?;
        if let Some(event) = plan.event(now) {
            tx.audit(Some(&context.user_id), &event).await?;
        }
    }
    if !plan.snapshot.developer_stored && plan.put().next().is_some() {
        tx.end_demo(&context.key.agent_id, now).await?;
    }
    Ok(())
}
