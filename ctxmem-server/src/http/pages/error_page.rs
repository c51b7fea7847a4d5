//! The page that browsers get for an error: what happened, whether anything was changed, and
//! where to go from here.

use askama::Template;
use http::StatusCode;
use warp::reply::Response;

use crate::http::engine::request_context::RequestContext;
use crate::http::engine::{HttpError, reply};
use crate::http::words::filters::overview_path;
use crate::http::words::{Phrase, filters};

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    heading: Phrase,
    text: Phrase,
    advice: Phrase,
    /// The path of the overview, which shows the sign-in to those who need it.
    home: &'static str,
}

/// The page for an error. The path tells whether it concerns a user or a developer.
pub(crate) fn answer(error: &HttpError, request: &RequestContext) -> Response {
    let (status, _) = error.kind();
    let (heading, advice) = match status {
        _ if matches!(error, HttpError::MadeForAnother) => {
            ("again-somebody-else", "error-somebody-else-advice")
        }
        StatusCode::BAD_REQUEST
        | StatusCode::UNSUPPORTED_MEDIA_TYPE
        | StatusCode::UNPROCESSABLE_ENTITY => ("error-bad-request", "error-bad-request-advice"),
        StatusCode::CONFLICT => ("error-conflict", "error-conflict-advice"),
        StatusCode::UNAUTHORIZED => ("error-signed-out", "error-signed-out-advice"),
        StatusCode::FORBIDDEN => ("error-forbidden", "error-forbidden-advice"),
        StatusCode::NOT_FOUND | StatusCode::GONE => ("error-not-found", "error-not-found-advice"),
        StatusCode::METHOD_NOT_ALLOWED => ("error-method", "error-method-advice"),
        StatusCode::PAYLOAD_TOO_LARGE => ("error-too-large", "error-too-large-advice"),
        StatusCode::TOO_MANY_REQUESTS => ("error-too-many", "error-too-many-advice"),
        _ => ("error-ours", "error-ours-advice"),
    };
    let page = ErrorPage {
        heading: Phrase::new(heading),
        text: Phrase::refusal(&error.text()),
        advice: Phrase::new(advice),
        home: overview_path(request.path()),
    };
    reply::page(request, status, &page)
}
