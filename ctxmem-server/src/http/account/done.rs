//! What was done, to be said on the page to which a form leads back. The address carries a
//! code and no text, so that nobody can make the page say something.

use warp::reply::Response;

use super::reply;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    FactAdded,
    FactCorrected,
    FactDeleted,
    ScopeDeleted,
    AccessChanged,
    AccessRevoked,
}

impl Done {
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

    /// Of a code that is known.
    pub(super) fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|done| done.code() == code)
    }

    /// Where on the page it is said.
    pub(super) fn section(self) -> &'static str {
        match self {
            Self::AccessChanged | Self::AccessRevoked => "access",
            _ => "memory",
        }
    }

    /// What is said.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::FactAdded => "The fact was added.",
            Self::FactCorrected => "The fact was corrected. The earlier wording is gone.",
            Self::FactDeleted => "The fact was deleted.",
            Self::ScopeDeleted => "All of it was deleted.",
            Self::AccessChanged => "Access was changed. It holds from now on.",
            Self::AccessRevoked => "Access was revoked. It ended at once.",
        }
    }

    /// The way back to the page, where it is said.
    pub(super) fn back(self) -> Response {
        reply::see_other(&format!("/account?done={}#{}", self.code(), self.section()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_stands_for_what_was_done() {
        for done in Done::ALL {
            assert_eq!(Done::from_code(done.code()), Some(done));
        }
        assert_eq!(Done::from_code("anything else"), None);
    }
}
