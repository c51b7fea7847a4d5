//! Records of users: everything that is kept of one but for the audit log.

use std::fmt;

use ctxmem_types::{Scope, ScopeSet, UserId};
use serde::{Deserialize, Serialize};

use super::ImportOutcome;
use crate::store::arg::args;
use crate::store::ciphers::READ_AGAIN;
use crate::store::erasure::open_user_id;
use crate::store::row::{FromColumn, Row, stored};
use crate::store::statement::statements;
use crate::store::user_keys::UserCipher;
use crate::store::{
    AutoDelete, BlockedFacts, ByKey, Db, GrantedBy, Hash, Origin, Result, StoreError, StoredFact,
    Tx, Unit,
};

/// The hash under which everything of a user is stored, in hexadecimal. Databases with the same index
/// key have the same hash for a user.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct UserKey(#[serde(with = "hex::serde")] pub(in crate::store) Hash);

impl fmt::Display for UserKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl UserKey {
    /// Of its text.
    pub fn from_text(text: &str) -> Result<Self, &'static str> {
        let mut key = Hash::default();
        hex::decode_to_slice(text, &mut key).map_err(|_| "expected 64 hexadecimal digits")?;
        Ok(Self(key))
    }

    /// The hash.
    pub fn to_bytes(self) -> Hash {
        self.0
    }
}

/// A user. Instants are milliseconds since 1970.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct UserRecord {
    /// The hash under which the user is stored.
    pub user_key: UserKey,
    /// The user's id, as agents send it; absent once everything was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserId>,
    /// How often everything was erased.
    pub epoch: i64,
    /// The position that the next new fact takes.
    pub next_position: i64,
    /// When stored content last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_updated: Option<i64>,
    /// Whether the user wants to be asked before an agent gets access.
    pub asks: bool,
    /// When the user paused all access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<i64>,
    /// When the user said to have seen which agents have access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_seen_at: Option<i64>,
    /// After how long facts are deleted by themselves.
    #[serde(default, skip_serializing_if = "AutoDelete::is_empty")]
    pub auto_delete: AutoDelete,
    /// The grants, replaced ones included.
    pub grants: Vec<GrantRecord>,
    /// The agents that wait for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<RequestRecord>,
    /// What is remembered.
    pub facts: Vec<FactRecord>,
    /// What agents must not save again.
    #[serde(rename = "kept_out", default, skip_serializing_if = "Option::is_none")]
    pub blocked_facts: Option<BlockedFactsRecord>,
}

/// A record holds all that is known of a person, so it shows none of it.
impl fmt::Debug for UserRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserRecord").finish_non_exhaustive()
    }
}

/// A grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantRecord {
    /// A UUID.
    pub id: String,
    /// The agent that is granted.
    pub agent_id: String,
    /// What it may read and write.
    pub scopes: ScopeSet,
    /// `agent` or `user`.
    pub made_by: String,
    /// When it was made.
    pub created_at: i64,
    /// Since when the agent has had access without a break, where that is longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_at: Option<i64>,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// The end as it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_text: Option<String>,
    /// When it was noted that the end has passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expired_at: Option<i64>,
    /// When it was revoked or replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<i64>,
    /// Whether it is the newest of this agent and user.
    pub latest: bool,
    /// When the agent last used what is granted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<i64>,
}

/// An agent that waits for the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestRecord {
    /// The agent.
    pub agent_id: String,
    /// What its keys that called allow.
    pub scopes: ScopeSet,
    /// When it first called.
    pub first_at: i64,
    /// When it last called.
    pub last_at: i64,
    /// How often it called.
    pub times: i64,
}

/// A fact.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactRecord {
    /// The scope, by its name.
    #[serde(with = "scope_name")]
    pub scope: Scope,
    /// What a newer fact replaces.
    pub slot: String,
    /// The name, in maps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is known.
    pub value: String,
    /// How it came to be known.
    pub source_type: String,
    /// The agent that wrote it; empty for the user.
    pub agent_id: String,
    /// Whether the user expressly asked for it to be remembered.
    pub requested: bool,
    /// Its place in its slice.
    pub position: i64,
    /// When this value was first stored.
    pub first_stored_at: i64,
    /// When it was last stored or confirmed.
    pub confirmed_at: i64,
    /// Where the value came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<Origin>>,
}

/// What agents must not save again: hashes of slots, under a key of their own.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedFactsRecord(#[serde(with = "hex::serde")] pub(in crate::store) Vec<u8>);

