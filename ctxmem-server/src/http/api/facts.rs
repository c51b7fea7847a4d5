//! `GET /api/context/{userId}/facts`, `POST /api/context/{userId}/facts/search` and
//! `DELETE /api/context/{userId}/facts/{factId}`.

use ctxmem_types::{DeleteResponse, FactSearchRequest, FactsResponse, UserId};
use http::StatusCode;

use super::openapi::{BodyErrors, FactErrors, IdErrors, KeyErrors};
use crate::core::{Caller, IdempotencyKey, Reply};
use crate::http::engine::{HandlerContext, HandlerResult, HttpError, reply};

/// Lists facts one by one, in the granted scopes.
///
/// Each has an id by which it can be deleted. A signed-in user lists all of their own. Our
/// addition to the interface.
#[utoipa::path(
    get, path = "/api/context/{userId}/facts", operation_id = "listFacts", tag = "facts",
    params(
        ("userId" = UserId, Path, description = "The user's id, percent-encoded as one segment."),
    ),
    responses((status = 200, description = "The facts.", body = FactsResponse), KeyErrors, IdErrors),
    security(("agentKey" = []), ("userSession" = [])),
)]
pub(crate) async fn list(ctx: HandlerContext) -> HandlerResult {
    let facts = run_list(&ctx, HandlerContext::user_id).await?;
    Ok(reply::json(StatusCode::OK, &facts))
}

/// Judges who calls, reads what they sent, and carries it out.
pub(crate) async fn run_list(
    ctx: &HandlerContext,
    read: impl FnOnce(&HandlerContext) -> Result<UserId, HttpError>,
) -> Result<FactsResponse, HttpError> {
    let caller = ctx.caller().await?;
    let user_id = read(ctx)?;
    Ok(ctx.core().memory.fact_records(&caller, user_id).await?)
}

/// Finds the facts that bear on a query, in the granted scopes.
///
/// They come in the order in which they bear on it, compared by their words. A signed-in user
/// searches all of their own. The query is neither stored nor logged. Our addition to the interface.
#[utoipa::path(
    post, path = "/api/context/{userId}/facts/search", operation_id = "searchFacts", tag = "facts",
    params(
        ("userId" = UserId, Path, description = "The user's id, percent-encoded as one segment."),
    ),
    request_body = FactSearchRequest,
    responses((status = 200, description = "The facts that bear on it.", body = FactsResponse), KeyErrors, IdErrors, BodyErrors),
    security(("agentKey" = []), ("userSession" = [])),
)]
pub(crate) async fn search(ctx: HandlerContext) -> HandlerResult {
    let facts = run_search(&ctx, async |ctx| Ok((ctx.user_id()?, ctx.json().await?)));
    Ok(reply::json(StatusCode::OK, &facts.await?))
}

/// The same as [`run_list`] for a search.
pub(crate) async fn run_search(
    ctx: &HandlerContext,
    read: impl AsyncFnOnce(&HandlerContext) -> Result<(UserId, FactSearchRequest), HttpError>,
) -> Result<FactsResponse, HttpError> {
    let caller = ctx.caller().await?;
    let (user_id, request) = read(ctx).await?;
    let memory = &ctx.core().memory;
    Ok(memory.search_facts(&caller, user_id, &request).await?)
}

/// Deletes one fact for good.
///
/// An agent can delete what it saved itself, a signed-in user everything of their own. Our
/// addition to the interface.
#[utoipa::path(
    delete, path = "/api/context/{userId}/facts/{factId}", operation_id = "deleteFact", tag = "facts",
    params(
        ("userId" = UserId, Path, description = "The user's id, percent-encoded as one segment."),
        ("factId" = String, Path, description = "The id of the fact, as it was listed."),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 255 visible ASCII characters. The same request with the same key is carried out once in 24 hours.", min_length = 1, max_length = 255, pattern = "^[!-~]+$"),
    ),
    responses((status = 200, description = "The fact is gone.", body = DeleteResponse), KeyErrors, IdErrors, FactErrors),
    security(("agentKey" = []), ("userSession" = [])),
)]
pub(crate) async fn delete(ctx: HandlerContext) -> HandlerResult {
    let answer = run_delete(&ctx, |ctx| {
        Ok((ctx.user_id()?, ctx.param(), ctx.idempotency_key()?))
    });
    Ok(reply::answered(answer.await?))
}

/// The same as [`run_list`] for a deletion.
pub(crate) async fn run_delete(
    ctx: &HandlerContext,
    read: impl FnOnce(&HandlerContext) -> Result<(UserId, String, Option<IdempotencyKey>), HttpError>,
) -> Result<Reply<DeleteResponse>, HttpError> {
    let caller = if ctx.is_by_session() {
        Caller::User(ctx.user().await?)
    } else {
        // What is left of the user's facts is encrypted anew.
        Caller::Key(ctx.key_to_erase().await?)
    };
    let (user_id, fact_id, idempotency_key) = read(ctx)?;
    let core = ctx.core();
    let answer = core
        .memory
        .delete_fact(caller, user_id, fact_id, idempotency_key);
    Ok(answer.await?)
}
