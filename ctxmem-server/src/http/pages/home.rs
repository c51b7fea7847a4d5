//! `/`: what this is, and where people, developers and operators go from here.

use askama::Template;

use super::sign_in::OidcLink;
use crate::core::Purpose;
use crate::http::engine::operator::OperatorConfig;
use crate::http::engine::{HandlerContext, HandlerResult, reply};
use crate::http::words::filters;

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage<'a> {
    oidc: Option<OidcLink<'a>>,
    operator: &'a OperatorConfig,
}

/// The page, which everybody may read.
pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let page = HomePage {
        oidc: OidcLink::new(&ctx.state, Purpose::User),
        operator: &ctx.state.operator,
    };
    ctx.page(&page)
}

/// `/account/`, as some people type it.
pub(crate) async fn account(_ctx: HandlerContext) -> HandlerResult {
    Ok(reply::see_other("/account"))
}

/// `/dashboard/`.
pub(crate) async fn dashboard(_ctx: HandlerContext) -> HandlerResult {
    Ok(reply::see_other("/dashboard"))
}
