//! What an agent learns about a user. Pure: it depends on its arguments alone.

use ctxmem_types::ScopeSet;

use crate::core::demo::{self, Demo};
use crate::core::render;
use crate::store::{AccessSnapshot, StoredFact};

/// What an agent learns about a user.
pub enum InjectOutcome {
    /// Nothing: there never was a grant, and the user has to allow the agent first.
    MustAsk,
    /// Nothing: no grant is active.
    NoGrant,
    /// Nothing: the grant and the key have no scope in common.
    NoScopes,
    /// Made-up facts, until the first fact is stored for an agent of this developer; without a
    /// block where none of them is in the scopes.
    Demo(Option<String>),
    /// Nothing: nothing is stored.
    Empty,
    /// Nothing: what is stored is in other scopes.
    OutOfScope,
    /// This block.
    Block(String),
}

/// Decides by grant, scopes and facts, in this order. The snapshot holds all facts; `effective` is
/// `None` without an active grant.
pub(in crate::core) fn inject_outcome(
    snapshot: &AccessSnapshot,
    effective: Option<ScopeSet>,
    token_budget: usize,
    demo: Demo,
) -> InjectOutcome {
    let Some(scopes) = effective else {
        return match snapshot.grant {
            None => InjectOutcome::MustAsk,
            Some(_) => InjectOutcome::NoGrant,
        };
    };
    if scopes.is_empty() {
        return InjectOutcome::NoScopes;
    }
    let block = |facts: &[StoredFact]| {
        let granted: Vec<&StoredFact> = facts
            .iter()
            .filter(|fact| scopes.contains(fact.scope))
            .collect();
        render::block(&granted, token_budget)
    };
    let facts = snapshot.facts();
    let ends_demo = snapshot.developer_stored || demo == Demo::Off;
    match (facts.is_empty(), ends_demo) {
        (true, false) => InjectOutcome::Demo(block(&demo::facts().collect::<Vec<_>>())),
        (true, true) => InjectOutcome::Empty,
        (false, _) => block(facts).map_or(InjectOutcome::OutOfScope, InjectOutcome::Block),
    }
}
