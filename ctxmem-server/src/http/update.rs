//! `POST /api/context/update`.

use ctxmem_types::UpdateRequest;
use warp::reply::Response;

use super::call::Call;
use super::error::HttpError;
use super::reply;
use crate::core::IdempotencyKey;

pub(super) async fn update(call: Call) -> Result<Response, HttpError> {
    let core = call.core().clone();
    let (key, (idempotency_key, request)) = call.presumed(read).await?;
    let answer = core.update(key, request, idempotency_key).await?;
    Ok(reply::answered(answer))
}

async fn read(call: Call) -> Result<(Option<IdempotencyKey>, UpdateRequest), HttpError> {
    let idempotency_key = call.idempotency_key()?;
    Ok((idempotency_key, call.json().await?))
}
