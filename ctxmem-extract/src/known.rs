//! A fact that is known already, in the form that an extractor gets.

use ctxmem_types::Scope;

/// A stored fact: its place, and its value when the extractor was asked. Only the store knows
/// whether it still holds that value.
///
/// No `Debug`: facts about people never reach the log.
#[derive(Clone, PartialEq, Eq)]
pub struct Known {
    /// The slice it belongs to.
    pub scope: Scope,
    /// Its place in the slice, which means nothing to an extractor.
    pub slot: String,
    /// The name, in map scopes.
    pub key: Option<String>,
    /// The fact.
    pub value: String,
}
