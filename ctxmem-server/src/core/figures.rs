//! What the core counts of itself, and what it passes on from the layers below.

use std::time::Instant;

use ctxmem_types::{Delta, UpdateOutcome, UpdateResponse};

use super::{Core, Error, Reply};
use crate::figures::{Counter, Counters, Histogram, labels};

// Only for operators' metrics, so their names end here.
pub(crate) use crate::extract::ModelFigures;
#[cfg(test)]
pub(crate) use crate::extract::ModelResult;
pub(crate) use crate::store::{FileSizes, PoolSize, QueueLength, StoreFigures};

/// From 5 µs, what the rules take for a short message, to the longest timeout of a model.
const EXTRACTIONS: &[u64] = &[
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    1_000_000,
    10_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    2_500_000_000,
    5_000_000_000,
    10_000_000_000,
    30_000_000_000,
    60_000_000_000,
    600_000_000_000,
];

labels! {
    /// What came of an update.
    pub(crate) enum UpdateResult {
        /// Facts were stored or removed.
        Stored = "stored",
        NothingNew = "nothing_new",
        Filtered = "filtered",
        /// What was found is never stored: a secret or an order.
        Refused = "refused",
        /// The facts were in scopes that the agent may not use.
        Denied = "denied",
        LimitReached = "limit_reached",
        /// It had its effect before.
        Replayed = "replayed",
        /// The agent has no access.
        NotAllowed = "not_allowed",
        ModelFailed = "model_failed",
        DatabaseFailed = "database_failed",
        /// The request was not right, or there was too much to do.
        Rejected = "rejected",
    }
}

impl UpdateResult {
    pub(super) fn of(answer: &Result<Reply<UpdateResponse>, Error>) -> Self {
        match answer {
            Ok(Reply::Replayed(_)) => Self::Replayed,
            Ok(Reply::Fresh(answer)) if answer.limit_reached == Some(true) => Self::LimitReached,
            Ok(Reply::Fresh(answer)) => match &answer.outcome {
                Some(UpdateOutcome::Filtered) => Self::Filtered,
                Some(UpdateOutcome::NothingNew) => Self::NothingNew,
                Some(UpdateOutcome::Refused) => Self::Refused,
                _ if answer.denied_scopes.is_some() && is_without_effect(answer) => Self::Denied,
                _ => Self::Stored,
            },
            Err(Error::Model(_)) => Self::ModelFailed,
            Err(Error::Store(_)) => Self::DatabaseFailed,
            Err(Error::InvalidKey | Error::Forbidden(_) | Error::MustAsk(_)) => Self::NotAllowed,
            Err(_) => Self::Rejected,
        }
    }
}

fn is_without_effect(answer: &UpdateResponse) -> bool {
    let mut effects = [&answer.delta, &answer.removed].into_iter().flatten();
    effects.all(Delta::is_empty)
}

labels! {
    /// What came of an erasure.
    pub(crate) enum ErasureResult {
        /// Everything is gone, and the key destroyed.
        Done = "done",
        /// The database failed before that. It is completed later where it had begun.
        Failed = "failed",
    }
}

/// Counts of the core.
#[derive(Debug)]
pub(crate) struct CoreFigures {
    pub(crate) updates: Counters<UpdateResult>,
    pub(crate) erasures: Counters<ErasureResult>,
    /// Facts that made room in full scopes.
    pub(crate) evicted: Counter,
    /// How long the rules took.
    pub(crate) by_rules: Histogram,
    /// How long a model took, with second requests.
    pub(crate) by_model: Histogram,
}

impl Default for CoreFigures {
    fn default() -> Self {
        Self {
            updates: Counters::default(),
            erasures: Counters::default(),
            evicted: Counter::default(),
            by_rules: Histogram::of_durations(EXTRACTIONS),
            by_model: Histogram::of_durations(EXTRACTIONS),
        }
    }
}

impl CoreFigures {
    /// Counts what came of an update.
    pub(super) fn note_update(&self, answer: &Result<Reply<UpdateResponse>, Error>) {
        self.updates.count(UpdateResult::of(answer));
        if let Ok(Reply::Fresh(answer)) = answer
            && let Some(evicted) = &answer.evicted
        {
            let facts = evicted.facts().count();
            self.evicted.add(u64::try_from(facts).unwrap_or(u64::MAX));
        }
    }

