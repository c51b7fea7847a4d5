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
pub(in crate::core) type At = (Hash, Arc<str>);

/// What is kept for one user and API key.
pub(in crate::core) struct CachedAccess {
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

pub(in crate::core) type AccessCache = moka::sync::Cache<At, Arc<CachedAccess>>;

/// A cache with room for about this many bytes; with 0 it holds nothing. What makes room for others is
/// recorded.
pub(super) fn with_room_for(bytes: u64, evictions: IntCounter) -> AccessCache {
    AccessCache::builder()
        .max_capacity(bytes)
        .weigher(|_, access: &Arc<CachedAccess>| u32::try_from(access.bytes()).unwrap_or(u32::MAX))
        .time_to_idle(IDLE)
        .support_invalidation_closures()
        .eviction_listener(move |_, _, cause| {
            if cause == RemovalCause::Size {
                evictions.inc();
            }
        })
        .build()
}
