//! `GET` and `DELETE /api/context/{userId}`.

use ctxmem_types::{DeleteResponse, Extra};
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
    call.core().delete_context(key, user_id).await?;
    let response = DeleteResponse {
        deleted: true,
        extra: Extra::new(),
    };
    Ok(reply::json(StatusCode::OK, &response))
}
