//! Remembers for a while whether something answers, so that asking often stays cheap.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long an answer holds.
const HOLDS: Duration = Duration::from_secs(30);

/// The last answer and when it was given.
///
/// The lock is held while somebody asks: whoever comes meanwhile waits and finds the answer.
#[derive(Default)]
pub(super) struct Probe(Mutex<Option<(Instant, bool)>>);

impl Probe {
    /// The remembered answer, or a new one.
    pub(super) async fn ask<F: Future<Output = bool>>(&self, question: impl FnOnce() -> F) -> bool {
        let mut last = self.0.lock().await;
        if let Some((at, answer)) = *last
            && at.elapsed() < HOLDS
        {
            return answer;
        }
        let answer = question().await;
        *last = Some((Instant::now(), answer));
        answer
    }
}
