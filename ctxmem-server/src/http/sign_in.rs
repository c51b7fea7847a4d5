//! Signing in by one-time link, and signing out.
//!
//! Opening the link only shows a button: mail scanners and previews open links too, and
//! must not use them up. The button posts the token; that opens the session.

use askama::Template;
use http::{HeaderValue, StatusCode, header};
use warp::reply::Response;

use super::call::Call;
use super::error::HttpError;
use super::reply;
use crate::core::Error;

#[derive(Template)]
#[template(path = "sign_in.html")]
struct ConfirmPage<'a> {
    user_id: &'a str,
    token: &'a str,
}

#[derive(Template)]
#[template(path = "sign_in_refused.html")]
struct RefusedPage;

pub(super) async fn confirm(call: Call) -> Result<Response, HttpError> {
    let query = call.exchange.query.as_deref().unwrap_or_default();
    let token = form_urlencoded::parse(query.as_bytes())
        .find_map(|(name, value)| (name == "token").then_some(value))
        .unwrap_or_default();
    match call.core().look_at_link(&token).await? {
        Some(user_id) => Ok(reply::page(
            StatusCode::OK,
            &ConfirmPage {
                user_id: user_id.as_str(),
                token: &token,
            },
        )),
        None => Ok(reply::page(StatusCode::GONE, &RefusedPage)),
    }
}

pub(super) async fn sign_in(call: Call) -> Result<Response, HttpError> {
    call.same_site()?;
    let api = call.api.clone();
    // Whoever signs in anew leaves the session behind that the browser had.
    let before = call.session_cookie().map(ToOwned::to_owned);
    let form = call.form().await?;
    let token = form
        .iter()
        .find_map(|(name, value)| (name == "token").then_some(value.as_str()))
        .ok_or_else(|| Error::BadRequest("token: a required field is missing".to_owned()))?;
    let Some(session) = api.core.sign_in(token).await? else {
        return Ok(reply::page(StatusCode::GONE, &RefusedPage));
    };
    if let Some(before) = before {
        api.core.sign_out(&before).await?;
    }
    let mut response = reply::see_other("/account");
    set_cookie(&mut response, &api.site.cookie(&session));
    Ok(response)
}

pub(super) async fn sign_out(call: Call) -> Result<Response, HttpError> {
    call.same_site()?;
    if let Some(session) = call.session_cookie() {
        call.core().sign_out(session).await?;
    }
    let mut response = reply::see_other("/account");
    set_cookie(&mut response, &call.api.site.no_cookie());
    Ok(response)
}

/// Puts a cookie on an answer.
pub(super) fn set_cookie(response: &mut Response, cookie: &str) {
    if let Ok(mut value) = HeaderValue::from_str(cookie) {
        value.set_sensitive(true);
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
}
