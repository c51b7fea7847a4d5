//! What a test says about how the fake behaves.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::FakeFact;
use crate::{Error, Interaction, TransportError};

pub(super) type Extractor = dyn Fn(&Interaction) -> Vec<FakeFact> + Send + Sync;
type Failure = dyn Fn() -> Error + Send + Sync;

#[derive(Default)]
pub(super) struct Script {
    /// What interactions teach; nothing, unless set.
    pub(super) extractor: Option<Arc<Extractor>>,
    next: VecDeque<Error>,
    always: Option<Arc<Failure>>,
    slow_by: Duration,
}

/// What is to happen to a call before it is carried out.
pub(super) struct Fate {
    pub(super) wait: Duration,
    next: Option<Error>,
    always: Option<Arc<Failure>>,
}

impl Fate {
    /// Asks the test's own function, which may call the fake: unlock it before.
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

    /// What becomes of the next call, which gives up after this time.
    pub(super) fn fate(&mut self, patience: Duration) -> Fate {
        if self.slow_by >= patience {
            return Fate {
                wait: patience,
                next: Some(TransportError::timed_out().into()),
                always: None,
            };
        }
        Fate {
            wait: self.slow_by,
            next: self.next.pop_front(),
            always: self.always.clone(),
        }
    }
}
