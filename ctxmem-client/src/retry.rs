//! The retry policy: whether and when a failed call is retried. Pure: the caller passes in the time
//! and the random number.

use std::time::Duration;

use crate::Error;

/// How failed calls are retried.
///
/// A call is retried when [`Error::is_retryable`] says that it may succeed later, and as long
/// as the call's timeout allows. The wait before the n-th retry is a random part of
/// `initial_backoff × 2ⁿ⁻¹`, at most `max_backoff` ("full jitter"), or what the service asks
/// for. All clones of a client share a budget: ten retries to begin with, and another one for
/// every ten calls that succeed.
///
/// ```
/// use std::time::Duration;
/// use ctxmem_client::{Client, RetryPolicy};
///
/// let policy = RetryPolicy::default()
///     .max_retries(1)
///     .initial_backoff(Duration::from_millis(50));
/// let client = Client::builder()
///     .base_url("https://memory.example.com")
///     .retry(policy)
///     .build()?;
/// # Ok::<(), ctxmem_client::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct RetryPolicy {
    max_retries: u32,
    initial_backoff: Duration,
    max_backoff: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 2,
            initial_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(2),
        }
    }
}

impl RetryPolicy {
    /// No retries.
    ///
    /// ```
    /// use ctxmem_client::RetryPolicy;
    ///
    /// assert_eq!(RetryPolicy::none(), RetryPolicy::default().max_retries(0));
    /// ```
    pub fn none() -> Self {
        Self::default().max_retries(0)
    }

    /// The most retries of one call. Default: 2.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = retries;
        self
    }

    /// The longest wait before the first retry. It doubles with each further retry.
    /// Default: 100 ms.
    pub fn initial_backoff(mut self, backoff: Duration) -> Self {
        self.initial_backoff = backoff;
        self
    }

    /// The longest wait before any retry, unless the service asks for a longer one.
    /// Default: 2 s.
    pub fn max_backoff(mut self, backoff: Duration) -> Self {
        self.max_backoff = backoff;
        self
    }

    /// How long to wait after this failed attempt; `None` when the call should not be retried.
    /// `left` is what remains of the call's timeout, `jitter` a random number from 0 to 1.
    ///
    /// Whether the budget allows a retry is for the caller to check.
    pub(crate) fn wait(
        &self,
        error: &Error,
        attempts: u32,
        left: Duration,
        jitter: f64,
    ) -> Option<Duration> {
        if attempts > self.max_retries || !error.is_retryable() {
            return None;
        }
        let wait = match error.retry_after() {
            // Other clients were given the same instant. They should not all come back at once.
            Some(retry_after) => retry_after + self.initial_backoff.mul_f64(jitter),
            None => self.backoff(attempts, jitter),
        };
        // After a longer wait no time would be left for the retry.
        (wait < left).then_some(wait)
    }

    /// A random part of the exponential backoff.
    pub(crate) fn backoff(&self, attempts: u32, jitter: f64) -> Duration {
        let factor = 2_u32.saturating_pow(attempts.saturating_sub(1));
        let longest = self
            .initial_backoff
            .saturating_mul(factor)
            .min(self.max_backoff);
        longest.mul_f64(jitter)
    }
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

    fn wait(error: &Error, attempts: u32, left: Duration, jitter: f64) -> Option<u128> {
        RetryPolicy::default()
            .wait(error, attempts, left, jitter)
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

    proptest! {
        #[test]
        fn no_wait_is_beyond_its_bounds(attempts in 1..u32::MAX, jitter in 0.0..=1.0_f64, base in 0..10_000_u64) {
            let policy = RetryPolicy::default().initial_backoff(Duration::from_millis(base));
            prop_assert!(policy.backoff(attempts, jitter) <= Duration::from_secs(2));
        }
    }
}
