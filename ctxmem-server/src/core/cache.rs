//! What was read before, by user and API key, bounded in bytes. Whether it still holds is for
//! those to judge who find it here.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use moka::notification::RemovalCause;

use super::admission::Standing;
use crate::store::Hash;

/// What nobody asks for is not kept for longer: it is about a person.
const IDLE: Duration = Duration::from_mins(10);

/// A user, and the id of an API key.
type At = (Hash, Arc<str>);

/// Standings in memory.
pub(super) struct Cache {
    entries: moka::sync::Cache<At, Arc<Standing>>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    hits: AtomicU64,
    misses: AtomicU64,
    evictions: AtomicU64,
}

/// What a cache did since the process began, and holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheFigures {
    /// Requests that were answered from memory.
    pub hits: u64,
    /// Requests for which the database was asked.
    pub misses: u64,
    /// Entries that made room for others.
    pub evictions: u64,
    /// How many entries there are.
    pub entries: u64,
    /// About how many bytes they take.
    pub bytes: u64,
}

impl Cache {
    /// Holds about so many bytes at most; with 0 it holds nothing.
    pub(super) fn new(bytes: u64) -> Self {
        let counts = Arc::<Counts>::default();
        let evicted = Arc::clone(&counts);
        let entries = moka::sync::Cache::builder()
            .max_capacity(bytes)
            .weigher(|_, standing: &Arc<Standing>| {
                u32::try_from(standing.bytes()).unwrap_or(u32::MAX)
            })
            .time_to_idle(IDLE)
            .support_invalidation_closures()
            .eviction_listener(move |_, _, cause| {
                if cause == RemovalCause::Size {
                    evicted.evictions.fetch_add(1, Ordering::Relaxed);
                }
            })
            .build();
        Self { entries, counts }
    }

    pub(super) fn get(&self, at: &At) -> Option<Arc<Standing>> {
        self.entries.get(at)
    }

    pub(super) fn insert(&self, at: At, standing: Arc<Standing>) {
        self.entries.insert(at, standing);
    }

    /// Leaves nothing of a user in memory.
    pub(super) fn forget(&self, user_key: Hash) {
        // It only fails where closures were not asked for above.
        let _ = self
            .entries
            .invalidate_entries_if(move |(of, _), _| *of == user_key);
        self.entries.run_pending_tasks();
    }

    pub(super) fn hit(&self) {
        self.counts.hits.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn miss(&self) {
        self.counts.misses.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn figures(&self) -> CacheFigures {
        self.entries.run_pending_tasks();
        CacheFigures {
            hits: self.counts.hits.load(Ordering::Relaxed),
            misses: self.counts.misses.load(Ordering::Relaxed),
            evictions: self.counts.evictions.load(Ordering::Relaxed),
            entries: self.entries.entry_count(),
            bytes: self.entries.weighted_size(),
        }
    }
}
