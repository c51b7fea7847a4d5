//! A unit of work on its way through the queue: queued, run, answered.

use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use tokio::sync::oneshot;

use crate::store::{Salt, StoreError, Tx, Unit};

/// A unit of work of any type, with the caller that waits for its outcome.
#[async_trait]
pub(super) trait Job: Send {
    /// Runs the unit, keeps its outcome, and says whether to commit its work.
    async fn run(&mut self, tx: &mut Tx) -> bool;

    /// Answers the caller with the outcome.
    fn answer(self: Box<Self>);

    /// Answers the caller with an error: the unit's own if it has one.
    fn fail(self: Box<Self>, error: StoreError);
}

/// Receives the outcome of a unit of work.
pub(super) type Answer<T, E> = oneshot::Receiver<Result<T, E>>;

/// A job for a unit of work, and the receiver of its outcome.
pub(super) fn queued<T, E, F>(unit: F, salt: Salt) -> (Box<dyn Job>, Answer<T, E>)
where
    F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, E> + Send + Sync + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (caller, answer) = oneshot::channel();
    let job = QueuedJob {
        unit,
        salt,
        outcome: None,
        caller,
    };
    (Box::new(job), answer)
}

struct QueuedJob<T, E, F> {
    unit: F,
    salt: Salt,
    /// `None` until it ran.
    outcome: Option<Result<T, E>>,
    caller: oneshot::Sender<Result<T, E>>,
}

#[async_trait]
impl<T, E, F> Job for QueuedJob<T, E, F>
where
    F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, E> + Send + Sync,
    T: Send,
    E: From<StoreError> + Send,
{
    async fn run(&mut self, tx: &mut Tx) -> bool {
        tx.salt = self.salt;
        let unit = &self.unit;
        // A panic must not end the thread: the other units go on.
        let outcome = AssertUnwindSafe(async { unit(tx).await })
            .catch_unwind()
            .await
            .unwrap_or_else(|_panic| Err(StoreError::Interrupted.into()));
        self.outcome.insert(outcome).is_ok()
    }

    fn answer(self: Box<Self>) {
        let outcome = self
            .outcome
            .unwrap_or_else(|| Err(StoreError::Interrupted.into()));
        // The caller may have gone.
        let _ = self.caller.send(outcome);
    }

    fn fail(self: Box<Self>, error: StoreError) {
        let outcome = match self.outcome {
            Some(Err(own)) => Err(own),
            _ => Err(error.into()),
        };
        let _ = self.caller.send(outcome);
    }
}
