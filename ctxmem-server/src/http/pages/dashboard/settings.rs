//! `/dashboard/settings`: a developer's own account.

use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use http::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use warp::reply::Response;

use super::notice::DashboardNotice;
use super::qr_code::QrCodeView;
use super::shown_once::{self, Sender};
use super::sign_in as sign_in_form;
use crate::core::{Core, Developer, Error, SecondFactor};
use crate::http::engine::cookie::{self, add_cookie};
use crate::http::engine::error::HttpError;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::request_context::RequestContext;
use crate::http::engine::{compression, reply};
use crate::http::words::{Phrase, filters};

const PATH: &str = "/dashboard/settings";

#[derive(Template)]
#[template(path = "dashboard/settings.html")]
struct SettingsPage<'a> {
    who: &'a str,
    done: Option<Phrase>,
    /// Why the password was not changed.
    problem: Option<Phrase>,
    /// Why the code was not accepted.
    code_problem: Option<Phrase>,
    factor: SecondFactor,
    /// Recovery codes that were just made.
    codes: Vec<String>,
}

impl<'a> SettingsPage<'a> {
    async fn new(core: &Core, developer: &'a Developer) -> Result<Self, HttpError> {
        Ok(Self {
            who: &developer.email,
            done: None,
            problem: None,
            code_problem: None,
            factor: core.console.second_factor(developer).await?,
            codes: Vec::new(),
        })
    }

    /// The second factor's key, for the camera of a phone.
    #[expect(clippy::unused_self, reason = "a template calls methods only")]
    fn qr_code(&self, url: &SecretString) -> Option<QrCodeView> {
        QrCodeView::of(url.expose_secret())
    }

    /// Never compressed, because it may show the second factor's key or recovery codes.
    fn answer(&self, reader: &RequestContext, status: StatusCode) -> Response {
        compression::never(reply::page(reader, status, self))
    }

    fn too_many(&self, reader: &RequestContext, wait: Duration) -> Response {
        compression::never(reply::too_many(reader, wait, self))
    }
}

pub(crate) async fn show(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let codes = shown_once::arrived(&ctx);
    let is_shown = codes.is_some();
    let codes = codes.as_ref().map(|codes| codes.expose_secret().split(' '));
    let page = SettingsPage {
        done: DashboardNotice::text_of(&ctx),
        codes: codes.into_iter().flatten().map(ToOwned::to_owned).collect(),
        ..SettingsPage::new(ctx.core(), &developer).await?
    };
    let response = page.answer(&ctx.request, StatusCode::OK);
    Ok(if is_shown {
        shown_once::forget(&ctx.state, response)
    } else {
        response
    })
}

/// The form behind "Set up".
pub(crate) async fn begin_code(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    ctx.core()
        .console
        .begin_second_factor(&developer.member)
        .await?;
    Ok(reply::see_other(PATH))
}

#[derive(Deserialize)]
struct FirstCodeForm {
    code: String,
    #[serde(default)]
    password: String,
}

/// The form behind "Turn on".
pub(crate) async fn confirm_code(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let (state, sender) = (ctx.state.clone(), Sender::of(&ctx));
    let (client, reader) = (ctx.client(), Arc::clone(&ctx.request));
    let device = reader.cookie(&state.site.cookie_name(&cookie::DEVICE));
    let device = device.map(ToOwned::to_owned);
    let form: FirstCodeForm = ctx.form().await?;
    let email = developer.email.as_str();
    // Whoever holds a stolen session must not guess the password.
    let origin = state
        .core
        .sign_in
        .sign_in_origin(email, device.as_deref(), client);
    if let Err(wait) = state.developer_throttle.take(email, &origin) {
        return too_many_codes(&state.core, &reader, &developer, wait).await;
    }
    let password = form.password.into();
    let confirmed = state
        .core
        .console
        .confirm_second_factor(&developer, &form.code, password, &origin)
        .await;
    if !matches!(confirmed, Ok(None)) {
        // No wrong password.
        state.developer_throttle.give_back(email, &origin);
    }
    match confirmed {
        Ok(Some(codes)) => sender.see_once(&state, PATH, &codes),
        Ok(None) => {
            let page = SettingsPage {
                code_problem: Some(Phrase::new("settings-factor-wrong-password")),
                ..SettingsPage::new(&state.core, &developer).await?
            };
            Ok(page.answer(&reader, StatusCode::BAD_REQUEST))
        }
        Err(error) => code_refused(&state.core, &reader, &developer, error).await,
    }
}

