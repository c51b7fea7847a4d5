//! The page that says why a sign-in at the provider failed, and what to do.

use askama::Template;
use http::StatusCode;
use warp::reply::Response;

use super::oidc_link::OidcLink;
use crate::core::Purpose;
use crate::http::engine::{HandlerContext, reply};
use crate::http::words::{Phrase, filters};
use crate::oidc::OidcError;

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
    /// The person who was to join a team already has an account.
    HasAccount,
}

#[derive(Template)]
#[template(path = "sign_in_failed.html")]
struct SignInFailurePage<'a> {
    heading: Phrase,
    text: Phrase,
    advice: Phrase,
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
        let [heading, text, advice] = self.words();
        let page = SignInFailurePage {
            heading,
            text,
            advice,
            home: match purpose {
                Some(Purpose::User) | None => "/account",
                Some(Purpose::Developer) => "/dashboard",
            },
            oidc: purpose.and_then(|purpose| OidcLink::new(&ctx.state, purpose)),
        };
        reply::page(&ctx.request, self.status(), &page)
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

    /// The heading, what happened, and what to do.
    fn words(&self) -> [Phrase; 3] {
        let ids = match self {
            Self::NotBegun => [
                "sign-in-not-begun",
                "sign-in-not-begun-text",
                "sign-in-not-begun-advice",
            ],
            Self::Denied => [
                "sign-in-denied",
                "sign-in-denied-text",
                "sign-in-denied-advice",
            ],
            Self::Provider(OidcError::Code | OidcError::Token(_)) => {
                ["sign-in-denied", "sign-in-unverified-text", "sign-in-again"]
            }
            Self::Provider(OidcError::Unreachable | OidcError::TimedOut) => [
                "sign-in-unavailable",
                "sign-in-unavailable-text",
                "sign-in-later",
            ],
            Self::Provider(_) => [
                "sign-in-bad-answer",
                "sign-in-bad-answer-text",
                "sign-in-later",
            ],
            Self::NoUser(claim) => {
                return [
                    Phrase::new("sign-in-no-user"),
                    Phrase::new("sign-in-no-user-text").arg("claim", claim),
                    Phrase::new("sign-in-no-user-advice"),
                ];
            }
            Self::HasAccount => [
                "sign-in-has-account",
                "sign-in-has-account-text",
                "sign-in-has-account-advice",
            ],
            Self::NoDeveloper => [
                "sign-in-no-developer",
                "sign-in-no-developer-text",
                "sign-in-no-developer-advice",
            ],
        };
        ids.map(Phrase::new)
    }
}
