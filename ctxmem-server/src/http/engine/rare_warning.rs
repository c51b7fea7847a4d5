//! Warnings of what may happen thousands of times a second: one now, then the number every ten
//! seconds.

use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_secs(10);

/// How often something happened, and when the log said so.
#[derive(Default)]
pub(crate) struct RareWarning {
    times: u64,
    last: Option<Instant>,
}

impl RareWarning {
    /// Counts once more, and answers how often it happened since the log last said so, if it is
    /// time to say so.
    pub(crate) fn count(&mut self, now: Instant) -> Option<u64> {
        self.times += 1;
        if self.last.is_some_and(|last| now < last + PAUSE) {
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_one_is_told_and_then_how_many_there_were() {
        let mut warning = RareWarning::default();
        let began = Instant::now();
        assert_eq!(warning.count(began), Some(1));
        for _ in 0..5 {
            assert_eq!(warning.count(began + PAUSE / 2), None);
        }
        assert_eq!(warning.count(began + PAUSE), Some(6));
        assert_eq!(warning.count(began + PAUSE), None);
    }
}
