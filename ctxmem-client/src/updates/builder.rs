//! The settings of the background queue.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::JoinSet;

use super::queue::Queue;
use super::worker::{self, OnResult, Shared};
use super::{BackgroundUpdate, Handle, UpdateResult, Updates};
use crate::Memory;
use crate::problem_log::{Problem, ProblemLog};
use crate::time::Instant;

/// Builds [`Updates`].
#[must_use]
pub struct UpdatesBuilder {
    memory: Arc<dyn Memory>,
    max_items: usize,
    max_bytes: usize,
    max_age: Duration,
    on_result: OnResult,
    concurrency: usize,
}

impl UpdatesBuilder {
    pub(super) fn new(memory: Arc<dyn Memory>) -> Self {
        Self {
            memory,
            max_items: 1_000,
            max_bytes: 4 * 1024 * 1024,
            max_age: Duration::from_mins(2),
            on_result: warning(),
            concurrency: 4,
        }
    }

    /// The most interactions that wait or are being sent. Default: 1,000.
    pub fn max_items(mut self, items: usize) -> Self {
        self.max_items = items;
        self
    }

    /// The most bytes of text in these interactions. Default: 4 MiB.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// How many interactions are sent at a time, each of a different user. Default: 4; at least
    /// 1.
    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.concurrency = concurrency.max(1);
        self
    }

    /// How long after it was accepted a failing interaction is still retried. Each is sent at
    /// least once. Default: 2 minutes.
    pub fn max_age(mut self, max_age: Duration) -> Self {
        self.max_age = max_age;
        self
    }

    /// A callback for the end of every interaction, rejected ones included. It is called before
    /// the interaction is counted. It runs on the workers (for rejections in the caller), so
    /// don't block in it. A panic in it is caught.
    ///
    /// By default, lost interactions are logged as warnings, without their text: the first at once,
    /// then at most one every minute, with the number of those in between.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, UpdateResult, Updates};
    ///
    /// # async fn example(client: Client) {
    /// let updates = Updates::builder(client)
    ///     .on_result(|update| match &update.result {
    ///         UpdateResult::Sent(_) => {}
    ///         lost => eprintln!("not learned: {lost:?}"),
    ///     })
    ///     .start();
    /// # }
    /// ```
    pub fn on_result(
        mut self,
        callback: impl Fn(&BackgroundUpdate) + Send + Sync + 'static,
    ) -> Self {
        self.on_result = Box::new(callback);
        self
    }

    /// Starts the workers.
    ///
    /// # Panics
    ///
    /// Panics outside a Tokio runtime, as [`tokio::spawn`] does.
    pub fn start(self) -> Updates {
        let queue = Queue::new(self.max_items, self.max_bytes);
        let shared = Arc::new(Shared::new(
            self.memory,
            queue,
            self.max_age,
            self.on_result,
        ));
        let mut workers = JoinSet::new();
        for _ in 0..self.concurrency {
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

fn warning() -> OnResult {
    let log = ProblemLog::default();
    Box::new(move |update| {
        if !update.is_lost() {
            return;
        }
        let Some(unlogged) = log.note(Problem::Lost, Instant::now()) else {
            return;
        };
        if let UpdateResult::Failed(error) = &update.result {
            tracing::warn!(%error, unlogged, "an interaction was not learned from");
        } else {
            let result = &update.result;
            tracing::warn!(?result, unlogged, "an interaction was not learned from");
        }
    })
}

impl fmt::Debug for UpdatesBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdatesBuilder")
            .field("max_items", &self.max_items)
            .field("max_bytes", &self.max_bytes)
            .field("concurrency", &self.concurrency)
            .field("max_age", &self.max_age)
            .finish_non_exhaustive()
    }
}
