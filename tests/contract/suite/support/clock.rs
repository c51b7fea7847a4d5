//! A clock that stands still until it is moved.

use std::sync::Mutex;

use chrono::{DateTime, Duration, Utc};
use ctxmem_server::core::Clock;

pub(crate) struct TestClock(Mutex<DateTime<Utc>>);

impl TestClock {
    /// A clock at this instant.
    pub(crate) fn at(instant: &str) -> Self {
        Self(Mutex::new(instant.parse().unwrap()))
    }

    pub(crate) fn advance(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }

    pub(crate) fn set(&self, instant: &str) {
        *self.0.lock().unwrap() = instant.parse().unwrap();
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
}
