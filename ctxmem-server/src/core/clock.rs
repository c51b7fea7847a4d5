//! The clock. All wall time comes from here, so that tests can set it.

use chrono::{DateTime, Utc};

/// How long a day lasts, in milliseconds.
pub(super) const DAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;

/// A source of the time.
pub trait Clock: Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> DateTime<Utc>;

    /// The time now, in milliseconds since 1970.
    fn millis(&self) -> i64 {
        self.now().timestamp_millis()
    }
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

/// A clock that stands still until it is set, in milliseconds since 1970.
#[cfg(test)]
pub(super) struct StillClock(std::sync::atomic::AtomicI64);

#[cfg(test)]
impl StillClock {
    pub(super) fn at(millis: i64) -> Self {
        Self(millis.into())
    }

    pub(super) fn set(&self, millis: i64) {
        self.0.store(millis, std::sync::atomic::Ordering::SeqCst);
    }
}

#[cfg(test)]
impl Clock for StillClock {
    fn now(&self) -> DateTime<Utc> {
        let millis = self.0.load(std::sync::atomic::Ordering::SeqCst);
        DateTime::from_timestamp_millis(millis).unwrap()
    }
}
