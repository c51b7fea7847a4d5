//! `GET` and `DELETE /api/context/{userId}`.

use http::StatusCode;
use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::reply;

pub(super) async fn read(ctx: HandlerContext) -> Result<Response, HttpError> {
    let key = ctx.key().await?;
    let user_id = ctx.user_id()?;
    let context = ctx.core().context(&key, user_id).await?;
    Ok(reply::json(StatusCode::OK, &context))
}

pub(super) async fn delete(ctx: HandlerContext) -> Result<Response, HttpError> {
    let key = ctx.key_to_erase().await?;
    let user_id = ctx.user_id()?;
    let idempotency_key = ctx.idempotency_key()?;
    let core = ctx.core();
    let answer = core.delete_context(key, user_id, idempotency_key).await?;
    Ok(reply::answered(answer))
}