#[derive(Deserialize)]
struct CodeForm {
    code: String,
}

/// The form behind "Turn off".
pub(crate) async fn end_code(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let (state, client) = (ctx.state.clone(), ctx.client());
    let reader = Arc::clone(&ctx.request);
    let form: CodeForm = ctx.form().await?;
    // Whoever holds a stolen session must not guess the code.
    let (email, code) = (developer.email.as_str(), form.code.as_str());
    let origin = state.core.sign_in.sign_in_origin(email, None, client);
    if let Err(wait) = sign_in_form::take_code(&state, email, &origin, code) {
        return too_many_codes(&state.core, &reader, &developer, wait).await;
    }
    let ended = state
        .core
        .console
        .end_second_factor(&developer.member, code)
        .await;
    if !matches!(ended, Err(Error::BadRequest(_))) {
        sign_in_form::not_wrong(&state, email, code);
    }
    match ended {
        Ok(()) => Ok(DashboardNotice::SecondFactorOff.redirect(PATH)),
        Err(error) => code_refused(&state.core, &reader, &developer, error).await,
    }
}

async fn too_many_codes(
    core: &Core,
    reader: &RequestContext,
    developer: &Developer,
    wait: Duration,
) -> Result<Response, HttpError> {
    let page = SettingsPage {
        code_problem: Some(sign_in_form::too_many_codes(wait)),
        ..SettingsPage::new(core, developer).await?
    };
    Ok(page.too_many(reader, wait))
}

async fn code_refused(
    core: &Core,
    reader: &RequestContext,
    developer: &Developer,
    error: Error,
) -> Result<Response, HttpError> {
    let Error::BadRequest(problem) = error else {
        return Err(error.into());
    };
    let page = SettingsPage {
        code_problem: Some(field_refused(&problem)),
        ..SettingsPage::new(core, developer).await?
    };
    Ok(page.answer(reader, StatusCode::BAD_REQUEST))
}

/// A refusal without the name of its field, which stands beside it.
fn field_refused(problem: &str) -> Phrase {
    Phrase::refusal(problem.split_once(": ").map_or(problem, |(_, rest)| rest))
}

#[derive(Deserialize)]
struct PasswordForm {
    current: String,
    new: String,
    repeated: String,
}

/// The form behind "Change the password".
pub(crate) async fn change_password(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let (state, client) = (ctx.state.clone(), ctx.client());
    let reader = Arc::clone(&ctx.request);
    let device = reader.cookie(&state.site.cookie_name(&cookie::DEVICE));
    let device = device.map(ToOwned::to_owned);
    let form: PasswordForm = ctx.form().await?;
    let email = developer.email.as_str();
    let mut page = SettingsPage::new(&state.core, &developer).await?;
    let refused = |mut page: SettingsPage<'_>, problem: Phrase| {
        page.problem = Some(problem);
        Ok(page.answer(&reader, StatusCode::BAD_REQUEST))
    };
    if form.new != form.repeated {
        return refused(page, Phrase::new("settings-differ"));
    }
    // Whoever holds a stolen session must not guess the password by this form either.
    let origin = state
        .core
        .sign_in
        .sign_in_origin(email, device.as_deref(), client);
    if let Err(wait) = state.developer_throttle.take(email, &origin) {
        page.problem = Some(sign_in_form::too_many_codes(wait));
        return Ok(page.too_many(&reader, wait));
    }
    let changing =
        state
            .core
            .console
            .change_password(email, form.current.into(), form.new.into(), &origin);
    match changing.await {
        Ok(Some(session)) => {
            let mut response = DashboardNotice::PasswordChanged.redirect(PATH);
            add_cookie(
                &mut response,
                &state
                    .site
                    .set_cookie(&cookie::DEVELOPER, session.expose_secret()),
            );
            Ok(response)
        }
        Ok(None) => refused(page, Phrase::new("settings-wrong-password")),
        Err(Error::BadRequest(problem)) => refused(page, field_refused(&problem)),
        Err(error) => {
            // It was not judged.
            state.developer_throttle.give_back(email, &origin);
            Err(error.into())
        }
    }
}
