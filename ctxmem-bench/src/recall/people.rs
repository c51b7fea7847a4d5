//! The common form of both data sets: people, what they say turn by turn, and questions about it.

use std::sync::Arc;

use ctxmem_types::{Scope, Timestamp, UserId};

/// One user of the server.
pub(super) struct Person {
    pub(super) user: UserId,
    pub(super) name: String,
    pub(super) turns: Vec<Turn>,
    pub(super) questions: Vec<Question>,
    /// All that was said, for a reader without memory.
    pub(super) transcript: Arc<str>,
}

/// One turn, and what its authors recorded of it.
pub(super) struct Turn {
    pub(super) said: String,
    pub(super) answered: String,
    pub(super) at: Option<Timestamp>,
    pub(super) recorded: Vec<RecordedFact>,
}

impl Turn {
    /// The same turn in which the person also says what was recorded of it.
    pub(super) fn with_recorded(&self) -> Self {
        let recorded = self.recorded.iter().map(|fact| &*fact.value);
        let lines: Vec<&str> = std::iter::once(&*self.said).chain(recorded).collect();
        Self {
            said: lines.join("\n"),
            answered: self.answered.clone(),
            at: self.at.clone(),
            recorded: self.recorded.clone(),
        }
    }
}

/// A fact that stands in for what a model would have found.
#[derive(Clone)]
pub(super) struct RecordedFact {
    pub(super) scope: Scope,
    pub(super) key: &'static str,
    pub(super) value: String,
}

/// A question about what a person said.
pub(super) struct Question {
    pub(super) text: String,
    /// In which column of the tables it counts.
    pub(super) kind: String,
    /// The turns on which its answer rests, by their place.
    pub(super) evidence: Vec<usize>,
    pub(super) expected: Expected,
}

/// The right answer.
pub(super) enum Expected {
    /// In words.
    Words(String),
    /// In words; each part between commas is an answer of its own.
    List(String),
    /// The first of these options.
    FirstOf(Vec<String>),
    /// The data do not say.
    Unknown,
}
