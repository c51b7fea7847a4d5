//! Caches for a while whether an endpoint answers, so that health checks stay cheap.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long a result is reused.
const CACHE_TIME: Duration = Duration::from_secs(30);

/// The last result and its time.
///
/// The lock is held during a check, so that concurrent callers wait for its result instead of
/// checking themselves.
#[derive(Default)]
pub(super) struct Probe(Mutex<Option<(Instant, bool)>>);

impl Probe {
    /// The cached result, or a new one.
    pub(super) async fn check<F: Future<Output = bool>>(&self, ask: impl FnOnce() -> F) -> bool {
        let mut last = self.0.lock().await;
        if let Some((at, answer)) = *last
            && at.elapsed() < CACHE_TIME
        {
            return answer;
        }
        let answer = ask().await;
        *last = Some((Instant::now(), answer));
        answer
    }
}
