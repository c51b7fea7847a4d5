//! Page hooks: what the pages add to the answers of the engine. They are handed in with the routes.

use futures_util::future::BoxFuture;
use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::request_context::RequestContext;
use super::state::ServerState;

/// What the pages add to answers.
pub(crate) trait PageHooks: Sync {
    /// The page for an error.
    fn error(&self, error: &HttpError, request: &RequestContext) -> Response;

    /// The page that gives a form back, if this error is about a form that people fill in.
    fn form_again<'a>(
        &'a self,
        ctx: &'a HandlerContext,
        error: &'a HttpError,
    ) -> BoxFuture<'a, Option<Response>>;

    /// Completes an answer to a browser.
    fn finish<'a>(
        &'a self,
        state: &'a ServerState,
        request: &'a RequestContext,
        response: Response,
    ) -> BoxFuture<'a, Response>;
}
