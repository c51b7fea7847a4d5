//! The settings of the background queue.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::JoinSet;

use super::listener::Listener;
use super::queue::Queue;
use super::store::{Store, StoredId};
use super::worker::{self, Shared};
use super::{BackgroundUpdate, Handle, Updates};
use crate::problem_log::ProblemLog;
use crate::time::Instant;
use crate::{Interaction, Memory};

/// Builds [`Updates`].
#[must_use]
pub struct UpdatesBuilder {
    memory: Arc<dyn Memory>,
    max_items: usize,
    max_bytes: usize,
    max_age: Option<Duration>,
    listener: Listener,
    concurrency: usize,
    store: Option<Box<dyn Store>>,
    /// What an earlier process left in the store.
    left: Vec<(StoredId, Interaction)>,
}

impl UpdatesBuilder {
    pub(super) fn new(memory: Arc<dyn Memory>) -> Self {
        Self {
            memory,
            max_items: 1_000,
            max_bytes: 4 * 1024 * 1024,
            max_age: None,
            listener: Listener::Log(ProblemLog::default()),
            concurrency: 32,
            store: None,
            left: Vec::new(),
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

    /// How many interactions are sent at a time, each of a different user. Default: 32; at least
    /// 1.
    ///
    /// A queue keeps up as long as users say less than this number divided by the seconds that an
    /// update takes: with a model behind the service that takes 3 seconds, about 10 turns a second.
    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.concurrency = concurrency.max(1);
        self
    }

    /// How long after it was accepted a failing interaction is still retried. Each is sent at
    /// least once.
    ///
    /// By default nothing is given up for its age while the queue has room. Once it is full, what
    /// has failed for two minutes makes room for what is new; with `durable`, what has failed for
    /// three days. What fails ten times while the service takes others is given up at that age too.
    pub fn max_age(mut self, max_age: Duration) -> Self {
        self.max_age = Some(max_age);
        self
    }

    /// A callback for the end of every interaction, rejected ones included. It is called before
    /// the interaction is counted. It runs on the workers (for rejections in the caller), so
    /// don't block in it. A panic in it is caught.
    ///
    /// By default, lost interactions are logged as warnings, without their text: the first at once,
    /// then at most one every minute, with the number of those in between, and what is left of
    /// that number when the queue has ended. A callback takes the place of this log.
    ///
    /// ```no_run
    /// use ctxmem_client::updates::UpdateResult;
    /// use ctxmem_client::{Client, Updates};
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
        self.listener = Listener::callback(callback);
        self
    }

    /// Keeps what is accepted in this file until it has been sent, so that it survives a crash of
    /// the process: what an earlier process left is sent first, and counts as accepted. Feature
    /// `durable`.
    ///
    /// The file is SQLite's, with two more beside it while it is in use. It is readable by its owner
    /// only (0600), and **not encrypted**: it holds conversations until they are sent. Put it on a
    /// disk that you trust with them. One process uses a file at a time; the limits on items and
    /// bytes bound its size.
    ///
    /// [`send`](Updates::send) then writes to the file before it returns, which takes some tens of
    /// microseconds. A power failure may lose what was accepted in the last moments, a crash of the
    /// process does not. What [`shutdown`](Updates::shutdown) drops stays in the file and is sent
    /// the next time; what has failed permanently does not. A service keeps idempotency keys for 24
    /// hours: what had arrived before the crash may be counted twice if it is sent again later.
    ///
    /// # Errors
    ///
    /// A [`DurableError`](crate::updates::DurableError) if the file can't be used, for example because
    /// another process does.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, Updates};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let updates = Updates::builder(Client::from_env()?)
    ///     .durable("/var/lib/my-agent/pending.db")?
    ///     .start();
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "durable")]
    #[cfg_attr(docsrs, doc(cfg(feature = "durable")))]
    pub fn durable(
        mut self,
        path: impl AsRef<std::path::Path>,
    ) -> Result<Self, super::DurableError> {
        let (file, left) = super::durable::File::open(path.as_ref())?;
        self.store = Some(Box::new(file));
        self.left = left;
        Ok(self)
    }

    /// Starts the workers.
    ///
    /// # Panics
    ///
    /// Panics outside a Tokio runtime, as [`tokio::spawn`] does.
    pub fn start(self) -> Updates {
        let mut queue = Queue::new(self.max_items, self.max_bytes);
        for (id, interaction) in self.left {
            queue.add(interaction, Instant::now(), Some(id));
        }
        let shared = Arc::new(Shared::new(
            self.memory,
            queue,
            self.store,
            self.max_age,
            self.listener,
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
