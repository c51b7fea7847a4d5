//! The store of a durable queue, which keeps the interactions that the queue has accepted.

use crate::Interaction;

pub(super) type StoredId = i64;

/// The interaction could not be stored. Why is logged.
#[derive(Debug)]
pub(super) struct NotStored;

/// Keeps interactions over a crash. Calls may block for a moment.
pub(super) trait Store: Send + Sync {
    fn add(&self, interaction: &Interaction) -> Result<StoredId, NotStored>;

    /// Forgets an interaction that has ended.
    fn remove(&self, id: StoredId);
}
