//! The store: everything that outlives a request.
//!
//! One body of code serves SQLite and Postgres. There are three ways to the database:
//!
//! - [`Db::read`] takes a connection from a pool. Each statement sees a snapshot of its own.
//!   [`Db::kept`] reads in one snapshot.
//! - [`Db::write`] runs a unit of work in a transaction. The unit ends in its commit or is undone,
//!   even when the client that asked for it has gone, and no caller can keep a transaction open.
//! - [`Db::autocommit`] runs a unit of work in the caller's task, each statement in a transaction
//!   of its own. On Postgres, updates that need one statement to store everything use it.
//!
//! What is known of a user is sealed under the user's own key, which lies in a database of its own
//! (`user_keys`); `erasure` destroys it. Above the store nobody sees anything sealed.
//!
//! Each group of tables has a file, where the SQL stands beside the function that runs it. The
//! store knows neither HTTP nor the rules about grants.

mod access;
mod agent_profiles;
mod agents;
mod arg;
mod audit;
mod auto_delete;
pub mod backup;
mod blocked_facts;
mod change_set;
mod ciphers;
mod citus;
mod commit_tracker;
mod compatibility;
mod consent;
mod developer_sessions;
mod developers;
mod direct;
mod disk_trouble;
mod erasure;
mod error;
mod fact_with_provenance;
mod facts;
mod files;
mod grants;
mod group;
mod idempotency;
mod job;
mod keyring;
mod keys;
mod last_use;
mod metrics;
mod migrations;
mod oauth;
mod oidc_sign_ins;
mod open;
mod postgres;
mod quota;
mod request_log;
mod row;
mod second_factors;
mod sessions;
mod sqlite;
mod statement;
mod team;
mod team_invitations;
#[cfg(test)]
mod tests;
mod transfer;
mod trial;
mod tx;
mod update;
mod usage;
mod user_data;
mod user_keys;
mod users;
mod writer_lock;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use ctxmem_types::UserId;
use error::Result;
use job::Job;
use keyring::Keyring;
use metrics::{Operation, StoreMetrics, Timed};
use sha2::{Digest as _, Sha256};
use user_keys::KeyRef;

use crate::failpoint;

pub use access::{AccessQuery, AccessSnapshot, FactsWanted};
pub use agent_profiles::{AgentProfile, Needs};
pub use agents::{Agent, AgentSummary};
pub use audit::{
    Action, Actor, AuditDetails, AuditEvent, AuditRange, AuditRow, AuditStart, FactCounts,
    GrantChange, Outcome,
};
pub use auto_delete::{AutoDelete, AutoDeleted};
pub use blocked_facts::BlockedFacts;
pub use commit_tracker::CacheStamp;
pub use consent::{Choices, ConsentRequest, NotedRequest, RepeatedCalls, Standing};
pub use developers::{Developer, DeveloperId, MemberId, Role};
pub(crate) use error::full_path;
pub use error::{OpenError, StoreError};
pub use fact_with_provenance::{Author, FactId, FactVersion, FactWithProvenance};
pub use facts::{ExtractedBy, Origin, StoredFact, scopes};
pub use grants::{AgentAccess, GrantRow, GrantTerms, GrantedBy};
pub use idempotency::{IdempotencyRecord, NewIdempotencyRecord};
pub use keys::{KeyRow, NewKey};
pub use last_use::LastUse;
pub(crate) use metrics::QueueLength;
pub use oidc_sign_ins::{OidcSignInRow, Purpose};
pub use open::DbConfig;
pub use postgres::HostsError;
pub use request_log::{RequestCount, RequestKind, RequestRow};
pub use second_factors::SecondFactorRow;
pub use sessions::{ListedSession, Owner, SessionRow, Token};
pub use statement::Statement;
pub use team::MemberRow;
pub use team_invitations::InvitationRow;
pub use transfer::{
    AccountLog, AgentRecord, BlockedFactsRecord, DeveloperRecord, EventPlace, EventRecord,
    FactRecord, GrantRecord, ImportOutcome, KeyRecord, Older, QuotaRecord, Record, RequestRecord,
    SealedBytes, TakenDecisions, UsageRecord, UserKey, UserRecord,
};
pub use tx::Tx;
pub use update::{FactChanges, OptimisticUpdate, UpdateQuery, UpdateSnapshot};
pub use usage::Usage;
pub use user_data::UserData;
pub use user_keys::{IndexKey, MasterKey, MasterKeyError};
pub use users::{Erased, User};

