//! `POST /api/sign-in-links`: the operator's application requests a link for one of its users.

use ctxmem_types::{SignInLinkRequest, SignInLinkResponse, Timestamp};
use http::StatusCode;

use super::openapi::SecretErrors;
use crate::http::engine::{HandlerContext, HandlerResult, reply};

/// Makes a link with which a user can sign in, once.
///
/// For the operator's application, which knows who its users are. Our addition to the interface.
#[utoipa::path(
    post, path = "/api/sign-in-links", operation_id = "createSignInLink", tag = "sign-in",
    request_body = SignInLinkRequest,
    responses((status = 200, description = "The link.", body = SignInLinkResponse), SecretErrors),
    security(("signInSecret" = [])),
)]
pub(crate) async fn mint(ctx: HandlerContext) -> HandlerResult {
    ctx.operator()?;
    let request: SignInLinkRequest = ctx.json().await?;
    let link = ctx.core().sign_in.sign_in_link(request.user_id).await?;
    let url = ctx.state.site.sign_in_link(&link.token);
    let answer = SignInLinkResponse::new(url, Timestamp::from(link.expires_at));
    Ok(reply::json(StatusCode::OK, &answer))
}
