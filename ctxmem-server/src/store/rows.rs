//! Many rows as one argument: a JSON text, which both engines can read.

use serde::Serialize;

use super::{Hash, StoreError};

/// The rows, as a JSON array.
pub(super) fn json(rows: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(rows).map_err(|_| StoreError::Corrupt("rows"))
}

/// Bytes as JSON can hold them.
pub(super) fn hex(bytes: &Hash) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}
