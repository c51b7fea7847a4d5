//! Answers as JSON.

use serde::Serialize;

use crate::store::StoreError;

/// The JSON text of an answer. An answer that can't be written fails like one that can't be stored.
pub(super) fn json(answer: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(answer).map_err(|_| StoreError::corrupt("idempotency_keys", "answer"))
}
