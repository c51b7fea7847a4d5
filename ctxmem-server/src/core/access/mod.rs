//! Access snapshots: all that decides about an agent's request for a user, that is the API key, the newest grant, the
//! user's epoch and version, and the facts. One statement reads all of it ([`crate::store::AccessSnapshot`]), so it is
//! true of one instant.
//!
//! # When the database is asked
//!
//! Every inject and every update needs a snapshot, and it rarely changes between two of them. So
//! snapshots, and the answers rendered from them, are kept in a [`cache`]. How a request knows that
//! they are still true depends on the engine:
//!
//! - **SQLite.** A [`CacheStamp`] changes with every commit that may concern the user, made by any
//!   process. A request takes the stamp first, and reads the database only if the cached stamp
//!   differs. It must take the stamp *before* it reads the snapshot: a commit between the two then
//!   changes the stamp of the next request. That may drop an entry too early, but never keeps one
//!   too long.
//! - **Postgres.** Other processes commit unseen, so there are no stamps, and every request reads.
//!   The statement leaves the facts out while `users.version` is that of the cached answer, which
//!   is then sent again without being rendered. A failover to a standby that lagged behind can take a
//!   version back, so answers from before one are not sent again.
//!
//! # Concurrency
//!
//! No lock is held while the database is read. Requests that miss at the same moment all read
//! (up to [`BATCH_SIZE`] of them share a statement), and the last one to finish owns the entry. It
//! need not be the newest: its stamp or version then doesn't match, and the next request reads
//! again.
//!
//! # What it buys
//!
//! The cache exists for speed only. On SQLite it answers 70,831 injects a second instead of 18,916
//! (16 connections, 10 facts; `benches/results/2026-11-21-485411c.md`, growth, "in memory" against
//! "cold"). On Postgres it saves sending and rendering the facts.

mod cache;

use std::sync::Arc;

use ctxmem_types::{ScopeSet, UserId};
use prometheus::IntCounter;
use tokio_util::task::TaskTracker;

use super::batch::Batcher;
use super::{Error, Grants, Key, Settings};
use crate::store::{AccessQuery, AccessSnapshot, CacheStamp, Db, FactsWanted, Hash, StoreError};
use crate::traces;
pub(super) use cache::CachedAnswer;
use cache::{AccessCache, CachedAccess};

/// How many requests share a statement at most.
const BATCH_SIZE: usize = 64;
/// How many of these statements run at the same time at most.
const CONCURRENT_BATCHES: usize = 4;
/// How many statements run at the same time at most where each serves one user.
const CONCURRENT_ALONE: usize = 8;

/// Reads snapshots and keeps them.
pub(super) struct AccessReader {
    pub(super) cache: AccessCache,
    reads: Batcher<AccessQuery, Result<Option<AccessSnapshot>, StoreError>>,
}

impl AccessReader {
    pub(super) fn new(
        db: Db,
        settings: &Settings,
        evictions: IntCounter,
        tasks: &TaskTracker,
    ) -> Self {
        let (batch_size, concurrent) = if db.shares_units() {
            (BATCH_SIZE, CONCURRENT_BATCHES)
        } else {
            (1, CONCURRENT_ALONE)
        };
        let read = move |queries: Vec<AccessQuery>| {
            let db = db.clone();
            async move {
                let count = queries.len();
                let read = db.read(async |tx| tx.access_snapshots(&queries).await);
                match read.await {
                    Ok(snapshots) => snapshots.into_iter().map(Ok).collect(),
                    Err(error) => vec![Err(error); count],
                }
            }
        };
        Self {
            cache: cache::with_room_for(settings.cache_bytes, evictions),
            reads: Batcher::new(batch_size, concurrent, tasks, read),
        }
    }

    pub(super) fn forget(&self, user_key: Hash) {
        // This only fails without `support_invalidation_closures`, which is set.
        let _ = self
            .cache
            .invalidate_entries_if(move |(of, _), _| *of == user_key);
        self.cache.run_pending_tasks();
    }
}

impl Grants {
    /// Refuses a request that names another agent than the key's. A key that no longer works comes
    /// first, so it is checked before a request is refused.
    pub(super) async fn check_agent(
        &self,
        key: &Key,
        user_id: &UserId,
        agent_id: Option<&str>,
    ) -> Result<(), Error> {
        match key.check_agent(agent_id) {
            Ok(()) => Ok(()),
            Err(refused) => {
                self.access_snapshot(key, &self.db.user_key(user_id))
                    .await?;
                Err(refused)
            }
        }
    }

    /// What the agent may do now, without the facts, and the scopes that it can use with this key;
    /// `None` without an active grant. Grant and epoch are true now; the version may be that of an
    /// earlier read, because changed facts alone don't make this read again. Fails with
    /// [`Error::InvalidKey`] when the key no longer works.
    pub(super) async fn access_snapshot(
        &self,
        key: &Key,
        user_key: &Hash,
    ) -> Result<(AccessSnapshot, Option<ScopeSet>), Error> {
        let lookup = self.look_up(key, user_key);
        if let Some(cached) = &lookup.cached
            // Key, grant and epoch; facts may have changed.
            && let (Some(was), Some(now)) = (&cached.stamp, &lookup.stamp)
            && was.has_same_access(now)
            && self.key_works(&cached.snapshot, lookup.before)
        {
            self.metrics.cache_hits.inc();
            let effective = self.effective(&cached.snapshot, key, lookup.before);
            return Ok((cached.snapshot.clone(), effective));
        }
        self.metrics.cache_misses.inc();
        let (snapshot, effective) = self.read_access(key, user_key, FactsWanted::None).await?;
        let cached = lookup.cached.as_ref();
        let cached = cached.filter(|it| it.is_as_of(&snapshot, self.db.generation()));
        let answer = cached.and_then(|it| it.answer.clone());
        self.keep(lookup, &snapshot, answer);
        Ok((snapshot, effective))
    }

