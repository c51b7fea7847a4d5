//! `POST /api/context/update`.

use ctxmem_types::UpdateRequest;
use warp::reply::Response;

use super::call::Call;
use super::error::HttpError;
use super::reply;

pub(super) async fn update(call: Call) -> Result<Response, HttpError> {
    let key = call.key().await?;
    let idempotency_key = call.idempotency_key()?;
    let core = call.core().clone();
    let request: UpdateRequest = call.json().await?;
    let answer = core.update(key, request, idempotency_key).await?;
    Ok(reply::answered(answer))
}
