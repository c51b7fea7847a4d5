//! The locked way: a transaction locks the users, reads, decides and stores. It can store every
//! update; the optimistic way leaves to it what one statement can't.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use ctxmem_types::{UpdateResponse, UserId};

use super::optimistic::Attempt;
use super::pending::{Decision, PendingUpdate, UpdateResult};
use super::plan::UpdatePlan;
use super::writer::Storing;
use crate::core::audit_buffer::Event;
use crate::core::{Error, Reply, idempotency};
use crate::store::{AuditEvent, Hash, OptimisticUpdate, StoreError, Tx, UpdateQuery};

impl Storing {
    /// Stores all updates in one transaction, and waits for the users whom somebody else has locked.
    /// An update that is refused gets its own error; any other failure fails all of them.
    pub(super) async fn store_locked<T: From<UpdateResult>>(
        &self,
        updates: Arc<[PendingUpdate]>,
    ) -> Result<Vec<T>, Error> {
        let stored = self.store_in_transaction(updates, OfLocked::Wait).await?;
        let stored = stored.into_iter().map(|attempt| match attempt {
            Attempt::Stored(result) => T::from(result),
            Attempt::Left(_) => T::from(Err(StoreError::Interrupted.into())),
        });
        Ok(stored.collect())
    }

    /// The same without the users whom somebody else has locked: their updates are left.
    pub(super) async fn store_unless_locked(
        &self,
        updates: Arc<[PendingUpdate]>,
    ) -> Result<Vec<Attempt>, Error> {
        self.store_in_transaction(updates, OfLocked::Skip).await
    }

    async fn store_in_transaction(
        &self,
        updates: Arc<[PendingUpdate]>,
        of_locked: OfLocked,
    ) -> Result<Vec<Attempt>, Error> {
        let storing = self.clone();
        self.db
            .write(move |tx| {
                let updates = Arc::clone(&updates);
                // The model may have taken its time: what has expired since is over.
                let storing = storing.clone();
                let now = storing.clock.now().timestamp_millis();
                Box::pin(async move {
                    let locked = match of_locked {
                        OfLocked::Wait => HashSet::new(),
                        OfLocked::Skip => lock_all_but_locked(tx, &updates).await?,
                    };
                    store(tx, &updates, &locked, &storing, now).await
                })
            })
            .await
    }
}

/// What is done about users whom somebody else has locked.
#[derive(Clone, Copy)]
enum OfLocked {
    Wait,
    Skip,
}

/// Locks the users of these updates, and answers those whom somebody else has locked.
async fn lock_all_but_locked(
    tx: &mut Tx,
    updates: &[PendingUpdate],
) -> Result<HashSet<Hash>, StoreError> {
    let users: HashSet<&Hash> = updates
        .iter()
        .map(|update| &update.context.user_key)
        .collect();
    tx.lock_free_users(users.into_iter()).await
}

async fn store(
    tx: &mut Tx,
    updates: &[PendingUpdate],
    locked: &HashSet<Hash>,
    storing: &Storing,
    now: i64,
) -> Result<Vec<Attempt>, Error> {
    let mut results: Vec<Option<UpdateResult>> = updates.iter().map(|_| None).collect();
    for round in rounds(updates, locked) {
        let updates: Vec<&PendingUpdate> = round.iter().filter_map(|&n| updates.get(n)).collect();
        let stored = store_round(tx, &updates, storing, now).await?;
        for (n, result) in round.into_iter().zip(stored) {
            results[n] = Some(result);
        }
    }
    let results = updates.iter().zip(results);
    let attempts = results.map(|(update, result)| match result {
        Some(result) => Attempt::Stored(result),
        None => Attempt::left(update, None),
    });
    Ok(attempts.collect())
}

/// Updates about the same user go into different rounds: the second sees what the first stored. Those
/// about users whom somebody else has locked go into none.
fn rounds(updates: &[PendingUpdate], locked: &HashSet<Hash>) -> Vec<Vec<usize>> {
    let mut rounds: Vec<(HashSet<&Hash>, Vec<usize>)> = Vec::new();
    for (n, update) in updates.iter().enumerate() {
        let user_key = &update.context.user_key;
        if locked.contains(user_key) {
            continue;
        }
        let free = rounds
            .iter_mut()
            .find(|(users, _)| !users.contains(user_key));
        match free {
            Some((users, round)) => {
                users.insert(user_key);
                round.push(n);
            }
            None => rounds.push((HashSet::from([user_key]), vec![n])),
        }
    }
    rounds.into_iter().map(|(_, round)| round).collect()
}

