//! `POST /api/context/inject`.

use ctxmem_types::InjectRequest;
use http::StatusCode;
use warp::reply::Response;

use super::call::Call;
use super::error::HttpError;
use super::reply;

pub(super) async fn inject(call: Call) -> Result<Response, HttpError> {
    let key = call.key().await?;
    let core = call.core().clone();
    let request: InjectRequest = call.json().await?;
    let response = core.inject(&key, request).await?;
    Ok(reply::json(StatusCode::OK, &response))
}
