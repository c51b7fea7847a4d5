//! The page that browsers get for an error: what happened, whether anything was changed, and
//! where to go from here.

use askama::Template;
use http::StatusCode;

use super::overview_path::overview_path;
use super::words::{Phrase, filters};

/// An error, for people.
#[derive(Template)]
#[template(path = "error.html")]
pub(super) struct ErrorPage {
    heading: Phrase,
    text: Phrase,
    advice: Phrase,
    /// The path of the overview, which shows the sign-in to those who need it.
    home: &'static str,
}

impl ErrorPage {
    /// `text` says what is wrong. The path tells whether it concerns a user or a developer.
    pub(super) fn new(status: StatusCode, text: &str, path: &str) -> Self {
        let (heading, advice) = match status {
            StatusCode::BAD_REQUEST
            | StatusCode::UNSUPPORTED_MEDIA_TYPE
            | StatusCode::UNPROCESSABLE_ENTITY => ("error-bad-request", "error-bad-request-advice"),
            StatusCode::CONFLICT => ("error-conflict", "error-conflict-advice"),
            StatusCode::UNAUTHORIZED => ("error-signed-out", "error-signed-out-advice"),
            StatusCode::FORBIDDEN => ("error-forbidden", "error-forbidden-advice"),
            StatusCode::NOT_FOUND | StatusCode::GONE => {
                ("error-not-found", "error-not-found-advice")
            }
            StatusCode::METHOD_NOT_ALLOWED => ("error-method", "error-method-advice"),
            StatusCode::PAYLOAD_TOO_LARGE => ("error-too-large", "error-too-large-advice"),
            StatusCode::TOO_MANY_REQUESTS => ("error-too-many", "error-too-many-advice"),
            _ => ("error-ours", "error-ours-advice"),
        };
        Self {
            heading: Phrase::new(heading),
            text: Phrase::refusal(text),
            advice: Phrase::new(advice),
            home: overview_path(path),
        }
    }

    /// The same where the form was made for another account.
    pub(super) fn of_somebody_else(self) -> Self {
        Self {
            heading: Phrase::new("again-somebody-else"),
            advice: Phrase::new("error-somebody-else-advice"),
            ..self
        }
    }
}
