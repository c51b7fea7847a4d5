//! `/`: what this is, and where people, developers and operators go from here.

use askama::Template;
use warp::reply::Response;

use super::sign_in::OidcLink;
use crate::core::Purpose;
use crate::http::engine::error::HttpError;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::reply;
use crate::http::words::filters;

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage<'a> {
    oidc: Option<OidcLink<'a>>,
    contact: Option<&'a str>,
    contact_address: Option<String>,
}

/// The page, which everybody may read.
pub(crate) async fn show(ctx: HandlerContext) -> Result<Response, HttpError> {
    let operator = &ctx.state.operator;
    let page = HomePage {
        oidc: OidcLink::new(&ctx.state, Purpose::User),
        contact: operator.contact.as_deref(),
        contact_address: operator.contact_address(),
    };
    ctx.page(&page)
}

/// `/account/`, as some people type it.
pub(crate) async fn account(_ctx: HandlerContext) -> Result<Response, HttpError> {
    Ok(reply::see_other("/account"))
}

/// `/dashboard/`.
pub(crate) async fn dashboard(_ctx: HandlerContext) -> Result<Response, HttpError> {
    Ok(reply::see_other("/dashboard"))
}
