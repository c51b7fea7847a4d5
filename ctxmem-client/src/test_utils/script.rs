//! How a test wants the fake to behave.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::FakeFact;
use crate::{Error, Interaction, TransportError};

pub(super) type Extractor = dyn Fn(&Interaction) -> Vec<FakeFact> + Send + Sync;
pub(super) type Relevance = dyn Fn(&str) -> Option<String> + Send + Sync;
type Failure = dyn Fn() -> Error + Send + Sync;

#[derive(Default)]
pub(super) struct Script {
    /// The facts in an interaction. Without it there are none.
    pub(super) extractor: Option<Arc<Extractor>>,
    /// What bears on a message beside the prompt. Without it there is nothing.
    pub(super) relevance: Option<Arc<Relevance>>,
    next: VecDeque<Error>,
    always: Option<Arc<Failure>>,
    slow_by: Duration,
}

/// What happens to a call before the fake executes it.
pub(super) struct PlannedCall {
    pub(super) wait: Duration,
    next: Option<Error>,
    always: Option<Arc<Failure>>,
}

impl PlannedCall {
    /// Calls the test's own function. It may call the fake, so the state must not be locked.
    pub(super) fn failure(self) -> Option<Error> {
        self.next.or_else(|| self.always.map(|failure| failure()))
    }
}

impl Script {
    pub(super) fn fail_next(&mut self, error: Error) {
        self.next.push_back(error);
    }

    pub(super) fn fail_always(&mut self, failure: impl Fn() -> Error + Send + Sync + 'static) {
        self.always = Some(Arc::new(failure));
    }

    pub(super) fn slow_by(&mut self, wait: Duration) {
        self.slow_by = wait;
    }

    /// Ends all failures and slowness.
    pub(super) fn recover(&mut self) {
        self.next.clear();
        self.always = None;
        self.slow_by = Duration::ZERO;
    }

    /// Plans the next call, which has this timeout.
    pub(super) fn plan_call(&mut self, timeout: Duration) -> PlannedCall {
        if self.slow_by >= timeout {
            return PlannedCall {
                wait: timeout,
                next: Some(TransportError::timed_out().into()),
                always: None,
            };
        }
        PlannedCall {
            wait: self.slow_by,
            next: self.next.pop_front(),
            always: self.always.clone(),
        }
    }
}