/// A SHA-256, by which secrets and user ids are looked up.
pub type Hash = [u8; 32];

/// The future of a unit of work.
pub type Unit<'t, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 't>>;

/// An open database.
#[derive(Clone)]
pub struct Db {
    engine: Engine,
    keys: Keyring,
    metrics: Arc<StoreMetrics>,
}

#[derive(Clone)]
enum Engine {
    Sqlite(sqlite::Engine),
    Postgres(postgres::Engine),
}

impl Db {
    /// Runs a unit of work that only reads. Each statement sees a snapshot of its own.
    pub fn read<T, E: From<StoreError>>(
        &self,
        unit: impl AsyncFnOnce(&mut Tx) -> Result<T, E>,
    ) -> impl Future<Output = Result<T, E>> {
        self.on_reader(unit, Operation::Read)
    }

    /// Runs a unit of work on a connection of the pool for reads.
    async fn on_reader<T, E: From<StoreError>>(
        &self,
        unit: impl AsyncFnOnce(&mut Tx) -> Result<T, E>,
        operation: Operation,
    ) -> Result<T, E> {
        let _timed = Timed::begin(&self.metrics, operation);
        let reading = async {
            let inner = match &self.engine {
                Engine::Sqlite(engine) => engine.read().await.map_err(StoreError::from)?,
                Engine::Postgres(engine) => engine.read().await?,
            };
            let mut tx = Tx::new(inner, self.keys.clone(), self.is_distributed());
            let done = Box::pin(unit(&mut tx)).await;
            if let (Engine::Postgres(engine), Some(failure)) = (&self.engine, &tx.failure) {
                engine.notice(failure);
            }
            done
        };
        self.within_timeout(reading).await
    }

