//! A unit of work on its way: asked for, run, answered.

use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use tokio::sync::oneshot;

use crate::store::{Salt, StoreError, Tx, Unit};

/// A unit of work of any type, and whoever waits for its outcome.
#[async_trait]
pub(super) trait Job: Send {
    /// Runs the unit, keeps its outcome, and says whether what it did is to stay.
    async fn run(&mut self, tx: &mut Tx) -> bool;

    /// Answers what came of it.
    fn answer(self: Box<Self>);

    /// Answers that it came to nothing: with the unit's own error where it has one.
    fn fail(self: Box<Self>, error: StoreError);
}

/// The outcome of a unit of work, once it is known.
pub(super) type Answer<T, E> = oneshot::Receiver<Result<T, E>>;

/// A unit of work that was not run yet.
pub(super) fn asked<T, E, F>(unit: F, salt: Salt) -> (Box<dyn Job>, Answer<T, E>)
where
    F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, E> + Send + Sync + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (caller, answer) = oneshot::channel();
    let job = Asked {
        unit,
        salt,
        outcome: None,
        caller,
    };
    (Box::new(job), answer)
}

struct Asked<T, E, F> {
    unit: F,
    salt: Salt,
    /// `None` until it ran.
    outcome: Option<Result<T, E>>,
    caller: oneshot::Sender<Result<T, E>>,
}

#[async_trait]
impl<T, E, F> Job for Asked<T, E, F>
where
    F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, E> + Send + Sync,
    T: Send,
    E: From<StoreError> + Send,
{
    async fn run(&mut self, tx: &mut Tx) -> bool {
        tx.salt = self.salt;
        let unit = &self.unit;
        // A panic is the affair of whoever asked: the others go on.
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
        // Whoever asked may have gone.
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
