//! Sign-in to the dashboard by e-mail address and password, and sign-out.

use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use http::{HeaderValue, StatusCode, header};
use serde::Deserialize;
use warp::reply::Response;

use crate::core::{DeveloperSignIn, Error, Purpose};
use crate::http::cookie;
use crate::http::error::HttpError;
use crate::http::handler_context::HandlerContext;
use crate::http::request_context::RequestContext;
use crate::http::sign_in::{self, OidcLink};
use crate::http::words::{Phrase, filters};
use crate::http::{Api, reply};
use secrecy::ExposeSecret as _;

#[derive(Template)]
#[template(path = "dashboard/sign_in.html")]
struct SignInPage<'a> {
    operator: Option<&'a str>,
    /// As it was typed.
    email: &'a str,
    problem: Option<Phrase>,
    oidc: Option<OidcLink<'a>>,
}

/// The page for visitors who are not signed in.
pub(super) fn page(api: &Api, reader: &RequestContext) -> Response {
    answer(api, reader, StatusCode::UNAUTHORIZED, "", None)
}

fn answer(
    api: &Api,
    reader: &RequestContext,
    status: StatusCode,
    email: &str,
    problem: Option<Phrase>,
) -> Response {
    let oidc = OidcLink::new(api, Purpose::Developer);
    let page = SignInPage {
        operator: api.operator.name.as_deref(),
        email,
        problem,
        oidc,
    };
    reply::page(reader, status, &page)
}

#[derive(Deserialize)]
struct SignInForm {
    email: String,
    password: String,
}

/// The form behind "Sign in".
pub(in crate::http) async fn sign_in(ctx: HandlerContext) -> Result<Response, HttpError> {
    ctx.same_site()?;
    let (api, reader) = (ctx.api.clone(), Arc::clone(&ctx.request));
    // A new sign-in ends the session that the browser had before.
    let before = ctx.developer_cookie().map(ToOwned::to_owned);
    let device = ctx.request.cookie(&api.site.cookie_name(&cookie::DEVICE));
    let device = device.map(ToOwned::to_owned);
    let client = ctx.client();
    let form: SignInForm = ctx.strangers_form().await?;
    let (email, password) = (form.email.as_str(), form.password.into());
    let origin = api.core.sign_in_origin(email, device.as_deref(), client);
    if let Err(wait) = api.developer_throttle.take(email, &origin) {
        return Ok(too_many(&api, &reader, email, wait));
    }
    let signing_in = api
        .core
        .sign_in_developer(email, password, before.as_deref(), &origin);
    let session = match signing_in.await {
        Err(error @ Error::Overloaded(_)) => return Ok(busy(&api, &reader, email, &error)),
        session => session?,
    };
    match session {
        DeveloperSignIn::SignedIn(session) => {
            Ok(sign_in::developer_signed_in(&api, email, &session))
        }
        DeveloperSignIn::NeedsCode(kept) => {
            let mut response = reply::see_other("/dashboard/sign-in/code");
            sign_in::add_cookie(
                &mut response,
                &api.site
                    .set_cookie(&cookie::SECOND_STEP, kept.expose_secret()),
            );
            Ok(response)
        }
        DeveloperSignIn::Refused => {
            let problem = Some(Phrase::new("developer-wrong"));
            let status = StatusCode::UNAUTHORIZED;
            Ok(answer(&api, &reader, status, email, problem))
        }
    }
}

#[derive(Template)]
#[template(path = "dashboard/sign_in_code.html")]
struct CodePage {
    problem: Option<Phrase>,
}

/// The page that asks for the code, after the password.
pub(in crate::http) async fn ask_for_code(ctx: HandlerContext) -> Result<Response, HttpError> {
    let kept = ctx
        .request
        .cookie(&ctx.api.site.cookie_name(&cookie::SECOND_STEP));
    if kept.and_then(|kept| ctx.core().awaits_code(kept)).is_none() {
        return Ok(reply::see_other("/dashboard"));
    }
    let page = CodePage { problem: None };
    Ok(reply::page(&ctx.request, StatusCode::OK, &page))
}

