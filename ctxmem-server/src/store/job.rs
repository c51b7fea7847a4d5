//! A unit of work of any type on its way through the store: queued, run, answered. The code that
//! commits, retries and groups units exists once, whatever their types are.

use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use tokio::sync::oneshot;

use crate::store::user_keys::KeyRef;
use crate::store::{StoreError, Tx, Unit};

/// A unit of work of any type, with the caller that waits for its outcome.
#[async_trait]
pub(super) trait Job: Send {
    /// Runs the unit, keeps its outcome, and says whether to commit its work. It may run again.
    async fn run(&mut self, tx: &mut Tx) -> bool;

    fn answer(self: Box<Self>);

    /// Answers the caller with an error: the unit's own if it has one.
    fn fail(self: Box<Self>, error: StoreError);
}

/// The outcome of a unit of work, and the keys to destroy now that it is committed.
pub(super) type Outcome<T, E> = Result<(T, Vec<KeyRef>), E>;

pub(super) type Answer<T, E> = oneshot::Receiver<Outcome<T, E>>;

/// A job for a unit of work, and the receiver of its outcome.
pub(super) fn queued<T, E, F>(unit: F) -> (Box<dyn Job>, Answer<T, E>)
where
    F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, E> + Send + Sync + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (caller, answer) = oneshot::channel();
    let job = QueuedJob {
        unit,
        outcome: None,
        caller,
    };
    (Box::new(job), answer)
}

struct QueuedJob<T, E, F> {
    unit: F,
    /// `None` until it ran.
    outcome: Option<Outcome<T, E>>,
    caller: oneshot::Sender<Outcome<T, E>>,
}

#[async_trait]
impl<T, E, F> Job for QueuedJob<T, E, F>
where
    F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, E> + Send + Sync,
    T: Send,
    E: From<StoreError> + Send,
{
    async fn run(&mut self, tx: &mut Tx) -> bool {
        tx.cipher = None;
        tx.retired_keys.clear();
        let unit = &self.unit;
        // A panic must not end the thread: the other units go on.
        let outcome = AssertUnwindSafe(async { unit(tx).await })
            .catch_unwind()
            .await
            .unwrap_or_else(|_panic| Err(StoreError::Interrupted.into()));
        let outcome = outcome.map(|value| (value, std::mem::take(&mut tx.retired_keys)));
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
