//! The page that says why a sign-in at the provider failed, and what to do.

use askama::Template;
use http::StatusCode;
use warp::reply::Response;

use super::provider::OidcLink;
use crate::core::Purpose;
use crate::http::handler_context::HandlerContext;
use crate::http::reply;
use crate::oidc::OidcError;

/// Why nobody was signed in.
pub(super) enum SignInFailure {
    /// This browser did not start the sign-in, or started it too long ago.
    NotBegun,
    /// The provider refused, or the person cancelled.
    Denied,
    /// The provider can't be reached, or its answer can't be trusted.
    Provider(OidcError),
    /// The ID token lacks this claim, which should hold the user id.
    NoUser(String),
    /// No developer has the e-mail address that the provider verified.
    NoDeveloper,
    /// Who was to join a team has an account.
    HasAccount,
}

#[derive(Template)]
#[template(path = "sign_in_failed.html")]
struct SignInFailurePage<'a> {
    heading: &'static str,
    text: String,
    advice: &'static str,
    home: &'static str,
    oidc: Option<OidcLink<'a>>,
}

impl SignInFailure {
    /// The page. Logs a line if the operator has to know. Neither repeats anything that the
    /// provider or the browser sent.
    pub(super) fn answer(self, ctx: &HandlerContext, purpose: Option<Purpose>) -> Response {
        let request_id = ctx.request.request_id.as_str();
        match &self {
            Self::Provider(cause) => {
                tracing::warn!(%cause, request_id, "a sign-in at the provider failed");
            }
            Self::NoUser(claim) => {
                tracing::warn!(
                    claim,
                    request_id,
                    "the ID token lacks the claim of the user id"
                );
            }
            Self::NotBegun | Self::Denied | Self::NoDeveloper | Self::HasAccount => {}
        }
        let (heading, text, advice) = self.words();
        let page = SignInFailurePage {
            heading,
            text,
            advice,
            home: match purpose {
                Some(Purpose::User) | None => "/account",
                Some(Purpose::Developer) => "/dashboard",
            },
            oidc: purpose.and_then(|purpose| OidcLink::new(&ctx.api, purpose)),
        };
        reply::page(self.status(), &page)
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Provider(error) => match error {
                OidcError::Code | OidcError::Token(_) => StatusCode::FORBIDDEN,
                OidcError::Unreachable | OidcError::TimedOut => StatusCode::SERVICE_UNAVAILABLE,
                _ => StatusCode::BAD_GATEWAY,
            },
            _ => StatusCode::FORBIDDEN,
        }
    }

    fn words(&self) -> (&'static str, String, &'static str) {
        const AGAIN: &str = "Start again from here.";
        const LATER: &str = "Nothing was changed. Try again in a minute; if that does not help, \
                             tell the operator of this service, who can find the cause in the log.";
        match self {
            Self::NotBegun => (
                "This sign-in can't be completed",
                "It was not started in this browser, was completed before, or took longer than \
                 ten minutes."
                    .to_owned(),
                "Go back to the start and sign in again, in one browser. Your browser must \
                 accept cookies.",
            ),
            Self::Denied => (
                "You were not signed in",
                "The sign-in service ended this without signing you in.".to_owned(),
                "If you did not cancel it yourself, ask whoever runs your sign-in service \
                 whether you may use this one.",
            ),
            Self::Provider(OidcError::Code | OidcError::Token(_)) => (
                "You were not signed in",
                "What the sign-in service said about you could not be verified.".to_owned(),
                AGAIN,
            ),
            Self::Provider(OidcError::Unreachable | OidcError::TimedOut) => (
                "The sign-in service is not available",
                "It did not answer in time.".to_owned(),
                LATER,
            ),
            Self::Provider(_) => (
                "The sign-in service did not answer as it should",
                "Its answer can't be used.".to_owned(),
                LATER,
            ),
            Self::NoUser(claim) => (
                "You can't be signed in",
                format!(
                    "The sign-in service does not say which user you are: the claim “{claim}” \
                     is missing or can't be a user id."
                ),
                "Show this text to the operator of this service, who can fix it.",
            ),
            Self::HasAccount => (
                "You did not join the team",
                "There is a developer account with your address already, and a person can be in one \
                 team only. The invitation can still be used."
                    .to_owned(),
                "Leave your other team first, or join with another address. To go on with the account \
                 that you have, sign in.",
            ),
            Self::NoDeveloper => (
                "You can't be signed in here",
                "No developer of this service has an e-mail address that the sign-in service \
                 has verified to be yours."
                    .to_owned(),
                "Ask the operator of this service for an account under the address that you \
                 signed in with.",
            ),
        }
    }
}
