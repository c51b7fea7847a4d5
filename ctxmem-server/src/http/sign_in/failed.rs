//! The page that says why a sign-in at the provider came to nothing, and what to do.

use askama::Template;
use http::StatusCode;
use warp::reply::Response;

use super::oidc::{OidcLink, home};
use crate::core::Purpose;
use crate::http::call::Call;
use crate::http::reply;
use crate::oidc::OidcError;

/// Why nobody was signed in.
pub(super) enum Failed {
    /// This browser began no such sign-in, or too long ago.
    NotBegun,
    /// The provider says no, or the person did.
    Denied,
    /// The provider is away, or not to be trusted.
    Provider(OidcError),
    /// The ID token does not say which user it is; this claim should.
    NoUser(String),
    /// No developer has an address that the provider vouches for.
    NoDeveloper,
}

#[derive(Template)]
#[template(path = "sign_in_failed.html")]
struct FailedPage<'a> {
    heading: &'static str,
    text: String,
    advice: &'static str,
    home: &'static str,
    oidc: Option<OidcLink<'a>>,
}

impl Failed {
    /// The page, and a line in the log where the operator has to know. Neither repeats
    /// anything that the provider or the browser said.
    pub(super) fn answer(self, call: &Call, purpose: Option<Purpose>) -> Response {
        let request_id = call.exchange.request_id.as_str();
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
            Self::NotBegun | Self::Denied | Self::NoDeveloper => {}
        }
        let (heading, text, advice) = self.words();
        let page = FailedPage {
            heading,
            text,
            advice,
            home: home(purpose.unwrap_or(Purpose::User)),
            oidc: purpose.and_then(|purpose| OidcLink::new(&call.api, purpose)),
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
                             tell the operator of this service, who finds the cause in the log.";
        match self {
            Self::NotBegun => (
                "This sign-in can't be completed",
                "It was not begun in this browser, was completed before, or took longer than \
                 ten minutes."
                    .to_owned(),
                "Go back to the start and sign in again, in one browser. Cookies have to be \
                 allowed.",
            ),
            Self::Denied => (
                "You were not signed in",
                "The sign-in service ended this without signing you in.".to_owned(),
                "If you did not cancel it yourself, ask whoever runs your sign-in service \
                 whether you may use this one.",
            ),
            Self::Provider(OidcError::Code | OidcError::Token(_)) => (
                "You were not signed in",
                "What the sign-in service said of you could not be verified.".to_owned(),
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
                     is missing, or can't be a user id."
                ),
                "The operator of this service can mend that, with this text.",
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
