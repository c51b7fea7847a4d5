//! The clock: wall time comes from here only, so that tests can set it.

use chrono::{DateTime, Utc};

/// Where the time comes from.
pub trait Clock: Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> DateTime<Utc>;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}
