//! The demo: made-up facts that show a new developer what an enriched prompt looks like. They are
//! never stored, and disappear when the developer's first fact is stored.

use ctxmem_types::{Scope, SourceType};

use crate::store::StoredFact;

/// Whether prompts have demo facts until a developer's first fact is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Demo {
    /// They have.
    On,
    /// They have none: for servers with real users.
    Off,
}

const FACTS: [(Scope, Option<&str>, &str); 9] = [
    (Scope::General, Some("name"), "Sam (demo user)"),
    (Scope::General, Some("timezone"), "Europe/Lisbon"),
    (Scope::CommunicationStyle, None, "Short answers, code first"),
    (Scope::Preferences, Some("editor"), "Helix"),
    (Scope::Preferences, Some("deploy_target"), "Fly.io"),
    (Scope::Knowledge, None, "Rust"),
    (Scope::Relationships, None, "Noor, who reviews the releases"),
    (Scope::History, None, "Moved from REST to gRPC in spring"),
    (Scope::Goals, None, "Ship the billing service this month"),
];

/// At least one fact for every scope, in the order of the scopes.
pub(super) fn facts() -> impl Iterator<Item = StoredFact> {
    (0..)
        .zip(FACTS)
        .map(|(position, (scope, name, value))| StoredFact {
            slot: String::new(),
            source_type: SourceType::Demo,
            first_stored_at: 0,
            confirmed_at: 0,
            ..StoredFact::observed(scope, name, value, position)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_is_shown_in_prompt_order() {
        let mut scopes: Vec<Scope> = facts().map(|fact| fact.scope).collect();
        assert!(scopes.is_sorted());
        scopes.dedup();
        assert_eq!(scopes, Scope::ALL);
    }
}