async fn store_round(
    tx: &mut Tx,
    updates: &[&PendingUpdate],
    storing: &Storing,
    now: i64,
) -> Result<Vec<UpdateResult>, Error> {
    let list_cap = storing.list_cap;
    let queries: Vec<UpdateQuery<'_>> = updates
        .iter()
        .map(|update| update.query(list_cap))
        .collect();
    let over = idempotency::over(now);
    let before = storing.grant_clock.now();
    let snapshots = tx.lock_update_snapshots(&queries, over).await?;
    let mut results: Vec<UpdateResult> = Vec::new();
    let mut plans: Vec<UpdatePlan<'_>> = Vec::new();
    for (n, (update, snapshot)) in updates.iter().zip(snapshots).enumerate() {
        // Overwritten below for updates that proceed.
        results.push(Err(Error::NO_GRANT));
        match update.decide(snapshot, &storing.grant_clock, before) {
            Err(refused) => results[n] = Err(refused),
            Ok(Decision::NoGrant) => results[n] = Ok(None),
            Ok(Decision::Replay(reply)) => results[n] = Ok(Some((reply, None))),
            Ok(Decision::Proceed(snapshot, granted)) => {
                let mut found = Vec::new();
                for scope in update.searched(granted).iter() {
                    found.extend(tx.facts(&update.context.user_id, scope).await?);
                }
                plans.push(update.plan(n, snapshot, granted, found, now));
            }
        }
    }
    carry_out(tx, &mut plans, list_cap, now).await?;
    let answers: Vec<(UpdateResponse, Option<Event>)> =
        plans.iter().map(UpdatePlan::answer).collect();
    record(tx, &plans, &answers, now).await?;
    for (plan, (answer, event)) in plans.iter().zip(answers) {
        results[plan.n] = Ok(Some((Reply::Fresh(answer), event)));
    }
    Ok(results)
}

/// Writes the facts and the entries in the audit log.
async fn carry_out(
    tx: &mut Tx,
    plans: &mut [UpdatePlan<'_>],
    list_cap: Option<NonZeroU32>,
    now: i64,
) -> Result<(), Error> {
    // What makes room in a full scope is known only when everything is stored, and noted after that.
    let is_full = |plan: &UpdatePlan<'_>| plan.grown(list_cap).any(|(_, over)| over > 0);
    let is_any_full = plans.iter().any(is_full);
    let first_stored: HashSet<&str> = plans
        .iter()
        .filter(|plan| !plan.snapshot.developer_stored && plan.put().next().is_some())
        .map(|plan| plan.update)
        .map(|update| &*update.context.key.agent_id)
        .collect();
    let updates: Vec<OptimisticUpdate<'_>> = plans
        .iter()
        .filter_map(|plan| {
            let event = (!is_any_full).then(|| plan.event(now)).flatten();
            plan.to_store(event, None)
        })
        .collect();
    if !updates.is_empty() {
        tx.store_locked_updates(&updates, now).await?;
    }
    drop(updates);
    if is_any_full {
        for plan in &mut *plans {
            plan.make_room(tx, list_cap).await?;
        }
        let events: Vec<(&UserId, AuditEvent)> = plans
            .iter()
            .filter_map(|plan| Some((&plan.update.context.user_id, plan.event(now)?)))
            .collect();
        tx.audit_all(&events).await?;
    }
    for agent_id in first_stored {
        tx.end_demo(agent_id, now).await?;
    }
    Ok(())
}

/// Records the answers to requests that have idempotency keys.
async fn record(
    tx: &mut Tx,
    plans: &[UpdatePlan<'_>],
    answers: &[(UpdateResponse, Option<Event>)],
    now: i64,
) -> Result<(), Error> {
    for (plan, (answer, _)) in plans.iter().zip(answers) {
        let context = &plan.update.context;
        if let Some(request) = &context.idempotent {
            let user_id = Some(&context.user_id);
            request.record(tx, user_id, answer, now).await?;
        }
    }
    Ok(())
}
