//! Notices: the next page tells what a form has just done, once. It stands in a cookie, sealed for whoever
//! was signed in: no link can claim what never happened, and nobody reads it who signs in later.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use warp::reply::Response;

use crate::http::engine::request_context::RequestContext;
use crate::http::engine::state::ServerState;
use crate::http::engine::{HandlerContext, cookie, reply};
use crate::http::words::Phrase;

/// What a form has just done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    FactAdded,
    FactCorrected,
    FactDeleted,
    FactKeptOut,
    NameKeptOut,
    FactsDeleted,
    FactsKeptOut,
    NamesKeptOut,
    FactsRestored,
    Unblock,
    ScopeDeleted,
    AccessChanged,
    AccessRevoked,
    AgentAllowed,
    AgentRefused,
    Paused,
    Resumed,
    AsksFirst,
    AsksByMode,
    AutoDelete,
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

/// The message of each, in the order of the variants. What follows on `done-` is its code in the cookie.
const MESSAGES: [(Notice, &str); 30] = [
    (Notice::FactAdded, "done-fact-added"),
    (Notice::FactCorrected, "done-fact-corrected"),
    (Notice::FactDeleted, "done-fact-deleted"),
    (Notice::FactKeptOut, "done-fact-kept-out"),
    (Notice::NameKeptOut, "done-name-kept-out"),
    (Notice::FactsDeleted, "done-facts-deleted"),
    (Notice::FactsKeptOut, "done-facts-kept-out"),
    (Notice::NamesKeptOut, "done-names-kept-out"),
    (Notice::FactsRestored, "done-facts-restored"),
    (Notice::Unblock, "done-let-in"),
    (Notice::ScopeDeleted, "done-scope-deleted"),
    (Notice::AccessChanged, "done-access-changed"),
    (Notice::AccessRevoked, "done-access-revoked"),
    (Notice::AgentAllowed, "done-agent-allowed"),
    (Notice::AgentRefused, "done-agent-refused"),
    (Notice::Paused, "done-paused"),
    (Notice::Resumed, "done-resumed"),
    (Notice::AsksFirst, "done-asks-first"),
    (Notice::AsksByMode, "done-asks-by-mode"),
    (Notice::AutoDelete, "done-auto-delete"),
    (Notice::AgentRenamed, "done-agent-renamed"),
    (Notice::AgentDeleted, "done-agent-deleted"),
    (Notice::KeyRevoked, "done-key-revoked"),
    (Notice::PasswordChanged, "done-password-changed"),
    (Notice::SecondFactorOff, "done-second-factor-off"),
    (Notice::TestUserErased, "done-test-user-erased"),
    (Notice::ProfileSaved, "done-profile-saved"),
    (Notice::InvitationWithdrawn, "done-invitation-withdrawn"),
    (Notice::MemberRemoved, "done-member-removed"),
    (Notice::TeamHandedOver, "done-team-handed-over"),
];

/// The notice, and what would undo it, on their way from the handler to the cookie.
#[derive(Clone)]
struct Done {
    notice: Notice,
    undo: Option<String>,
}

impl Notice {
    fn message(self) -> &'static str {
        MESSAGES[self as usize].1
    }

    fn code(self) -> &'static str {
        self.message().trim_start_matches("done-")
    }

    fn from_code(code: &str) -> Option<Self> {
        let mut all = MESSAGES.iter().map(|(notice, _)| *notice);
        all.find(|notice| notice.code() == code)
    }

    /// What the form did that led to this page. Ask who is signed in before.
    pub(crate) fn of(ctx: &HandlerContext) -> Option<Self> {
        let told = told(ctx)?;
        Self::from_code(told.split_once('.').map_or(told, |(code, _)| code))
    }

    /// The same, as a text.
    pub(crate) fn text_of(ctx: &HandlerContext) -> Option<Phrase> {
        Self::of(ctx).map(Self::text)
    }

    /// Whether what was deleted is kept out as well.
    pub(crate) fn keeps_out(self) -> bool {
        matches!(
            self,
            Self::FactKeptOut | Self::NameKeptOut | Self::FactsKeptOut | Self::NamesKeptOut
        )
    }

    /// The text on the page.
    pub(crate) fn text(self) -> Phrase {
        Phrase::new(self.message())
    }

    /// A redirect to this page, which then shows the notice and puts the focus on it.
    pub(crate) fn redirect_to(self, page: &str) -> Response {
        self.redirect_with_undo(page, None)
    }

    /// The same, to a page that offers to undo it: with a sealed text, of characters that a cookie may hold.
    pub(crate) fn redirect_with_undo(self, page: &str, undo: Option<String>) -> Response {
        let mut response = reply::see_other(&format!("{page}#done"));
        let done = Done { notice: self, undo };
        response.extensions_mut().insert(done);
        response
    }
}

/// What undoes what the form did that led to this page. Ask who is signed in before.
pub(crate) fn undo(ctx: &HandlerContext) -> Option<&str> {
    Some(told(ctx)?.split_once('.')?.1)
}

fn told(ctx: &HandlerContext) -> Option<&str> {
    let (seal, told) = ctx.cookie(&cookie::DONE)?.split_once('.')?;
    let sign_in = &ctx.core().sign_in;
    let expected = sign_in.notice_seal(ctx.request.form_mark.get()?, told);
    verify_slices_are_equal(seal.as_bytes(), expected.as_bytes()).ok()?;
    Some(told)
}

/// Sets the cookie after a form, and removes it with the page that told it.
pub(crate) fn finish(
    state: &ServerState,
    request: &RequestContext,
    response: &mut Response,
    is_page: bool,
) {
    let site = &state.site;
    if let Some(Done { notice, undo }) = response.extensions_mut().remove::<Done>() {
        if let Some(mark) = request.form_mark.get() {
            let code = notice.code();
            let told = undo.map_or_else(|| code.to_owned(), |undo| format!("{code}.{undo}"));
            let seal = state.core.sign_in.notice_seal(mark, &told);
            site.set_cookie(response, &cookie::DONE, &format!("{seal}.{told}"));
        }
    } else if is_page
        && request
            .cookie(&cookie::DONE.name(site.is_https()))
            .is_some()
    {
        site.remove_cookie(response, &cookie::DONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_for_what_was_done_and_others_for_nothing() {
        for (place, (notice, message)) in MESSAGES.into_iter().enumerate() {
            assert_eq!(notice as usize, place, "{message}");
            assert_eq!(Notice::from_code(notice.code()), Some(notice));
            assert_eq!(format!("done-{}", notice.code()), message);
        }
        for code in ["", "<b>", "AGENT-RENAMED", "anything else"] {
            assert_eq!(Notice::from_code(code), None);
        }
    }
}
