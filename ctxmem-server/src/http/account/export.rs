//! Downloads of a user's data.

use warp::reply::Response;

use super::{HandlerContext, HttpError, reply};

/// Everything that is stored about the user, in this server's own format.
pub(in crate::http) async fn export(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let export = ctx.core().export(user_id).await?;
    Ok(reply::download("ctxmem-export.json", &export))
}

/// The facts, by scope.
pub(in crate::http) async fn context(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let context = ctx.core().export_context(user_id).await?;
    Ok(reply::download("ctxmem-context.json", &context))
}
