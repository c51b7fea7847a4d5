//! The audit log: what users and developers see of it, and how buffered events get into it.

use std::num::NonZeroU32;
use std::sync::Arc;

use ctxmem_types::{ScopeSet, UserId};
use futures_util::{StreamExt as _, stream};

use super::audit_buffer::{self, AuditBatch, Entry, Event};
use super::clock::DAY_MILLIS;
use super::{Error, Key, Memory, unit};
use crate::store::{Action, AuditRange, AuditRow, Outcome, Usage};

/// How many parts of the buffer are stored at the same time, where there are several.
const PARTS_AT_ONCE: usize = 4;
/// How many entries one unit of work forgets: others want to write as well.
const BATCH: u32 = 1_000;
/// For how many days usage is kept.
const USAGE_DAYS: i64 = 400;

impl Memory {
    /// For how many days the log is kept; `None` for all time.
    pub fn audit_days(&self) -> Option<u32> {
        self.settings.audit_days.map(NonZeroU32::get)
    }

    /// What happened to a user's memory, the newest first. It holds what happened in this process up to now.
    pub async fn trail(
        self: &Arc<Self>,
        user_id: &UserId,
        at_most: u32,
    ) -> Result<Vec<AuditRow>, Error> {
        self.part_of_trail(user_id, AuditRange::default(), at_most)
            .await
    }

    /// Some of what happened to a user's memory, the newest first. It holds what happened in this
    /// process up to now.
    pub async fn part_of_trail(
        self: &Arc<Self>,
        user_id: &UserId,
        part: AuditRange,
        at_most: u32,
    ) -> Result<Vec<AuditRow>, Error> {
        self.store_what_happened().await;
        unit::read(&self.db, async |tx| tx.trail(user_id, &part, at_most).await).await
    }

    /// Stores what happened in this process up to now, so that a page shows it. Where that fails, what was stored
    /// before can be shown all the same.
    pub async fn store_what_happened(self: &Arc<Self>) {
        if let Err(error) = self.flush_audit_buffer().await {
            tracing::warn!(%error, "the audit buffer was not stored; it will be tried again");
        }
    }

    /// Stores the audit buffer. Once begun, this goes on to its end even if the caller stops waiting.
    /// What was not stored stays in the buffer.
    pub async fn flush_audit_buffer(self: &Arc<Self>) -> Result<(), Error> {
        let core = Arc::clone(self);
        self.to_its_end(async move { core.store_audit_buffer().await })
            .await
    }

    /// Waits until the buffer holds so much that it should be stored.
    pub async fn audit_buffer_is_long(&self) {
        self.audit_buffer.is_long().await;
    }

    /// The same by the task that awaits it. What can't be stored is kept for the next time;
    /// where the database does not tell whether it was, it may be stored twice.
    pub(super) async fn store_audit_buffer(&self) -> Result<(), Error> {
        let _turn = self.audit_buffer.storing.lock().await;
        let lost = self.audit_buffer.take_lost();
        if lost > 0 {
            tracing::warn!(lost, "the audit buffer was full: some events were lost");
        }
        for _ in 0..self.audit_buffer.pages() {
            let Some(batch) = self.audit_buffer.take() else {
                break;
            };
            let size = batch.size();
            let parts = if self.db.shares_units() {
                vec![batch]
            } else {
                batch.split()
            };
            self.store_parts(parts).await?;
            tracing::debug!(size.entries, size.events, "the audit buffer was stored");
        }
        Ok(())
    }

    /// Stores parts of the buffer, takes back what can't be stored, and fails then.
    async fn store_parts(&self, parts: Vec<AuditBatch>) -> Result<(), Error> {
        let storing = parts.into_iter().map(|part| async move {
            let part = Arc::new(part);
            let stored = self.store_batch(&part).await;
            if stored.is_err() {
                self.audit_buffer.put_back(&part);
            }
            stored
        });
        let stored: Vec<_> = stream::iter(storing)
            .buffer_unordered(PARTS_AT_ONCE)
            .collect()
            .await;
        stored.into_iter().collect()
    }

    /// In two units of work: what waits for users must not hold their grants.
    async fn store_batch(&self, batch: &Arc<AuditBatch>) -> Result<(), Error> {
        let uses = Arc::clone(batch);
        let held = unit::write(&self.db, async move |tx| uses.store_uses(tx).await).await?;
        let batch = Arc::clone(batch);
        unit::write(&self.db, async move |tx| batch.store(tx, held).await).await
    }

    /// Notes what an agent did; without an event where the unit of work noted it.
    pub(super) fn note(&self, agent_id: &str, user_id: UserId, event: Option<Event>, usage: Usage) {
        let entry = Entry {
            user_id,
            agent_id: agent_id.to_owned(),
            event,
        };
        self.audit_buffer.note(entry, usage, self.clock.millis());
    }

