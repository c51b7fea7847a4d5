//! Signing in to the dashboard by address and password, and signing out.

use std::time::Duration;

use askama::Template;
use http::{HeaderValue, StatusCode, header};
use warp::reply::Response;

use super::form::Form;
use crate::core::Error;
use crate::http::call::Call;
use crate::http::error::HttpError;
use crate::http::{reply, sign_in};

#[derive(Template)]
#[template(path = "dashboard/sign_in.html")]
struct SignInPage<'a> {
    /// As it was typed.
    email: &'a str,
    problem: Option<String>,
}

/// What those get to see who are not signed in.
pub(super) fn page() -> Response {
    answer(StatusCode::UNAUTHORIZED, "", None)
}

fn answer(status: StatusCode, email: &str, problem: Option<String>) -> Response {
    reply::page(status, &SignInPage { email, problem })
}

pub(in crate::http) async fn sign_in(call: Call) -> Result<Response, HttpError> {
    call.same_site()?;
    let api = call.api.clone();
    // Whoever signs in anew leaves the session behind that the browser had.
    let before = call.developer_cookie().map(ToOwned::to_owned);
    let form = Form::of(call).await?;
    let email = form.field("email")?;
    let password = form.field("password")?.into();
    if let Err(wait) = api.developer_attempts.take(email) {
        return Ok(too_many(email, wait));
    }
    let session = api
        .core
        .sign_in_developer(email, password, before.as_deref())
        .await?;
    let Some(session) = session else {
        let problem = "The address or the password is not right.".to_owned();
        return Ok(answer(StatusCode::UNAUTHORIZED, email, Some(problem)));
    };
    let mut response = reply::see_other("/dashboard");
    sign_in::set_cookie(&mut response, &api.site.developer_cookie(&session));
    Ok(response)
}

pub(in crate::http) async fn sign_out(call: Call) -> Result<Response, HttpError> {
    call.same_site()?;
    if let Some(session) = call.developer_cookie() {
        call.core().sign_out_developer(session).await?;
    }
    let mut response = reply::see_other("/dashboard");
    sign_in::set_cookie(&mut response, &call.api.site.no_developer_cookie());
    Ok(response)
}

fn too_many(email: &str, wait: Duration) -> Response {
    // Rounded up: whoever comes back then is not too early.
    let seconds = wait.as_secs() + 1;
    let problem = format!("Too many attempts with this address. Try again in {seconds} seconds.");
    let mut response = answer(StatusCode::TOO_MANY_REQUESTS, email, Some(problem));
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// Whether somebody is refused for not being signed in.
pub(super) fn is_wanted(error: &HttpError) -> bool {
    matches!(error, HttpError::Core(Error::NotSignedIn))
}
