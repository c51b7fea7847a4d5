//! `GET /api/context/{userId}/facts`, `POST /api/context/{userId}/facts/search` and
//! `DELETE /api/context/{userId}/facts/{factId}`.

use ctxmem_types::{DeleteResponse, FactSearchRequest, FactsResponse, UserId};
use http::StatusCode;
use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::openapi::{BodyErrors, FactErrors, IdErrors, KeyErrors};
use super::reply;
use crate::core::Caller;

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
pub(super) async fn list(ctx: HandlerContext) -> Result<Response, HttpError> {
    let caller = ctx.caller().await?;
    let user_id = ctx.user_id()?;
    let facts = ctx.core().fact_records(&caller, user_id).await?;
    Ok(reply::json(StatusCode::OK, &facts))
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
pub(super) async fn search(ctx: HandlerContext) -> Result<Response, HttpError> {
    let caller = ctx.caller().await?;
    let user_id = ctx.user_id()?;
    let core = ctx.core().clone();
    let request = ctx.json::<FactSearchRequest>().await?;
    let facts = core.search_facts(&caller, user_id, &request).await?;
    Ok(reply::json(StatusCode::OK, &facts))
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
pub(super) async fn delete(ctx: HandlerContext) -> Result<Response, HttpError> {
    let caller = if ctx.is_by_session() {
        Caller::User(ctx.user().await?)
    } else {
        // What is left of the user's facts is encrypted anew.
        Caller::Key(ctx.key_to_erase().await?)
    };
    let user_id = ctx.user_id()?;
    let idempotency_key = ctx.idempotency_key()?;
    let (core, fact_id) = (ctx.core(), ctx.param());
    let answer = core
        .delete_fact(caller, user_id, fact_id, idempotency_key)
        .await?;
    Ok(reply::answered(answer))
}
