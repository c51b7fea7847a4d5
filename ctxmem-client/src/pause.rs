//! Leaving a service alone for a moment after it failed, so that an agent does not wait out
//! a deadline at every turn of an outage.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::time::Instant;

/// So many failures in a row begin a pause.
const FAILURES: u32 = 5;
/// How long a pause is. One call goes out at its end; what becomes of it decides whether
/// there is another.
const PAUSE: Duration = Duration::from_secs(5);

/// Shared by the clones of a client.
#[derive(Debug, Default)]
pub(crate) struct Pause {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    until: Option<Instant>,
}

impl Pause {
    /// How long to leave the service alone still. The first caller after a pause gets to ask;
    /// those beside it don't until its answer is known.
    pub(crate) fn left(&self, now: Instant) -> Option<Duration> {
        let mut state = self.lock();
        let until = state.until?;
        if let Some(left) = until
            .checked_duration_since(now)
            .filter(|left| !left.is_zero())
        {
            return Some(left);
        }
        state.until = Some(now + PAUSE);
        None
    }

    pub(crate) fn succeeded(&self) {
        *self.lock() = State::default();
    }

    /// Notes a failure, and for how long the service asked to be left alone.
    pub(crate) fn failed(&self, asked: Option<Duration>, now: Instant) {
        let mut state = self.lock();
        state.failures = state.failures.saturating_add(1);
        let pause = match asked {
            Some(asked) => Some(asked),
            None => (state.failures >= FAILURES).then_some(PAUSE),
        };
        if let Some(pause) = pause {
            state.until = Some(now + pause);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_failures(count: u32) -> (Pause, Instant) {
        let (pause, now) = (Pause::default(), Instant::now());
        for _ in 0..count {
            pause.failed(None, now);
        }
        (pause, now)
    }

    #[test]
    fn five_failures_in_a_row_begin_a_pause() {
        let (pause, now) = after_failures(4);
        assert_eq!(pause.left(now), None);
        pause.failed(None, now);
        assert_eq!(pause.left(now), Some(PAUSE));
        assert_eq!(
            pause.left(now + Duration::from_secs(4)),
            Some(Duration::from_secs(1))
        );
    }

    #[test]
    fn a_success_starts_the_count_anew() {
        let (pause, now) = after_failures(4);
        pause.succeeded();
        pause.failed(None, now);
        assert_eq!(pause.left(now), None);
    }

    #[test]
    fn one_caller_asks_at_the_end_of_a_pause() {
        let (pause, now) = after_failures(5);
        let later = now + PAUSE;
        assert_eq!(pause.left(later), None);
        assert_eq!(pause.left(later), Some(PAUSE));
        pause.succeeded();
        assert_eq!(pause.left(later), None);
        assert_eq!(pause.left(later), None);
    }

    #[test]
    fn an_asker_that_never_came_back_does_not_end_it_for_good() {
        let (pause, now) = after_failures(5);
        assert_eq!(pause.left(now + PAUSE), None);
        assert_eq!(pause.left(now + PAUSE + PAUSE), None);
    }

    #[test]
    fn the_service_may_ask_for_a_pause() {
        let (pause, now) = (Pause::default(), Instant::now());
        pause.failed(Some(Duration::from_secs(30)), now);
        assert_eq!(pause.left(now), Some(Duration::from_secs(30)));
    }
}
