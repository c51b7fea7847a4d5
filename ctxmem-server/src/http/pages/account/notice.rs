//! Notices on the pages of the account about what a form has just done. They come from the form itself, by
//! `flash`, so no link can claim what never happened.

use warp::reply::Response;

use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::reply;
use crate::http::pages::flash;
use crate::http::words::Phrase;

/// The overview.
pub(super) const HOME: &str = "/account";

/// The page of facts.
pub(super) const MEMORY: &str = "/account/facts";

/// The page about all data.
pub(super) const DATA: &str = "/account/data";

/// The page of agents with access.
pub(super) const APPS: &str = "/account/apps";

/// What a form has just done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccountNotice {
    FactAdded,
    FactCorrected,
    FactDeleted,
    FactKeptOut,
    NameKeptOut,
    FactsDeleted,
    FactsKeptOut,
    NamesKeptOut,
    FactsRestored,
    ScopeDeleted,
    Unblock,
    AccessChanged,
    AccessRevoked,
    AgentAllowed,
    AgentRefused,
    Paused,
    Resumed,
    AsksFirst,
    AsksByMode,
    AutoDelete,
}

impl AccountNotice {
    const ALL: [Self; 20] = [
        Self::FactAdded,
        Self::FactCorrected,
        Self::FactDeleted,
        Self::FactKeptOut,
        Self::NameKeptOut,
        Self::FactsDeleted,
        Self::FactsKeptOut,
        Self::NamesKeptOut,
        Self::FactsRestored,
        Self::ScopeDeleted,
        Self::Unblock,
        Self::AccessChanged,
        Self::AccessRevoked,
        Self::AgentAllowed,
        Self::AgentRefused,
        Self::Paused,
        Self::Resumed,
        Self::AsksFirst,
        Self::AsksByMode,
        Self::AutoDelete,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::FactAdded => "fact-added",
            Self::FactCorrected => "fact-corrected",
            Self::FactDeleted => "fact-deleted",
            Self::FactKeptOut => "fact-kept-out",
            Self::NameKeptOut => "name-kept-out",
            Self::FactsDeleted => "facts-deleted",
            Self::FactsKeptOut => "facts-kept-out",
            Self::NamesKeptOut => "names-kept-out",
            Self::FactsRestored => "facts-restored",
            Self::Unblock => "let-in",
            Self::ScopeDeleted => "scope-deleted",
            Self::AccessChanged => "access-changed",
            Self::AccessRevoked => "access-revoked",
            Self::AgentAllowed => "agent-allowed",
            Self::AgentRefused => "agent-refused",
            Self::Paused => "paused",
            Self::Resumed => "resumed",
            Self::AsksFirst => "asks-first",
            Self::AsksByMode => "asks-by-mode",
            Self::AutoDelete => "auto-delete",
        }
    }

    /// What the form did that led to this page.
    pub(crate) fn of(ctx: &HandlerContext) -> Option<Self> {
        Self::from_code(ctx.done()?)
    }

    /// The notice with this code.
    fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|done| done.code() == code)
    }

    /// Whether what was deleted is kept out as well.
    pub(super) fn keeps_out(self) -> bool {
        matches!(
            self,
            Self::FactKeptOut | Self::NameKeptOut | Self::FactsKeptOut | Self::NamesKeptOut
        )
    }

    /// The text on the page.
    pub(crate) fn text(self) -> Phrase {
        Phrase::new(match self {
            Self::FactAdded => "done-fact-added",
            Self::FactCorrected => "done-fact-corrected",
            Self::FactDeleted => "done-fact-deleted",
            Self::FactKeptOut => "done-fact-kept-out",
            Self::NameKeptOut => "done-name-kept-out",
            Self::FactsDeleted => "done-facts-deleted",
            Self::FactsKeptOut => "done-facts-kept-out",
            Self::NamesKeptOut => "done-names-kept-out",
            Self::FactsRestored => "done-facts-restored",
            Self::Unblock => "done-let-in",
            Self::ScopeDeleted => "done-scope-deleted",
            Self::AccessChanged => "done-access-changed",
            Self::AccessRevoked => "done-access-revoked",
            Self::AgentAllowed => "done-agent-allowed",
            Self::AgentRefused => "done-agent-refused",
            Self::Paused => "done-paused",
            Self::Resumed => "done-resumed",
            Self::AsksFirst => "done-asks-first",
            Self::AsksByMode => "done-asks-by-mode",
            Self::AutoDelete => "done-auto-delete",
        })
    }

    /// A redirect to this page, which then shows the notice and puts the focus on it.
    pub(crate) fn redirect_to(self, page: &str) -> Response {
        self.redirect_with_undo(page, None)
    }

    /// The same, to a page that offers to undo it.
    pub(crate) fn redirect_with_undo(self, page: &str, undo: Option<String>) -> Response {
        let response = reply::see_other(&format!("{page}#done"));
        flash::tell_with_undo(response, self.code(), undo)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_stands_for_what_was_done() {
        for done in AccountNotice::ALL {
            assert_eq!(AccountNotice::from_code(done.code()), Some(done));
        }
        assert_eq!(AccountNotice::from_code("anything else"), None);
    }
}
