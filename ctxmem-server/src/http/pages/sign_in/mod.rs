//! Sign-in by a one-time link or at an OpenID Connect provider, and sign-out.

mod come_back;
mod failure;
pub(crate) mod link;
pub(crate) mod oidc;
mod oidc_link;

use http::HeaderValue;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use warp::reply::Response;

use crate::http::engine::cookie::{self, Cookie};
use crate::http::engine::{HandlerContext, HandlerResult, reply};

pub(crate) use come_back::come_back;
pub(crate) use oidc_link::OidcLink;

pub(crate) async fn sign_out(ctx: HandlerContext) -> HandlerResult {
    ctx.same_site()?;
    // Otherwise the session is over, and its cookie goes.
    if ctx.user_or_nobody().await?.is_some() {
        let SignOutForm {} = ctx.form().await?;
    }
    if let Some(session) = ctx.cookie(&cookie::SESSION) {
        ctx.core().sign_in.sign_out(session).await?;
    }
    Ok(signed_out(&ctx, "/account", &cookie::SESSION))
}

/// The form behind "Sign out", which says nothing but for whom it was made.
#[derive(Deserialize)]
pub(crate) struct SignOutForm {}

/// Leads to a page without this session. The browser drops what it kept of our pages, so that going
/// back shows nothing. Cookies are removed one by one: the header would take those of other services
/// on the same domain, too.
pub(crate) fn signed_out(ctx: &HandlerContext, page: &str, session: &Cookie) -> Response {
    let mut response = reply::see_other(page);
    response.headers_mut().insert(
        "clear-site-data",
        HeaderValue::from_static("\"cache\", \"storage\""),
    );
    ctx.without_cookie(response, session)
}

/// Hands a new session to a browser and ends the one that it had before. The browser goes to the
/// page that asked for the sign-in, if it was one to come back to.
async fn signed_in(ctx: &HandlerContext, session: &SecretString) -> HandlerResult {
    if let Some(before) = ctx.cookie(&cookie::SESSION) {
        ctx.core().sign_in.sign_out(before).await?;
    }
    let back = ctx.cookie(&cookie::BACK);
    let response = reply::see_other(come_back::target(back));
    let response = ctx.with_cookie(response, &cookie::SESSION, session.expose_secret());
    Ok(match back {
        Some(_) => ctx.without_cookie(response, &cookie::BACK),
        None => response,
    })
}

/// Hands a new session of the developer with this address to a browser, which is known from now on.
pub(crate) fn developer_signed_in(
    ctx: &HandlerContext,
    email: &str,
    session: &SecretString,
) -> Response {
    let device = ctx.cookie(&cookie::DEVICE);
    let device = ctx.core().sign_in.device_cookie(email, device);
    let response = reply::see_other("/dashboard");
    let response = ctx.with_cookie(response, &cookie::DEVICE, device.expose_secret());
    ctx.with_cookie(response, &cookie::DEVELOPER, session.expose_secret())
}

/// The secret in a link.
#[derive(Deserialize)]
pub(crate) struct LinkQuery {
    #[serde(default)]
    pub(crate) token: String,
}
