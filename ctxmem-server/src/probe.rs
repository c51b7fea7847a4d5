//! Caches for a while whether something works, so that health checks stay cheap.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

/// The last result and its time.
///
/// The lock is held during a check, so that concurrent callers wait for its result instead of
/// checking themselves.
pub(crate) struct Probe {
    good_for: Duration,
    bad_for: Duration,
    last: Mutex<Option<(Instant, bool)>>,
}

impl Probe {
    /// Reuses a good result for so long, and a bad one for so long.
    pub(crate) fn new(good_for: Duration, bad_for: Duration) -> Self {
        Self {
            good_for,
            bad_for,
            last: Mutex::default(),
        }
    }

    /// The cached result, or a new one.
    pub(crate) async fn check<F: Future<Output = bool>>(&self, ask: impl FnOnce() -> F) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, answer)) = *last
            && at.elapsed() < if answer { self.good_for } else { self.bad_for }
        {
            return answer;
        }
        let answer = ask().await;
        *last = Some((Instant::now(), answer));
        answer
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_bad_result_is_asked_for_again_sooner_than_a_good_one() {
        let (asked, works) = (Cell::new(0), Cell::new(true));
        let probe = Probe::new(Duration::from_secs(5), Duration::from_millis(200));
        let check = async || {
            let ask = async || {
                asked.set(asked.get() + 1);
                works.get()
            };
            (probe.check(ask).await, asked.get())
        };
        assert_eq!(check().await, (true, 1));
        works.set(false);
        tokio::time::advance(Duration::from_secs(4)).await;
        assert_eq!(check().await, (true, 1));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(check().await, (false, 2));
        works.set(true);
        assert_eq!(check().await, (false, 2));
        tokio::time::advance(Duration::from_millis(200)).await;
        assert_eq!(check().await, (true, 3));
    }
}
