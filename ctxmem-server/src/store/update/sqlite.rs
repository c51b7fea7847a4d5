//! Updates on SQLite, row by row: a statement costs less there than it takes to read many rows out
//! of one argument.

use ctxmem_types::ScopeSet;

use super::{OptimisticUpdate, UpdateQuery, UpdateSnapshot};
use crate::store::arg::args;
use crate::store::facts::number;
use crate::store::statement::statements;
use crate::store::{ByKey, Result, StoreError, Tx};

statements! {
    READ_UPDATE_SNAPSHOT:
        "SELECT k.created_at AS key_created_at, k.expires_at AS key_expires_at,
                a.created_at AS agent_created_at, d.first_fact_at,
                u.epoch, u.version, u.next_position, u.key_slot, u.key_id, u.kept_out,
                CASE WHEN u.paused_at IS NULL OR g.scopes IS NULL THEN g.scopes ELSE 0 END
                    AS granted, g.expires_at, g.expired_at, g.revoked_at,
                i.created_at AS answered_at, i.reply, i.user_key AS reply_user_key
         FROM users u
         LEFT JOIN api_keys k ON k.id = $2 AND k.revoked_at IS NULL
         LEFT JOIN agents a ON a.id = $3 AND a.deleted_at IS NULL
         LEFT JOIN developers d ON d.id = a.developer_id
         LEFT JOIN grants g ON g.user_key = $1 AND g.agent_id = $3 AND g.latest = 1
         LEFT JOIN idempotency_keys i
             ON i.agent_id = $3 AND i.key_hash = $4 AND i.created_at > $5
         WHERE u.user_key = $1";
    CONFIRM_FACT changes Facts:
        "UPDATE facts SET confirmed_at = $4, requested = $5
         WHERE user_key = $1 AND scope = $2 AND slot_hash = $3";
    BUMP_VERSION changes Facts:
        "UPDATE users SET version = version + 1, next_position = $2,
                          last_updated = COALESCE($3, last_updated)
         WHERE user_key = $1";
}

impl Tx {
    pub(super) async fn update_snapshot(
        &mut self,
        query: &UpdateQuery<'_>,
        over: i64,
    ) -> Result<Option<UpdateSnapshot>> {
        self.name_user(*query.user_key);
        let args = args![
            query.user_key,
            query.key_id,
            query.agent_id,
            query.idempotency_key,
            over
        ];
        let row = self.find(READ_UPDATE_SNAPSHOT, args).await?;
        let Some(row) = row else { return Ok(None) };
        let cipher = match self.cipher_of_row(&row).await {
            Err(StoreError::KeyReplaced) => {
                self.erase_again(query.user_key).await?;
                return Ok(None);
            }
            cipher => cipher?,
        };
        let mut snapshot = UpdateSnapshot::from_row(&row, query, cipher.as_deref())?;
        // Saves the look-up of the key for each fact.
        self.cipher = cipher.map(|cipher| (*query.user_key, cipher));
        let mut growing = ScopeSet::EMPTY;
        for (scope, slot) in &query.fact_keys {
            match self.fact(ByKey(query.user_key), *scope, slot).await? {
                Some(fact) => snapshot.facts.push(fact),
                None => growing = growing.with(*scope),
            }
        }
        for scope in query.counted.intersection(growing).iter() {
            let count = self.count_facts(ByKey(query.user_key), scope).await?;
            snapshot.counts.push((scope, count));
        }
        Ok(Some(snapshot))
    }

    pub(super) async fn store_update(
        &mut self,
        update: &OptimisticUpdate<'_>,
        now: i64,
    ) -> Result<()> {
        let changes = &update.changes;
        let user_key = changes.user_key;
        for fact in &changes.removed {
            self.remove_fact(ByKey(user_key), fact.scope, &fact.slot)
                .await?;
        }
        for fact in &changes.confirmed {
            let (scope, requested) = (number(fact.scope), i64::from(fact.requested));
            let cipher = self.cipher_to_write(user_key).await?;
            let slot = cipher.slot_hash(scope, &fact.slot);
            self.run(CONFIRM_FACT, args![user_key, scope, &slot, now, requested])
                .await?;
        }
        for fact in &changes.put {
            self.put_fact(ByKey(user_key), changes.agent_id, fact)
                .await?;
        }
        let args = args![
            user_key,
            changes.next_position,
            changes.changes_content().then_some(now)
        ];
        self.run_one(BUMP_VERSION, args, "users", user_key).await?;
        if let Some(event) = &update.event {
            self.audit_by_key(user_key, event).await?;
        }
        Ok(())
    }
}
