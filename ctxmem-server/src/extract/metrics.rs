//! Metrics of the requests to a model.

use std::time::Instant;

use prometheus::Histogram;

use super::ExtractError;
use crate::metrics::{Counters, labels, metrics};

/// In seconds: from what a small model beside the server takes, to the longest timeout.
const DURATIONS: &[f64] = &[
    0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 600.0,
];

labels! {
    /// The result of a request to the model.
    enum ModelResult {
        Answered = "answered",
        Unreachable = "unreachable",
        TimedOut = "timed_out",
        Status = "status",
        TooLarge = "too_large",
        Malformed = "malformed",
        NotSent = "not_sent",
    }
}

impl From<&ExtractError> for ModelResult {
    fn from(error: &ExtractError) -> Self {
        match error {
            ExtractError::Unreachable => Self::Unreachable,
            ExtractError::TimedOut => Self::TimedOut,
            ExtractError::Status(_) | ExtractError::Busy { .. } => Self::Status,
            ExtractError::TooLarge => Self::TooLarge,
            ExtractError::Malformed => Self::Malformed,
            ExtractError::Request => Self::NotSent,
        }
    }
}

labels! {
    enum Direction {
        In = "in",
        Out = "out",
    }
}

metrics! {
    /// The metrics of the requests to a model.
    pub(super) struct ModelMetrics {
        /// Requests to the model. An extraction takes one or two. Only with a model.
        requests: Counters<ModelResult> = "ctxmem_model_requests_total" ["result"];
        /// How long requests to the model took. Only with a model.
        durations: Histogram = "ctxmem_model_request_duration_seconds" in DURATIONS;
        /// Tokens that the model counted. Only with a model.
        tokens: Counters<Direction> = "ctxmem_model_tokens_total" ["direction"];
    }
}

impl ModelMetrics {
    /// Records the tokens of a request and of its answer.
    pub(super) fn record_tokens(&self, asked: u64, answered: u64) {
        self.tokens.of(Direction::In).inc_by(asked);
        self.tokens.of(Direction::Out).inc_by(answered);
    }

    /// Starts a request. Unless its result is recorded it counts as timed out, because a request is
    /// only ever dropped at its deadline.
    pub(super) fn begin(&self) -> ModelRequest<'_> {
        ModelRequest {
            metrics: self,
            began: Instant::now(),
            result: ModelResult::TimedOut,
        }
    }
}

/// A request to the model in progress.
pub(super) struct ModelRequest<'m> {
    metrics: &'m ModelMetrics,
    began: Instant,
    result: ModelResult,
}

impl ModelRequest<'_> {
    pub(super) fn record_result<T>(mut self, result: &Result<T, ExtractError>) {
        self.result = match result {
            Ok(_) => ModelResult::Answered,
            Err(error) => error.into(),
        };
    }
}

impl Drop for ModelRequest<'_> {
    fn drop(&mut self) {
        let took = self.began.elapsed();
        self.metrics.durations.observe(took.as_secs_f64());
        self.metrics.requests.of(self.result).inc();
    }
}
