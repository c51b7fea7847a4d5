//! Metrics of the core, and those of the layers below.

use std::time::Instant;

use ctxmem_types::{Delta, UpdateOutcome, UpdateResponse};
use prometheus::proto::MetricFamily;
use prometheus::{IntCounter, IntGaugeVec};

use super::{Core, Error, Reply};
use crate::metrics::{Counters, Histograms, labels, metrics, set};

pub(super) use crate::store::QueueLength;

/// In seconds: from what the rules take for a short message, to the longest timeout of a model.
const EXTRACTIONS: &[f64] = &[
    0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.001, 0.01, 0.1, 0.25, 0.5, 1.0,
    2.5, 5.0, 10.0, 30.0, 60.0, 600.0,
];

labels! {
    enum UpdateResult {
        /// Facts were stored or removed.
        Stored = "stored",
        NothingNew = "nothing_new",
        Filtered = "filtered",
        /// A secret or an order, which are never stored.
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
    fn of(answer: &Result<Reply<UpdateResponse>, Error>) -> Self {
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
    enum ErasureResult {
        /// Everything is gone, and the key destroyed.
        Done = "done",
        /// The database failed before that. It is completed later where it had begun.
        Failed = "failed",
    }
}

labels! {
    pub(super) enum ExtractorKind {
        BuiltIn = "rules",
        /// With second requests.
        Model = "model",
    }
}

metrics! {
    pub(super) struct CoreMetrics {
        /// Updates by what came of them.
        updates: Counters<UpdateResult> = "ctxmem_updates_total" ["outcome"];
        /// Erasures of all that is known of a user, and attempts to complete interrupted ones that failed.
        erasures: Counters<ErasureResult> = "ctxmem_erasures_total" ["result"];
        /// News of which the operator's application was not told: it took none for a while, or there were too many.
        pub(super) news_untold: IntCounter = "ctxmem_webhooks_dropped_total";
        /// Facts that made room for others in full scopes.
        evicted_facts: IntCounter = "ctxmem_facts_evicted_total";
        /// How long it took to find the facts in a message.
        extractions: Histograms<ExtractorKind> = "ctxmem_extraction_duration_seconds" ["extractor"] in EXTRACTIONS;
        /// How many wait where many can.
        queue_length: IntGaugeVec = "ctxmem_queue_length" ["queue"];
        /// How many can wait there.
        queue_limit: IntGaugeVec = "ctxmem_queue_limit" ["queue"];
        /// Injects and updates that were answered from memory.
        pub(super) cache_hits: IntCounter = "ctxmem_cache_hits_total";
        /// Injects and updates for which the database was asked.
        pub(super) cache_misses: IntCounter = "ctxmem_cache_misses_total";
        /// Cached answers that made room for others.
        pub(super) cache_evictions: IntCounter = "ctxmem_cache_evictions_total";
        /// Answers in memory.
        cache_entries: IntGaugeVec = "ctxmem_cache_entries";
        /// About how many bytes the answers in memory take.
        cache_bytes: IntGaugeVec = "ctxmem_cache_bytes";
    }
}

impl CoreMetrics {
    /// The metrics that a server with this extractor has.
    pub(super) fn new(is_model: bool) -> Self {
        let metrics = Self::default();
        let kinds = [ExtractorKind::BuiltIn, ExtractorKind::Model];
        metrics.extractions.of(kinds[usize::from(is_model)]);
        metrics
    }

    pub(super) fn record_update(&self, answer: &Result<Reply<UpdateResponse>, Error>) {
        self.updates.of(UpdateResult::of(answer)).inc();
        if let Ok(Reply::Fresh(answer)) = answer
            && let Some(evicted) = &answer.evicted
        {
            let facts = evicted.facts().count();
            let facts = u64::try_from(facts).unwrap_or(u64::MAX);
            self.evicted_facts.inc_by(facts);
        }
    }

    /// Records an erasure that was tried. A refusal is none.
    pub(super) fn record_erasure<T>(&self, result: &Result<T, Error>) {
        match result {
            Ok(_) => self.erasures.of(ErasureResult::Done).inc(),
            Err(Error::Store(_)) => self.erasures.of(ErasureResult::Failed).inc(),
            Err(_) => {}
        }
    }

    pub(super) fn record_extraction(&self, by: ExtractorKind, began: Instant) {
        let durations = self.extractions.of(by);
        durations.observe(began.elapsed().as_secs_f64());
    }
}

impl Core {
    /// How many injects and updates were answered from memory.
    pub fn cache_hits(&self) -> u64 {
        self.memory.metrics.cache_hits.get()
    }

    /// The current values of all metrics of the core and of the layers below.
    pub(crate) fn gather_metrics(&self) -> Vec<MetricFamily> {
        let mut queues = vec![
            ("updates", self.memory.update_limiter.length()),
            ("passwords", self.console.passwords.queue.length()),
            ("audit_entries", self.memory.audit_buffer.length()),
            ("logged_requests", self.console.request_log.length()),
        ];
        let writes = self.operator.db.queue_length();
        queues.extend(writes.map(|length| ("writes", length)));
        for (name, length) in queues {
            set(&self.memory.metrics.queue_length, [name], length.waiting);
            set(&self.memory.metrics.queue_limit, [name], length.limit);
        }
        let (metrics, cache) = (&self.memory.metrics, &self.grants.access.cache);
        cache.run_pending_tasks();
        set(&metrics.cache_entries, [], cache.entry_count());
        set(&metrics.cache_bytes, [], cache.weighted_size());
        let mut families = metrics.gather();
        families.extend(self.operator.db.gather_metrics());
        families.extend(self.operator.extractor.gather_metrics());
        families
    }

    /// Records how many rows there are that expire, up to a million of each.
    pub(crate) async fn record_rows(&self) -> Result<(), Error> {
        Ok(self.operator.db.record_rows().await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::extract::ExtractError;
    use crate::store::StoreError;
    use UpdateResult::{
        DatabaseFailed, Denied, LimitReached, ModelFailed, NotAllowed, NothingNew, Rejected,
        Replayed, Stored,
    };

    #[test]
    fn each_answer_to_an_update_is_one_result() {
        let fresh = |change: fn(&mut UpdateResponse)| {
            let mut answer = UpdateResponse::default();
            change(&mut answer);
            Ok(Reply::Fresh(answer))
        };
        for (answer, expected) in [
            (fresh(|answer| answer.updated = true), Stored),
            (
                fresh(|answer| answer.denied_scopes = Some(Vec::new())),
                Denied,
            ),
            (
                fresh(|answer| answer.limit_reached = Some(true)),
                LimitReached,
            ),
            (
                fresh(|answer| {
                    answer.updated = true;
                    answer.outcome = Some(UpdateOutcome::NothingNew);
                }),
                NothingNew,
            ),
            (Ok(Reply::Replayed(String::new())), Replayed),
            (Err(Error::NO_GRANT), NotAllowed),
            (Err(Error::Model(ExtractError::TimedOut)), ModelFailed),
            (Err(Error::Store(StoreError::Unavailable)), DatabaseFailed),
            (Err(Error::BadRequest(String::new())), Rejected),
        ] {
            assert_eq!(UpdateResult::of(&answer), expected);
        }
    }

    #[test]
    fn a_refused_erasure_is_neither_done_nor_failed() {
        let metrics = CoreMetrics::default();
        metrics.record_erasure::<()>(&Err(Error::NO_GRANT));
        metrics.record_erasure(&Ok(()));
        metrics.record_erasure::<()>(&Err(Error::Store(StoreError::Unavailable)));
        for result in [ErasureResult::Done, ErasureResult::Failed] {
            assert_eq!(metrics.erasures.of(result).get(), 1);
        }
    }
}
