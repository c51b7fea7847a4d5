//! The data to take along.

use warp::reply::Response;

use super::{Call, HttpError, reply};

/// Everything, in a form of our own.
pub(in crate::http) async fn export(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let export = call.core().export(user_id).await?;
    Ok(reply::download("ctxmem-export.json", &export))
}

/// What is remembered, by scope.
pub(in crate::http) async fn context(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let context = call.core().export_context(user_id).await?;
    Ok(reply::download("ctxmem-context.json", &context))
}
