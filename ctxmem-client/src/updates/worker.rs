//! The tasks that send the queued interactions.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use ctxmem_types::Timestamp;
use futures_util::FutureExt as _;
use tokio::sync::Notify;

use super::listener::Listener;
use super::queue::{Completion, Item, Queue};
use super::store::Store;
use super::{BackgroundUpdate, SendError, UpdateResult, UpdateStats};
use crate::retry::RetryPolicy;
use crate::time::{self, Instant};
use crate::{Interaction, Memory, lock};

/// The backoff between attempts at the same interaction while the service is unavailable.
const INITIAL_BACKOFF: Duration = Duration::from_millis(500);
const MAX_BACKOFF: Duration = Duration::from_secs(10);

/// What goes out within this time is taken for an exchange of just now. By then a wrong clock here
/// does no harm, because the service looks at its own.
const JUST_NOW: Duration = Duration::from_mins(1);

/// What has failed for so long makes room for what is new, once the queue is full.
const SPARED: Duration = Duration::from_mins(2);
/// The same where what is accepted is kept in a file.
const SPARED_IN_A_FILE: Duration = Duration::from_hours(72);

/// What fails so often while the service takes others does not wait for an outage to end.
const MOST_REFUSALS: u32 = 10;

/// The queue, and what its workers and handles share.
pub(super) struct Shared {
    pub(super) memory: Arc<dyn Memory>,
    queue: Mutex<Queue>,
    /// Of a durable queue.
    store: Option<Box<dyn Store>>,
    max_age: Option<Duration>,
    listener: Listener,
    /// Until when the service asked not to be called. It holds for all workers.
    paused_until: Mutex<Option<Instant>>,
    /// When the service last took an interaction.
    last_sent: Mutex<Option<Instant>>,
    /// Wakes workers: there may be an item to take, or no more will come.
    work: Notify,
    /// Wakes those who wait until nothing is pending.
    drained: Notify,
    /// Ends backoffs of our own early, because somebody waits for the queue to drain. A wait that
    /// the service asked for is never shortened.
    retry_now: Notify,
}

impl Shared {
    pub(super) fn new(
        memory: Arc<dyn Memory>,
        queue: Queue,
        store: Option<Box<dyn Store>>,
        max_age: Option<Duration>,
        listener: Listener,
    ) -> Self {
        Self {
            memory,
            queue: Mutex::new(queue),
            store,
            max_age,
            listener,
            paused_until: Mutex::new(None),
            last_sent: Mutex::new(None),
            work: Notify::new(),
            drained: Notify::new(),
            retry_now: Notify::new(),
        }
    }

    /// The turn has just ended, unless the interaction says when it was.
    pub(super) fn accept(&self, mut interaction: Interaction) -> Result<(), SendError> {
        interaction.at.get_or_insert_with(time::now);
        let store = |interaction: &Interaction| {
            let store = self.store.as_ref();
            store.map(|store| store.add(interaction)).transpose()
        };
        let pushed = self.queue().push(interaction, Instant::now(), store);
        match pushed {
            Ok(()) => {
                self.work.notify_one();
                Ok(())
            }
            Err((interaction, reason)) => {
                self.report(&interaction, UpdateResult::Rejected(reason));
                Err(SendError {
                    interaction: Box::new(interaction),
                    reason,
                })
            }
        }
    }

    pub(super) fn stats(&self) -> UpdateStats {
        self.queue().stats()
    }

    pub(super) fn close(&self) {
        self.queue().close();
        self.work.notify_waiters();
    }

    pub(super) fn retry_now(&self) {
        self.retry_now.notify_waiters();
    }

    /// Waits until nothing is pending.
    pub(super) async fn drained(&self) {
        loop {
            let mut drained = std::pin::pin!(self.drained.notified());
            drained.as_mut().enable();
            if self.stats().pending == 0 {
                return;
            }
            drained.await;
        }
    }

    pub(super) fn drop_waiting(&self) {
        let waiting = self.queue().drop_waiting();
        for interaction in waiting {
            self.report(&interaction, UpdateResult::Dropped);
        }
    }

    /// Nothing is pending, and nothing will be again.
    pub(super) fn end(&self) {
        self.listener.end();
    }

