//! Updates in the background: an agent hands an interaction over and goes on.

mod builder;
mod outcome;
mod queue;
mod worker;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

pub use builder::UpdatesBuilder;
pub use outcome::{BackgroundUpdate, Fate, Refusal, Report};
use worker::Shared;

use crate::{Interaction, Memory};

/// How often sleepers are woken while somebody waits for them.
const HURRY: Duration = Duration::from_millis(250);

/// Sends updates in the background, so that learning never slows an agent down.
///
/// The queue is bounded and [`send`](Self::send) never blocks. A user's interactions are
/// sent one after the other, in order. While the service is away an interaction waits and is
/// tried again, with the same idempotency key, until it is older than the
/// [patience](UpdatesBuilder::patience). Nothing fails silently: every end is told to
/// [`on_outcome`](UpdatesBuilder::on_outcome) and counted in the [`report`](Self::report).
///
/// The queue is in memory: what is pending when the process dies is lost. Call
/// [`shutdown`](Self::shutdown) before it ends. When the last handle is dropped without that,
/// what is pending is still sent as long as the runtime lives, and its count is logged.
///
/// ```no_run
/// use std::time::Duration;
/// use ctxmem_client::{Client, Interaction, Updates, UserId};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let updates = Updates::builder(Client::from_env()?)
///     .on_outcome(|outcome| {
///         if outcome.is_lost() {
///             eprintln!("not learned: {outcome:?}"); // shows no text of the conversation
///         }
///     })
///     .start();
/// let user = UserId::new("ada")?;
/// if updates.send(Interaction::new(user, "I moved to Lisbon.", "Enjoy it!")).is_err() {
///     eprintln!("the queue is full");
/// }
/// let report = updates.shutdown(Duration::from_secs(5)).await;
/// assert_eq!(report.accepted, report.sent + report.failed + report.dropped);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Updates {
    handle: Arc<Handle>,
}

/// What all clones share; the workers hold `shared` alone.
#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
    workers: Mutex<JoinSet<()>>,
}

impl Updates {
    /// Settings of a queue that sends to this memory: a [`Client`](crate::Client), an
    /// `Arc<dyn Memory>` or a fake.
    pub fn builder(memory: impl Memory + 'static) -> UpdatesBuilder {
        UpdatesBuilder::new(Arc::new(memory))
    }

    /// Hands an interaction over. Never blocks; a refused one comes back.
    pub fn send(&self, interaction: Interaction) -> Result<(), Refused> {
        self.handle.shared.accept(interaction)
    }

    /// What was counted so far.
    pub fn report(&self) -> Report {
        self.handle.shared.report()
    }

    /// Where the updates go.
    pub fn memory(&self) -> &Arc<dyn Memory> {
        &self.handle.shared.memory
    }

    /// Waits until everything that was accepted has ended, for this long at most. Answers
    /// how many are still pending.
    pub async fn flush(&self, within: Duration) -> usize {
        let shared = &self.handle.shared;
        let emptied = async {
            loop {
                shared.hurry();
                if tokio::time::timeout(HURRY, shared.emptied()).await.is_ok() {
                    return;
                }
            }
        };
        // Running out of time is an answer, too.
        let _ = tokio::time::timeout(within, emptied).await;
        shared.report().pending
    }

    /// Accepts nothing more, waits like [`flush`](Self::flush), and drops what is left.
    pub async fn shutdown(&self, within: Duration) -> Report {
        let shared = &self.handle.shared;
        shared.close();
        if self.flush(within).await > 0 {
            let mut workers = std::mem::take(&mut *self.handle.workers());
            workers.shutdown().await;
            shared.drop_waiting();
        }
        shared.report()
    }
}

impl Handle {
    fn workers(&self) -> std::sync::MutexGuard<'_, JoinSet<()>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.close();
        let pending = self.shared.report().pending;
        if pending > 0 {
            tracing::warn!(
                pending,
                "background updates were not shut down; what is pending is sent while the \
                 runtime lives"
            );
        }
        self.workers().detach_all();
    }
}

/// An interaction that was not accepted, and why.
#[derive(Debug, thiserror::Error)]
#[error("the update was not accepted: {}", match .refusal {
    Refusal::Full => "the queue is full",
    Refusal::Closed => "the queue has been shut down",
})]
#[non_exhaustive]
pub struct Refused {
    /// What was handed over.
    pub interaction: Box<Interaction>,
    /// Why it came back.
    pub refusal: Refusal,
}
