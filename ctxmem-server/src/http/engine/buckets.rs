//! Token buckets by anything that can be hashed.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hash};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::locked;

/// How many bits of a made-up name's hash choose its bucket. This bounds the memory that such names
/// can fill.
const BITS: u32 = 18;

pub(crate) struct Buckets {
    capacity: u32,
    /// How long it takes until one more is due.
    interval: Duration,
    /// How many bits of a name's hash choose its bucket.
    bits: u32,
    /// When each bucket will be full again. Those that are full are not kept.
    full_at: Mutex<HashMap<u64, Instant>>,
    /// Keyed at random, so nobody can choose a name that shares the bucket of somebody else.
    hasher: RandomState,
}

impl Buckets {
    /// Buckets that are all full. They hold so many tokens, and get `per_minute` new ones. Their
    /// number is bounded, so anybody may make up names.
    pub(crate) fn new(capacity: u32, per_minute: u32) -> Self {
        Self {
            capacity,
            interval: Duration::from_mins(1) / per_minute,
            bits: BITS,
            full_at: Mutex::default(),
            hasher: RandomState::new(),
        }
    }

    /// The same with a bucket for each name, for names that nobody can make up.
    pub(crate) fn for_known_names(capacity: u32, per_minute: u32) -> Self {
        Self {
            bits: u64::BITS,
            ..Self::new(capacity, per_minute)
        }
    }

    /// Takes a token of this name. If there is none, the error says how long to wait.
    pub(crate) fn take(&self, name: &impl Hash) -> Result<(), Duration> {
        self.take_and_count(name).map(drop)
    }

    /// The same, and says how many tokens are left.
    pub(crate) fn take_and_count(&self, name: &impl Hash) -> Result<u32, Duration> {
        self.take_at(name, Instant::now())
    }

    fn take_at(&self, name: &impl Hash, now: Instant) -> Result<u32, Duration> {
        let bucket = self.bucket(name);
        let mut buckets = self.full_at();
        let full_at = buckets.get(&bucket).map_or(now, |at| now.max(*at));
        let full_at = full_at + self.interval;
        // A bucket without tokens is full after as many intervals as it holds.
        let empty = self.interval * self.capacity;
        let until_full = full_at.duration_since(now);
        let Some(left) = empty.checked_sub(until_full) else {
            return Err(until_full.saturating_sub(empty));
        };
        buckets.insert(bucket, full_at);
        let left = left.as_nanos() / self.interval.as_nanos();
        Ok(u32::try_from(left).unwrap_or(self.capacity))
    }

    /// Gives a token back that was taken for nothing.
    pub(crate) fn give_back(&self, name: &impl Hash) {
        let bucket = self.bucket(name);
        if let Some(full_at) = self.full_at().get_mut(&bucket)
            && let Some(earlier) = full_at.checked_sub(self.interval)
        {
            *full_at = earlier;
        }
    }

    /// Removes the buckets that are full again.
    pub(crate) fn evict_idle(&self) {
        let now = Instant::now();
        let mut buckets = self.full_at();
        buckets.retain(|_, full_at| *full_at > now);
        buckets.shrink_to_fit();
    }

    fn bucket(&self, name: &impl Hash) -> u64 {
        self.hasher.hash_one(name) >> (u64::BITS - self.bits)
    }

    fn full_at(&self) -> MutexGuard<'_, HashMap<u64, Instant>> {
        locked(&self.full_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_names_fill_a_bounded_memory() {
        let buckets = Buckets::new(1, 1);
        for n in 0..400_000 {
            let _ = buckets.take(&n);
        }
        assert!(buckets.full_at().len() <= 1 << BITS);
        // None of them is at rest yet.
        buckets.evict_idle();
        assert!(!buckets.full_at().is_empty());
    }

    #[test]
    fn a_bucket_is_emptied_and_fills_again() {
        let (buckets, start) = (Buckets::new(3, 2), Instant::now());
        let at = |seconds| buckets.take_at(&"ann", start + Duration::from_secs(seconds));
        assert_eq!([at(0), at(0), at(0)], [Ok(2), Ok(1), Ok(0)]);
        assert_eq!(at(10), Err(Duration::from_secs(20)));
        assert_eq!(at(30), Ok(0));
        assert_eq!(at(30), Err(Duration::from_secs(30)));
        // One token and a half is due by then.
        assert_eq!(at(75), Ok(0));
        assert_eq!(at(75), Err(Duration::from_secs(15)));
        // Rest makes it no fuller than it was at first.
        assert_eq!([at(3_600), at(3_600), at(3_600)], [Ok(2), Ok(1), Ok(0)]);
        assert_eq!(at(3_600), Err(Duration::from_secs(30)));
    }

    #[test]
    fn known_names_share_no_bucket() {
        let buckets = Buckets::for_known_names(1, 1);
        let taken = (0..20_000).filter(|n| buckets.take(n).is_ok());
        assert_eq!(taken.count(), 20_000);
        // Of those that are made up, some do.
        let buckets = Buckets::new(1, 1);
        let taken = (0..20_000).filter(|n| buckets.take(n).is_ok());
        assert!(taken.count() < 20_000);
    }

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let (buckets, now) = (Buckets::new(2, 1), Instant::now());
        for _ in 0..20 {
            assert_eq!(buckets.take_at(&"ann", now), Ok(1));
            buckets.give_back(&"ann");
        }
        assert_eq!(buckets.take_at(&"ann", now), Ok(1));
        assert_eq!(buckets.take_at(&"ann", now), Ok(0));
        assert!(buckets.take_at(&"ann", now).is_err());
        // Nobody has more than a full bucket.
        buckets.give_back(&"ann");
        buckets.give_back(&"ann");
        buckets.give_back(&"ann");
        let taken = (0..4).filter(|_| buckets.take_at(&"ann", now).is_ok());
        assert_eq!(taken.count(), 2);
    }
}
