//! Auto-delete: facts that nobody has said again for as long as their user chose are deleted.

use ctxmem_types::UserId;

use super::facts::note_facts;
use super::{Error, Memory, unit};
use crate::store::{Action, Actor, AuditEvent, AutoDelete, Hash, Tx};

/// How many users are looked up at once.
const BATCH: u32 = 100;

impl Memory {
    /// How many of the user's facts a choice would delete now.
    pub async fn count_old_facts(
        &self,
        user_id: &UserId,
        chosen: &AutoDelete,
    ) -> Result<usize, Error> {
        let now = self.clock.millis();
        let facts = self.facts_with_provenance(user_id).await?;
        let ends = facts
            .iter()
            .filter_map(|kept| chosen.end(kept.fact.scope, kept.fact.confirmed_at));
        Ok(ends.filter(|end| *end <= now).count())
    }

    /// Sets after how long the user's facts are deleted by themselves, and deletes those that are old enough
    /// already.
    pub async fn set_auto_delete(
        &self,
        user_id: &UserId,
        chosen: &AutoDelete,
    ) -> Result<(), Error> {
        let (now, key) = (self.clock.millis(), self.db.user_key(user_id));
        let given = (user_id.clone(), chosen.clone());
        unit::write(&self.db, async move |tx| {
            let (user_id, chosen) = &given;
            tx.lock_or_note_user(user_id).await?;
            if tx.choices(user_id).await?.auto_delete != *chosen {
                tx.set_auto_delete(user_id, chosen, now).await?;
                let event = AuditEvent::new(Action::SetAutoDelete, Actor::User, now);
                tx.audit(Some(user_id), &event).await?;
            }
            delete_old_facts(tx, &key, now).await
        })
        .await
    }

    /// Deletes all facts that have become as old as their users chose.
    pub async fn delete_old_facts(&self) -> Result<(), Error> {
        let now = self.clock.millis();
        let mut last = Vec::new();
        loop {
            let due = unit::read(&self.db, async |tx| {
                tx.due_for_auto_delete(now, &last, BATCH).await
            });
            let due = due.await?;
            for key in &due {
                let key = *key;
                let deleted = unit::write(&self.db, async move |tx| {
                    delete_old_facts(tx, &key, now).await
                });
                // Others don't wait for one whose facts can't be read.
                if let Err(error) = deleted.await {
                    tracing::warn!(%error, "old facts of a user were not deleted; it will be tried again");
                }
            }
            match due.last() {
                Some(key) if due.len() == BATCH as usize => last = key.to_vec(),
                _ => return Ok(()),
            }
        }
    }
}

async fn delete_old_facts(tx: &mut Tx, key: &Hash, now: i64) -> Result<(), Error> {
    if let Some((user_id, deleted)) = tx.auto_delete_facts(key, now).await? {
        let (scopes, facts) = (deleted.scopes, deleted.facts);
        note_facts(tx, &user_id, Action::AutoDelete, scopes, facts, now).await?;
    }
    Ok(())
}
