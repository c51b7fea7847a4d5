//! The time by which grants and keys end. It never goes back, whatever the clock does: what has
//! expired stays expired.
//!
//! In a process that is the latest time that it has seen. What ends is noted in the database, soon
//! after it was seen and at least every half minute, for other processes and for the next start. Once
//! that is done, a clock that was set back is followed again: grants that are made then end by it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::sync::Notify;

use super::grants::State;
use super::{Clock, Error, Grants, unit};
use crate::store::GrantTerms;

/// How many grants one unit of work notes: others want to write as well.
const BATCH: u32 = 1_000;

/// A clock that doesn't go back until it is told to.
#[derive(Clone)]
pub(super) struct GrantClock(Arc<Inner>);

struct Inner {
    clock: Arc<dyn Clock>,
    /// The latest time seen, in milliseconds since 1970.
    latest: AtomicI64,
    /// Somebody saw a grant that has expired, which is not noted yet.
    seen: Notify,
}

impl GrantClock {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Inner {
            clock,
            latest: AtomicI64::new(i64::MIN),
            seen: Notify::new(),
        }))
    }

    /// The latest time seen, which may be now.
    pub(super) fn now(&self) -> i64 {
        let now = self.0.clock.millis();
        self.0.latest.fetch_max(now, Ordering::SeqCst).max(now)
    }

    /// The time by which to judge what was read after `before`: now, or `before` if that is later. It is
    /// later when the clock was set back and is followed again since; what expired in between was noted
    /// first, but the note may have come after the read.
    pub(super) fn since(&self, before: i64) -> i64 {
        self.now().max(before)
    }

    /// Whether the clock was set back.
    fn is_behind(&self) -> bool {
        let latest = self.now();
        self.0.clock.millis() < latest
    }

    /// Follows the clock again, unless later times were seen meanwhile. All that ended until then
    /// must be noted.
    fn resync(&self, noted_until: i64) {
        let latest = &self.0.latest;
        let now = self.0.clock.millis();
        let _ = latest.compare_exchange(noted_until, now, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Looks at a grant: one that has expired by `now` is to be noted.
    pub(super) fn observe(&self, grant: Option<&GrantTerms>, now: i64) {
        let is_new = |terms: &&GrantTerms| terms.expired_at.is_none();
        let expired = grant
            .filter(is_new)
            .is_some_and(|terms| terms.state(now) == State::Expired);
        if expired {
            self.0.seen.notify_one();
        }
    }
}

impl Grants {
    /// Notes the grants and keys whose time is over.
    pub async fn note_expired_grants(&self) -> Result<(), Error> {
        let until = self.grant_clock.now();
        unit::write_in_parts(&self.db, BATCH, move |tx| {
            Box::pin(async move { Ok(tx.note_expired_grants(until, BATCH).await? as u64) })
        })
        .await?;
        let has_expired = unit::read(&self.db, async |tx| tx.has_expired_keys(until).await).await?;
        // A write makes every cached answer be read again.
        if has_expired {
            unit::write(&self.db, async move |tx| tx.end_expired_keys(until).await).await?;
        }
        self.grant_clock.resync(until);
        Ok(())
    }

    /// Waits until somebody sees a grant that has expired and is not noted.
    pub async fn expired_grant_is_seen(&self) {
        self.grant_clock.0.seen.notified().await;
    }

    /// Notes what has expired if the clock was set back, so that a grant that is made now ends by the
    /// clock.
    pub(super) async fn catch_up_with_clock(&self) -> Result<(), Error> {
        if self.grant_clock.is_behind() {
            self.note_expired_grants().await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::clock::StillClock;

    #[test]
    fn what_was_read_before_the_clock_is_followed_back_is_judged_by_the_later_time() {
        let still = Arc::new(StillClock::at(20));
        let clock = GrantClock::new(still.clone());
        let before = clock.now();
        still.set(10);
        assert_eq!(clock.now(), 20);
        clock.resync(20);
        assert_eq!(clock.now(), 10);
        assert_eq!(clock.since(before), 20);
        still.set(30);
        assert_eq!(clock.since(before), 30);
    }
}
