//! Fairness between the processes that write to one SQLite database.
//!
//! SQLite has no queue for its write lock: a process that waits tries again after ever longer
//! pauses. A busy process releases the lock and takes it back within a moment, so the other may
//! find it taken each time until it gives up.
//!
//! Therefore a process first acquires the writer lock, a lock on a file beside the database, and
//! waits for SQLite's lock only while it holds it. It releases the writer lock as soon as its
//! transaction has begun. While it writes, the next process acquires the writer lock, and the busy
//! one has to wait behind it.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

/// How often a process tries to acquire the lock.
const PAUSE: Duration = Duration::from_millis(1);

/// After this time a process goes on without the lock. The lock only provides fairness, and the
/// process that holds it may have been stopped.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// The lock of one writer. Writers that may wait at the same time each need their own, on a file
/// that they opened themselves.
#[derive(Debug)]
pub(super) struct WriterLock(pub(super) File);

impl WriterLock {
    /// Waits for the lock, which the guard releases. A lone process acquires it at once.
    pub(super) async fn acquire(&self) -> WriterLockGuard<'_> {
        let began = Instant::now();
        loop {
            match self.0.try_lock() {
                Ok(()) => return WriterLockGuard(Some(&self.0)),
                Err(TryLockError::WouldBlock) if began.elapsed() < LOCK_TIMEOUT => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(_) => return WriterLockGuard(None),
            }
        }
    }
}

/// Holds the lock, unless it could not be acquired in time.
pub(super) struct WriterLockGuard<'a>(Option<&'a File>);

impl Drop for WriterLockGuard<'_> {
    fn drop(&mut self) {
        if let Some(file) = self.0 {
            // This can't fail on an open file, and the lock ends with the process anyway.
            let _ = file.unlock();
        }
    }
}
