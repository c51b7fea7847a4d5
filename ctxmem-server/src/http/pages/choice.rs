//! Choices: the options of a list, and boxes to tick.

use ctxmem_types::{Scope, SliceKind};

use super::scopes;
use crate::http::words::Phrase;

pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) title: Phrase,
    pub(crate) chosen: bool,
}

impl Choice {
    pub(crate) fn new(value: impl Into<String>, title: Phrase, chosen: bool) -> Self {
        Self {
            value: value.into(),
            title,
            chosen,
        }
    }
}

pub(crate) struct ScopeChoice {
    pub(crate) scope: Scope,
    pub(crate) chosen: bool,
}

impl ScopeChoice {
    /// These scopes, of which some are chosen.
    pub(crate) fn of(
        scopes: impl IntoIterator<Item = Scope>,
        is_chosen: impl Fn(Scope) -> bool,
    ) -> Vec<Self> {
        let choice = |scope| Self {
            scope,
            chosen: is_chosen(scope),
        };
        scopes.into_iter().map(choice).collect()
    }

    /// All scopes, of which one may be chosen.
    pub(crate) fn all(chosen: Option<Scope>) -> Vec<Self> {
        Self::of(Scope::ALL, |scope| chosen == Some(scope))
    }

    pub(crate) fn name(&self) -> &'static str {
        self.scope.name()
    }

    pub(crate) fn title(&self) -> Phrase {
        scopes::title(self.scope)
    }

    pub(crate) fn meaning(&self) -> Phrase {
        scopes::meaning(self.scope)
    }

    /// What a key with it reaches, in the words of developers.
    pub(crate) fn holds(&self) -> Phrase {
        Phrase::new(match self.scope {
            Scope::General => "key-scope-general",
            Scope::CommunicationStyle => "key-scope-communication-style",
            Scope::Preferences => "key-scope-preferences",
            Scope::Knowledge => "key-scope-knowledge",
            Scope::Relationships => "key-scope-relationships",
            Scope::History => "key-scope-history",
            Scope::Goals => "key-scope-goals",
        })
    }

    /// Whether its facts have names.
    pub(crate) fn is_named(&self) -> bool {
        self.scope.kind() == SliceKind::Map
    }
}
