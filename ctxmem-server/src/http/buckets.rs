//! Token buckets by anything that can be hashed, in bounded memory.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hash};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// How many bits of a name's hash choose its bucket. This bounds the memory that made-up names
/// can fill. The hash is keyed at random, so nobody can choose a name that shares the bucket
/// of somebody else.
const BITS: u32 = 18;

/// Token buckets, by name.
pub(super) struct Buckets {
    limiter: DefaultKeyedRateLimiter<u32>,
    clock: DefaultClock,
    hasher: RandomState,
}

impl Buckets {
    /// Buckets that are all full.
    pub(super) fn new(quota: Quota) -> Self {
        Self {
            limiter: RateLimiter::dashmap(quota),
            clock: DefaultClock::default(),
            hasher: RandomState::new(),
        }
    }

    /// Takes a token of this name. If there is none, the error says how long to wait.
    pub(super) fn take(&self, name: &impl Hash) -> Result<(), Duration> {
        let hash = self.hasher.hash_one(name);
        let bucket = u32::try_from(hash >> (u64::BITS - BITS)).unwrap_or_default();
        self.limiter
            .check_key(&bucket)
            .map_err(|not_until| not_until.wait_time_from(self.clock.now()))
    }

    /// Removes the buckets that are full again.
    pub(super) fn evict_idle(&self) {
        self.limiter.retain_recent();
        self.limiter.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn made_up_names_fill_a_bounded_memory() {
        let buckets = Buckets::new(Quota::per_minute(NonZeroU32::MIN));
        for n in 0..400_000 {
            let _ = buckets.take(&n);
        }
        assert!(buckets.limiter.len() <= 1 << BITS);
        // None of them is at rest yet.
        buckets.evict_idle();
        assert!(!buckets.limiter.is_empty());
    }
}
