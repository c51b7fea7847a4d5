//! Caches for a while whether something works, so that health checks stay cheap.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

/// The last result and its time.
///
/// The lock is held during a check, so that concurrent callers wait for its result instead of
/// checking themselves.
pub(crate) struct Probe {
    cache_time: Duration,
    last: Mutex<Option<(Instant, bool)>>,
}

impl Probe {
    /// Reuses a result for so long.
    pub(crate) fn new(cache_time: Duration) -> Self {
        Self {
            cache_time,
            last: Mutex::default(),
        }
    }

    /// The cached result, or a new one.
    pub(crate) async fn check<F: Future<Output = bool>>(&self, ask: impl FnOnce() -> F) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, answer)) = *last
            && at.elapsed() < self.cache_time
        {
            return answer;
        }
        let answer = ask().await;
        *last = Some((Instant::now(), answer));
        answer
    }
}
