//! The scopes in plain words, for the pages.

use ctxmem_types::{Scope, ScopeSet};

use crate::http::words::Phrase;

pub(crate) fn title(scope: Scope) -> Phrase {
    Phrase::new(match scope {
        Scope::General => "scope-general",
        Scope::CommunicationStyle => "scope-communication-style",
        Scope::Preferences => "scope-preferences",
        Scope::Knowledge => "scope-knowledge",
        Scope::Relationships => "scope-relationships",
        Scope::History => "scope-history",
        Scope::Goals => "scope-goals",
    })
}

/// What a scope holds, in one sentence.
pub(crate) fn meaning(scope: Scope) -> Phrase {
    Phrase::new(match scope {
        Scope::General => "scope-general-meaning",
        Scope::CommunicationStyle => "scope-communication-style-meaning",
        Scope::Preferences => "scope-preferences-meaning",
        Scope::Knowledge => "scope-knowledge-meaning",
        Scope::Relationships => "scope-relationships-meaning",
        Scope::History => "scope-history-meaning",
        Scope::Goals => "scope-goals-meaning",
    })
}

/// The titles of the scopes in a set; none for the empty set.
pub(crate) fn titles(scopes: ScopeSet) -> Vec<Phrase> {
    if scopes == ScopeSet::ALL {
        return vec![Phrase::new("scopes-all")];
    }
    scopes.iter().map(title).collect()
}
