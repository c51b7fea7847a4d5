//! Notices: the next page tells what a form has just done, once. It stands in a cookie, sealed for whoever
//! was signed in: no link can claim what never happened, and nobody reads it who signs in later.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use warp::reply::Response;

use crate::http::engine::request_context::RequestContext;
use crate::http::engine::state::ServerState;
use crate::http::engine::{HandlerContext, cookie, reply};
use crate::http::words::Phrase;

/// Defines the notices, each with the id of its message.
macro_rules! notices {
    ($($name:ident = $message:literal,)+) => {
        /// What a form has just done.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Notice {
            $($name,)+
        }

        impl Notice {
            const ALL: &[Self] = &[$(Self::$name,)+];

            fn message(self) -> &'static str {
                match self {
                    $(Self::$name => $message,)+
                }
            }
        }
    };
}

// What follows on `done-` is the code of each in the cookie.
notices! {
    FactAdded = "done-fact-added",
    FactCorrected = "done-fact-corrected",
    FactDeleted = "done-fact-deleted",
    FactKeptOut = "done-fact-kept-out",
    NameKeptOut = "done-name-kept-out",
    FactsDeleted = "done-facts-deleted",
    FactsKeptOut = "done-facts-kept-out",
    NamesKeptOut = "done-names-kept-out",
    FactsRestored = "done-facts-restored",
    Unblock = "done-let-in",
    ScopeDeleted = "done-scope-deleted",
    AccessChanged = "done-access-changed",
    AccessRevoked = "done-access-revoked",
    AgentAllowed = "done-agent-allowed",
    AgentRefused = "done-agent-refused",
    Paused = "done-paused",
    Resumed = "done-resumed",
    AsksFirst = "done-asks-first",
    AsksByMode = "done-asks-by-mode",
    AutoDelete = "done-auto-delete",
    AgentRenamed = "done-agent-renamed",
    AgentDeleted = "done-agent-deleted",
    KeyRevoked = "done-key-revoked",
    PasswordChanged = "done-password-changed",
    SecondFactorOff = "done-second-factor-off",
    TestUserErased = "done-test-user-erased",
    ProfileSaved = "done-profile-saved",
    InvitationWithdrawn = "done-invitation-withdrawn",
    MemberRemoved = "done-member-removed",
    TeamHandedOver = "done-team-handed-over",
}

/// The notice, and what would undo it, on their way from the handler to the cookie.
#[derive(Clone)]
struct Done {
    notice: Notice,
    undo: Option<String>,
}

impl Notice {
    fn code(self) -> &'static str {
        self.message().trim_start_matches("done-")
    }

    fn from_code(code: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
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
        for notice in Notice::ALL {
            assert_eq!(Notice::from_code(notice.code()), Some(*notice));
            assert_eq!(format!("done-{}", notice.code()), notice.message());
        }
        for code in ["", "<b>", "AGENT-RENAMED", "anything else"] {
            assert_eq!(Notice::from_code(code), None);
        }
    }
}
