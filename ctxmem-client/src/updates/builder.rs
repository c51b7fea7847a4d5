//! Settings of the background queue.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::JoinSet;

use super::worker::{self, OnOutcome, Shared};
use super::{BackgroundUpdate, Fate, Handle, Updates};
use crate::Memory;

/// Settings of [`Updates`].
#[must_use]
pub struct UpdatesBuilder {
    pub(super) memory: Arc<dyn Memory>,
    pub(super) max_items: usize,
    pub(super) max_bytes: usize,
    pub(super) patience: Duration,
    pub(super) on_outcome: OnOutcome,
    concurrency: usize,
}

impl UpdatesBuilder {
    pub(super) fn new(memory: Arc<dyn Memory>) -> Self {
        Self {
            memory,
            max_items: 1_000,
            max_bytes: 4 * 1024 * 1024,
            patience: Duration::from_mins(2),
            on_outcome: Box::new(warn),
            concurrency: 4,
        }
    }

    /// The most interactions that wait or are being sent: 1,000, unless set.
    pub fn max_items(mut self, items: usize) -> Self {
        self.max_items = items;
        self
    }

    /// The most bytes of text in them: 4 MiB, unless set.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// How many are sent at a time, each of another user: 4, unless set; at least 1.
    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.concurrency = concurrency.max(1);
        self
    }

    /// How old an interaction may get while the service is away: 2 minutes, unless set. Each
    /// is tried at least once.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Is told what becomes of every interaction, refused ones included, before it is
    /// counted. It runs on the workers (for refusals, on the caller): don't block in it. A
    /// panic in it is caught.
    ///
    /// Unless set, what was lost is logged as a warning, without what was said.
    pub fn on_outcome(
        mut self,
        callback: impl Fn(&BackgroundUpdate) + Send + Sync + 'static,
    ) -> Self {
        self.on_outcome = Box::new(callback);
        self
    }

    /// Starts the workers.
    ///
    /// # Panics
    ///
    /// Outside a Tokio runtime, as [`tokio::spawn`] does.
    pub fn start(self) -> Updates {
        let concurrency = self.concurrency;
        let shared = Arc::new(Shared::new(self));
        let mut workers = JoinSet::new();
        for _ in 0..concurrency {
            workers.spawn(worker::run(Arc::clone(&shared)));
        }
        Updates {
            handle: Arc::new(Handle {
                shared,
                workers: Mutex::new(workers),
            }),
        }
    }
}

fn warn(outcome: &BackgroundUpdate) {
    match &outcome.fate {
        Fate::Failed(error) => tracing::warn!(%error, "an interaction was not learned from"),
        fate if outcome.is_lost() => tracing::warn!(?fate, "an interaction was not learned from"),
        _ => {}
    }
}

impl fmt::Debug for UpdatesBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdatesBuilder")
            .field("max_items", &self.max_items)
            .field("max_bytes", &self.max_bytes)
            .field("concurrency", &self.concurrency)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}
