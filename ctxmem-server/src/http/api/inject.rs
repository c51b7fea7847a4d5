//! `POST /api/context/inject`.

use ctxmem_types::{InjectRequest, InjectResponse};

use super::openapi::{BodyErrors, KeyErrors};
use crate::core::InjectReply;
use crate::http::engine::rate_limit::Bucket;
use crate::http::engine::{HandlerContext, HandlerResult, HttpError, reply};

/// Enriches a base prompt with what is known of the user.
///
/// The first call for a user makes a grant with the scopes of the key, unless the operator or the
/// user wants people to be asked first. Where nothing may be merged the prompt comes back
/// unchanged, and `reason` says why.
#[utoipa::path(
    post, path = "/api/context/inject", operation_id = "inject", tag = "context",
    request_body = InjectRequest,
    responses((status = 200, description = "The system prompt to use.", body = InjectResponse), KeyErrors, BodyErrors),
    security(("agentKey" = [])),
)]
pub(crate) async fn inject(ctx: HandlerContext) -> HandlerResult {
    let answer = run(&ctx, HandlerContext::json).await?;
    Ok(reply::injected(&answer))
}

/// Judges who calls, reads what they sent, and carries it out.
pub(crate) async fn run(
    ctx: &HandlerContext,
    read: impl AsyncFnOnce(&HandlerContext) -> Result<InjectRequest, HttpError>,
) -> Result<InjectReply, HttpError> {
    let (key, request) = ctx.with_cached_key(Bucket::Others, read).await?;
    Ok(ctx.core().memory.inject(&key, request).await?)
}
