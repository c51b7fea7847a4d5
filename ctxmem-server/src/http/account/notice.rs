//! Notices on the account page about what a form has just done. They come from the form itself, by
//! `flash`, so no link can claim what never happened.

use warp::reply::Response;

use super::{HandlerContext, reply};
use crate::http::flash;

/// What a form has just done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum AccountNotice {
    FactAdded,
    FactCorrected,
    FactDeleted,
    FactKeptOut,
    FactsDeleted,
    FactsKeptOut,
    ScopeDeleted,
    LetIn,
    AccessChanged,
    AccessRevoked,
    AgentAllowed,
    AgentRefused,
    Paused,
    Resumed,
    AsksFirst,
    AsksByMode,
}

impl AccountNotice {
    const ALL: [Self; 16] = [
        Self::FactAdded,
        Self::FactCorrected,
        Self::FactDeleted,
        Self::FactKeptOut,
        Self::FactsDeleted,
        Self::FactsKeptOut,
        Self::ScopeDeleted,
        Self::LetIn,
        Self::AccessChanged,
        Self::AccessRevoked,
        Self::AgentAllowed,
        Self::AgentRefused,
        Self::Paused,
        Self::Resumed,
        Self::AsksFirst,
        Self::AsksByMode,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::FactAdded => "fact-added",
            Self::FactCorrected => "fact-corrected",
            Self::FactDeleted => "fact-deleted",
            Self::FactKeptOut => "fact-kept-out",
            Self::FactsDeleted => "facts-deleted",
            Self::FactsKeptOut => "facts-kept-out",
            Self::LetIn => "let-in",
            Self::ScopeDeleted => "scope-deleted",
            Self::AccessChanged => "access-changed",
            Self::AccessRevoked => "access-revoked",
            Self::AgentAllowed => "agent-allowed",
            Self::AgentRefused => "agent-refused",
            Self::Paused => "paused",
            Self::Resumed => "resumed",
            Self::AsksFirst => "asks-first",
            Self::AsksByMode => "asks-by-mode",
        }
    }

    /// What the form did that led to this page.
    pub(super) fn of(ctx: &HandlerContext) -> Option<Self> {
        Self::from_code(ctx.done()?)
    }

    /// The notice with this code.
    fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|done| done.code() == code)
    }

    /// The section of the page that shows it.
    pub(super) fn section(self) -> &'static str {
        match self {
            Self::FactAdded
            | Self::FactCorrected
            | Self::FactDeleted
            | Self::FactKeptOut
            | Self::FactsDeleted
            | Self::FactsKeptOut
            | Self::LetIn
            | Self::ScopeDeleted => "memory",
            Self::AccessChanged
            | Self::AccessRevoked
            | Self::AgentAllowed
            | Self::AgentRefused
            | Self::Paused
            | Self::Resumed
            | Self::AsksFirst
            | Self::AsksByMode => "access",
        }
    }

    /// The text on the page.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::FactAdded => "The fact was added.",
            Self::FactCorrected => {
                "The fact was corrected. The earlier wording is gone, and agents can’t replace yours unless you \
                 tell them that it changed."
            }
            Self::FactDeleted => "The fact was deleted.",
            Self::FactKeptOut => "The fact was deleted. Agents won’t save it again.",
            Self::FactsDeleted => "The selected facts were deleted.",
            Self::FactsKeptOut => "The selected facts were deleted. Agents won’t save them again.",
            Self::LetIn => "Agents may save these facts again when you mention them.",
            Self::ScopeDeleted => "All of it was deleted.",
            Self::AccessChanged => "Access was changed. The change applies immediately.",
            Self::AccessRevoked => "Access was revoked. It ended immediately.",
            Self::AgentAllowed => "The agent has access. Changes take effect immediately.",
            Self::AgentRefused => "The agent has no access, and you are not asked about it again.",
            Self::Paused => "Everything is paused. The pause took effect immediately.",
            Self::Resumed => "The pause is over. Agents have the access that you gave them.",
            Self::AsksFirst => "New agents must ask you from now on.",
            Self::AsksByMode => "New agents no longer have to ask you.",
        }
    }

    /// A redirect to an element of this page of facts, which then shows the notice.
    pub(super) fn redirect_to(self, page: &str, at: Option<&str>) -> Response {
        let at = at.unwrap_or("done");
        flash::tell(reply::see_other(&format!("{page}#{at}")), self.code())
    }

    /// A redirect to the page, which then shows the notice and puts the focus on it.
    pub(in crate::http) fn redirect(self) -> Response {
        flash::tell(reply::see_other("/account#done"), self.code())
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
