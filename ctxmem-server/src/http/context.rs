//! `GET` and `DELETE /api/context/{userId}`.

use http::StatusCode;
use warp::reply::Response;

use super::call::Call;
use super::error::HttpError;
use super::reply;

pub(super) async fn read(call: Call) -> Result<Response, HttpError> {
    let key = call.key().await?;
    let user_id = call.user_id()?;
    let context = call.core().context(&key, user_id).await?;
    Ok(reply::json(StatusCode::OK, &context))
}

pub(super) async fn delete(call: Call) -> Result<Response, HttpError> {
    let key = call.key().await?;
    let user_id = call.user_id()?;
    let idempotency_key = call.idempotency_key()?;
    let core = call.core();
    let answer = core.delete_context(key, user_id, idempotency_key).await?;
    Ok(reply::answered(answer))
}
