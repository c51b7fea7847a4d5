//! Facts as a model writes them.

use ctxmem_types::Scope;
use serde_json::{Value, json};

/// A fact of a list or text scope.
pub(crate) fn fact(scope: Scope, value: &str) -> Value {
    json!({"scope": scope.name(), "value": value})
}

/// An observed fact as it goes over the wire.
pub(crate) fn observed(value: &str) -> Value {
    json!({"value": value, "source_type": "observed"})
}

/// The answer to an update that stored nothing, and why.
pub(crate) fn unlearned(outcome: &str) -> Value {
    json!({"updated": true, "delta": {}, "outcome": outcome})
}

/// A fact with a name.
pub(crate) fn named(scope: Scope, name: &str, value: &str) -> Value {
    json!({"scope": scope.name(), "key": name, "value": value, "op": "set"})
}

/// That a fact no longer holds.
pub(crate) fn no_longer(scope: Scope, value: &str) -> Value {
    json!({"scope": scope.name(), "value": value, "op": "remove"})
}
