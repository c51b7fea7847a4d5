//! The page that browsers get for an error: what happened, whether anything was changed, and
//! where to go from here.

use askama::Template;
use http::StatusCode;

/// An error, for people.
#[derive(Template)]
#[template(path = "error.html")]
pub(super) struct ErrorPage {
    heading: &'static str,
    text: String,
    advice: &'static str,
    /// The path of the overview, which shows the sign-in to those who need it.
    home: &'static str,
}

impl ErrorPage {
    /// `text` says what is wrong. The path tells whether it concerns a user or a developer.
    pub(super) fn new(status: StatusCode, text: String, path: &str) -> Self {
        let (heading, advice) = match status {
            StatusCode::BAD_REQUEST
            | StatusCode::UNSUPPORTED_MEDIA_TYPE
            | StatusCode::UNPROCESSABLE_ENTITY => (
                "That request can't be carried out",
                "Nothing was changed. Go back, correct what the text names, and send it again.",
            ),
            StatusCode::CONFLICT => (
                "It has changed since you looked",
                "Nothing was changed. Look at it as it is now, then decide.",
            ),
            StatusCode::UNAUTHORIZED => (
                "You are not signed in",
                "Nothing was changed. Sign in again. Sessions end after an hour without use, \
                 and after twelve hours at the latest.",
            ),
            StatusCode::FORBIDDEN => (
                "That is not allowed",
                "Nothing was changed. If you followed a link from another site, open the page \
                 here and do it from there.",
            ),
            StatusCode::NOT_FOUND | StatusCode::GONE => (
                "There is nothing here",
                "The address may be mistyped, or what was here is gone. The overview shows \
                 what there is now.",
            ),
            StatusCode::METHOD_NOT_ALLOWED => {
                ("This page can’t do that", "Start from the overview.")
            }
            StatusCode::PAYLOAD_TOO_LARGE => (
                "That is more than this server accepts",
                "Nothing was changed. Send less at once.",
            ),
            StatusCode::TOO_MANY_REQUESTS => (
                "Too many attempts",
                "Nothing was changed. Wait a minute, then try again.",
            ),
            _ => (
                "Something went wrong on our side",
                "It may not have taken effect. Look at the overview, and try again in a moment.",
            ),
        };
        Self {
            heading,
            text,
            advice,
            home: if path.starts_with("/dashboard") {
                "/dashboard"
            } else {
                "/account"
            },
        }
    }
}
