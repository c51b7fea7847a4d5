//! Limits requests per minute and API key with token buckets that hold one minute's worth: one for updates, which are
//! sent in the background and may wait, and one for all else, above all what a conversation waits for.

use std::num::NonZeroU32;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::buckets::Buckets;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// What a request takes its token from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Bucket {
    Updates,
    Others,
}

/// Token buckets by key id.
pub(crate) struct RateLimiter {
    buckets: Buckets,
    per_minute: NonZeroU32,
}

/// A limit that operators can change while the server runs.
pub(crate) struct ReloadableLimit(RwLock<Option<Arc<RateLimiter>>>);

impl ReloadableLimit {
    /// `per_minute` is `None` for no limit.
    pub(crate) fn new(per_minute: Option<NonZeroU32>) -> Self {
        Self(RwLock::new(Self::limiter(per_minute)))
    }

    fn limiter(per_minute: Option<NonZeroU32>) -> Option<Arc<RateLimiter>> {
        per_minute.map(|per_minute| Arc::new(RateLimiter::new(per_minute)))
    }

    /// The limiter that is in force; `None` where there is no limit.
    pub(crate) fn get(&self) -> Option<Arc<RateLimiter>> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Sets another limit. All buckets are full then; under the same limit they stay as they are.
    pub(crate) fn set(&self, per_minute: Option<NonZeroU32>) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().map(|limiter| limiter.per_minute) != per_minute {
            *current = Self::limiter(per_minute);
        }
    }
}

/// The state of a key's bucket after a request took its token, or found none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateState {
    limit: u32,
    remaining: u32,
    /// If admitted, the time until the bucket is full again; if refused, the time until the
    /// next request would be admitted.
    pub(crate) wait: Duration,
    /// Whether the request was admitted.
    pub(crate) admitted: bool,
}

impl RateLimiter {
    pub(crate) fn new(per_minute: NonZeroU32) -> Self {
        Self {
            buckets: Buckets::for_known_names(per_minute.get(), per_minute.get()),
            per_minute,
        }
    }

    /// Takes a token from one of the key's buckets.
    pub(crate) fn take(&self, key_id: &str, bucket: Bucket) -> RateState {
        let limit = self.per_minute.get();
        let taken = self.buckets.take_and_count(&(key_id, bucket));
        let until_full =
            |remaining| Duration::from_mins(1) / limit * limit.saturating_sub(remaining);
        RateState {
            limit,
            remaining: taken.unwrap_or(0),
            wait: taken.map_or_else(|wait| wait, until_full),
            admitted: taken.is_ok(),
        }
    }

    pub(crate) fn evict_idle(&self) {
        self.buckets.evict_idle();
    }
}

impl RateState {
    /// `X-RateLimit-Limit`, `-Remaining`, `-Reset` (Unix seconds), and `Retry-After`
    /// (seconds) on a refusal. Both are rounded up: a client that comes back then is not
    /// too early.
    pub(crate) fn add_headers(&self, headers: &mut HeaderMap, now: SystemTime) {
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        headers.insert(LIMIT, HeaderValue::from(self.limit));
        headers.insert(REMAINING, HeaderValue::from(self.remaining));
        let reset = whole_seconds(now + self.wait);
        headers.insert(RESET, HeaderValue::from(reset));
        if !self.admitted {
            let wait = whole_seconds(self.wait);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(wait));
        }
    }
}

/// Whole seconds of a wait, at least one, rounded up.
pub(crate) fn whole_seconds(wait: Duration) -> u64 {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    seconds.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_of_the_limit_passes_and_the_next_waits() {
        let limiter = RateLimiter::new(NonZeroU32::new(3).unwrap());
        let left: Vec<u32> = (0..3)
            .map(|_| limiter.take("a", Bucket::Others).remaining)
            .collect();
        assert_eq!(left, [2, 1, 0]);
        let refused = limiter.take("a", Bucket::Others);
        assert!(!refused.admitted);
        assert!(refused.wait > Duration::ZERO && refused.wait <= Duration::from_secs(20));
        assert!(
            limiter.take("b", Bucket::Others).admitted,
            "each key has a bucket of its own"
        );
        assert!(
            limiter.take("a", Bucket::Updates).admitted,
            "and updates another"
        );
    }

    #[test]
    fn another_limit_begins_anew_and_the_same_one_goes_on() {
        let limit = ReloadableLimit::new(NonZeroU32::new(1));
        let take = || {
            limit
                .get()
                .map(|limiter| limiter.take("a", Bucket::Others).admitted)
        };
        assert_eq!([take(), take()], [Some(true), Some(false)]);
        limit.set(NonZeroU32::new(1));
        assert_eq!(take(), Some(false));
        limit.set(NonZeroU32::new(2));
        assert_eq!(
            [take(), take(), take()],
            [Some(true), Some(true), Some(false)]
        );
        limit.set(None);
        assert_eq!(take(), None);
    }

    #[test]
    fn headers_round_up() {
        let state = RateState {
            limit: 600,
            remaining: 0,
            wait: Duration::from_millis(1_500),
            admitted: false,
        };
        let mut headers = HeaderMap::new();
        state.add_headers(&mut headers, UNIX_EPOCH + Duration::from_millis(10_600));
        assert_eq!(headers["x-ratelimit-limit"], "600");
        assert_eq!(headers["x-ratelimit-remaining"], "0");
        assert_eq!(headers["x-ratelimit-reset"], "13");
        assert_eq!(headers["retry-after"], "2");
    }
}
