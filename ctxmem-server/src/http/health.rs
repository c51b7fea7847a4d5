//! `GET /api/health`.

use http::StatusCode;
use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::reply;

pub(super) async fn health(ctx: HandlerContext) -> Result<Response, HttpError> {
    let health = ctx.core().health().await;
    let status = if health.is_ok() {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    Ok(reply::json(status, &health))
}
