//! `POST /api/context/update`.

use ctxmem_types::{UpdateRequest, UpdateResponse};

use super::openapi::{BodyErrors, KeyErrors, UpdateErrors};
use crate::core::{IdempotencyKey, Reply};
use crate::http::engine::rate_limit::Bucket;
use crate::http::engine::{HandlerContext, HandlerResult, HttpError, reply};

/// Learns from one interaction.
///
/// Facts are extracted from what the user said, and stored in the scopes that they granted;
/// `outcome` says why nothing was. Over the monthly quota the answer is 200 with `updated: false`
/// and `limitReached: true`.
#[utoipa::path(
    post, path = "/api/context/update", operation_id = "update", tag = "context",
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 255 visible ASCII characters. The same request with the same key is carried out once in 24 hours.", min_length = 1, max_length = 255, pattern = "^[!-~]+$"),
    ),
    request_body = UpdateRequest,
    responses((status = 200, description = "What was stored.", body = UpdateResponse), KeyErrors, BodyErrors, UpdateErrors),
    security(("agentKey" = [])),
)]
pub(crate) async fn update(ctx: HandlerContext) -> HandlerResult {
    Ok(reply::answered(run(&ctx, read).await?))
}

/// Judges who calls, reads what they sent, and carries it out.
pub(crate) async fn run(
    ctx: &HandlerContext,
    read: impl AsyncFnOnce(&HandlerContext) -> Result<Sent, HttpError>,
) -> Result<Reply<UpdateResponse>, HttpError> {
    let memory = &ctx.core().memory;
    memory.check_update_limit().await?;
    let (key, (idempotency_key, request)) = ctx.with_cached_key(Bucket::Updates, read).await?;
    // Of what was sent little is kept, and the update may take as long as a model does.
    drop(ctx.request.take_permit());
    let request_id = ctx.request.request_id.as_str();
    let answer = memory.update(key, request, idempotency_key, request_id);
    let answer = answer.await?;
    ctx.state.metrics.record_update(&answer);
    Ok(answer)
}

/// What a caller sends.
type Sent = (Option<IdempotencyKey>, UpdateRequest);

async fn read(ctx: &HandlerContext) -> Result<Sent, HttpError> {
    Ok((ctx.idempotency_key()?, ctx.json().await?))
}
