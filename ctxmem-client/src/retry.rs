//! Whether and when a failed call is tried again. Pure: what time it is and what chance
//! says comes from outside.

use std::time::Duration;

use crate::Error;

/// How calls that failed are tried again.
///
/// Tried again is what [`Error::is_retryable`] says may succeed later, within the time of
/// the whole call. The wait before the n-th retry is a random part of `base × 2ⁿ⁻¹`, at most
/// `longest` ("full jitter"), or what the service asks for. All clones of a client share a
/// budget: ten retries to begin with, and another for every ten calls that succeed.
///
/// ```
/// use std::time::Duration;
/// use ctxmem_client::{Client, RetryPolicy};
///
/// let client = Client::builder()
///     .base_url("https://memory.example.com")
///     .retry(RetryPolicy::default().max_retries(1).base(Duration::from_millis(50)))
///     .build()?;
/// # Ok::<(), ctxmem_client::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct RetryPolicy {
    max_retries: u32,
    base: Duration,
    longest: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 2,
            base: Duration::from_millis(100),
            longest: Duration::from_secs(2),
        }
    }
}

impl RetryPolicy {
    /// One try a call, and no more.
    pub fn none() -> Self {
        Self::default().max_retries(0)
    }

    /// The most retries of one call: 2, unless set.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = retries;
        self
    }

    /// The longest wait before the first retry, doubled for each further one: 100 ms,
    /// unless set.
    pub fn base(mut self, base: Duration) -> Self {
        self.base = base;
        self
    }

    /// The longest wait before any retry, unless the service asks for more: 2 s, unless set.
    pub fn longest(mut self, longest: Duration) -> Self {
        self.longest = longest;
        self
    }

    /// How long to wait after this failure, the `tries`-th of the call; `None` when the
    /// call is over. `left` is the time that the call has left, `chance` is from 0 to 1.
    ///
    /// The caller asks the budget.
    pub(crate) fn wait(
        &self,
        error: &Error,
        tries: u32,
        left: Duration,
        chance: f64,
    ) -> Option<Duration> {
        if tries > self.max_retries || !error.is_retryable() {
            return None;
        }
        let wait = match error.retry_after() {
            // Everyone was told the same instant; not all should come at it.
            Some(asked) => asked + self.base.mul_f64(chance),
            None => self.backoff(tries, chance),
        };
        // A wait that uses the time up is no use.
        (wait < left).then_some(wait)
    }

    /// A random part of the exponential wait.
    pub(crate) fn backoff(&self, tries: u32, chance: f64) -> Duration {
        let doubled = 2_u32.saturating_pow(tries.saturating_sub(1));
        let most = self.base.saturating_mul(doubled).min(self.longest);
        most.mul_f64(chance)
    }
}

/// A random number from 0 to 1.
pub(crate) fn chance() -> f64 {
    let (random, _) = uuid::Uuid::new_v4().as_u64_pair();
    // The version's bits are among the lower ones.
    let high = u32::try_from(random >> 32).unwrap_or(0);
    f64::from(high) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reqwest::StatusCode;
    use reqwest::header::HeaderMap;

    use super::*;
    use crate::error::ApiError;

    const LEFT: Duration = Duration::from_mins(1);

    fn error(status: u16, retry_after: Option<&str>) -> Error {
        let mut headers = HeaderMap::new();
        if let Some(text) = retry_after {
            headers.insert("retry-after", text.parse().unwrap());
        }
        let status = StatusCode::from_u16(status).unwrap();
        ApiError::read(status, &headers, b"", std::time::SystemTime::now()).into()
    }

    fn wait(error: &Error, tries: u32, left: Duration, chance: f64) -> Option<u128> {
        RetryPolicy::default()
            .wait(error, tries, left, chance)
            .map(|wait| wait.as_millis())
    }

    #[test]
    fn waits_grow_and_are_a_part_of_their_bound() {
        let error = error(503, None);
        assert_eq!(wait(&error, 1, LEFT, 1.0), Some(100));
        assert_eq!(wait(&error, 2, LEFT, 1.0), Some(200));
        assert_eq!(wait(&error, 2, LEFT, 0.25), Some(50));
        assert_eq!(wait(&error, 1, LEFT, 0.0), Some(0));
        assert_eq!(wait(&error, 3, LEFT, 1.0), None);
        let patient = RetryPolicy::default().max_retries(u32::MAX);
        let longest = patient.wait(&error, u32::MAX, LEFT, 1.0);
        assert_eq!(longest, Some(Duration::from_secs(2)));
    }

    #[test]
    fn the_service_says_how_long() {
        let limited = error(429, Some("3"));
        assert_eq!(wait(&limited, 1, LEFT, 0.0), Some(3_000));
        assert_eq!(wait(&limited, 1, LEFT, 1.0), Some(3_100));
    }

    #[test]
    fn a_wait_beyond_the_call_ends_it_at_once() {
        let limited = error(429, Some("3"));
        assert_eq!(wait(&limited, 1, Duration::from_secs(3), 0.0), None);
        assert_eq!(
            wait(&error(500, None), 1, Duration::from_millis(50), 1.0),
            None
        );
        assert_eq!(wait(&error(500, None), 1, Duration::ZERO, 0.0), None);
    }

    #[test]
    fn what_can_not_succeed_is_not_tried_again() {
        for status in [400, 401, 403, 404, 405, 413, 415, 301] {
            assert_eq!(wait(&error(status, None), 1, LEFT, 0.5), None, "{status}");
        }
        assert_eq!(
            RetryPolicy::none().wait(&error(503, None), 1, LEFT, 0.5),
            None
        );
    }

    #[test]
    fn chance_is_from_0_to_1_and_varies() {
        let chances: Vec<f64> = (0..100).map(|_| chance()).collect();
        assert!(chances.iter().all(|chance| (0.0..=1.0).contains(chance)));
        assert!(chances.iter().any(|chance| *chance < 0.5));
        assert!(chances.iter().any(|chance| *chance > 0.5));
    }

    proptest! {
        #[test]
        fn no_wait_is_beyond_its_bounds(tries in 1..u32::MAX, chance in 0.0..=1.0_f64, base in 0..10_000_u64) {
            let policy = RetryPolicy::default().base(Duration::from_millis(base));
            prop_assert!(policy.backoff(tries, chance) <= Duration::from_secs(2));
        }
    }
}
