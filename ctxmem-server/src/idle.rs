//! Giving back the memory of what nobody uses any more.

use std::hash::{BuildHasher, Hash};

use moka::sync::Cache;

/// How many entries crossbeam-epoch, which moka hands them to, frees in one round.
const FREED_A_ROUND: u64 = 512;

/// Rounds until a thread that reads at the moment holds nothing back any more.
const ROUNDS_FOR_READERS: u64 = 4;

/// Drops from a cache what has been idle for too long, and frees it.
///
/// By itself a cache does so only while it is used. One round of its work ends after a tenth of a second,
/// and frees only some of what it dropped: the rest would stay in memory until there is work again.
pub(crate) fn evict<K, V, S>(cache: &Cache<K, V, S>)
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
    S: BuildHasher + Clone + Send + Sync + 'static,
{
    let rounds = cache.entry_count().div_ceil(FREED_A_ROUND) + ROUNDS_FOR_READERS;
    for _ in 0..rounds {
        cache.run_pending_tasks();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_idle_is_freed_however_much_it_is() {
        const ENTRIES: usize = 50_000;
        const IDLE: Duration = Duration::from_millis(100);
        let cache = Cache::builder().time_to_idle(IDLE).build();
        let value = Arc::new(());
        for n in 0..ENTRIES {
            cache.insert(n, Arc::clone(&value));
        }
        std::thread::sleep(IDLE * 2);
        // Once more, as housekeeping does: other tests read meanwhile.
        for _ in 0..2 {
            evict(&cache);
        }
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