#[derive(Deserialize)]
struct CodeForm {
    code: String,
}

/// The form behind the code's "Sign in".
pub(in crate::http) async fn sign_in_with_code(ctx: HandlerContext) -> Result<Response, HttpError> {
    ctx.same_site()?;
    let (api, reader) = (ctx.api.clone(), Arc::clone(&ctx.request));
    let before = ctx.developer_cookie().map(ToOwned::to_owned);
    let device = ctx.request.cookie(&api.site.cookie_name(&cookie::DEVICE));
    let device = device.map(ToOwned::to_owned);
    let kept = ctx
        .request
        .cookie(&api.site.cookie_name(&cookie::SECOND_STEP));
    let kept = kept.unwrap_or_default().to_owned();
    let client = ctx.client();
    let form: CodeForm = ctx.strangers_form().await?;
    let Some(email) = api.core.awaits_code(&kept) else {
        return Ok(reply::see_other("/dashboard"));
    };
    let refused = |status, problem| {
        let problem = Some(problem);
        reply::page(&reader, status, &CodePage { problem })
    };
    let origin = api.core.sign_in_origin(&email, device.as_deref(), client);
    if let Err(wait) = api.developer_throttle.take(&email, &origin) {
        let problem = too_many_codes(wait);
        return Ok(refused(StatusCode::TOO_MANY_REQUESTS, problem));
    }
    let signing_in = api
        .core
        .sign_in_with_code(&kept, &form.code, before.as_deref());
    match signing_in.await {
        Ok(Some(session)) => {
            let mut response = sign_in::developer_signed_in(&api, &email, &session);
            sign_in::add_cookie(&mut response, &api.site.remove_cookie(&cookie::SECOND_STEP));
            Ok(response)
        }
        Ok(None) => Ok(refused(
            StatusCode::UNAUTHORIZED,
            Phrase::new("developer-code-wrong"),
        )),
        Err(Error::NotSignedIn) => Ok(reply::see_other("/dashboard")),
        Err(error) => Err(error.into()),
    }
}

pub(in crate::http) async fn sign_out(ctx: HandlerContext) -> Result<Response, HttpError> {
    ctx.same_site()?;
    let api = ctx.api.clone();
    let session = ctx.developer_cookie().map(ToOwned::to_owned);
    match ctx.developer().await {
        Ok(_) => {
            let sign_in::SignOutForm {} = ctx.form().await?;
        }
        // The session is over, and its cookie goes.
        Err(error) if is_needed(&error) => {}
        Err(error) => return Err(error),
    }
    if let Some(session) = session {
        api.core.sign_out_developer(&session).await?;
    }
    let cookie = api.site.remove_cookie(&cookie::DEVELOPER);
    Ok(sign_in::signed_out("/dashboard", &cookie))
}

/// Too many wrong codes or passwords of somebody who is known.
pub(super) fn too_many_codes(wait: Duration) -> Phrase {
    Phrase::new("developer-too-many-codes").arg("seconds", seconds(wait))
}

/// Rounded up, so that the next attempt is not too early.
fn seconds(wait: Duration) -> u64 {
    wait.as_secs() + 1
}

fn too_many(api: &Api, reader: &RequestContext, email: &str, wait: Duration) -> Response {
    let seconds = seconds(wait);
    let problem = Phrase::new("developer-too-many").arg("seconds", seconds);
    let response = answer(
        api,
        reader,
        StatusCode::TOO_MANY_REQUESTS,
        email,
        Some(problem),
    );
    later(response, seconds)
}

fn busy(api: &Api, reader: &RequestContext, email: &str, error: &Error) -> Response {
    let problem = Some(Phrase::refusal(&error.to_string()));
    let response = answer(api, reader, StatusCode::SERVICE_UNAVAILABLE, email, problem);
    later(response, 1)
}

/// The page for those who should try again.
pub(super) fn later(mut response: Response, seconds: u64) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// Whether the error is that nobody is signed in.
pub(super) fn is_needed(error: &HttpError) -> bool {
    matches!(error, HttpError::Core(Error::NotSignedIn))
}