/// A scope by its name.
mod scope_name {
    use ctxmem_types::Scope;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(
        scope: &Scope,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(scope.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Scope, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse()
            .map_err(|_| D::Error::custom("expected the name of a scope"))
    }
}

statements! {
    EXPORT_USERS:
        "SELECT user_key, key_slot, key_id, sealed_user_id, epoch, next_position, last_updated, asks,
                paused_at, access_seen_at, kept_out, auto_delete
         FROM users WHERE user_key > $1 ORDER BY user_key LIMIT $2";
    EXPORT_USER:
        "SELECT user_key, key_slot, key_id, sealed_user_id, epoch, next_position, last_updated, asks,
                paused_at, access_seen_at, kept_out, auto_delete
         FROM users WHERE user_key = $1";
    EXPORT_GRANTS:
        "SELECT id, agent_id, scopes, made_by, created_at, expires_at, expires_text, expired_at,
                revoked_at, latest, last_used_at, since_at
         FROM grants WHERE user_key = $1 ORDER BY created_at, id";
    EXPORT_REQUESTS:
        "SELECT agent_id, scopes, first_at, last_at, times FROM consent_requests
         WHERE user_key = $1 ORDER BY first_at, agent_id";
    COUNT_USERS: "SELECT COUNT(*) AS users FROM users";
    IMPORT_ERASED_USER changes Access:
        "INSERT INTO users (user_key, epoch, next_position, asks, paused_at, access_seen_at)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
    IMPORT_NEW_USER changes Access:
        "UPDATE users SET epoch = $2, next_position = $3, last_updated = $4, asks = $5,
                          paused_at = $6, access_seen_at = $7, version = version + 1
         WHERE user_key = $1";
    // What restricts agents holds where either database says so.
    IMPORT_INTO_USER changes Access:
        "UPDATE users SET next_position = $2,
                          last_updated = CASE WHEN last_updated > CAST($3 AS BIGINT)
                                              THEN last_updated
                                              ELSE COALESCE($3, last_updated) END,
                          asks = CASE WHEN $4 = 1 THEN 1 ELSE asks END,
                          paused_at = COALESCE(paused_at, $5), version = version + 1
         WHERE user_key = $1";
    // A grant that is there already decides, also if it is another one of the agent.
    IMPORT_GRANT changes Access:
        "INSERT INTO grants (user_key, id, agent_id, scopes, made_by, created_at, expires_at,
                             expires_text, expired_at, revoked_at, latest, last_used_at, since_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING";
    IMPORT_REQUEST changes Nothing:
        "INSERT INTO consent_requests (user_key, agent_id, scopes, first_at, last_at, times)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
}

impl Db {
    /// The records of the users that follow one, in the order of their hashes; at most so many. Each is
    /// what one moment has of the user.
    pub async fn user_records(
        &self,
        after: Option<UserKey>,
        at_most: u32,
    ) -> Result<Vec<UserRecord>> {
        self.reading_again(move |tx, is_last| {
            Box::pin(async move {
                let after = after.map_or_else(Vec::new, |after| after.0.to_vec());
                let rows = tx.list(EXPORT_USERS, args![&after, at_most]).await?;
                let mut records = Vec::with_capacity(rows.len());
                for row in &rows {
                    records.push(tx.user_record_of(row, is_last).await?);
                }
                Ok(records)
            })
        })
        .await
    }

    /// The record of one user; `None` of whom nothing was ever stored.
    pub async fn user_record(&self, user_id: &UserId) -> Result<Option<UserRecord>> {
        let user_key = self.user_key(user_id);
        self.reading_again(move |tx, is_last| {
            Box::pin(async move { tx.user_record_by_key(&user_key, is_last).await })
        })
        .await
    }

    /// Reads in one snapshot, and again when a key was replaced meanwhile. The last time the unit of
    /// work is told: a key that is still gone was destroyed, and the database is older than that.
    pub(in crate::store) async fn reading_again<T, F>(&self, unit: F) -> Result<T>
    where
        F: for<'t> Fn(&'t mut Tx, bool) -> Unit<'t, T, StoreError> + Send + Sync + Copy,
    {
        for _ in 0..READ_AGAIN {
            match self.snapshot(|tx| unit(tx, false)).await {
                Err(StoreError::KeyReplaced) => {}
                done => return done,
            }
        }
        self.snapshot(|tx| unit(tx, true)).await
    }
}

