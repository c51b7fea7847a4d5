//! Sign-in by a one-time link or at an OpenID Connect provider, and sign-out.

mod come_back;
mod failure;
mod link;
mod oidc;
mod oidc_link;

use http::HeaderValue;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use warp::reply::Response;

use crate::core::Error;
use crate::http::engine::cookie::{self, add_cookie};
use crate::http::engine::error::HttpError;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::reply;
use crate::http::engine::state::ServerState;

pub(crate) use come_back::come_back;
pub(crate) use link::{confirm, sign_in};
pub(crate) use oidc::{callback, start_as_developer, start_as_user, start_to_join};
pub(crate) use oidc_link::OidcLink;

pub(crate) async fn sign_out(ctx: HandlerContext) -> Result<Response, HttpError> {
    ctx.same_site()?;
    let state = ctx.state.clone();
    let session = ctx.session_cookie().map(ToOwned::to_owned);
    match ctx.user().await {
        Ok(_) => {
            let SignOutForm {} = ctx.form().await?;
        }
        // The session is over, and its cookie goes.
        Err(HttpError::Core(Error::NotSignedIn)) => {}
        Err(error) => return Err(error),
    }
    if let Some(session) = session {
        state.core.sign_in.sign_out(&session).await?;
    }
    Ok(signed_out(
        "/account",
        &state.site.remove_cookie(&cookie::SESSION),
    ))
}

/// The form behind "Sign out", which says nothing but for whom it was made.
#[derive(Deserialize)]
pub(crate) struct SignOutForm {}

/// Leads to a page without this session. The browser drops what it kept of our pages, so that going
/// back shows nothing. Cookies are removed one by one: the header would take those of other services
/// on the same domain, too.
pub(crate) fn signed_out(page: &'static str, cookie: &str) -> Response {
    let mut response = reply::see_other(page);
    response.headers_mut().insert(
        "clear-site-data",
        HeaderValue::from_static("\"cache\", \"storage\""),
    );
    add_cookie(&mut response, cookie);
    response
}

/// Hands a new session to a browser and ends the one that it had before. The browser goes to the
/// page that asked for the sign-in, if it was one to come back to.
async fn signed_in(
    state: &ServerState,
    before: Option<&str>,
    back: Option<&str>,
    session: &SecretString,
) -> Result<Response, HttpError> {
    if let Some(before) = before {
        state.core.sign_in.sign_out(before).await?;
    }
    let mut response = reply::see_other(come_back::target(back));
    add_cookie(
        &mut response,
        &state
            .site
            .set_cookie(&cookie::SESSION, session.expose_secret()),
    );
    if back.is_some() {
        add_cookie(&mut response, &state.site.remove_cookie(&cookie::BACK));
    }
    Ok(response)
}

/// Hands a new session of the developer with this address to a browser, which is known from now on.
/// `device` is its device cookie, if it has one.
pub(crate) fn developer_signed_in(
    state: &ServerState,
    email: &str,
    session: &SecretString,
    device: Option<&str>,
) -> Response {
    let mut response = reply::see_other("/dashboard");
    let device = state.core.sign_in.device_cookie(email, device);
    add_cookie(
        &mut response,
        &state
            .site
            .set_cookie(&cookie::DEVICE, device.expose_secret()),
    );
    add_cookie(
        &mut response,
        &state
            .site
            .set_cookie(&cookie::DEVELOPER, session.expose_secret()),
    );
    response
}
