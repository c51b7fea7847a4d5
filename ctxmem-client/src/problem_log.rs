//! Says what goes wrong: once, and then at most every minute, so that a wrong key is not silent
//! and an outage does not fill the log.

use std::sync::Mutex;
use std::time::Duration;

use crate::error::{DecodeProblem, InvalidCall};
use crate::time::Instant;
use crate::{Error, lock};

/// For how long the same problem is only counted.
const QUIET: Duration = Duration::from_mins(1);

/// What is the same problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    Status(u16),
    TimedOut,
    Unreachable,
    Unreadable,
    Incomplete,
    Invalid(InvalidCall),
    /// Interactions are lost.
    #[cfg_attr(
        target_family = "wasm",
        expect(dead_code, reason = "there is no queue")
    )]
    Lost,
}

impl From<&Error> for Problem {
    fn from(error: &Error) -> Self {
        match error {
            Error::Api(error) => Self::Status(error.status),
            Error::Transport(error) if error.is_timeout() => Self::TimedOut,
            Error::Transport(_) => Self::Unreachable,
            Error::Decode(error) if error.problem == DecodeProblem::MissingBasePrompt => {
                Self::Incomplete
            }
            Error::Decode(_) => Self::Unreadable,
            Error::Invalid(invalid) => Self::Invalid(*invalid),
        }
    }
}

/// When each problem was last logged, and how often it came since. Shared by the clones of a
/// client.
#[derive(Debug, Default)]
pub(crate) struct ProblemLog {
    seen: Mutex<Vec<Seen>>,
}

#[derive(Debug)]
struct Seen {
    problem: Problem,
    logged_at: Instant,
    unlogged: u32,
}

impl ProblemLog {
    /// Whether to log the problem now: if so, how often it came since it was last logged.
    pub(crate) fn note(&self, problem: Problem, now: Instant) -> Option<u32> {
        let mut seen = lock(&self.seen);
        let Some(known) = seen.iter_mut().find(|known| known.problem == problem) else {
            seen.push(Seen {
                problem,
                logged_at: now,
                unlogged: 0,
            });
            return Some(0);
        };
        if now.saturating_duration_since(known.logged_at) < QUIET {
            known.unlogged = known.unlogged.saturating_add(1);
            return None;
        }
        known.logged_at = now;
        Some(std::mem::take(&mut known.unlogged))
    }

    /// How often the problem came since it was last logged. They count as logged from now on.
    #[cfg_attr(
        target_family = "wasm",
        expect(dead_code, reason = "there is no queue")
    )]
    pub(crate) fn take_unlogged(&self, problem: Problem) -> u32 {
        let mut seen = lock(&self.seen);
        let known = seen.iter_mut().find(|known| known.problem == problem);
        known.map_or(0, |known| std::mem::take(&mut known.unlogged))
    }

    /// Logs that a call failed, unless the same was logged a moment ago.
    pub(crate) fn log(&self, route: &'static str, error: &Error) {
        let Some(unlogged) = self.note(error.into(), Instant::now()) else {
            return;
        };
        let (status, code) = (error.status(), error.printable_code());
        let request_id = error.request_id();
        if error.is_outage() {
            tracing::warn!(
                route, status, code, request_id, unlogged, %error,
                "the memory service is unavailable"
            );
        } else {
            tracing::warn!(
                route, status, code, request_id, unlogged, %error,
                "the memory service refused a call, or it could not be made"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_logged_at_once_and_then_every_minute_with_a_count() {
        let (log, start) = (ProblemLog::default(), Instant::now());
        let refused = Problem::Status(401);
        assert_eq!(log.note(refused, start), Some(0));
        for seconds in [0, 1, 59] {
            let at = start + Duration::from_secs(seconds);
            assert_eq!(log.note(refused, at), None);
        }
        assert_eq!(log.note(Problem::TimedOut, start), Some(0), "another one");
        assert_eq!(log.note(refused, start + QUIET), Some(3));
        assert_eq!(log.note(refused, start + QUIET), None);
        assert_eq!(log.note(refused, start + QUIET * 2), Some(1));
        assert_eq!(log.note(refused, start + QUIET * 2), None);
        assert_eq!(log.take_unlogged(refused), 1);
        assert_eq!(log.take_unlogged(refused), 0);
        assert_eq!(log.take_unlogged(Problem::Unreachable), 0, "unknown");
    }
}
