//! `POST /api/context/update`.

use ctxmem_types::UpdateRequest;
use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::reply;
use crate::core::IdempotencyKey;

pub(super) async fn update(ctx: HandlerContext) -> Result<Response, HttpError> {
    let (core, call) = (ctx.core().clone(), ctx.request.clone());
    core.check_room_for_update()?;
    let (key, (idempotency_key, request)) = ctx.with_cached_key(read).await?;
    let request_id = call.request_id.as_str();
    let answer = core
        .update(key, request, idempotency_key, request_id)
        .await?;
    Ok(reply::answered(answer))
}

async fn read(ctx: HandlerContext) -> Result<(Option<IdempotencyKey>, UpdateRequest), HttpError> {
    let idempotency_key = ctx.idempotency_key()?;
    Ok((idempotency_key, ctx.json().await?))
}
