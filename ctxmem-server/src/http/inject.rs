//! `POST /api/context/inject`.

use ctxmem_types::InjectRequest;
use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::reply;

pub(super) async fn inject(ctx: HandlerContext) -> Result<Response, HttpError> {
    let core = ctx.core().clone();
    let (key, request) = ctx
        .with_cached_key(HandlerContext::json::<InjectRequest>)
        .await?;
    Ok(reply::injected(&core.inject(&key, request).await?))
}
