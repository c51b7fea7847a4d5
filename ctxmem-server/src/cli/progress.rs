//! Progress on stderr, which is shown on a terminal only.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::locked;

/// How often it is shown.
const SHOWN_EVERY: Duration = Duration::from_millis(100);

/// How many steps are done, of how many if that is known.
pub(super) struct Progress {
    is_shown: bool,
    state: Mutex<State>,
}

struct State {
    total: Option<u64>,
    done: u64,
    shown_at: Option<Instant>,
}

impl Progress {
    pub(super) fn new(total: Option<u64>) -> Self {
        Self {
            is_shown: io::stderr().is_terminal(),
            state: Mutex::new(State {
                total,
                done: 0,
                shown_at: None,
            }),
        }
    }

    pub(super) fn step(&self) {
        let mut state = locked(&self.state);
        state.done += 1;
        self.show(&mut state);
    }

    /// Notes how many steps are done by now, and of how many.
    pub(super) fn set(&self, done: u64, total: u64) {
        let mut state = locked(&self.state);
        (state.done, state.total) = (done, Some(total));
        self.show(&mut state);
    }

    fn show(&self, state: &mut State) {
        let is_fresh = |at: Instant| at.elapsed() < SHOWN_EVERY;
        if !self.is_shown || state.shown_at.is_some_and(is_fresh) {
            return;
        }
        state.shown_at = Some(Instant::now());
        // It matters to nobody who can't read it.
        let _ = match state.total {
            Some(total) => write!(io::stderr(), "\r{} of {total}", state.done),
            None => write!(io::stderr(), "\r{}", state.done),
        };
    }

    /// Leaves nothing of it on the terminal.
    pub(super) fn clear(&self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
