//! `POST /api/grants` and `DELETE /api/grants/{grantId}`.

use ctxmem_types::{Extra, GrantRequest, GrantResponse, RevokeResponse};
use http::{StatusCode, header};
use warp::reply::Response;

use super::call::Call;
use super::error::HttpError;
use super::reply;
use crate::core::Granter;

pub(super) async fn create(call: Call) -> Result<Response, HttpError> {
    // A request that brings an `Authorization` header is judged by it alone; without any
    // credential it is told what agents are told.
    let by_session =
        call.exchange.header(&header::AUTHORIZATION).is_none() && call.session_cookie().is_some();
    let granter = if by_session {
        Granter::User(call.user().await?)
    } else {
        Granter::Key(call.key().await?)
    };
    let core = call.core().clone();
    let request: GrantRequest = call.json().await?;
    let grant = core.create_grant(granter, request).await?;
    let response = GrantResponse {
        grant,
        extra: Extra::new(),
    };
    Ok(reply::json(StatusCode::OK, &response))
}

pub(super) async fn revoke(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let grant_id = call.param.clone().unwrap_or_default();
    call.core().revoke_grant(user_id, grant_id).await?;
    let response = RevokeResponse {
        revoked: true,
        extra: Extra::new(),
    };
    Ok(reply::json(StatusCode::OK, &response))
}