impl Tx {
    /// How many users there are, erased ones included.
    pub async fn count_users(&mut self) -> Result<u64> {
        let row = self.find(COUNT_USERS, &[]).await?;
        row.map_or(Ok(0), |row| row.int("users").map(i64::unsigned_abs))
    }

    pub(super) async fn user_record_by_key(
        &mut self,
        user_key: &Hash,
        key_may_be_gone: bool,
    ) -> Result<Option<UserRecord>> {
        match self.find(EXPORT_USER, args![user_key]).await? {
            Some(row) => self.user_record_of(&row, key_may_be_gone).await.map(Some),
            None => Ok(None),
        }
    }

    async fn user_record_of(&mut self, row: &Row, key_may_be_gone: bool) -> Result<UserRecord> {
        let user_key = row.hash("users", "user_key")?;
        let cipher = match self.cipher_of_row(row).await {
            Err(StoreError::KeyReplaced) if key_may_be_gone => None,
            cipher => cipher?,
        };
        let of_user = args![&user_key];
        let mut record = UserRecord {
            epoch: row.int("epoch")?,
            next_position: row.int("next_position")?,
            last_updated: row.int_or_null("last_updated")?,
            asks: row.int("asks")? != 0,
            paused_at: row.int_or_null("paused_at")?,
            access_seen_at: row.int_or_null("access_seen_at")?,
            auto_delete: AutoDelete::from_column(row, "users", "auto_delete")?,
            grants: self.list_as(EXPORT_GRANTS, of_user).await?,
            requests: self.list_as(EXPORT_REQUESTS, of_user).await?,
            ..UserRecord::unknown(UserKey(user_key))
        };
        if let Some(cipher) = &cipher {
            self.fill_in_sealed(&mut record, row, &user_key, cipher)
                .await?;
        }
        Ok(record)
    }

    /// Adds to a record what is sealed under the user's key.
    async fn fill_in_sealed(
        &mut self,
        record: &mut UserRecord,
        row: &Row,
        user_key: &Hash,
        cipher: &UserCipher,
    ) -> Result<()> {
        record.user_id = Some(open_user_id(row, user_key, cipher)?);
        let blocked_facts = BlockedFacts::from_row(row, user_key, Some(cipher))?;
        if !blocked_facts.is_empty() {
            record.blocked_facts = Some(BlockedFactsRecord(blocked_facts.to_bytes()));
        }
        let facts = self.facts_with_authors(user_key, cipher).await?;
        record.facts = facts
            .into_iter()
            .map(|(agent_id, fact)| FactRecord::of(agent_id, fact))
            .collect();
        record
            .facts
            .sort_by_key(|fact| (fact.scope as i64, fact.position));
        Ok(())
    }

    /// Writes a user's record, unless it holds what could not be read again. What is there already stays as it is: another value of a fact, another
    /// grant of an agent. A record without a user id is taken only by a database with the same index
    /// key; the caller sees to that.
    pub(super) async fn take_user(&mut self, record: &UserRecord) -> Result<ImportOutcome> {
        let is_known = |grant: &GrantRecord| GrantedBy::from_text(&grant.made_by).is_some();
        if !record.grants.iter().all(is_known) {
            return Ok(ImportOutcome::Refused(
                "a grant that neither an agent nor the user made",
            ));
        }
        let Some(user_id) = &record.user_id else {
            return self.take_erased_user(record).await;
        };
        let user_key = self.user_key(user_id);
        let was_there = self.lock_user(user_id).await?;
        if let Some(user) = &was_there
            && user_key == record.user_key.0
            && user.epoch > record.epoch
        {
            return Ok(ImportOutcome::Refused(
                "this user was erased after the export",
            ));
        }
        let user = self.lock_or_add_user(user_id).await?;
        let mut next = user.next_position;
        let added = self
            .take_facts(&user_key, record, was_there.is_some(), &mut next)
            .await?;
        let granted = self.take_grants(&user_key, record).await?;
        if let Some(blocked_facts) = &record.blocked_facts
            && self.blocked_facts(user_id).await?.is_empty()
        {
            let blocked_facts = BlockedFacts::from_bytes(&blocked_facts.0);
            self.put_blocked_facts(user_id, &blocked_facts).await?;
        }
        // Who is here already may have taken the choice back.
        if was_there.is_none() {
            self.set_auto_delete(user_id, &record.auto_delete, 0)
                .await?;
        } else {
            self.look_again_for_auto_delete(user_id).await?;
        }
        if was_there.is_none() {
            let args = args![
                &user_key,
                record.epoch,
                record.next_position.max(next),
                record.last_updated,
                record.asks,
                record.paused_at,
                record.access_seen_at
            ];
            self.run_one(IMPORT_NEW_USER, args, "users", &user_key)
                .await?;
            return Ok(ImportOutcome::Added);
        }
        if added + granted == 0 {
            return Ok(ImportOutcome::Known);
        }
        let args = args![
            &user_key,
            next,
            record.last_updated,
            record.asks,
            record.paused_at
        ];
        self.run_one(IMPORT_INTO_USER, args, "users", &user_key)
            .await?;
        Ok(ImportOutcome::Added)
    }

