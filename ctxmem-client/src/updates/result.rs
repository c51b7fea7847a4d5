//! Results of background updates: the outcome of each, and counts of all.

use std::sync::Arc;

use ctxmem_types::{ScopeName, UpdateResponse, UserId};

use crate::Error;

/// An interaction that was handed to [`Updates`](super::Updates), and how that ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BackgroundUpdate {
    /// The user of the interaction.
    pub user_id: UserId,
    /// Identifies the interaction:
    /// [`Interaction::idempotency_key`](crate::Interaction::idempotency_key).
    pub idempotency_key: String,
    /// How it ended.
    pub result: UpdateResult,
}

impl BackgroundUpdate {
    /// The service's answer: facts written and removed, scopes denied.
    pub fn response(&self) -> Option<&UpdateResponse> {
        match &self.result {
            UpdateResult::Sent(response) => Some(response),
            _ => None,
        }
    }

    /// The scopes of facts that were dropped because the user has not granted them.
    pub fn denied_scopes(&self) -> &[ScopeName] {
        self.response()
            .and_then(|response| response.denied_scopes.as_deref())
            .unwrap_or_default()
    }

    /// Whether nothing was learned because this month's quota is used up.
    pub fn is_over_quota(&self) -> bool {
        self.response().is_some_and(UpdateResponse::is_over_quota)
    }

    /// Whether the service did not learn from the interaction because it did not arrive, or
    /// was over the quota. What a durable queue keeps for the next process is not lost.
    pub fn is_lost(&self) -> bool {
        match &self.result {
            UpdateResult::Kept => false,
            _ => self.response().is_none() || self.is_over_quota(),
        }
    }
}

/// How a background update ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum UpdateResult {
    /// The service accepted it, though it may be over the quota.
    Sent(Box<UpdateResponse>),
    /// It failed with an error that retries can't help with, or was still failing when it had to
    /// make room ([maximum age](super::UpdatesBuilder::max_age)).
    Failed(Arc<Error>),
    /// A [`Memory`](crate::Memory) other than the client panicked.
    Panicked,
    /// The queue accepted it, but shut down before it was sent, or the runtime ended. If it
    /// was being sent at that moment, the service may have accepted it all the same.
    Dropped,
    /// It was not sent before the shutdown, or the runtime ended, and it stays in the file of a
    /// durable queue: the next process that opens the file sends it. Counted as
    /// [`dropped`](UpdateStats::dropped).
    Kept,
    /// The queue rejected it.
    Rejected(RejectReason),
}

/// Why the queue rejected an interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RejectReason {
    /// The queue is full, in items or in bytes.
    Full,
    /// The queue has been shut down.
    Closed,
    /// The file of a durable queue can't be written, because its disk is full, for example.
    NotStored,
}

/// Counts of background updates. At any time
/// `accepted = sent + failed + dropped + pending`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpdateStats {
    /// Accepted by the queue.
    pub accepted: usize,
    /// Accepted by the service.
    pub sent: usize,
    /// Failed permanently.
    pub failed: usize,
    /// Given up at the shutdown.
    pub dropped: usize,
    /// Waiting or being sent.
    pub pending: usize,
    /// Rejected because the queue was full or shut down.
    pub rejected: usize,
}
