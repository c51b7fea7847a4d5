//! Updates in the background: an agent hands an interaction over and goes on.

mod builder;
#[cfg(feature = "durable")]
mod durable;
mod listener;
mod queue;
mod result;
mod store;
mod worker;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::JoinSet;

pub use builder::UpdatesBuilder;
#[cfg(feature = "durable")]
#[cfg_attr(docsrs, doc(cfg(feature = "durable")))]
pub use durable::DurableError;
pub use result::{BackgroundUpdate, RejectReason, UpdateResult, UpdateStats};
use worker::Shared;

use crate::interaction::cut_to_fit;
use crate::{Interaction, Memory, lock};

/// While somebody waits for the queue to drain, updates that wait for a retry are woken this
/// often.
const WAKE_INTERVAL: Duration = Duration::from_millis(250);

/// Sends updates in the background, so that learning never slows an agent down.
///
/// The queue is bounded and [`send`](Self::send) never blocks. A user's interactions are
/// sent one after the other, in order. While the service is unavailable an interaction waits
/// and is retried, with the same idempotency key, [while the queue has
/// room](UpdatesBuilder::max_age). Nothing fails silently: every interaction is
/// reported to [`on_result`](UpdatesBuilder::on_result) and counted in
/// [`stats`](Self::stats).
///
/// The queue is in memory: what is pending when the process dies is lost, unless you keep it in a
/// file (`UpdatesBuilder::durable`, feature `durable`). Call
/// [`shutdown`](Self::shutdown) before it ends. If the last handle is dropped without that,
/// what is pending is still sent as long as the runtime lives, and its count is logged.
///
/// ```no_run
/// use std::time::Duration;
/// use ctxmem_client::{Client, Interaction, Updates, UserId};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let updates = Updates::builder(Client::from_env()?)
///     .on_result(|update| {
///         if update.is_lost() {
///             eprintln!("not learned: {update:?}"); // shows no text of the conversation
///         }
///     })
///     .start();
/// let user = UserId::new("ada")?;
/// if updates.send(Interaction::new(user, "I moved to Lisbon.", "Enjoy it!")).is_err() {
///     eprintln!("the queue is full");
/// }
/// let stats = updates.shutdown(Duration::from_secs(5)).await;
/// assert_eq!(stats.accepted, stats.sent + stats.failed + stats.dropped);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Updates {
    handle: Arc<Handle>,
}

/// What all clones share. The workers hold only `shared`, so that dropping the last clone
/// closes the queue.
#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
    workers: Mutex<JoinSet<()>>,
}

impl Updates {
    /// Starts building a queue that sends to this memory: a [`Client`](crate::Client), an
    /// `Arc<dyn Memory>` or a fake.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, Updates};
    ///
    /// # async fn example() -> Result<(), ctxmem_client::BuildError> {
    /// let updates = Updates::builder(Client::from_env()?).max_items(100).start();
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder(memory: impl Memory + 'static) -> UpdatesBuilder {
        UpdatesBuilder::new(Arc::new(memory))
    }

    /// Queues an interaction. Never blocks.
    ///
    /// # Errors
    ///
    /// A [`SendError`] that holds the interaction if the queue is full or shut down.
    ///
    /// ```no_run
    /// use ctxmem_client::updates::RejectReason;
    /// use ctxmem_client::{Interaction, Updates, UserId};
    ///
    /// # fn example(updates: &Updates, user: UserId) {
    /// let interaction = Interaction::new(user, "I moved to Lisbon.", "Enjoy it!");
    /// match updates.send(interaction) {
    ///     Ok(()) => {}
    ///     Err(error) if error.reason == RejectReason::Full => eprintln!("try again later"),
    ///     Err(error) => eprintln!("{error}"),
    /// }
    /// # }
    /// ```
    pub fn send(&self, mut interaction: Interaction) -> Result<(), SendError> {
        let Interaction {
            user_message,
            agent_response,
            ..
        } = &mut interaction;
        cut_to_fit(user_message, agent_response);
        self.handle.shared.accept(interaction)
    }

    /// The counts so far.
    ///
    /// ```no_run
    /// # fn example(updates: ctxmem_client::Updates) {
    /// println!("{} updates are pending", updates.stats().pending);
    /// # }
    /// ```
    pub fn stats(&self) -> UpdateStats {
        self.handle.shared.stats()
    }

    /// The memory that the updates go to.
    ///
    /// ```no_run
    /// # async fn example(updates: ctxmem_client::Updates, user: ctxmem_client::UserId) {
    /// let system = updates.memory().inject_or_base(&user, "Be brief.").await;
    /// # }
    /// ```
    pub fn memory(&self) -> &Arc<dyn Memory> {
        &self.handle.shared.memory
    }

    /// Waits until everything that was accepted has ended, but at most for this long. Returns
    /// how many interactions are still pending.
    ///
    /// Interactions that wait for a retry are sent at once, unless the service asked for the wait
    /// (`Retry-After`).
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// # async fn example(updates: ctxmem_client::Updates) {
    /// let pending = updates.flush(Duration::from_secs(5)).await;
    /// if pending > 0 {
    ///     eprintln!("{pending} updates have not been sent yet");
    /// }
    /// # }
    /// ```
    pub async fn flush(&self, within: Duration) -> usize {
        let shared = &self.handle.shared;
        let drained = async {
            loop {
                shared.retry_now();
                if tokio::time::timeout(WAKE_INTERVAL, shared.drained())
                    .await
                    .is_ok()
                {
                    return;
                }
            }
        };
        // When the time runs out, the count says what is left.
        let _ = tokio::time::timeout(within, drained).await;
        shared.stats().pending
    }

    /// Closes the queue, waits like [`flush`](Self::flush), and drops what is left.
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// # async fn example(updates: ctxmem_client::Updates) {
    /// let stats = updates.shutdown(Duration::from_secs(5)).await;
    /// if stats.dropped > 0 {
    ///     eprintln!("{} updates were dropped", stats.dropped);
    /// }
    /// # }
    /// ```
    pub async fn shutdown(&self, within: Duration) -> UpdateStats {
        let shared = &self.handle.shared;
        shared.close();
        if self.flush(within).await > 0 {
            let mut workers = std::mem::take(&mut *lock(&self.handle.workers));
            workers.shutdown().await;
            shared.drop_waiting();
        }
        shared.end();
        shared.stats()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.close();
        let pending = self.shared.stats().pending;
        if pending > 0 {
            tracing::warn!(
                pending,
                "background updates were not shut down; what is pending is sent while the \
                 runtime lives"
            );
        }
        lock(&self.workers).detach_all();
    }
}

/// The queue rejected an interaction.
#[derive(Debug, thiserror::Error)]
#[error("the update was rejected: {}", match .reason {
    RejectReason::Full => "the queue is full",
    RejectReason::Closed => "the queue has been shut down",
    RejectReason::NotStored => "it can't be stored",
})]
#[non_exhaustive]
pub struct SendError {
    /// The interaction, to send it again later.
    pub interaction: Box<Interaction>,
    /// Why it was rejected.
    pub reason: RejectReason,
}
