//! Limits attempts to sign in: a few in a row, then one per minute.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// How many attempts are accepted in a row.
const BURST: u32 = 10;
/// How many bits of a name's hash choose its bucket. This bounds the memory that made-up names
/// can fill. The hash is keyed at random, so nobody can choose a name that shares the bucket
/// of somebody else.
const BITS: u32 = 18;

/// Counts attempts to sign in, by name.
pub(super) struct SignInThrottle {
    buckets: DefaultKeyedRateLimiter<u32>,
    clock: DefaultClock,
    hasher: RandomState,
}

impl SignInThrottle {
    /// A throttle without any attempts.
    pub(super) fn new() -> Self {
        let quota = Quota::per_minute(std::num::NonZeroU32::MIN);
        let burst = std::num::NonZeroU32::new(BURST).unwrap_or(std::num::NonZeroU32::MIN);
        Self {
            buckets: RateLimiter::dashmap(quota.allow_burst(burst)),
            clock: DefaultClock::default(),
            hasher: RandomState::new(),
        }
    }

    /// Counts an attempt with this name, in any case. If there were too many, the error says
    /// how long to wait.
    pub(super) fn take(&self, name: &str) -> Result<(), Duration> {
        let hash = self.hasher.hash_one(name.trim().to_lowercase());
        let bucket = u32::try_from(hash >> (u64::BITS - BITS)).unwrap_or_default();
        self.buckets
            .check_key(&bucket)
            .map_err(|not_until| not_until.wait_time_from(self.clock.now()))
    }

    /// Removes the buckets that are full again.
    pub(super) fn evict_idle(&self) {
        self.buckets.retain_recent();
        self.buckets.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_attempts_pass_and_the_next_waits_a_minute_at_most() {
        let throttle = SignInThrottle::new();
        for _ in 0..10 {
            assert_eq!(throttle.take("Ann@Example.com"), Ok(()));
        }
        let wait = throttle.take(" ann@example.COM ").unwrap_err();
        assert!(wait > Duration::from_secs(50) && wait <= Duration::from_mins(1));
    }

    #[test]
    fn names_do_not_stand_in_for_each_other() {
        let throttle = SignInThrottle::new();
        while throttle.take("ann@example.com").is_ok() {}
        // One in some hundred thousand shares the bucket.
        let free = (0..20).filter(|n| throttle.take(&format!("{n}@example.com")).is_ok());
        assert!(free.count() >= 19);
    }

    #[test]
    fn made_up_names_fill_a_bounded_memory() {
        let throttle = SignInThrottle::new();
        for n in 0..400_000 {
            let _ = throttle.take(&n.to_string());
        }
        assert!(throttle.buckets.len() <= 1 << BITS);
        // None of them is at rest yet.
        throttle.evict_idle();
        assert!(!throttle.buckets.is_empty());
    }
}
