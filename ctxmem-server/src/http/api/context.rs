//! `GET` and `DELETE /api/context/{userId}`.

use ctxmem_types::{Context, DeleteResponse, UserId};
use http::StatusCode;

use super::openapi::{IdErrors, KeyErrors};
use crate::http::engine::{HandlerContext, HandlerResult, reply};

/// Reads what is remembered of a user, in the granted scopes.
///
/// The slices of other scopes are empty.
#[utoipa::path(
    get, path = "/api/context/{userId}", operation_id = "readContext", tag = "context",
    params(
        ("userId" = UserId, Path, description = "The user's id, percent-encoded as one segment."),
    ),
    responses((status = 200, description = "The context.", body = Context), KeyErrors, IdErrors),
    security(("agentKey" = [])),
)]
pub(crate) async fn read(ctx: HandlerContext) -> HandlerResult {
    let key = ctx.key().await?;
    let user_id = ctx.user_id()?;
    let context = ctx.core().memory.context(&key, user_id).await?;
    Ok(reply::json(StatusCode::OK, &context))
}

/// Erases everything that is remembered of a user, and revokes all their grants.
///
/// When this is answered the key under which it was stored is destroyed. For an hour the same
/// agent is told so again. An agent that may use no scope at the moment is answered 403.
#[utoipa::path(
    delete, path = "/api/context/{userId}", operation_id = "deleteContext", tag = "context",
    params(
        ("userId" = UserId, Path, description = "The user's id, percent-encoded as one segment."),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 255 visible ASCII characters. The same request with the same key is carried out once in 24 hours.", min_length = 1, max_length = 255, pattern = "^[!-~]+$"),
    ),
    responses((status = 200, description = "Everything is gone.", body = DeleteResponse), KeyErrors, IdErrors),
    security(("agentKey" = [])),
)]
pub(crate) async fn delete(ctx: HandlerContext) -> HandlerResult {
    let key = ctx.key_to_erase().await?;
    let user_id = ctx.user_id()?;
    let idempotency_key = ctx.idempotency_key()?;
    let memory = &ctx.core().memory;
    let answer = memory.delete_context(key, user_id, idempotency_key);
    Ok(reply::answered(answer.await?))
}
