//! Page hooks: what the pages add to the answers of the engine. They are handed in with the routes.

use futures_util::future::BoxFuture;
use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::request_context::RequestContext;
use super::state::ServerState;

/// What the pages add to answers.
pub(crate) struct PageHooks {
    /// The page for an error.
    pub(crate) error: fn(&HttpError, &RequestContext) -> Response,
    /// The page that gives a form back, if this error is about a form that people fill in.
    pub(crate) form_again:
        for<'a> fn(&'a HandlerContext, &'a HttpError) -> BoxFuture<'a, Option<Response>>,
    /// Completes an answer to a browser.
    pub(crate) finish:
        for<'a> fn(&'a ServerState, &'a RequestContext, Response) -> BoxFuture<'a, Response>,
}
