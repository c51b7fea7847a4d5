//! What is known already, as an extractor is told of it.

use ctxmem_types::Scope;

/// A stored fact, by its place and by what stood there when the extractor was asked. Whether
/// it still does is for the store to say.
///
/// No `Debug`: what is known of people never reaches the log.
#[derive(Clone, PartialEq, Eq)]
pub struct Known {
    /// The slice it belongs to.
    pub scope: Scope,
    /// Where it stands in the slice; of no meaning to an extractor.
    pub slot: String,
    /// The name, in map scopes.
    pub key: Option<String>,
    /// The fact.
    pub value: String,
}
