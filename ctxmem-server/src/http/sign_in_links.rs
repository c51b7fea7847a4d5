//! `POST /api/sign-in-links`: the operator's application requests a link for one of its users.

use ctxmem_types::{SignInLinkRequest, SignInLinkResponse, Timestamp};
use http::StatusCode;
use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::reply;

pub(super) async fn mint(ctx: HandlerContext) -> Result<Response, HttpError> {
    ctx.operator()?;
    let api = ctx.api.clone();
    let request: SignInLinkRequest = ctx.json().await?;
    let link = api.core.sign_in_link(request.user_id).await?;
    let url = api.site.sign_in_link(&link.token);
    let answer = SignInLinkResponse::new(url, Timestamp::from(link.expires_at));
    Ok(reply::json(StatusCode::OK, &answer))
}
