//! Errors as pages: what happened, what became of what one did, and where to go from here.

use askama::Template;
use http::StatusCode;

/// The page of an error.
#[derive(Template)]
#[template(path = "error.html")]
pub(super) struct ErrorPage {
    heading: &'static str,
    text: String,
    advice: &'static str,
    /// Where the sign-in or the overview is.
    home: &'static str,
}

impl ErrorPage {
    /// `text` says what is wrong; the path tells which of the dashboards it was.
    pub(super) fn new(status: StatusCode, text: String, path: &str) -> Self {
        let (heading, advice) = match status {
            StatusCode::BAD_REQUEST
            | StatusCode::UNSUPPORTED_MEDIA_TYPE
            | StatusCode::UNPROCESSABLE_ENTITY => (
                "That can't be done as it stands",
                "Nothing was changed. Go back, mend what the text names, and send it again.",
            ),
            StatusCode::CONFLICT => (
                "It has changed since you looked",
                "Nothing was changed. Look at it as it is now, then decide again.",
            ),
            StatusCode::UNAUTHORIZED => (
                "You are not signed in (any more)",
                "Nothing was changed. Sign in again; sessions end after an hour without use, \
                 and after twelve hours in any case.",
            ),
            StatusCode::FORBIDDEN => (
                "That is not allowed",
                "Nothing was changed. If you followed a link from another site, open the page \
                 here and do it from there.",
            ),
            StatusCode::NOT_FOUND | StatusCode::GONE => (
                "There is nothing here",
                "The address may be mistyped, or what stood here is gone. The overview shows \
                 what there is now.",
            ),
            StatusCode::METHOD_NOT_ALLOWED => (
                "This address takes no such request",
                "Start from the overview.",
            ),
            StatusCode::PAYLOAD_TOO_LARGE => (
                "That is more than this server takes",
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
