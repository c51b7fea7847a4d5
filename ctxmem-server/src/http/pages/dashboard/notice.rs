//! Notices on the dashboard about what a form has just done. They come from the form itself, by
//! `flash`, so no link can claim what never happened.

use warp::reply::Response;

use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::reply;
use crate::http::pages::flash;
use crate::http::words::Phrase;

/// What a form has just done.
#[derive(Clone, Copy)]
pub(super) enum DashboardNotice {
    AgentRenamed,
    AgentDeleted,
    KeyRevoked,
    PasswordChanged,
    SecondFactorOff,
    TestUserErased,
    ProfileSaved,
    InvitationWithdrawn,
    MemberRemoved,
    TeamHandedOver,
}

impl DashboardNotice {
    const ALL: [Self; 10] = [
        Self::AgentRenamed,
        Self::AgentDeleted,
        Self::KeyRevoked,
        Self::PasswordChanged,
        Self::SecondFactorOff,
        Self::TestUserErased,
        Self::ProfileSaved,
        Self::InvitationWithdrawn,
        Self::MemberRemoved,
        Self::TeamHandedOver,
    ];

    /// The notice in a cookie.
    fn code(self) -> &'static str {
        match self {
            Self::AgentRenamed => "agent-renamed",
            Self::AgentDeleted => "agent-deleted",
            Self::KeyRevoked => "key-revoked",
            Self::PasswordChanged => "password-changed",
            Self::SecondFactorOff => "second-factor-off",
            Self::TestUserErased => "test-user-erased",
            Self::ProfileSaved => "profile-saved",
            Self::InvitationWithdrawn => "invitation-withdrawn",
            Self::MemberRemoved => "member-removed",
            Self::TeamHandedOver => "team-handed-over",
        }
    }

    fn text(self) -> Phrase {
        Phrase::new(match self {
            Self::AgentRenamed => "done-agent-renamed",
            Self::AgentDeleted => "done-agent-deleted",
            Self::KeyRevoked => "done-key-revoked",
            Self::PasswordChanged => "done-password-changed",
            Self::SecondFactorOff => "done-second-factor-off",
            Self::TestUserErased => "done-test-user-erased",
            Self::ProfileSaved => "done-profile-saved",
            Self::InvitationWithdrawn => "done-invitation-withdrawn",
            Self::MemberRemoved => "done-member-removed",
            Self::TeamHandedOver => "done-team-handed-over",
        })
    }

    /// A redirect to a page, which then shows the notice and puts the focus on it.
    pub(super) fn redirect(self, page: &str) -> Response {
        flash::tell(reply::see_other(&format!("{page}#done")), self.code())
    }

    /// What the form did that led to this page, as a text.
    pub(super) fn text_of(ctx: &HandlerContext) -> Option<Phrase> {
        Self::from_code(ctx.done()?).map(Self::text)
    }

    /// The notice with this code.
    fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|notice| notice.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_for_what_was_done_and_others_for_nothing() {
        for done in DashboardNotice::ALL {
            let found = DashboardNotice::from_code(done.code());
            assert_eq!(found.map(DashboardNotice::code), Some(done.code()));
        }
        for code in ["", "<b>", "AGENT-RENAMED"] {
            assert!(DashboardNotice::from_code(code).is_none());
        }
    }
}
