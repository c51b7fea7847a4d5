//! Signing in by one-time link.
//!
//! Opening the link only shows a button: mail scanners and previews open links too, and
//! must not use them up. The button posts the token; that opens the session.

use askama::Template;
use http::StatusCode;
use warp::reply::Response;

use super::signed_in;
use crate::core::Error;
use crate::http::call::Call;
use crate::http::error::HttpError;
use crate::http::reply;

#[derive(Template)]
#[template(path = "sign_in.html")]
struct ConfirmPage<'a> {
    user_id: &'a str,
    token: &'a str,
}

#[derive(Template)]
#[template(path = "sign_in_refused.html")]
struct RefusedPage;

pub(in crate::http) async fn confirm(call: Call) -> Result<Response, HttpError> {
    let query = call.exchange.query();
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

pub(in crate::http) async fn sign_in(call: Call) -> Result<Response, HttpError> {
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
    signed_in(&api, before.as_deref(), &session).await
}
