//! Stops calling a service that keeps failing, so that an agent does not wait for a timeout in
//! every turn of an outage.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::time::Instant;
use crate::{Fallback, lock};

/// This many failures in a row open the breaker.
const FAILURE_THRESHOLD: u32 = 5;
/// How long the breaker stays open. Then one call goes out, and its result decides whether
/// the breaker opens again.
const OPEN_FOR: Duration = Duration::from_secs(5);

/// A circuit breaker, shared by the clones of a client.
#[derive(Debug, Default)]
pub(crate) struct CircuitBreaker {
    state: Mutex<BreakerState>,
}

#[derive(Debug, Default)]
struct BreakerState {
    consecutive_failures: u32,
    /// Until when it is open, and the failure that opened it.
    open: Option<(Instant, Arc<Fallback>)>,
}

impl CircuitBreaker {
    /// How long the breaker stays open, and after which failure; `None` lets the caller through.
    /// When the time is up, only the first caller gets through: the others wait until its result
    /// is known.
    pub(crate) fn open_for(&self, now: Instant) -> Option<(Duration, Arc<Fallback>)> {
        let mut state = lock(&self.state);
        let (until, cause) = state.open.as_mut()?;
        if let Some(left) = until
            .checked_duration_since(now)
            .filter(|left| !left.is_zero())
        {
            return Some((left, Arc::clone(cause)));
        }
        *until = now + OPEN_FOR;
        None
    }

    pub(crate) fn record_success(&self) {
        *lock(&self.state) = BreakerState::default();
    }

    /// Records a failure. Where the service asked for a pause, the breaker opens at once and
    /// for that long.
    pub(crate) fn record_failure(
        &self,
        retry_after: Option<Duration>,
        cause: Arc<Fallback>,
        now: Instant,
    ) {
        let mut state = lock(&self.state);
        state.consecutive_failures = state.consecutive_failures.saturating_add(1);
        let open_for = match retry_after {
            Some(retry_after) => Some(retry_after),
            None => (state.consecutive_failures >= FAILURE_THRESHOLD).then_some(OPEN_FOR),
        };
        if let Some(open_for) = open_for {
            state.open = Some((now + open_for, cause));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause() -> Arc<Fallback> {
        Arc::new(crate::Outage::Incomplete.into())
    }

    fn open_for(breaker: &CircuitBreaker, now: Instant) -> Option<Duration> {
        breaker.open_for(now).map(|(left, _)| left)
    }

    fn after_failures(count: u32) -> (CircuitBreaker, Instant) {
        let (breaker, now) = (CircuitBreaker::default(), Instant::now());
        for _ in 0..count {
            breaker.record_failure(None, cause(), now);
        }
        (breaker, now)
    }

    #[test]
    fn five_failures_in_a_row_open_it() {
        let (breaker, now) = after_failures(4);
        assert_eq!(open_for(&breaker, now), None);
        breaker.record_failure(None, cause(), now);
        assert_eq!(open_for(&breaker, now), Some(OPEN_FOR));
        assert_eq!(
            open_for(&breaker, now + Duration::from_secs(4)),
            Some(Duration::from_secs(1))
        );
    }

    #[test]
    fn a_success_resets_the_count() {
        let (breaker, now) = after_failures(4);
        breaker.record_success();
        breaker.record_failure(None, cause(), now);
        assert_eq!(open_for(&breaker, now), None);
    }

    #[test]
    fn one_caller_probes_when_the_time_is_up() {
        let (breaker, now) = after_failures(5);
        let later = now + OPEN_FOR;
        assert_eq!(open_for(&breaker, later), None);
        assert_eq!(open_for(&breaker, later), Some(OPEN_FOR));
        breaker.record_success();
        assert_eq!(open_for(&breaker, later), None);
        assert_eq!(open_for(&breaker, later), None);
    }

    #[test]
    fn a_probe_without_a_result_does_not_keep_it_open_for_good() {
        let (breaker, now) = after_failures(5);
        assert_eq!(open_for(&breaker, now + OPEN_FOR), None);
        assert_eq!(open_for(&breaker, now + OPEN_FOR + OPEN_FOR), None);
    }

    #[test]
    fn the_service_may_ask_for_a_pause() {
        let (breaker, now) = (CircuitBreaker::default(), Instant::now());
        breaker.record_failure(Some(Duration::from_secs(30)), cause(), now);
        assert_eq!(open_for(&breaker, now), Some(Duration::from_secs(30)));
    }
}
