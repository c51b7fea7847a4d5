//! Sign-in to the dashboard by e-mail address and password, and sign-out.

use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use http::StatusCode;
use serde::Deserialize;
use warp::reply::Response;

use crate::core::{DeveloperSignIn, Error, Purpose, SignInOrigin, is_app_code};
use crate::http::engine::cookie::{self, add_cookie};
use crate::http::engine::error::HttpError;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::request_context::RequestContext;
use crate::http::engine::state::ServerState;
use crate::http::engine::{rate_limit, reply};
use crate::http::pages::sign_in::{self, OidcLink};
use crate::http::words::{Phrase, filters};
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
pub(super) fn page(state: &ServerState, reader: &RequestContext) -> Response {
    let page = SignInPage::new(state, "", None);
    reply::page(reader, StatusCode::UNAUTHORIZED, &page)
}

impl<'a> SignInPage<'a> {
    fn new(state: &'a ServerState, email: &'a str, problem: Option<Phrase>) -> Self {
        Self {
            operator: state.operator.name.as_deref(),
            email,
            problem,
            oidc: OidcLink::new(state, Purpose::Developer),
        }
    }
}

#[derive(Deserialize)]
struct SignInForm {
    email: String,
    password: String,
}

/// The form behind "Sign in".
pub(crate) async fn sign_in(ctx: HandlerContext) -> Result<Response, HttpError> {
    ctx.same_site()?;
    let (state, reader) = (ctx.state.clone(), Arc::clone(&ctx.request));
    // A new sign-in ends the session that the browser had before.
    let before = ctx.developer_cookie().map(ToOwned::to_owned);
    let device = ctx.request.cookie(&state.site.cookie_name(&cookie::DEVICE));
    let device = device.map(ToOwned::to_owned);
    let client = ctx.client();
    let form: SignInForm = ctx.strangers_form().await?;
    let (email, password) = (form.email.as_str(), form.password.into());
    let origin = state
        .core
        .sign_in
        .sign_in_origin(email, device.as_deref(), client);
    let page = |problem| SignInPage::new(&state, email, Some(problem));
    if let Err(wait) = state.developer_throttle.take(email, &origin) {
        let problem =
            Phrase::new("developer-too-many").arg("seconds", rate_limit::whole_seconds(wait));
        return Ok(reply::too_many(&reader, wait, &page(problem)));
    }
    let signing_in =
        state
            .core
            .console
            .sign_in_developer(email, password, before.as_deref(), &origin);
    let session = match signing_in.await {
        Err(error @ Error::Overloaded(_)) => {
            // Nobody has to wait because we were busy.
            state.developer_throttle.give_back(email, &origin);
            let problem = Phrase::refusal(&error.to_string());
            return Ok(reply::page(
                &reader,
                StatusCode::SERVICE_UNAVAILABLE,
                &page(problem),
            ));
        }
        session => session?,
    };
    match session {
        DeveloperSignIn::SignedIn(session) => {
            let device = device.as_deref();
            Ok(sign_in::developer_signed_in(
                &state, email, &session, device,
            ))
        }
        DeveloperSignIn::NeedsCode(kept) => {
            let mut response = reply::see_other("/dashboard/sign-in/code");
            add_cookie(
                &mut response,
                &state
                    .site
                    .set_cookie(&cookie::SECOND_STEP, kept.expose_secret()),
            );
            Ok(response)
        }
        DeveloperSignIn::Refused => {
            let page = page(Phrase::new("developer-wrong"));
            Ok(reply::page(&reader, StatusCode::UNAUTHORIZED, &page))
        }
    }
}

#[derive(Template)]
#[template(path = "dashboard/sign_in_code.html")]
struct CodePage {
    problem: Option<Phrase>,
}

