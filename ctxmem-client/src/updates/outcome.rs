//! What became of background updates: of each, and of all.

use std::sync::Arc;

use ctxmem_types::{ScopeName, UpdateResponse, UserId};

use crate::Error;

/// What became of one interaction that was handed to [`Updates`](super::Updates).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BackgroundUpdate {
    /// Whom the interaction was with.
    pub user_id: UserId,
    /// What tells the interaction from all others:
    /// [`Interaction::idempotency_key`](crate::Interaction::idempotency_key).
    pub idempotency_key: String,
    /// How it ended.
    pub fate: Fate,
}

impl BackgroundUpdate {
    /// The service's answer: facts written and removed, scopes denied.
    pub fn response(&self) -> Option<&UpdateResponse> {
        match &self.fate {
            Fate::Sent(response) => Some(response),
            _ => None,
        }
    }

    /// The scopes of facts that were dropped because the user has not granted them.
    pub fn denied_scopes(&self) -> &[ScopeName] {
        self.response()
            .and_then(|response| response.denied_scopes.as_deref())
            .unwrap_or_default()
    }

    /// Whether nothing was learned because this month's updates are used up.
    pub fn is_over_quota(&self) -> bool {
        self.response().is_some_and(UpdateResponse::is_over_quota)
    }

    /// Whether the service has not taken the interaction.
    pub fn is_lost(&self) -> bool {
        self.response().is_none() || self.is_over_quota()
    }
}

/// How a background update ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fate {
    /// The service took it, though perhaps over the quota.
    Sent(Box<UpdateResponse>),
    /// It failed for good: refused, or still failing after all the patience there was.
    Failed(Arc<Error>),
    /// A [`Memory`](crate::Memory) other than the client panicked.
    Panicked,
    /// It was accepted, but its time ran out at the shutdown, or the runtime ended. One that
    /// was just being sent may have been taken all the same.
    Dropped,
    /// It was not accepted.
    Refused(Refusal),
}

/// Why an interaction was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The queue is full, in items or in bytes.
    Full,
    /// The queue has been shut down.
    Closed,
}

/// Counts of background updates. At any time
/// `accepted = sent + failed + dropped + pending`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Taken into the queue.
    pub accepted: usize,
    /// Taken by the service.
    pub sent: usize,
    /// Failed for good.
    pub failed: usize,
    /// Given up at the shutdown.
    pub dropped: usize,
    /// Waiting or being sent.
    pub pending: usize,
    /// Not accepted, because the queue was full or shut down.
    pub refused: usize,
}
