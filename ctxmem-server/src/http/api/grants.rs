//! `POST /api/grants` and `DELETE /api/grants/{grantId}`.

use ctxmem_types::{GrantRequest, GrantResponse, RevokeResponse};
use http::StatusCode;

use super::openapi::{BodyErrors, GrantErrors, KeyErrors, SessionErrors};
use crate::http::engine::{HandlerContext, HandlerResult, reply};

/// Creates a grant, or changes the current one.
///
/// An agent can ask for its first grant, and for a narrower one; a signed-in user can grant
/// anything. What the user grants is a new grant, which replaces the one before. What an agent asks
/// for changes the grant that it has, under the same id: to revoke it ends what the agent has now.
#[utoipa::path(
    post, path = "/api/grants", operation_id = "createGrant", tag = "grants",
    request_body = GrantRequest,
    responses((status = 200, description = "The grant that is now in force.", body = GrantResponse), KeyErrors, BodyErrors, GrantErrors),
    security(("agentKey" = []), ("userSession" = [])),
)]
pub(crate) async fn create(ctx: HandlerContext) -> HandlerResult {
    let granter = ctx.caller().await?;
    let request: GrantRequest = ctx.json().await?;
    let grant = ctx.core().grants.create_grant(granter, request).await?;
    Ok(reply::json(StatusCode::OK, &GrantResponse::new(grant)))
}

/// Revokes a grant.
///
/// Only the user can, signed in: no key does.
#[utoipa::path(
    delete, path = "/api/grants/{grantId}", operation_id = "revokeGrant", tag = "grants",
    params(
        ("grantId" = String, Path, description = "The id of the grant."),
    ),
    responses((status = 200, description = "The grant is revoked.", body = RevokeResponse), SessionErrors),
    security(("userSession" = [])),
)]
pub(crate) async fn revoke(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let grant_id = ctx.param();
    ctx.core().grants.revoke_grant(user_id, grant_id).await?;
    Ok(reply::json(StatusCode::OK, &RevokeResponse::new(true)))
}
