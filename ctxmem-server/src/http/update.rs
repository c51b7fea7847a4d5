//! `POST /api/context/update`.

use ctxmem_types::UpdateRequest;
use http::StatusCode;
use warp::reply::Response;

use super::call::Call;
use super::error::HttpError;
use super::reply;

pub(super) async fn update(call: Call) -> Result<Response, HttpError> {
    let key = call.key().await?;
    let core = call.core().clone();
    let request: UpdateRequest = call.json().await?;
    let response = core.update(key, request).await?;
    Ok(reply::json(StatusCode::OK, &response))
}