    /// The next item; `None` once the queue is closed and finished.
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
                        result: UpdateResult::Dropped,
                    });
                }
                if queue.is_finished() {
                    return None;
                }
            }
            work.await;
        }
    }

    /// Sends an item until the service accepts it, fails in a way that retries can't help with,
    /// or the item is too old.
    async fn send(&self, item: &mut Item) -> UpdateResult {
        let mut at = item.interaction.at.take();
        let backoff = RetryPolicy::default()
            .initial_backoff(INITIAL_BACKOFF)
            .max_backoff(MAX_BACKOFF);
        let mut attempts = 0;
        let (mut refusals, mut last_try) = (0, Instant::now());
        loop {
            self.wait_for_the_service().await;
            item.interaction.at = at.clone().filter(|at| is_past(at, &time::now()));
            let sending = self.memory.update_with(&item.interaction);
            let error = match AssertUnwindSafe(sending).catch_unwind().await {
                Ok(Ok(response)) => {
                    *lock(&self.last_sent) = Some(Instant::now());
                    return UpdateResult::Sent(Box::new(response));
                }
                Ok(Err(error)) => error,
                Err(_) => return UpdateResult::Panicked,
            };
            // The clock here may run ahead of the service's. Or the service has learned from the
            // interaction already, when it came without its time. Or another deployment does not
            // know the field. Nothing is lost for any of that.
            if error.status() == Some(400) && item.interaction.at.is_some() {
                at = None;
                continue;
            }
            attempts += 1;
            let wait = match error.retry_after() {
                Some(retry_after) => retry_after + INITIAL_BACKOFF.mul_f64(fastrand::f64()),
                None => backoff.backoff(attempts, fastrand::f64()),
            };
            let age = item.accepted_at.elapsed() + wait;
            let spared = self.store.as_ref().map_or(SPARED, |_| SPARED_IN_A_FILE);
            let last_sent = *lock(&self.last_sent);
            refusals += u32::from(last_sent.is_some_and(|sent| sent > last_try));
            last_try = Instant::now();
            let gives_way = || refusals >= MOST_REFUSALS || self.queue().is_full();
            if is_too_old(age, self.max_age, spared, gives_way) || !error.is_retryable() {
                return UpdateResult::Failed(Arc::new(error));
            }
            if error.retry_after().is_some() {
                self.pause(Instant::now() + wait);
            } else {
                // Retry when the time is up, or when somebody waits for the queue to drain.
                let _ = tokio::time::timeout(wait, self.retry_now.notified()).await;
            }
        }
    }

    /// Nobody calls the service before this instant.
    fn pause(&self, until: Instant) {
        let mut paused = lock(&self.paused_until);
        *paused = Some(paused.map_or(until, |earlier| earlier.max(until)));
    }

    async fn wait_for_the_service(&self) {
        loop {
            let until = *lock(&self.paused_until);
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            match left {
                Some(left) if !left.is_zero() => tokio::time::sleep(left).await,
                _ => return,
            }
        }
    }

    fn report(&self, interaction: &Interaction, result: UpdateResult) {
        let result = match result {
            UpdateResult::Dropped if self.store.is_some() => UpdateResult::Kept,
            result => result,
        };
        let update = BackgroundUpdate {
            user_id: interaction.user_id.clone(),
            idempotency_key: interaction.idempotency_key().to_owned(),
            result,
        };
        if catch_unwind(AssertUnwindSafe(|| self.listener.hear(&update))).is_err() {
            tracing::error!("the callback for results of updates panicked");
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

pub(super) async fn run(shared: Arc<Shared>) {
    while let Some(mut flight) = shared.next().await {
        flight.result = shared.send(&mut flight.item).await;
    }
}

/// Whether an interaction of this age is given up when it fails: at the age that was asked for, otherwise once it has to
/// give way to others.
fn is_too_old(
    age: Duration,
    max_age: Option<Duration>,
    spared: Duration,
    gives_way: impl FnOnce() -> bool,
) -> bool {
    match max_age {
        Some(max_age) => age > max_age,
        None => age > spared && gives_way(),
    }
}

/// Whether an exchange of this time was so long ago that the service has to be told.
fn is_past(at: &Timestamp, now: &Timestamp) -> bool {
    let since = u64::try_from(now.unix_millis() - at.unix_millis());
    since.is_ok_and(|since| Duration::from_millis(since) > JUST_NOW)
}

/// An item that is being sent. Dropping it reports and counts the item, so that this happens
/// exactly once, even if the worker is aborted.
struct InFlight {
    shared: Arc<Shared>,
    item: Item,
    result: UpdateResult,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let completion = match &self.result {
            UpdateResult::Sent(_) => Completion::Sent,
            UpdateResult::Failed(_) | UpdateResult::Panicked => Completion::Failed,
            UpdateResult::Dropped | UpdateResult::Kept | UpdateResult::Rejected(_) => {
                Completion::Dropped
            }
        };
        let shared = &self.shared;
        let interaction = &self.item.interaction;
        // What was dropped stays in the store, to be sent by the next process.
        let has_ended = matches!(completion, Completion::Sent | Completion::Failed);
        if let (Some(store), Some(id), true) = (&shared.store, self.item.stored, has_ended) {
            store.remove(id);
        }
        shared.report(
            interaction,
            std::mem::replace(&mut self.result, UpdateResult::Dropped),
        );
        let mut queue = shared.queue();
        queue.complete(interaction, completion);
        let (is_drained, is_finished) = (queue.stats().pending == 0, queue.is_finished());
        drop(queue);
        if is_drained {
            shared.drained.notify_waiters();
        }
        if is_finished {
            shared.end();
            shared.work.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_given_up_for_its_age_while_there_is_room() {
        let day = Duration::from_hours(24);
        let given_up = |max_age, spared, gives_way| is_too_old(day, max_age, spared, || gives_way);
        assert!(!given_up(None, SPARED, false));
        assert!(given_up(None, SPARED, true));
        assert!(!given_up(None, SPARED_IN_A_FILE, true));
        assert!(given_up(Some(SPARED), SPARED_IN_A_FILE, false));
        assert!(!given_up(Some(day), SPARED, true));
    }

    #[test]
    fn the_service_is_told_of_what_was_more_than_a_minute_ago() {
        let at: Timestamp = "2026-03-01T09:30:00Z".parse().unwrap();
        let told = |seconds: i64| {
            let now = Timestamp::from_unix_millis(at.unix_millis() + seconds * 1_000);
            is_past(&at, &now.unwrap())
        };
        assert_eq!(
            [-3_600, 0, 60, 61, 86_400].map(told),
            [false, false, false, true, true]
        );
    }
}