    /// Runs a unit of work that only reads, all of it in one snapshot. Keep it short: an old snapshot
    /// keeps the database from cleaning up.
    async fn snapshot<T, F>(&self, unit: F) -> Result<T>
    where
        F: for<'t> FnOnce(&'t mut Tx) -> Unit<'t, T, StoreError>,
    {
        let reading = async {
            let inner = match &self.engine {
                Engine::Sqlite(engine) => engine.snapshot().await?,
                Engine::Postgres(engine) => engine.snapshot().await?,
            };
            // There is nothing to commit.
            let mut tx = Tx::new(inner, self.keys.clone(), self.is_distributed());
            unit(&mut tx).await
        };
        self.within_timeout(reading).await
    }

    /// Whether updates are stored optimistically: without a transaction, by one statement that
    /// checks that what they have read is unchanged. On SQLite a transaction costs less.
    pub fn supports_optimistic_writes(&self) -> bool {
        matches!(self.engine, Engine::Postgres(_))
    }

    /// Whether Citus distributes the database over several machines.
    pub fn is_distributed(&self) -> bool {
        match &self.engine {
            Engine::Sqlite(_) => false,
            Engine::Postgres(engine) => engine.is_distributed,
        }
    }

    /// Whether one statement, or one unit of work, is to serve many users or agents. Where the
    /// database is distributed, each of them is on a machine of its own.
    pub fn shares_units(&self) -> bool {
        !self.is_distributed()
    }

    /// Runs a unit of work in autocommit mode on a pooled connection, in the caller's task.
    pub fn autocommit<T, E, F>(&self, unit: F) -> impl Future<Output = Result<T, E>>
    where
        F: for<'t> FnOnce(&'t mut Tx) -> Unit<'t, T, E>,
        E: From<StoreError>,
    {
        // No statement leaves a transaction open, so the pool for reads will do.
        let unit = async |tx: &mut Tx| unit(tx).await;
        self.on_reader(unit, Operation::OptimisticWrite)
    }

    /// Runs a unit of work in a transaction: committed when it answers `Ok`, undone when it
    /// answers `Err`. It runs to its end even when the caller stops waiting.
    ///
    /// The unit must neither act on nor wait for anything but the database: Postgres may require
    /// that it runs again, and on SQLite other units share its transaction.
    pub async fn write<T, E, F>(&self, unit: F) -> Result<T, E>
    where
        F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, E> + Send + Sync + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let timed = Timed::begin(&self.metrics, Operation::Write);
        let (job, answer) = job::queued(unit);
        self.run(job);
        let answered = async { answer.await.map_err(|_| StoreError::Interrupted)? };
        let answered = self.within_timeout(answered).await;
        drop(timed);
        let (value, retired) = answered?;
        self.destroy(retired).await?;
        Ok(value)
    }

    /// Runs a unit of work on the engine. A client that disconnects drops the future that waits for
    /// the answer, and nothing else.
    fn run(&self, job: Box<dyn Job>) {
        match &self.engine {
            Engine::Sqlite(engine) => engine.queue.send(job),
            Engine::Postgres(engine) => {
                let (engine, keys) = (engine.clone(), self.keys.clone());
                tokio::spawn(async move { engine.write(job, &keys).await });
            }
        }
    }

    /// Destroys keys whose retirement is committed. It goes on when the caller leaves.
    async fn destroy(&self, retired: Vec<KeyRef>) -> Result<()> {
        if retired.is_empty() {
            return Ok(());
        }
        failpoint::reach("after-commit");
        let keys = self.keys.clone();
        let task = tokio::spawn(async move { keys.destroy(&retired).await });
        task.await.map_err(|_| StoreError::Interrupted)??;
        failpoint::reach("before-answer");
        Ok(())
    }

    /// Stops waiting for work on a database that does not answer in time. A write may still be
    /// committed, but nobody has been told that it was.
    pub async fn within_timeout<T, E: From<StoreError>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        self.within_rest_of_timeout(Duration::ZERO, work).await
    }

    /// The same for a caller who has waited for the database for some time already.
    pub async fn within_rest_of_timeout<T, E: From<StoreError>>(
        &self,
        spent: Duration,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        match &self.engine {
            // A file either works or fails; waiting for its lock is bounded already.
            Engine::Sqlite(_) => work.await,
            Engine::Postgres(engine) => {
                let done =
                    tokio::time::timeout(postgres::CALLER_TIMEOUT.saturating_sub(spent), work)
                        .await;
                done.unwrap_or_else(|_| {
                    engine.notice(&StoreError::Unavailable);
                    Err(StoreError::Unavailable.into())
                })
            }
        }
    }

    /// A hash of these texts, in this order, that says nothing without the key database. Other
    /// texts never have the same hash, nor does a user's key.
    pub fn keyed_hash(&self, texts: &[Option<&str>]) -> Hash {
        let mut framed = b"texts".to_vec();
        for text in texts {
            match text {
                None => framed.push(0),
                Some(text) => {
                    framed.push(1);
                    framed.extend((text.len() as u64).to_be_bytes());
                    framed.extend(text.as_bytes());
                }
            }
        }
        self.keys.index_hash([framed])
    }

    /// The stamp for what is read of this user from now on; `None` if the database has to be read
    /// each time. Every commit that was acknowledged before this call, and that may concern the
    /// user, a key or an agent, has led to another stamp.
    pub fn stamp(&self, user_key: &Hash) -> Option<CacheStamp> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.commits.stamp(user_key),
            Engine::Postgres(_) => None,
        }
    }

    /// Grows with every failover. What was read before may no longer be there, and versions that
    /// were lost are counted up to again with other content.
    pub fn generation(&self) -> u64 {
        match &self.engine {
            Engine::Sqlite(_) => 0,
            Engine::Postgres(engine) => engine.generation(),
        }
    }

    /// The key under which everything of this user is stored.
    pub fn user_key(&self, user_id: &UserId) -> Hash {
        self.keys.user_key(user_id)
    }

    /// Whether the database and that of the keys answer within two seconds. Whether writes succeed,
    /// only a write tells ([`try_to_write`](Self::try_to_write)).
    pub async fn is_healthy(&self) -> bool {
        let probe = async {
            match &self.engine {
                Engine::Sqlite(engine) => engine.is_healthy().await,
                Engine::Postgres(engine) => engine.is_healthy().await,
            }
        };
        let probe = async { probe.await && self.keys.is_healthy().await };
        tokio::time::timeout(Duration::from_secs(2), probe)
            .await
            .unwrap_or(false)
    }

    /// Whether a disk refused a write some seconds ago, of rows or of keys.
    pub fn has_disk_trouble(&self) -> bool {
        self.keys.trouble().is_recent()
    }

    /// Drops from memory the keys of users of whom nothing was read in a while, and the pages with which
    /// nothing was written since the last call.
    pub fn evict_idle(&self) {
        self.keys.evict_idle();
        if let Engine::Sqlite(engine) = &self.engine {
            engine.queue.evict_idle();
        }
    }

    /// Closes every connection. Whatever was acknowledged is durable already.
    pub async fn close(&self) {
        match &self.engine {
            Engine::Sqlite(engine) => engine.close().await,
            Engine::Postgres(engine) => engine.close().await,
        }
        self.keys.close().await;
    }
}

