//! The scopes in plain words, for the pages.

use ctxmem_types::{Scope, ScopeSet};

/// The title of a scope.
pub(super) fn title(scope: Scope) -> &'static str {
    match scope {
        Scope::General => "About you",
        Scope::CommunicationStyle => "How to talk to you",
        Scope::Preferences => "What you prefer",
        Scope::Knowledge => "What you know",
        Scope::Relationships => "People around you",
        Scope::History => "What you decided and did",
        Scope::Goals => "What you are working on",
    }
}

/// What a scope holds, in one sentence.
pub(super) fn meaning(scope: Scope) -> &'static str {
    match scope {
        Scope::General => "Who you are: your name, where you live, your time zone.",
        Scope::CommunicationStyle => "Standing wishes for how assistants should answer you.",
        Scope::Preferences => "Your tools, your environment and the way you like to work.",
        Scope::Knowledge => "Skills, tools, languages and frameworks that you know.",
        Scope::Relationships => "People you named, and what they are to you.",
        Scope::History => "Decisions that you took and things that you finished.",
        Scope::Goals => "Current projects, tasks, obstacles and priorities.",
    }
}

/// The titles of the scopes in a set.
pub(super) fn titles(scopes: ScopeSet) -> String {
    if scopes == ScopeSet::ALL {
        return "Everything".to_owned();
    }
    let titles: Vec<&str> = scopes.iter().map(title).collect();
    titles.join(", ")
}
