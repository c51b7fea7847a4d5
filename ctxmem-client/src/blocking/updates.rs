//! Background updates of a program without an asynchronous runtime.

use std::sync::Arc;
use std::time::Duration;

use super::Background;
use crate::{Interaction, Refused, Report};

/// [`crate::Updates`] whose flush and shutdown wait. When the last handle and the last
/// client are gone, so is what was pending: call [`shutdown`](Self::shutdown) before.
#[derive(Clone, Debug)]
pub struct Updates {
    // Dropped before the runtime that it runs on.
    updates: crate::Updates,
    runtime: Arc<Background>,
}

impl Updates {
    pub(super) fn new(updates: crate::Updates, runtime: Arc<Background>) -> Self {
        Self { updates, runtime }
    }

    /// See [`crate::Updates::send`].
    pub fn send(&self, interaction: Interaction) -> Result<(), Refused> {
        self.updates.send(interaction)
    }

    /// See [`crate::Updates::report`].
    pub fn report(&self) -> Report {
        self.updates.report()
    }

    /// See [`crate::Updates::flush`].
    pub fn flush(&self, within: Duration) -> usize {
        self.runtime.wait(self.updates.flush(within))
    }

    /// See [`crate::Updates::shutdown`].
    pub fn shutdown(&self, within: Duration) -> Report {
        self.runtime.wait(self.updates.shutdown(within))
    }
}
