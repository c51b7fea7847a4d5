//! The page for a user who is not signed in.

use askama::Template;
use http::StatusCode;
use warp::reply::Response;

use crate::core::Purpose;
use crate::http::engine::operator::OperatorConfig;
use crate::http::engine::{HandlerContext, reply};
use crate::http::pages::sign_in::OidcLink;
use crate::http::words::filters;

#[derive(Template)]
#[template(path = "signed_out.html")]
struct SignedOutPage<'a> {
    oidc: Option<OidcLink<'a>>,
    operator: &'a OperatorConfig,
    /// The name of the agent about which a user is asked to decide.
    asking: Option<String>,
}

/// The page, with the name of the agent that asks for access if there is one.
pub(crate) fn page(ctx: &HandlerContext, asking: Option<String>) -> Response {
    let page = SignedOutPage {
        oidc: OidcLink::new(&ctx.state, Purpose::User),
        operator: &ctx.state.operator,
        asking,
    };
    reply::page(&ctx.request, StatusCode::UNAUTHORIZED, &page)
}