    /// Notes what came of reading by an agent, which gave something and the scopes that it is from.
    pub(super) fn note_read<T>(
        &self,
        key: &Key,
        user_id: UserId,
        action: Action,
        read: Result<(T, ScopeSet), Error>,
    ) -> Result<T, Error> {
        match read {
            Ok((found, scopes)) => {
                let outcome = if scopes.is_empty() {
                    Outcome::Nothing
                } else {
                    Outcome::Done
                };
                let event = Event {
                    scopes,
                    ..Event::new(action, outcome)
                };
                self.note(&key.agent_id, user_id, Some(event), NONE);
                Ok(found)
            }
            Err(error) => {
                self.note_error(&key.agent_id, user_id, action, &error);
                Err(error)
            }
        }
    }

    /// Notes that an agent could not do something: for want of a grant, or because something
    /// failed. What was refused for another reason is not about the user.
    pub(super) fn note_error(
        &self,
        agent_id: &str,
        user_id: UserId,
        action: Action,
        error: &Error,
    ) {
        let (outcome, usage) = match error {
            Error::Forbidden(_) => (Outcome::Denied, DENIED),
            // Anybody can make up user ids, so nothing is written about them. A user who has to be
            // asked sees the request.
            Error::MustAsk(_) => {
                return self
                    .audit_buffer
                    .count(agent_id, DENIED, self.clock.millis());
            }
            Error::Model(_) | Error::Store(_) => (Outcome::Failed, FAILED),
            _ => return,
        };
        self.note(agent_id, user_id, Some(Event::new(action, outcome)), usage);
    }

    /// Forgets what was noted longer ago than the settings say, and usage of more than 400
    /// days ago.
    pub async fn drop_old_events(&self) -> Result<(), Error> {
        let today = self.clock.millis();
        let before_day = audit_buffer::day(today - USAGE_DAYS * DAY_MILLIS);
        unit::write(&self.db, async move |tx| tx.drop_usage(&before_day).await).await?;
        let Some(days) = self.settings.audit_days else {
            return Ok(());
        };
        let until = today - i64::from(days.get()) * DAY_MILLIS;
        unit::write_in_parts(&self.db, BATCH, move |tx| {
            Box::pin(tx.drop_events(until, BATCH))
        })
        .await
    }
}

pub(super) const DENIED: Usage = Usage { denied: 1, ..NONE };
pub(super) const FAILED: Usage = Usage { errors: 1, ..NONE };
pub(super) const NONE: Usage = Usage {
    injects: 0,
    updates: 0,
    filtered: 0,
    denied: 0,
    errors: 0,
};

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::core::{Core, SystemClock};

    async fn core_on(folder: &TempDir) -> Arc<Memory> {
        Core::in_folder(folder, Arc::new(SystemClock)).await.memory
    }

    fn ada() -> UserId {
        UserId::new("ada").unwrap()
    }

    fn note(core: &Memory) {
        let event = Event::new(Action::Inject, Outcome::Done);
        core.note("agent", ada(), Some(event), FAILED);
    }

    async fn times(core: &Arc<Memory>) -> Vec<i64> {
        let trail = core.trail(&ada(), 10).await.unwrap();
        trail.iter().map(|row| row.event.times).collect()
    }

    #[tokio::test]
    async fn what_cannot_be_stored_is_kept_for_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let broken = core_on(&folder).await;
        broken.db.close().await;
        for _ in 0..3 {
            note(&broken);
            broken.flush_audit_buffer().await.unwrap_err();
        }
        let kept = broken.audit_buffer.take().unwrap();
        assert_eq!(kept.size().events, 3);

        let works = core_on(&folder).await;
        note(&works);
        works.audit_buffer.put_back(&kept);
        assert_eq!(times(&works).await, [4]);
        let usage = unit::read(&works.db, async |tx| tx.usage("agent", "").await).await;
        let errors: i64 = usage.unwrap().iter().map(|(_, usage)| usage.errors).sum();
        assert_eq!(errors, 4);
    }

    #[tokio::test]
    async fn who_asks_for_the_trail_waits_for_what_is_being_stored() {
        let folder = tempfile::tempdir().unwrap();
        let core = core_on(&folder).await;
        note(&core);
        // As if another task were storing it.
        let storing = core.audit_buffer.storing.lock().await;
        let batch = core.audit_buffer.take().unwrap();
        let asking = Arc::clone(&core);
        let asking = tokio::spawn(async move { times(&asking).await });
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        core.audit_buffer.put_back(&batch);
        drop(storing);
        assert_eq!(asking.await.unwrap(), [1]);
    }
}
