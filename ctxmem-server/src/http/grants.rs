//! `POST /api/grants` and `DELETE /api/grants/{grantId}`.

use ctxmem_types::{GrantRequest, GrantResponse, RevokeResponse};
use http::{StatusCode, header};
use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::reply;
use crate::core::Granter;

pub(super) async fn create(ctx: HandlerContext) -> Result<Response, HttpError> {
    // If there is an `Authorization` header, it alone counts. Without any credential the
    // answer is the one that agents get.
    let by_session =
        ctx.request.header(&header::AUTHORIZATION).is_none() && ctx.session_cookie().is_some();
    let granter = if by_session {
        Granter::User(ctx.user().await?)
    } else {
        Granter::Key(ctx.key().await?)
    };
    let core = ctx.core().clone();
    let request: GrantRequest = ctx.json().await?;
    let grant = core.create_grant(granter, request).await?;
    Ok(reply::json(StatusCode::OK, &GrantResponse::new(grant)))
}

pub(super) async fn revoke(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let grant_id = ctx.param.clone().unwrap_or_default();
    ctx.core().revoke_grant(user_id, grant_id).await?;
    Ok(reply::json(StatusCode::OK, &RevokeResponse::new(true)))
}
