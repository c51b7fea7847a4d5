//! OAuth 2.1 for clients of the Model Context Protocol, as programs see it: where everything is,
//! registration, tokens. People see the page of `pages::authorize`.

pub(crate) mod metadata;
pub(crate) mod register;
pub(crate) mod token;

use http::StatusCode;
use serde_json::json;
use warp::reply::Response;

use crate::core::OAuthRefusal;
use crate::http::engine::{HandlerContext, HttpError, reply};

/// Refuses a request where the server does not offer OAuth.
pub(crate) fn offered(ctx: &HandlerContext) -> Result<(), HttpError> {
    if ctx.state.offers_oauth() {
        Ok(())
    } else {
        Err(HttpError::NOT_FOUND)
    }
}

/// A refusal in the form of OAuth (RFC 6749 §5.2).
fn refused(refusal: OAuthRefusal) -> Response {
    let refused = json!({"error": refusal.code, "error_description": refusal.description});
    reply::json(StatusCode::BAD_REQUEST, &refused)
}