/// The page that asks for the code, after the password.
pub(crate) async fn ask_for_code(ctx: HandlerContext) -> Result<Response, HttpError> {
    let kept = ctx
        .request
        .cookie(&ctx.state.site.cookie_name(&cookie::SECOND_STEP));
    if kept
        .and_then(|kept| ctx.core().console.awaits_code(kept))
        .is_none()
    {
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
pub(crate) async fn sign_in_with_code(ctx: HandlerContext) -> Result<Response, HttpError> {
    ctx.same_site()?;
    let (state, reader) = (ctx.state.clone(), Arc::clone(&ctx.request));
    let before = ctx.developer_cookie().map(ToOwned::to_owned);
    let device = ctx.request.cookie(&state.site.cookie_name(&cookie::DEVICE));
    let device = device.map(ToOwned::to_owned);
    let kept = ctx
        .request
        .cookie(&state.site.cookie_name(&cookie::SECOND_STEP));
    let kept = kept.unwrap_or_default().to_owned();
    let client = ctx.client();
    let form: CodeForm = ctx.strangers_form().await?;
    let Some(email) = state.core.console.awaits_code(&kept) else {
        return Ok(reply::see_other("/dashboard"));
    };
    let origin = state
        .core
        .sign_in
        .sign_in_origin(&email, device.as_deref(), client);
    if let Err(wait) = take_code(&state, &email, &origin, &form.code) {
        let problem = Some(too_many_codes(wait));
        return Ok(reply::too_many(&reader, wait, &CodePage { problem }));
    }
    let signing_in = state
        .core
        .console
        .sign_in_with_code(&kept, &form.code, before.as_deref());
    let signed_in = signing_in.await;
    if !matches!(signed_in, Ok(None)) {
        not_wrong(&state, &email, &form.code);
    }
    match signed_in {
        Ok(Some(session)) => {
            let device = device.as_deref();
            let mut response = sign_in::developer_signed_in(&state, &email, &session, device);
            add_cookie(
                &mut response,
                &state.site.remove_cookie(&cookie::SECOND_STEP),
            );
            Ok(response)
        }
        Ok(None) => {
            let problem = Some(Phrase::new("developer-code-wrong"));
            let page = CodePage { problem };
            Ok(reply::page(&reader, StatusCode::UNAUTHORIZED, &page))
        }
        Err(Error::NotSignedIn) => Ok(reply::see_other("/dashboard")),
        Err(error) => Err(error.into()),
    }
}

pub(crate) async fn sign_out(ctx: HandlerContext) -> Result<Response, HttpError> {
    ctx.same_site()?;
    let state = ctx.state.clone();
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
        state.core.console.sign_out_developer(&session).await?;
    }
    let cookie = state.site.remove_cookie(&cookie::DEVELOPER);
    Ok(sign_in::signed_out("/dashboard", &cookie))
}

/// Counts an attempt with a code: by address and origin, and if an app may have shown it, by
/// developer as well. It is so short that whoever knows the password could guess it from many
/// networks. Recovery codes can't be guessed, and are the way in for whoever is held up by that.
pub(super) fn take_code(
    state: &ServerState,
    email: &str,
    origin: &SignInOrigin,
    code: &str,
) -> Result<(), Duration> {
    let throttle = &state.developer_throttle;
    throttle.take(email, origin)?;
    let taken = if is_app_code(code) {
        throttle.take_code(email)
    } else {
        Ok(())
    };
    if taken.is_err() {
        // Recovery codes are tried from here next.
        throttle.give_back(email, origin);
    }
    taken
}

/// Forgets a code that was right, or was not judged.
pub(super) fn not_wrong(state: &ServerState, email: &str, code: &str) {
    if is_app_code(code) {
        state.developer_throttle.give_code_back(email);
    }
}

/// Too many wrong codes or passwords of somebody who is known.
pub(super) fn too_many_codes(wait: Duration) -> Phrase {
    Phrase::new("developer-too-many-codes").arg("seconds", rate_limit::whole_seconds(wait))
}

/// Whether the error is that nobody is signed in.
pub(super) fn is_needed(error: &HttpError) -> bool {
    matches!(error, HttpError::Core(Error::NotSignedIn))
}
