//! `GET /api/health`.

use http::StatusCode;
use warp::reply::Response;

use super::call::Call;
use super::error::HttpError;
use super::reply;

pub(super) async fn health(call: Call) -> Result<Response, HttpError> {
    let health = call.core().health().await;
    let status = if health.is_ok() {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    Ok(reply::json(status, &health))
}
