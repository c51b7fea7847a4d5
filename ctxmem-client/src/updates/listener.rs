//! The listener that is told how interactions end: the agent's callback, or the log.

use super::{BackgroundUpdate, UpdateResult};
use crate::problem_log::{Problem, ProblemLog};
use crate::time::Instant;

type Callback = Box<dyn Fn(&BackgroundUpdate) + Send + Sync>;

pub(super) enum Listener {
    Callback(Callback),
    /// Logs the losses: the first at once, then at most one every minute.
    Log(ProblemLog),
}

impl Listener {
    pub(super) fn callback(callback: impl Fn(&BackgroundUpdate) + Send + Sync + 'static) -> Self {
        Self::Callback(Box::new(callback))
    }

    pub(super) fn hear(&self, update: &BackgroundUpdate) {
        let log = match self {
            Self::Callback(callback) => return callback(update),
            Self::Log(log) => log,
        };
        if !update.is_lost() {
            return;
        }
        let Some(unlogged) = log.note(Problem::Lost, Instant::now()) else {
            return;
        };
        if let UpdateResult::Failed(error) = &update.result {
            tracing::warn!(%error, unlogged, "an interaction was not learned from");
        } else {
            let result = &update.result;
            tracing::warn!(?result, unlogged, "an interaction was not learned from");
        }
    }

    /// Nothing more ends: logs how many losses were only counted so far.
    pub(super) fn end(&self) {
        if let Self::Log(log) = self {
            let unlogged = log.take_unlogged(Problem::Lost);
            if unlogged > 0 {
                tracing::warn!(unlogged, "more interactions were not learned from");
            }
        }
    }
}