/// A user: by the id, or by the key under which everything of the user is stored.
pub trait Who: Copy + Send {
    /// The key. A user who is given by the id counts as named by the unit of work.
    fn key(self, tx: &mut Tx) -> Hash;
}

impl Who for &UserId {
    fn key(self, tx: &mut Tx) -> Hash {
        tx.user_key(self)
    }
}

/// By the key, which only the store may do: nobody is named by it, so a change of it leaves cached answers.
#[derive(Clone, Copy)]
pub(in crate::store) struct ByKey<'a>(pub(in crate::store) &'a Hash);

impl Who for ByKey<'_> {
    fn key(self, _: &mut Tx) -> Hash {
        *self.0
    }
}

impl Tx {
    /// The key under which everything of this user is stored. The user counts as named by the
    /// unit of work.
    fn user_key(&mut self, user_id: &UserId) -> Hash {
        let key = self.keys.user_key(user_id);
        self.name_user(key);
        key
    }
}

/// The hash by which a secret (an API key, a session, a sign-in link) is looked up. The
/// secrets are random and long, so it needs no salt.
pub fn hash(secret: &str) -> Hash {
    Sha256::digest(secret).into()
}

/// Every statement of the store, by file.
pub fn statements() -> impl Iterator<Item = Statement> {
    [
        access::STATEMENTS,
        agent_profiles::STATEMENTS,
        agents::STATEMENTS,
        audit::STATEMENTS,
        auto_delete::STATEMENTS,
        backup::last::STATEMENTS,
        ciphers::STATEMENTS,
        compatibility::STATEMENTS,
        consent::STATEMENTS,
        developer_sessions::STATEMENTS,
        developers::STATEMENTS,
        erasure::STATEMENTS,
        facts::STATEMENTS,
        grants::STATEMENTS,
        group::STATEMENTS,
        idempotency::STATEMENTS,
        user_data::STATEMENTS,
        blocked_facts::STATEMENTS,
        last_use::STATEMENTS,
        metrics::STATEMENTS,
        keys::STATEMENTS,
        update::postgres::STATEMENTS,
        update::sqlite::STATEMENTS,
        oauth::STATEMENTS,
        oidc_sign_ins::STATEMENTS,
        open::STATEMENTS,
        quota::STATEMENTS,
        request_log::STATEMENTS,
        fact_with_provenance::STATEMENTS,
        second_factors::STATEMENTS,
        sessions::STATEMENTS,
        team::STATEMENTS,
        team_invitations::STATEMENTS,
        transfer::accounts::STATEMENTS,
        transfer::decisions::STATEMENTS,
        transfer::endings::STATEMENTS,
        transfer::events::STATEMENTS,
        transfer::users::STATEMENTS,
        trial::STATEMENTS,
        usage::STATEMENTS,
        users::STATEMENTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
