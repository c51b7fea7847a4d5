//! The tasks that send what is in the queue.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::Notify;

use super::queue::{End, Item, Queue};
use super::{BackgroundUpdate, Fate, Refused, Report, UpdatesBuilder};
use crate::retry::{self, RetryPolicy};
use crate::time::Instant;
use crate::{Interaction, Memory};

pub(super) type OnOutcome = Box<dyn Fn(&BackgroundUpdate) + Send + Sync>;

/// The waits between the tries of one interaction while the service is away.
const BASE: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(10);

/// The queue, and what its workers and handles need.
pub(super) struct Shared {
    pub(super) memory: Arc<dyn Memory>,
    queue: Mutex<Queue>,
    patience: Duration,
    on_outcome: OnOutcome,
    /// There may be something to take, or nothing more will come.
    work: Notify,
    /// Nothing is pending.
    empty: Notify,
    /// Somebody waits: try again now.
    hurry: Notify,
}

impl Shared {
    pub(super) fn new(settings: UpdatesBuilder) -> Self {
        Self {
            memory: settings.memory,
            queue: Mutex::new(Queue::new(settings.max_items, settings.max_bytes)),
            patience: settings.patience,
            on_outcome: settings.on_outcome,
            work: Notify::new(),
            empty: Notify::new(),
            hurry: Notify::new(),
        }
    }

    pub(super) fn accept(&self, interaction: Interaction) -> Result<(), Refused> {
        let pushed = self.queue().push(interaction, Instant::now());
        match pushed {
            Ok(()) => {
                self.work.notify_one();
                Ok(())
            }
            Err((interaction, refusal)) => {
                self.tell(&interaction, Fate::Refused(refusal));
                Err(Refused {
                    interaction: Box::new(interaction),
                    refusal,
                })
            }
        }
    }

    pub(super) fn report(&self) -> Report {
        self.queue().report()
    }

    pub(super) fn close(&self) {
        self.queue().close();
        self.work.notify_waiters();
    }

    pub(super) fn hurry(&self) {
        self.hurry.notify_waiters();
    }

    /// Waits until nothing is pending.
    pub(super) async fn emptied(&self) {
        loop {
            let mut emptied = std::pin::pin!(self.empty.notified());
            emptied.as_mut().enable();
            if self.report().pending == 0 {
                return;
            }
            emptied.await;
        }
    }

    pub(super) fn drop_waiting(&self) {
        let waiting = self.queue().drop_waiting();
        for interaction in waiting {
            self.tell(&interaction, Fate::Dropped);
        }
    }

    /// The next item; `None` when nothing more will come.
    async fn next(self: &Arc<Self>) -> Option<InFlight> {
        loop {
            let mut work = std::pin::pin!(self.work.notified());
            work.as_mut().enable();
            {
                let mut queue = self.queue();
                if let Some(item) = queue.take() {
                    return Some(InFlight {
                        shared: Arc::clone(self),
                        item,
                        fate: Fate::Dropped,
                    });
                }
                if queue.is_over() {
                    return None;
                }
            }
            work.await;
        }
    }

    /// Sends an item until it is taken, or refused for good, or too old.
    async fn send(&self, item: &Item) -> Fate {
        let backoff = RetryPolicy::default().base(BASE).longest(LONGEST);
        let mut tries = 0;
        loop {
            let sending = self.memory.update_with(&item.interaction);
            let error = match AssertUnwindSafe(sending).catch_unwind().await {
                Ok(Ok(response)) => return Fate::Sent(Box::new(response)),
                Ok(Err(error)) => error,
                Err(_) => return Fate::Panicked,
            };
            tries += 1;
            let wait = match error.retry_after() {
                Some(asked) => asked + BASE.mul_f64(retry::chance()),
                None => backoff.backoff(tries, retry::chance()),
            };
            let too_old = item.accepted_at.elapsed() + wait > self.patience;
            if too_old || !error.is_retryable() {
                return Fate::Failed(Arc::new(error));
            }
            // Either is a reason to try again.
            let _ = tokio::time::timeout(wait, self.hurry.notified()).await;
        }
    }

    fn tell(&self, interaction: &Interaction, fate: Fate) {
        let outcome = BackgroundUpdate {
            user_id: interaction.user_id.clone(),
            idempotency_key: interaction.idempotency_key().to_owned(),
            fate,
        };
        if catch_unwind(AssertUnwindSafe(|| (self.on_outcome)(&outcome))).is_err() {
            tracing::error!("the callback for outcomes of updates panicked");
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("report", &self.report())
            .finish_non_exhaustive()
    }
}

pub(super) async fn run(shared: Arc<Shared>) {
    while let Some(mut flight) = shared.next().await {
        flight.fate = shared.send(&flight.item).await;
    }
}

/// An item on its way. However that ends, it is told and counted once: dropping this
/// without another fate is what happens to a worker that is aborted.
struct InFlight {
    shared: Arc<Shared>,
    item: Item,
    fate: Fate,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let end = match &self.fate {
            Fate::Sent(_) => End::Sent,
            Fate::Failed(_) | Fate::Panicked => End::Failed,
            Fate::Dropped | Fate::Refused(_) => End::Dropped,
        };
        let shared = &self.shared;
        let interaction = &self.item.interaction;
        shared.tell(
            interaction,
            std::mem::replace(&mut self.fate, Fate::Dropped),
        );
        let mut queue = shared.queue();
        queue.end(interaction, end);
        let (is_empty, is_over) = (queue.report().pending == 0, queue.is_over());
        drop(queue);
        if is_empty {
            shared.empty.notify_waiters();
        }
        if is_over {
            shared.work.notify_waiters();
        }
    }
}
