//! Admission control for updates: how many are under way, and how many more may wait.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::core::Error;
use crate::core::metrics::QueueLength;
use crate::locked;

/// How many updates are under way at once at most. Work that has begun goes on when its client
/// leaves, so the limit on connections does not bound it.
const MAX_UNDER_WAY: usize = 1024;

/// For how long a client waits to hear that there is no room. A client that asks again at once, as
/// it should not, costs this much less of what the others could be served with.
const BEFORE_REFUSAL: Duration = Duration::from_millis(80);

/// As many may wait as end in this many seconds. With fewer, thousands of clients that ask again at
/// once are refused so often that it is mostly refusals which they get.
const SECONDS_OF_WAITING: usize = 2;

const SECOND: Duration = Duration::from_secs(1);

/// Updates that are under way, and those that wait to begin. As many may wait as can begin within
/// about two seconds, judged by how many ended in the last one.
pub(in crate::core) struct UpdateLimiter {
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    ended: Arc<Mutex<Ended>>,
}

/// The right of one update to be under way, until this is dropped.
pub(super) struct InFlightUpdate {
    _permit: OwnedSemaphorePermit,
    ended: Arc<Mutex<Ended>>,
}

/// Updates that ended: in the second that runs, and in the one before.
struct Ended {
    since: Instant,
    now: usize,
    before: usize,
}

/// An update that waits, until this is dropped.
struct Waiting<'r> {
    all: &'r AtomicUsize,
    /// How many waited already.
    ahead: usize,
}

impl Default for UpdateLimiter {
    fn default() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(MAX_UNDER_WAY)),
            waiting: AtomicUsize::new(0),
            ended: Arc::new(Mutex::new(Ended {
                since: Instant::now(),
                now: 0,
                before: 0,
            })),
        }
    }
}

impl UpdateLimiter {
    /// Refuses an update of which nothing was read yet, if it could not begin soon.
    pub(super) async fn check(&self) -> Result<(), Error> {
        if self.is_free() || self.waiting.load(Ordering::Relaxed) < self.may_wait() {
            return Ok(());
        }
        tokio::time::sleep(BEFORE_REFUSAL).await;
        Err(Error::TOO_MANY_UPDATES)
    }

    /// Room for one more, as soon as there is some. A caller that leaves meanwhile takes none.
    pub(super) async fn begin(&self) -> Result<InFlightUpdate, Error> {
        let waiting = Waiting::begin(&self.waiting);
        if !self.is_free() && waiting.ahead >= self.may_wait() {
            return Err(Error::TOO_MANY_UPDATES);
        }
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        Ok(InFlightUpdate {
            _permit: permit.map_err(|_| Error::TOO_MANY_UPDATES)?,
            ended: Arc::clone(&self.ended),
        })
    }

    pub(in crate::core) fn length(&self) -> QueueLength {
        QueueLength {
            waiting: MAX_UNDER_WAY - self.permits.available_permits(),
            limit: MAX_UNDER_WAY,
        }
    }

    fn is_free(&self) -> bool {
        self.permits.available_permits() > 0
    }

    /// As many as end in two seconds.
    fn may_wait(&self) -> usize {
        let mut ended = locked(&self.ended);
        ended.turn(Instant::now());
        SECONDS_OF_WAITING * ended.now.max(ended.before)
    }
}

impl Drop for InFlightUpdate {
    fn drop(&mut self) {
        let mut ended = locked(&self.ended);
        ended.turn(Instant::now());
        ended.now += 1;
    }
}

impl Ended {
    /// Begins another second, if the one that runs is over.
    fn turn(&mut self, now: Instant) {
        let passed = now.duration_since(self.since);
        if passed >= SECOND {
            let is_next = passed < 2 * SECOND;
            self.before = if is_next { self.now } else { 0 };
            self.now = 0;
            self.since = now;
        }
    }
}

impl<'r> Waiting<'r> {
    fn begin(all: &'r AtomicUsize) -> Self {
        let ahead = all.fetch_add(1, Ordering::Relaxed);
        Self { all, ahead }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    /// A limiter that is full, of which so many updates have ended just now.
    async fn full(ended: usize) -> (UpdateLimiter, Vec<InFlightUpdate>) {
        let limiter = UpdateLimiter::default();
        for _ in 0..ended {
            drop(limiter.begin().await);
        }
        let mut under_way = Vec::new();
        for _ in 0..MAX_UNDER_WAY {
            under_way.push(limiter.begin().await.unwrap());
        }
        (limiter, under_way)
    }

    #[tokio::test(start_paused = true)]
    async fn where_nothing_ends_nobody_waits_and_refusals_take_their_time() {
        let (limiter, _under_way) = full(0).await;
        assert!(limiter.begin().await.is_err());
        let began = Instant::now();
        assert!(limiter.check().await.is_err());
        assert_eq!(began.elapsed(), BEFORE_REFUSAL);
    }

    #[tokio::test(start_paused = true)]
    async fn as_many_wait_as_end_in_two_seconds() {
        let (limiter, mut under_way) = full(1).await;
        let (mut first, mut second) = (Box::pin(limiter.begin()), Box::pin(limiter.begin()));
        assert!((&mut first).now_or_never().is_none());
        assert!(limiter.check().await.is_ok());
        assert!((&mut second).now_or_never().is_none());
        assert!(limiter.begin().await.is_err());
        assert!(limiter.check().await.is_err());
        // In the order in which they came.
        drop(under_way.pop());
        assert!((&mut second).now_or_never().is_none());
        let first = first.now_or_never().expect("there is room").unwrap();
        drop(second);
        assert_eq!(limiter.waiting.load(Ordering::Relaxed), 0);
        drop(first);
        assert!(limiter.check().await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn what_ended_earlier_counts_no_more() {
        let (limiter, _under_way) = full(2).await;
        tokio::time::advance(SECOND).await;
        assert!(limiter.check().await.is_ok());
        tokio::time::advance(2 * SECOND).await;
        assert!(limiter.check().await.is_err());
    }
}