    /// The answer to an inject: from memory while it is still true, else from `render`, which gets
    /// a snapshot with all facts and the effective scopes. The first value says whether the user
    /// ever granted the agent anything. Fails with [`Error::InvalidKey`] when the key no longer
    /// works.
    pub(super) async fn cached_answer(
        &self,
        key: &Key,
        user_key: &Hash,
        render: impl FnOnce(&AccessSnapshot, Option<ScopeSet>) -> Result<CachedAnswer, StoreError>,
    ) -> Result<(bool, Arc<CachedAnswer>), Error> {
        let lookup = self.look_up(key, user_key);
        if let Some(cached) = &lookup.cached
            && lookup.stamp.is_some()
            && lookup.stamp == cached.stamp
            && self.key_works(&cached.snapshot, lookup.before)
            && let Some(answer) =
                cached.answer_for(self.effective(&cached.snapshot, key, lookup.before))
        {
            self.metrics.cache_hits.inc();
            return Ok((cached.snapshot.grant.is_some(), Arc::clone(answer)));
        }
        self.metrics.cache_misses.inc();
        let wanted = match &lookup.cached {
            Some(cached) if cached.answer.is_some() => {
                FactsWanted::NewerThan(cached.snapshot.version)
            }
            _ => FactsWanted::All,
        };
        let (mut snapshot, mut effective) = self.read_access(key, user_key, wanted).await?;
        let cached = lookup.cached.as_ref();
        let cached = cached.filter(|it| it.is_as_of(&snapshot, self.db.generation()));
        let known = cached.and_then(|it| it.answer_for(effective));
        let answer = if let Some(answer) = known {
            Arc::clone(answer)
        } else {
            // The facts are those of the cached answer, but its scopes are not, or the demo ended.
            if snapshot.facts.is_none() {
                let whole = self.read_access(key, user_key, FactsWanted::All);
                (snapshot, effective) = whole.await?;
            }
            Arc::new(render(&snapshot, effective)?)
        };
        self.keep(lookup, &snapshot, Some(Arc::clone(&answer)));
        Ok((snapshot.grant.is_some(), answer))
    }

    /// The scopes that the agent can use now with this key; `None` without an active grant. `before`
    /// is a time before the snapshot was read, or before its stamp was compared.
    fn effective(&self, snapshot: &AccessSnapshot, key: &Key, before: i64) -> Option<ScopeSet> {
        let now = self.grant_clock.since(before);
        let grant = snapshot.grant.as_ref();
        self.grant_clock.observe(grant, now);
        grant?.effective(key.scopes, now)
    }

    /// Whether the key of a snapshot has not expired since. Stamps change when a key is revoked, but
    /// time passes without a commit. `before` as for [`Grants::effective`].
    fn key_works(&self, snapshot: &AccessSnapshot, before: i64) -> bool {
        let end = snapshot.key_expires_at;
        end.is_none_or(|end| end > self.grant_clock.since(before))
    }

    /// Reads a snapshot from the database, together with the requests of others. It comes with the
    /// scopes that the agent can use; `None` without an active grant. Fails with
    /// [`Error::InvalidKey`] when the key no longer works.
    pub(super) async fn read_access(
        &self,
        key: &Key,
        user_key: &Hash,
        facts: FactsWanted,
    ) -> Result<(AccessSnapshot, Option<ScopeSet>), Error> {
        let before = self.grant_clock.now();
        let query = AccessQuery {
            key_id: Arc::clone(&key.id),
            user_key: *user_key,
            facts,
        };
        let span = traces::database_read();
        let read = self.access.reads.run(query).await;
        drop(span);
        let snapshot = read.ok_or(StoreError::Interrupted)??;
        let snapshot = snapshot.filter(|snapshot| self.key_works(snapshot, before));
        let Some(snapshot) = snapshot else {
            self.forget_key(key);
            return Err(Error::InvalidKey);
        };
        let effective = self.effective(&snapshot, key, before);
        Ok((snapshot, effective))
    }

    fn look_up(&self, key: &Key, user_key: &Hash) -> Lookup {
        // Both before anything is read: see `GrantClock::since`, and the top of this file.
        let before = self.grant_clock.now();
        let stamp = self.db.stamp(user_key);
        let generation = self.db.generation();
        let at = (*user_key, Arc::clone(&key.id));
        Lookup {
            before,
            stamp,
            generation,
            cached: self.access.cache.get(&at),
            at,
        }
    }

    fn keep(&self, lookup: Lookup, snapshot: &AccessSnapshot, answer: Option<Arc<CachedAnswer>>) {
        let access = CachedAccess {
            stamp: lookup.stamp,
            generation: lookup.generation,
            snapshot: AccessSnapshot {
                facts: None,
                ..*snapshot
            },
            answer,
        };
        self.access.cache.insert(lookup.at, Arc::new(access));
    }
}

/// A look into the cache, and the stamp for what is read after it.
struct Lookup {
    at: cache::At,
    /// A time before the stamp was taken, in milliseconds since 1970.
    before: i64,
    stamp: Option<CacheStamp>,
    generation: u64,
    cached: Option<Arc<CachedAccess>>,
}