    /// Counts an erasure that was tried. A refusal is none.
    pub(super) fn note_erasure<T>(&self, result: &Result<T, Error>) {
        match result {
            Ok(_) => self.erasures.count(ErasureResult::Done),
            Err(Error::Store(_)) => self.erasures.count(ErasureResult::Failed),
            Err(_) => {}
        }
    }

    /// Updates that were refused because the month's quota is used up.
    pub(crate) fn updates_beyond_quota(&self) -> u64 {
        self.updates.get(UpdateResult::LimitReached)
    }

    pub(super) fn note_model<T>(&self, began: Instant, found: T) -> T {
        self.by_model.record_since(began);
        found
    }
}

/// The length of a queue, under the name that operators know it by.
pub(crate) type NamedQueue = (&'static str, QueueLength);

impl Core {
    pub(crate) fn figures(&self) -> &CoreFigures {
        &self.figures
    }

    pub(crate) fn store_figures(&self) -> &StoreFigures {
        self.db.figures()
    }

    pub(crate) fn model_figures(&self) -> Option<&ModelFigures> {
        self.extractor.model_figures()
    }

    pub(crate) fn file_sizes(&self) -> Option<FileSizes> {
        self.db.file_sizes()
    }

    pub(crate) fn pool_sizes(&self) -> Vec<PoolSize> {
        self.db.pool_sizes()
    }

    /// How many rows there are of what expires by itself, up to a million of each.
    pub(crate) async fn count_rows(&self) -> Result<Vec<(&'static str, i64)>, Error> {
        Ok(self.db.count_rows().await?)
    }

    /// Whether units of work share commits: on SQLite.
    pub(crate) fn has_group_commit(&self) -> bool {
        self.db.queue_length().is_some()
    }

    /// How many wait at each place where many can.
    pub(crate) fn queues(&self) -> Vec<NamedQueue> {
        let mut queues = vec![
            ("updates", self.update_room.length()),
            ("passwords", self.passwords.queue_length()),
            ("audit_entries", self.audit_buffer.length()),
            ("logged_requests", self.request_log.length()),
        ];
        queues.extend(self.db.queue_length().map(|length| ("writes", length)));
        queues
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::ExtractError;
    use crate::store::StoreError;

    #[test]
    fn each_answer_to_an_update_is_one_result() {
        let fresh = |change: fn(&mut UpdateResponse)| {
            let mut answer = UpdateResponse::default();
            change(&mut answer);
            Ok(Reply::Fresh(answer))
        };
        for (answer, expected) in [
            (fresh(|answer| answer.updated = true), UpdateResult::Stored),
            (
                fresh(|answer| answer.denied_scopes = Some(Vec::new())),
                UpdateResult::Denied,
            ),
            (
                fresh(|answer| answer.limit_reached = Some(true)),
                UpdateResult::LimitReached,
            ),
            (
                fresh(|answer| {
                    answer.updated = true;
                    answer.outcome = Some(UpdateOutcome::NothingNew);
                }),
                UpdateResult::NothingNew,
            ),
            (Ok(Reply::Replayed(String::new())), UpdateResult::Replayed),
            (Err(Error::NO_GRANT), UpdateResult::NotAllowed),
            (
                Err(Error::Model(ExtractError::TimedOut)),
                UpdateResult::ModelFailed,
            ),
            (
                Err(Error::Store(StoreError::Unavailable)),
                UpdateResult::DatabaseFailed,
            ),
            (
                Err(Error::BadRequest(String::new())),
                UpdateResult::Rejected,
            ),
        ] {
            assert_eq!(UpdateResult::of(&answer), expected);
        }
    }

    #[test]
    fn a_refused_erasure_is_neither_done_nor_failed() {
        let figures = CoreFigures::default();
        figures.note_erasure::<()>(&Err(Error::NO_GRANT));
        figures.note_erasure(&Ok(()));
        figures.note_erasure::<()>(&Err(Error::Store(StoreError::Unavailable)));
        let counts: Vec<u64> = figures.erasures.read().map(|(_, count)| count).collect();
        assert_eq!(counts, [1, 1]);
    }
}
