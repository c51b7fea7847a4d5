//! What is counted of the requests to a model.

use std::time::Instant;

use super::ExtractError;
use crate::figures::{Counter, Counters, Histogram, labels};

/// From 10 ms, what a small model beside the server takes, to the longest timeout.
const DURATIONS: &[u64] = &[
    10_000_000,
    25_000_000,
    50_000_000,
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
    /// What came of a request to the model.
    pub(crate) enum ModelResult {
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

/// The requests to a model, and the tokens that they took.
#[derive(Debug)]
pub struct ModelFigures {
    pub(crate) requests: Counters<ModelResult>,
    pub(crate) durations: Histogram,
    /// Tokens of the requests, where the endpoint counts them.
    pub(crate) tokens_in: Counter,
    /// Tokens of the answers.
    pub(crate) tokens_out: Counter,
}

impl Default for ModelFigures {
    fn default() -> Self {
        Self {
            requests: Counters::default(),
            durations: Histogram::of_durations(DURATIONS),
            tokens_in: Counter::default(),
            tokens_out: Counter::default(),
        }
    }
}

impl ModelFigures {
    /// A request that begins now. It counts as one that took too long unless its result is given:
    /// whoever waits for it stops waiting at the deadline, and nothing else is dropped.
    pub(super) fn begin(&self) -> ModelRequest<'_> {
        ModelRequest {
            figures: self,
            began: Instant::now(),
            result: ModelResult::TimedOut,
        }
    }
}

/// A request to the model that is under way.
pub(super) struct ModelRequest<'f> {
    figures: &'f ModelFigures,
    began: Instant,
    result: ModelResult,
}

impl ModelRequest<'_> {
    pub(super) fn end<T>(mut self, result: &Result<T, ExtractError>) {
        self.result = match result {
            Ok(_) => ModelResult::Answered,
            Err(error) => error.into(),
        };
    }
}

impl Drop for ModelRequest<'_> {
    fn drop(&mut self) {
        self.figures.durations.record_since(self.began);
        self.figures.requests.count(self.result);
    }
}
