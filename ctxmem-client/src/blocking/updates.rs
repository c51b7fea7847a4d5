//! Background updates for programs without an asynchronous runtime.

use std::sync::Arc;
use std::time::Duration;

use super::SharedRuntime;
use crate::updates::UpdateStats;
use crate::{Interaction, SendError};

/// [`crate::Updates`] with a flush and a shutdown that block. What is pending when the last
/// handle and the last client are dropped is lost: call [`shutdown`](Self::shutdown) before.
#[derive(Clone, Debug)]
pub struct Updates {
    // Dropped before the runtime that it runs on.
    updates: crate::Updates,
    runtime: Arc<SharedRuntime>,
}

impl Updates {
    pub(super) fn new(updates: crate::Updates, runtime: Arc<SharedRuntime>) -> Self {
        Self { updates, runtime }
    }

    pub(super) fn shared(&self) -> &crate::Updates {
        &self.updates
    }

    pub(super) fn block_on<T>(&self, call: impl Future<Output = T>) -> T {
        self.runtime.block_on(call)
    }

    /// See [`crate::Updates::send`].
    ///
    /// # Errors
    ///
    /// A [`SendError`] that holds the interaction if the queue is full or shut down.
    ///
    /// ```no_run
    /// use ctxmem_client::{Interaction, SendError, UserId, blocking};
    ///
    /// # fn example(updates: blocking::Updates, user: UserId) -> Result<(), SendError> {
    /// updates.send(Interaction::new(user, "I moved to Lisbon.", "Enjoy it!"))?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn send(&self, interaction: Interaction) -> Result<(), SendError> {
        self.updates.send(interaction)
    }

    /// See [`crate::Updates::stats`].
    ///
    /// ```no_run
    /// # fn example(updates: ctxmem_client::blocking::Updates) {
    /// println!("{} updates are pending", updates.stats().pending);
    /// # }
    /// ```
    pub fn stats(&self) -> UpdateStats {
        self.updates.stats()
    }

    /// See [`crate::Updates::flush`].
    ///
    /// ```no_run
    /// # fn example(updates: ctxmem_client::blocking::Updates) {
    /// let pending = updates.flush(std::time::Duration::from_secs(5));
    /// # }
    /// ```
    pub fn flush(&self, within: Duration) -> usize {
        self.runtime.block_on(self.updates.flush(within))
    }

    /// See [`crate::Updates::shutdown`].
    ///
    /// ```no_run
    /// # fn example(updates: ctxmem_client::blocking::Updates) {
    /// let stats = updates.shutdown(std::time::Duration::from_secs(5));
    /// println!("{} updates were dropped", stats.dropped);
    /// # }
    /// ```
    pub fn shutdown(&self, within: Duration) -> UpdateStats {
        self.runtime.block_on(self.updates.shutdown(within))
    }
}