    /// Writes the facts of a record whose slots are free and not kept out. Answers how many.
    async fn take_facts(
        &mut self,
        user_key: &Hash,
        record: &UserRecord,
        was_there: bool,
        next: &mut i64,
    ) -> Result<u64> {
        let cipher = self.cipher_to_write(user_key).await?;
        let blocked_facts = self.blocked_facts_of(user_key, &cipher).await?;
        let mut added = 0;
        for fact in &record.facts {
            let is_free = !was_there
                || (!blocked_facts.contains(fact.scope, &fact.slot)
                    && self
                        .fact(ByKey(user_key), fact.scope, &fact.slot)
                        .await?
                        .is_none());
            if !is_free {
                continue;
            }
            let mut stored = fact.to_stored();
            if was_there {
                stored.position = *next;
            }
            *next = stored.position.saturating_add(1).max(*next);
            self.put_fact(ByKey(user_key), &fact.agent_id, &stored)
                .await?;
            added += 1;
        }
        Ok(added)
    }

    /// Writes the grants and requests of a record that don't meet others. Answers how many grants.
    async fn take_grants(&mut self, user_key: &Hash, record: &UserRecord) -> Result<u64> {
        let mut granted = 0;
        for grant in &record.grants {
            granted += self.take_grant(user_key, grant).await?;
        }
        for request in &record.requests {
            let args = [args![user_key], &*request.args()].concat();
            self.run(IMPORT_REQUEST, &args).await?;
        }
        Ok(granted)
    }

    pub(super) async fn take_grant(&mut self, user_key: &Hash, grant: &GrantRecord) -> Result<u64> {
        let args = [args![user_key], &*grant.args()].concat();
        self.execute(IMPORT_GRANT, &args).await
    }

    async fn take_erased_user(&mut self, record: &UserRecord) -> Result<ImportOutcome> {
        let user_key = record.user_key.0;
        self.name_user(user_key);
        let args = args![
            &user_key,
            record.epoch,
            record.next_position,
            record.asks,
            record.paused_at,
            record.access_seen_at
        ];
        if self.execute(IMPORT_ERASED_USER, args).await? == 0 {
            return Ok(ImportOutcome::Known);
        }
        self.take_grants(&user_key, record).await?;
        Ok(ImportOutcome::Added)
    }
}

impl UserRecord {
    /// The record of a user of whom nothing was ever stored.
    pub(super) fn unknown(user_key: UserKey) -> Self {
        Self {
            user_key,
            ..Self::default()
        }
    }
}

stored! {
    GrantRecord in "grants":
    id, agent_id, scopes, made_by, created_at, expires_at, expires_text, expired_at, revoked_at,
    latest, last_used_at, since_at
}

stored! { RequestRecord in "consent_requests": agent_id, scopes, first_at, last_at, times }

impl FactRecord {
    /// A fact that an agent wrote; with an empty id, the user.
    pub(crate) fn of(agent_id: String, fact: StoredFact) -> Self {
        Self {
            scope: fact.scope,
            slot: fact.slot,
            name: fact.name,
            value: fact.value,
            source_type: fact.source_type.as_str().to_owned(),
            agent_id,
            requested: fact.requested,
            position: fact.position,
            first_stored_at: fact.first_stored_at,
            confirmed_at: fact.confirmed_at,
            origin: fact.origin,
        }
    }

    /// As it is stored.
    pub(crate) fn to_stored(&self) -> StoredFact {
        StoredFact {
            scope: self.scope,
            slot: self.slot.clone(),
            name: self.name.clone(),
            value: self.value.clone(),
            source_type: self.source_type.clone().into(),
            requested: self.requested,
            position: self.position,
            first_stored_at: self.first_stored_at,
            confirmed_at: self.confirmed_at,
            origin: self.origin.clone(),
        }
    }
}
