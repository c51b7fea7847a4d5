//! The outcome of an inject: what an agent learns about a user. Pure: it depends on its arguments
//! alone.

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
    Block(Block),
}

/// What stands before the base prompt.
pub struct Block {
    /// The block.
    pub text: String,
    /// How many facts are in it.
    pub shown: usize,
    /// Whether it has no room for others that the agent may know.
    pub leaves_out: bool,
}

impl Block {
    /// The block of what an agent may know; `None` where that is nothing.
    fn of(granted: &[&StoredFact], token_budget: usize) -> Option<Self> {
        let shown = render::shown(granted, token_budget);
        Some(Self {
            text: render::written(&shown)?,
            shown: shown.len(),
            leaves_out: shown.len() < granted.len(),
        })
    }
}

pub(super) fn granted(facts: &[StoredFact], scopes: ScopeSet) -> Vec<&StoredFact> {
    let facts = facts.iter();
    facts.filter(|fact| scopes.contains(fact.scope)).collect()
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
    let block = |facts: &[StoredFact]| Block::of(&granted(facts, scopes), token_budget);
    let facts = snapshot.facts();
    let ends_demo = snapshot.developer_stored || demo == Demo::Off;
    match (facts.is_empty(), ends_demo) {
        (true, false) => {
            let block = block(&demo::facts().collect::<Vec<_>>());
            InjectOutcome::Demo(block.map(|block| block.text))
        }
        (true, true) => InjectOutcome::Empty,
        (false, _) => block(facts).map_or(InjectOutcome::OutOfScope, InjectOutcome::Block),
    }
}
