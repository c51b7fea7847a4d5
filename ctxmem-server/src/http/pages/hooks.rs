//! The pages' part in the answers of the engine.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use warp::reply::Response;

use super::{error_page, finish, form_again};
use crate::http::engine::page_hooks::PageHooks;
use crate::http::engine::request_context::RequestContext;
use crate::http::engine::state::ServerState;
use crate::http::engine::{HandlerContext, HttpError};

/// What the pages add to answers.
pub(crate) const HOOKS: &dyn PageHooks = &Hooks;

struct Hooks;

impl PageHooks for Hooks {
    fn error(&self, error: &HttpError, request: &RequestContext) -> Response {
        error_page::answer(error, request)
    }

    fn form_again<'a>(
        &'a self,
        ctx: &'a HandlerContext,
        error: &'a HttpError,
    ) -> BoxFuture<'a, Option<Response>> {
        form_again::page(ctx, error).boxed()
    }

    fn finish<'a>(
        &'a self,
        state: &'a ServerState,
        request: &'a RequestContext,
        response: Response,
    ) -> BoxFuture<'a, Response> {
        finish::finish(state, request, response).boxed()
    }
}
