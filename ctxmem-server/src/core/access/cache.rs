//! Snapshots and answers in memory, by user and API key, bounded in bytes. Whether an entry is
//! still true is decided by its reader (see [`super`]).

use std::sync::Arc;
use std::time::Duration;

use ctxmem_types::ScopeSet;
use moka::notification::RemovalCause;
use prometheus::IntCounter;

use crate::core::audit_buffer::Event;
use crate::store::{AccessSnapshot, CacheStamp, Hash};

/// Entries are about persons: what nobody asks for is dropped after this time, and its memory is
/// given back. To render it again takes some ten microseconds.
const IDLE: Duration = Duration::from_mins(1);

/// A user, and the id of an API key.
pub(super) type At = (Hash, Arc<str>);

/// What is kept for one user and API key.
pub(super) struct CachedAccess {
    /// Taken before the snapshot was read; `None` on Postgres.
    pub(super) stamp: Option<CacheStamp>,
    /// The generation of the database before the snapshot was read.
    pub(super) generation: u64,
    /// Without the facts: only the answer that they gave is kept.
    pub(super) snapshot: AccessSnapshot,
    /// `None` while no inject has asked.
    pub(super) answer: Option<Arc<CachedAnswer>>,
}

/// The answer to an inject, rendered up to the base prompt once for all its requests.
pub(in crate::core) struct CachedAnswer {
    /// The scopes from which it was rendered; `None` without an active grant.
    pub(in crate::core) effective: Option<ScopeSet>,
    /// What the audit log notes of a request that gets this answer; `None` where the user never had
    /// to do with the agent.
    pub(in crate::core) event: Option<Event>,
    /// Whether the prompt had no room for some of what the agent may know.
    pub(in crate::core) leaves_out: bool,
    /// The JSON before the base prompt.
    pub(in crate::core) head: Box<[u8]>,
    /// The JSON after it.
    pub(in crate::core) tail: Box<[u8]>,
}

impl CachedAccess {
    /// Whether key, grant and epoch are unchanged at this stamp; facts may have changed.
    pub(super) fn has_same_access(&self, now: &CacheStamp) -> bool {
        self.stamp.is_some_and(|was| was.has_same_access(now))
    }

    /// Whether an answer rendered from this snapshot is also right for the other one, if the same
    /// scopes are effective. The generation is that of the database after the other was read.
    pub(super) fn is_as_of(&self, other: &AccessSnapshot, generation: u64) -> bool {
        self.generation == generation
            && self.snapshot.version == other.version
            && self.snapshot.developer_stored == other.developer_stored
            // Without effective scopes, an agent that was refused is told something else than one
            // that has yet to ask.
            && self.snapshot.grant.is_some() == other.grant.is_some()
    }

    /// The answer, where there is one and it was rendered from these scopes.
    pub(super) fn answer_for(&self, effective: Option<ScopeSet>) -> Option<&Arc<CachedAnswer>> {
        let answer = self.answer.as_ref();
        answer.filter(|answer| answer.effective == effective)
    }

    /// About how many bytes it takes in memory, its place in the cache included.
    fn bytes(&self) -> usize {
        const FIXED: usize = 512;
        let answer = |answer: &Arc<CachedAnswer>| {
            size_of::<CachedAnswer>() + answer.head.len() + answer.tail.len()
        };
        FIXED + self.answer.as_ref().map_or(0, answer)
    }
}

/// The entries.
pub(in crate::core) struct AccessCache(moka::sync::Cache<At, Arc<CachedAccess>>);

impl AccessCache {
    /// With room for about this many bytes; with 0 it holds nothing. What makes room for others is
    /// recorded.
    pub(super) fn new(bytes: u64, evictions: IntCounter) -> Self {
        let entries = moka::sync::Cache::builder()
            .max_capacity(bytes)
            .weigher(|_, access: &Arc<CachedAccess>| {
                u32::try_from(access.bytes()).unwrap_or(u32::MAX)
            })
            .time_to_idle(IDLE)
            .support_invalidation_closures()
            .eviction_listener(move |_, _, cause| {
                if cause == RemovalCause::Size {
                    evictions.inc();
                }
            })
            .build();
        Self(entries)
    }

    pub(super) fn get(&self, at: &At) -> Option<Arc<CachedAccess>> {
        self.0.get(at)
    }

    pub(super) fn insert(&self, at: At, access: CachedAccess) {
        self.0.insert(at, Arc::new(access));
    }

    /// Drops everything about a user.
    pub(in crate::core) fn forget(&self, user_key: Hash) {
        // This only fails without `support_invalidation_closures`, which is set above.
        let _ = self
            .0
            .invalidate_entries_if(move |(of, _), _| *of == user_key);
        self.0.run_pending_tasks();
    }

    /// Drops what nobody has asked for in a while.
    pub(in crate::core) fn evict_idle(&self) {
        self.0.run_pending_tasks();
    }

    /// How many entries there are, and about how many bytes they take.
    pub(in crate::core) fn size(&self) -> (u64, u64) {
        self.0.run_pending_tasks();
        (self.0.entry_count(), self.0.weighted_size())
    }
}
