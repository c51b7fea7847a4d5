//! Whose turn it is to wait for SQLite's write lock, among the processes on one database.
//!
//! SQLite keeps no queue for its lock: whoever waits asks again after ever longer pauses. A
//! process with much to write takes the lock back within a moment, so another one may find it
//! taken each time until it gives up. So a process waits for the lock only while it holds the
//! turn, and one that had the lock has to get the turn first to have it again.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

/// How often a process asks whether the turn is free.
const PAUSE: Duration = Duration::from_millis(1);

/// For how long it asks. Without the turn it takes its chance: this is about fairness only, and
/// whoever holds the turn may have been stopped.
const PATIENCE: Duration = Duration::from_secs(1);

/// A place in the line. Each that may wait at the same time needs one of its own, with a file
/// that it opened itself.
#[derive(Debug)]
pub(super) struct Turn(File);

impl Turn {
    pub(super) fn new(file: File) -> Self {
        Self(file)
    }

    /// Waits for the turn, which is over when the answer is dropped. A lone process has it at
    /// once.
    pub(super) async fn take(&self) -> Held<'_> {
        let began = Instant::now();
        loop {
            match self.0.try_lock() {
                Ok(()) => return Held(Some(&self.0)),
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(_) => return Held(None),
            }
        }
    }
}

/// The turn, unless it was not to be had.
pub(super) struct Held<'a>(Option<&'a File>);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(file) = self.0 {
            // It can't fail on a file that is open, and would end with the process anyway.
            let _ = file.unlock();
        }
    }
}
