//! How often somebody may try to sign in: a few times in a row, then once a minute.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// How many attempts are taken in a row.
const BURST: u32 = 10;
/// How many bits tell names apart. Whoever tries with made-up names fills no more memory than
/// these allow; since the hash is keyed at random, nobody can choose a name that shares the
/// bucket of another.
const BITS: u32 = 18;

/// Attempts to sign in, by whom they name.
pub(super) struct Attempts {
    buckets: DefaultKeyedRateLimiter<u32>,
    clock: DefaultClock,
    hasher: RandomState,
}

impl Attempts {
    /// Nobody has tried yet.
    pub(super) fn new() -> Self {
        let quota = Quota::per_minute(std::num::NonZeroU32::MIN);
        let burst = std::num::NonZeroU32::new(BURST).unwrap_or(std::num::NonZeroU32::MIN);
        Self {
            buckets: RateLimiter::dashmap(quota.allow_burst(burst)),
            clock: DefaultClock::default(),
            hasher: RandomState::new(),
        }
    }

    /// Takes an attempt for this name, whatever its case; otherwise says how long to wait for
    /// the next one.
    pub(super) fn take(&self, name: &str) -> Result<(), Duration> {
        let hash = self.hasher.hash_one(name.trim().to_lowercase());
        let bucket = u32::try_from(hash >> (u64::BITS - BITS)).unwrap_or_default();
        self.buckets
            .check_key(&bucket)
            .map_err(|not_until| not_until.wait_time_from(self.clock.now()))
    }

    /// Forgets names that may try as often as anybody.
    pub(super) fn tidy(&self) {
        self.buckets.retain_recent();
        self.buckets.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_attempts_pass_and_the_next_waits_a_minute_at_most() {
        let attempts = Attempts::new();
        for _ in 0..10 {
            assert_eq!(attempts.take("Ann@Example.com"), Ok(()));
        }
        let wait = attempts.take(" ann@example.COM ").unwrap_err();
        assert!(wait > Duration::from_secs(50) && wait <= Duration::from_mins(1));
    }

    #[test]
    fn names_do_not_stand_in_for_each_other() {
        let attempts = Attempts::new();
        while attempts.take("ann@example.com").is_ok() {}
        // One in some hundred thousand shares the bucket.
        let free = (0..20).filter(|n| attempts.take(&format!("{n}@example.com")).is_ok());
        assert!(free.count() >= 19);
    }

    #[test]
    fn made_up_names_fill_a_bounded_memory() {
        let attempts = Attempts::new();
        for n in 0..400_000 {
            let _ = attempts.take(&n.to_string());
        }
        assert!(attempts.buckets.len() <= 1 << BITS);
        // None of them is at rest yet.
        attempts.tidy();
        assert!(!attempts.buckets.is_empty());
    }
}
