//! The answer to an update that was answered before. Pure.

use ctxmem_types::{Delta, Scope, ScopeSet, UpdateResponse};

use super::nothing_stored::nothing_new;
use crate::core::idempotency::StoredReply;
use crate::core::{Error, Reply, json};
use crate::store::StoreError;

/// The answer again, as far as the agent may see it now: the user may have narrowed the grant since,
/// and another key may have fewer scopes. What was erased since is neither repeated nor stored again:
/// the request had its effect, and the erasure came after it.
pub(super) fn replay(
    reply: StoredReply,
    granted: ScopeSet,
) -> Result<Reply<UpdateResponse>, Error> {
    Ok(Reply::Replayed(match reply {
        StoredReply::Answer(text) => visible(text, granted)?,
        StoredReply::Erased => json(&nothing_new())?,
    }))
}

/// The answer without facts in other scopes; the same bytes if it holds none.
fn visible(text: String, granted: ScopeSet) -> Result<String, Error> {
    let corrupt = |_| StoreError::corrupt("idempotency_keys", "reply");
    let mut answer: UpdateResponse = serde_json::from_str(&text).map_err(corrupt)?;
    let mut is_whole = true;
    let deltas = [&mut answer.delta, &mut answer.removed, &mut answer.evicted];
    for delta in deltas.into_iter().flatten() {
        is_whole &= !narrow(delta, granted);
    }
    if is_whole {
        return Ok(text);
    }
    answer.removed = answer.removed.filter(|removed| !removed.is_empty());
    answer.evicted = answer.evicted.filter(|evicted| !evicted.is_empty());
    Ok(json(&answer)?)
}

/// Leaves out what is in other scopes; true if there was anything.
fn narrow(delta: &mut Delta, granted: ScopeSet) -> bool {
    let before = delta.0.len();
    let is_granted = |key: &str| {
        let mut scopes = granted.iter();
        scopes.any(|scope: Scope| scope.storage_key() == key)
    };
    delta.0.retain(|key, _| is_granted(key));
    delta.0.len() < before
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r#"{"updated":true,"delta":{"general":{"name":"Ada"},"ongoing_tasks":["Ship"]},"removed":{"general":{"location":"Rome"}},"evicted":{"general":{"age":"40"}}}"#;

    fn seen(granted: &[Scope]) -> String {
        let granted = granted.iter().copied().collect();
        visible(ANSWER.to_owned(), granted).unwrap()
    }

    #[test]
    fn what_may_be_seen_is_the_same_to_the_byte() {
        assert_eq!(seen(&[Scope::General, Scope::Goals]), ANSWER);
        assert_eq!(visible(ANSWER.to_owned(), ScopeSet::ALL).unwrap(), ANSWER);
    }

    #[test]
    fn what_is_not_granted_any_more_is_left_out() {
        assert_eq!(
            seen(&[Scope::Goals]),
            r#"{"updated":true,"delta":{"ongoing_tasks":["Ship"]}}"#
        );
        assert_eq!(seen(&[]), r#"{"updated":true,"delta":{}}"#);
    }
}
