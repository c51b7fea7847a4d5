//! The optimistic way, on Postgres only: one statement reads for a batch, and one stores what is
//! still as it was read. No transaction holds anything in between.
//!
//! What the second statement leaves out (somebody changed the user or has it locked), and what takes
//! more than a statement (words to search for, a full scope, the end of a demo), goes the locked way,
//! under the epoch that was read here: an erasure in between still wins.

use std::collections::HashSet;
use std::sync::Arc;

use super::pending::{Decision, PendingUpdate, UpdateResult};
use super::plan::UpdatePlan;
use super::writer::Storing;
use crate::core::{Error, Reply, idempotency, json};
use crate::store::{OptimisticUpdate, StoreError, Tx, UpdateQuery};

/// What came of the attempt to store an update.
#[expect(clippy::large_enum_variant, reason = "nearly all are stored")]
pub(super) enum Attempt {
    /// The update has its result.
    Stored(UpdateResult),
    /// It is still to be stored, under the epoch of its user where there is one.
    Left(Box<PendingUpdate>),
}

impl Attempt {
    /// An update that is left for the locked way.
    pub(super) fn left(update: &PendingUpdate, epoch: Option<i64>) -> Self {
        let mut update = Box::new(update.clone());
        update.context.epoch = update.context.epoch.or(epoch);
        Self::Left(update)
    }
}

impl From<UpdateResult> for Attempt {
    fn from(result: UpdateResult) -> Self {
        Self::Stored(result)
    }
}

impl Storing {
    /// Stores a batch. It fails for all if a statement fails.
    pub(super) async fn store_optimistically(
        &self,
        updates: Arc<[PendingUpdate]>,
    ) -> Result<Vec<Attempt>, Error> {
        let (storing, now) = (self.clone(), self.clock.now().timestamp_millis());
        self.db
            .autocommit(move |tx| {
                Box::pin(async move { attempt(tx, &updates, &storing, now).await })
            })
            .await
    }
}

async fn attempt(
    tx: &mut Tx,
    updates: &[PendingUpdate],
    storing: &Storing,
    now: i64,
) -> Result<Vec<Attempt>, Error> {
    let list_cap = storing.list_cap;
    let queries: Vec<UpdateQuery<'_>> = updates
        .iter()
        .map(|update| update.query(list_cap))
        .collect();
    let before = storing.grant_clock.now();
    let snapshots = tx
        .update_snapshots(&queries, idempotency::over(now))
        .await?;
    let mut results: Vec<Option<UpdateResult>> = Vec::new();
    let mut epochs = Vec::new();
    let mut plans: Vec<UpdatePlan<'_>> = Vec::new();
    let mut users = HashSet::new();
    for (n, (update, snapshot)) in updates.iter().zip(snapshots).enumerate() {
        results.push(None);
        epochs.push(snapshot.as_ref().map(|it| it.epoch));
        match update.decide(snapshot, &storing.grant_clock, before) {
            Err(refused) => results[n] = Some(Err(refused)),
            Ok(Decision::NoGrant) => results[n] = Some(Ok(None)),
            Ok(Decision::Replay(reply)) => results[n] = Some(Ok(Some((reply, None)))),
            // The second update about a user has to see what the first stores.
            Ok(Decision::Proceed(snapshot, granted))
                if users.insert(&update.context.user_key)
                    && update.searched(granted).is_empty() =>
            {
                let plan = update.plan(n, snapshot, granted, Vec::new(), now);
                if plan.fits_one_statement(list_cap) {
                    plans.push(plan);
                }
            }
            Ok(Decision::Proceed(..)) => {}
        }
    }
    let (mut changing, mut idle): (Vec<_>, Vec<_>) =
        plans.iter().partition(|plan| !plan.changes.is_empty());
    // Without a change and a record there is nothing to store: the snapshot decides alone.
    idle.retain(|plan| plan.update.context.idempotent.is_none());
    let key = |plan: &&UpdatePlan<'_>| {
        let request = plan.update.context.idempotent.as_ref();
        request.map(|request| *request.key())
    };
    changing.sort_by_key(key);
    let stored = store(tx, &changing, now).await?;
    let stored = changing.into_iter().zip(stored);
    let stored = stored.filter_map(|(plan, stored)| stored.then_some(plan));
    for plan in stored.chain(idle) {
        let (answer, event) = plan.answer();
        results[plan.n] = Some(Ok(Some((Reply::Fresh(answer), event))));
    }
    let outcomes = updates.iter().zip(results).zip(epochs);
    let attempts = outcomes.map(|((update, result), epoch)| match result {
        Some(result) => Attempt::Stored(result),
        None => Attempt::left(update, epoch),
    });
    Ok(attempts.collect())
}

/// Answers of each whether it was stored.
async fn store(tx: &mut Tx, plans: &[&UpdatePlan<'_>], now: i64) -> Result<Vec<bool>, StoreError> {
    if plans.is_empty() {
        return Ok(Vec::new());
    }
    let idempotent = |plan: &UpdatePlan<'_>| plan.update.context.idempotent.is_some();
    let mut answers = Vec::new();
    for plan in plans {
        let answer = idempotent(plan).then(|| json(&plan.answer().0));
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
        Err(error) if error.leaves_open() => Err(error),
        // A statement that failed stored nothing.
        Err(_) => Ok(vec![false; updates.len()]),
        stored => stored,
    }
}
