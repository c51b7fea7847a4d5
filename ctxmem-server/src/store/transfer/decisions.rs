//! What people have decided since a backup was made, taken from a newer database into the restored one:
//! a backup brings data back, but not what somebody had taken away.

use super::{Record, UserRecord};
use crate::store::statement::statements;
use crate::store::{Hash, MemberId, StoreError, Tx};

/// What taking the decisions of a user did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TakenDecisions {
    /// Whether the user was erased again.
    pub erased: bool,
    /// How many facts were removed again, or replaced by their corrections.
    pub facts: u64,
}

statements! {
    SET_DECISIONS changes Access:
        "UPDATE users SET epoch = $2, asks = $3, paused_at = $4, version = version + 1
         WHERE user_key = $1";
    NOTE_ERASED_USER changes Access:
        "INSERT INTO users (user_key, epoch, next_position, asks, paused_at)
         VALUES ($1, $2, 0, $3, $4) ON CONFLICT DO NOTHING";
    DROP_ALL_GRANTS changes Access: "DELETE FROM grants WHERE user_key = $1";
    END_KEY: "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
    END_AGENT: "UPDATE agents SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL";
    SET_SIGN_IN: "UPDATE developers SET password_hash = $2, role = $3, email = $4, contact = $5 WHERE id = $1";
}

impl Tx {
    /// Takes from a newer record of a user what restricts: erasures, deleted and corrected facts, the
    /// grants as they are, the pause, the wish to be asked. Facts that are only newer are not taken.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn take_decisions(
        &mut self,
        newer: &UserRecord,
        now: i64,
    ) -> Result<TakenDecisions, StoreError> {
        let mut taken = TakenDecisions::default();
        let user_key = newer.user_key.0;
        let Some(older) = self.user_record_by_key(&user_key).await? else {
            if newer.user_id.is_none() {
                self.name_user(user_key);
                let args = [
                    (&user_key).into(),
                    newer.epoch.into(),
                    i64::from(newer.asks).into(),
                    newer.paused_at.into(),
                ];
                self.run(NOTE_ERASED_USER, &args).await?;
            }
            return Ok(taken);
        };
        self.name_user(user_key);
        if newer.epoch > older.epoch {
            if let Some(user_id) = &older.user_id {
                self.lock_user(user_id).await?;
                self.erase_user(user_id, now).await?;
                taken.erased = true;
            }
        } else if let Some(user_id) = &older.user_id {
            self.lock_user(user_id).await?;
            taken.facts = self.take_removals(&user_key, &older, newer).await?;
            if taken.facts > 0 {
                self.replace_key(user_id).await?;
            }
        }
        self.run(DROP_ALL_GRANTS, &[(&user_key).into()]).await?;
        for grant in &newer.grants {
            self.take_grant(&user_key, grant).await?;
        }
        let args = [
            (&user_key).into(),
            newer.epoch.into(),
            i64::from(newer.asks).into(),
            newer.paused_at.into(),
        ];
        self.run_one(SET_DECISIONS, &args, "users", &user_key)
            .await?;
        Ok(taken)
    }

    /// Removes facts that are gone in the newer record, and replaces those that are others there.
    async fn take_removals(
        &mut self,
        user_key: &Hash,
        older: &UserRecord,
        newer: &UserRecord,
    ) -> Result<u64, StoreError> {
        let mut changed = 0;
        for fact in &older.facts {
            let now = newer
                .facts
                .iter()
                .find(|other| other.scope == fact.scope && other.slot == fact.slot);
            match now {
                Some(now) if now.value == fact.value => continue,
                Some(now) => {
                    let stored = now.to_stored();
                    self.put_fact_of(user_key, &now.agent_id, &stored).await?;
                }
                None => {
                    self.remove_fact_of(user_key, fact.scope, &fact.slot)
                        .await?;
                }
            }
            changed += 1;
        }
        Ok(changed)
    }

    /// Takes what has ended since, of those who own agents: keys, agents, members, passwords.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn take_endings(&mut self, newer: &[Record]) -> Result<(), StoreError> {
        for record in newer {
            match record {
                Record::Key(key) => {
                    if let Some(at) = key.revoked_at {
                        self.run(END_KEY, &[(&key.id).into(), at.into()]).await?;
                    }
                }
                Record::Agent(agent) => {
                    if let Some(at) = agent.deleted_at {
                        self.run(END_AGENT, &[(&agent.id).into(), at.into()])
                            .await?;
                    }
                }
                Record::Developer(developer) => {
                    let args = [
                        (&developer.id).into(),
                        developer.password_hash.as_deref().into(),
                        (&developer.role).into(),
                        (&developer.email).into(),
                        developer.contact.as_deref().into(),
                    ];
                    self.run(SET_SIGN_IN, &args).await?;
                }
                _ => {}
            }
        }
        self.drop_members_but(newer).await
    }

    /// Removes members of teams who are in none of the newer records.
    async fn drop_members_but(&mut self, newer: &[Record]) -> Result<(), StoreError> {
        let stays = |id: &str| {
            newer
                .iter()
                .any(|record| matches!(record, Record::Developer(developer) if developer.id == id))
        };
        for record in self.account_records().await? {
            if let Record::Developer(developer) = record
                && developer.team_id.is_some()
                && !stays(&developer.id)
            {
                let id = MemberId::new(developer.id);
                if let Some(member) = self.developer_by_id(&id).await? {
                    self.remove_member(&member).await?;
                }
            }
        }
        Ok(())
    }
}
