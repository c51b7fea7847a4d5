//! The common form of both data sets: people, what they say turn by turn, and questions about it.

use std::sync::Arc;

use ctxmem_types::{Scope, Timestamp};

/// One user of the server.
pub(super) struct Person {
    pub(super) user: String,
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
