//! Signing in: by a one-time link, or at an OpenID Connect provider; and signing out.

mod failed;
mod link;
mod oidc;
mod secret;

use http::{HeaderValue, header};
use secrecy::SecretString;
use warp::reply::Response;

use super::Api;
use super::call::Call;
use super::error::HttpError;
use super::reply;

pub(super) use link::{confirm, sign_in};
pub(super) use oidc::{OidcLink, SignInAt, callback, start_as_developer, start_as_user};
pub(super) use secret::SignInSecret;

pub(super) async fn sign_out(call: Call) -> Result<Response, HttpError> {
    call.same_site()?;
    if let Some(session) = call.session_cookie() {
        call.core().sign_out(session).await?;
    }
    let mut response = reply::see_other("/account");
    add_cookie(&mut response, &call.api.site.no_cookie());
    Ok(response)
}

/// A session was opened in a browser: the one that it had before, if any, is over.
async fn signed_in(
    api: &Api,
    before: Option<&str>,
    session: &SecretString,
) -> Result<Response, HttpError> {
    if let Some(before) = before {
        api.core.sign_out(before).await?;
    }
    let mut response = reply::see_other("/account");
    add_cookie(&mut response, &api.site.cookie(session));
    Ok(response)
}

/// A session of a developer was opened in a browser.
pub(super) fn developer_signed_in(api: &Api, session: &SecretString) -> Response {
    let mut response = reply::see_other("/dashboard");
    add_cookie(&mut response, &api.site.developer_cookie(session));
    response
}

/// Puts a cookie on an answer.
pub(super) fn add_cookie(response: &mut Response, cookie: &str) {
    if let Ok(mut value) = HeaderValue::from_str(cookie) {
        value.set_sensitive(true);
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}
