//! Notices on the account page about what a form has just done. They come from the form itself, by
//! `flash`, so no link can claim what never happened.

use warp::reply::Response;

use super::{HandlerContext, reply};
use crate::http::flash;

/// What a form has just done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccountNotice {
    FactAdded,
    FactCorrected,
    FactDeleted,
    ScopeDeleted,
    AccessChanged,
    AccessRevoked,
}

impl AccountNotice {
    const ALL: [Self; 6] = [
        Self::FactAdded,
        Self::FactCorrected,
        Self::FactDeleted,
        Self::ScopeDeleted,
        Self::AccessChanged,
        Self::AccessRevoked,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::FactAdded => "fact-added",
            Self::FactCorrected => "fact-corrected",
            Self::FactDeleted => "fact-deleted",
            Self::ScopeDeleted => "scope-deleted",
            Self::AccessChanged => "access-changed",
            Self::AccessRevoked => "access-revoked",
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
            Self::AccessChanged | Self::AccessRevoked => "access",
            _ => "memory",
        }
    }

    /// The text on the page.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::FactAdded => "The fact was added.",
            Self::FactCorrected => "The fact was corrected. The earlier wording is gone.",
            Self::FactDeleted => "The fact was deleted.",
            Self::ScopeDeleted => "All of it was deleted.",
            Self::AccessChanged => "Access was changed. The change applies immediately.",
            Self::AccessRevoked => "Access was revoked. It ended immediately.",
        }
    }

    /// A redirect to the page, which then shows the notice and puts the focus on it.
    pub(super) fn redirect(self) -> Response {
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
