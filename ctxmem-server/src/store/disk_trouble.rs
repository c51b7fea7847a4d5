//! Recent disk failures: whether a disk refused a write a moment ago. A trial write does not go where the next one
//! will: it may find room where a table that has to grow finds none, and no trial writes a key.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::StoreError;
use crate::locked;

/// How long it counts.
const RECENT: Duration = Duration::from_secs(5);

/// The last time that a write was refused because a disk is full or fails, or memory is short.
#[derive(Default)]
pub(super) struct DiskTrouble(Mutex<Option<Instant>>);

impl DiskTrouble {
    /// Notes a failure, if it is one of those.
    pub(super) fn note(&self, failure: &StoreError) {
        if failure.is_of_disk() {
            *self.last() = Some(Instant::now());
        }
    }

    pub(super) fn is_recent(&self) -> bool {
        self.last().is_some_and(|at| at.elapsed() < RECENT)
    }

    fn last(&self) -> MutexGuard<'_, Option<Instant>> {
        locked(&self.0)
    }
}
