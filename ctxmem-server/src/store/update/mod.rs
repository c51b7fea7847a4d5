//! Reads and writes of an update: what it reads before it is decided, and what it stores. The
//! decision is made in `core::update`.
//!
//! A statement is a round trip on Postgres, so there one statement reads for many updates and one
//! stores for many ([`postgres`]). On SQLite a statement is a function call, and each update goes
//! row by row ([`sqlite`]).

pub(super) mod postgres;
pub(super) mod sqlite;

use ctxmem_types::{Scope, ScopeSet};

use super::ciphers::key_ref;
use super::row::Row;
use super::user_keys::{KeyRef, UserCipher};
use super::{
    AuditEvent, BlockedFacts, GrantTerms, Hash, IdempotencyRecord, NewIdempotencyRecord, Result,
    StoreError, StoredFact, Tx,
};

/// What an update asks before it stores.
pub struct UpdateQuery<'a> {
    /// The id of the API key.
    pub key_id: &'a str,
    /// The key's agent.
    pub agent_id: &'a str,
    /// The user whom it is about.
    pub user_key: &'a Hash,
    /// The hash of its idempotency key, where it has one.
    pub idempotency_key: Option<&'a Hash>,
    /// The scopes and slots of the facts to read.
    pub fact_keys: Vec<(Scope, String)>,
    /// The scopes whose facts are counted.
    pub counted: ScopeSet,
}

/// The answer to an [`UpdateQuery`].
pub struct UpdateSnapshot {
    /// Whether the key and its agent are still there.
    pub key_is_live: bool,
    /// When the key stops working, in milliseconds since 1970.
    pub key_expires_at: Option<i64>,
    /// Whether an agent of this developer ever stored a fact.
    pub developer_stored: bool,
    /// Grows with every erasure of the user.
    pub epoch: i64,
    /// Grows with every change of the user's facts and grants.
    pub version: i64,
    /// The position that the next new fact takes.
    pub next_position: i64,
    /// The key under which the user's facts are sealed; `None` after an erasure.
    pub key: Option<KeyRef>,
    /// What the newest grant allows, expired and revoked ones included.
    pub grant: Option<GrantTerms>,
    /// The answer that was recorded under its idempotency key.
    pub record: Option<IdempotencyRecord>,
    /// The facts under its fact keys.
    pub facts: Vec<StoredFact>,
    /// The facts that the user doesn't want to be saved again.
    pub blocked_facts: BlockedFacts,
    /// How many facts the counted scopes hold. A scope in which every fact key has a fact can't
    /// grow and is left out.
    pub counts: Vec<(Scope, i64)>,
}

/// How an update changes the facts of a user.
pub struct FactChanges<'a> {
    /// The user whom it is about.
    pub user_key: &'a Hash,
    /// The key under which the user's facts are sealed, as in the snapshot.
    pub key: Option<KeyRef>,
    /// The agent that stores it.
    pub agent_id: &'a str,
    /// New facts and new values.
    pub put: Vec<&'a StoredFact>,
    /// Facts that were said again.
    pub confirmed: Vec<&'a StoredFact>,
    /// Facts that were taken back. None of them is among the others.
    pub removed: Vec<&'a StoredFact>,
    /// The position that the next new fact takes from now on.
    pub next_position: i64,
}

/// An update to store, and the snapshot that it depends on.
pub struct OptimisticUpdate<'a> {
    /// What it changes.
    pub changes: FactChanges<'a>,
    /// The id of the API key.
    pub key_id: &'a str,
    /// The user's version in the snapshot.
    pub version: i64,
    /// Its entry in the audit log.
    pub event: Option<AuditEvent>,
    /// The answer to record, on Postgres only. Sort the updates by these keys: then two processes
    /// can't wait for each other.
    pub record: Option<NewIdempotencyRecord<'a>>,
}

impl FactChanges<'_> {
    /// Whether the user's content changes: a confirmation alone changes nothing that is shown.
    fn changes_content(&self) -> bool {
        !self.put.is_empty() || !self.removed.is_empty()
    }
}

impl Tx {
    /// Locks the user and reads what an update needs; `None` where the user has no row. Records made at
    /// `over` (milliseconds since 1970) or before are ignored.
    pub async fn lock_update_snapshot(
        &mut self,
        query: &UpdateQuery<'_>,
        over: i64,
    ) -> Result<Option<UpdateSnapshot>> {
        if !self.is_postgres() {
            // The one writer holds them all.
            return self.update_snapshot(query, over).await;
        }
        self.lock_users(std::iter::once(query.user_key)).await?;
        let mut snapshots = self
            .update_snapshots(std::slice::from_ref(query), over)
            .await?;
        Ok(snapshots.pop().flatten())
    }

    /// Stores an update of a user whom [`Tx::lock_update_snapshot`] locked. On Postgres it fails, and the
    /// unit of work runs again, if a key was revoked since the snapshot was read: keys are not locked with
    /// the users.
    pub async fn store_locked_update(
        &mut self,
        update: &OptimisticUpdate<'_>,
        now: i64,
    ) -> Result<()> {
        if !self.is_postgres() {
            return self.store_update(update, now).await;
        }
        let stored = self
            .store_updates(std::slice::from_ref(update), now)
            .await?;
        if stored.contains(&false) {
            self.worth_retrying = true;
            return Err(StoreError::Interrupted);
        }
        Ok(())
    }
}

impl UpdateSnapshot {
    /// Everything but facts and counts. The cipher is that of the user.
    fn from_row(row: &Row, query: &UpdateQuery<'_>, cipher: Option<&UserCipher>) -> Result<Self> {
        let is_there = |column| Ok::<_, StoreError>(row.int_or_null(column)?.is_some());
        Ok(Self {
            key_is_live: is_there("key_created_at")? && is_there("agent_created_at")?,
            key_expires_at: row.int_or_null("key_expires_at")?,
            developer_stored: is_there("first_fact_at")?,
            epoch: row.int("epoch")?,
            version: row.int("version")?,
            next_position: row.int("next_position")?,
            key: key_ref(row)?,
            grant: GrantTerms::from_row(row)?,
            record: match (row.int_or_null("answered_at")?, query.idempotency_key) {
                (Some(_), Some(key)) => Some(record(row, query.user_key, key, cipher)?),
                _ => None,
            },
            facts: Vec::new(),
            blocked_facts: BlockedFacts::from_row(row, query.user_key, cipher)?,
            counts: Vec::new(),
        })
    }
}

/// The record in a row. Only the user's own can be opened with the user's cipher.
fn record(
    row: &Row,
    user_key: &Hash,
    key: &Hash,
    cipher: Option<&UserCipher>,
) -> Result<IdempotencyRecord> {
    match row.bytes_or_null("reply_user_key")? {
        Some(other) if other != user_key => Ok(IdempotencyRecord::AboutAnotherUser),
        _ => IdempotencyRecord::from_row(row, key, cipher),
    }
}
