//! `/dashboard/settings`: a developer's own account.

use std::time::Duration;

use askama::Template;
use http::StatusCode;
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use warp::reply::Response;

use super::qr_code::QrCodeView;
use super::shown_once;
use super::sign_in::{self as sign_in_form, CodeForm};
use crate::core::{Developer, Error, SecondFactor};
use crate::http::engine::{HandlerContext, HandlerResult, HttpError, compression, cookie, reply};
use crate::http::pages::Notice;
use crate::http::words::{Phrase, filters};

const PATH: &str = "/dashboard/settings";

#[derive(Template)]
#[template(path = "dashboard/settings.html")]
struct SettingsPage<'a> {
    developer: &'a Developer,
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
    async fn new(ctx: &HandlerContext, developer: &'a Developer) -> Result<Self, HttpError> {
        Ok(Self {
            developer,
            done: None,
            problem: None,
            code_problem: None,
            factor: ctx.core().console.second_factor(developer).await?,
            codes: Vec::new(),
        })
    }

    /// Never compressed, because it may show the second factor's key or recovery codes.
    fn answer(&self, ctx: &HandlerContext, status: StatusCode) -> Response {
        compression::never(reply::page(&ctx.request, status, self))
    }

    fn too_many(&self, ctx: &HandlerContext, wait: Duration) -> Response {
        compression::never(reply::too_many(&ctx.request, wait, self))
    }
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let codes = shown_once::arrived(&ctx);
    let is_shown = codes.is_some();
    let codes = codes.as_ref().map(|codes| codes.expose_secret().split(' '));
    let page = SettingsPage {
        done: Notice::text_of(&ctx),
        codes: codes.into_iter().flatten().map(ToOwned::to_owned).collect(),
        ..SettingsPage::new(&ctx, &developer).await?
    };
    let response = page.answer(&ctx, StatusCode::OK);
    Ok(shown_once::shown(&ctx, response, is_shown))
}

/// The form behind "Set up".
pub(crate) async fn begin_code(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let console = &ctx.core().console;
    console.begin_second_factor(&developer.member).await?;
    Ok(reply::see_other(PATH))
}

#[derive(Deserialize)]
struct FirstCodeForm {
    code: String,
    #[serde(default)]
    password: String,
}

/// The form behind "Turn on".
pub(crate) async fn confirm_code(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let form: FirstCodeForm = ctx.form().await?;
    let email = developer.email.as_str();
    // Whoever holds a stolen session must not guess the password.
    let (origin, throttle) = (ctx.sign_in_origin(email), &ctx.state.developer_throttle);
    if let Err(wait) = throttle.take(email, &origin) {
        let page = code_problem(&ctx, &developer, sign_in_form::too_many_codes(wait)).await?;
        return Ok(page.too_many(&ctx, wait));
    }
    let (code, password) = (&*form.code, form.password.into());
    let console = &ctx.core().console;
    let confirming = console.confirm_second_factor(&developer, code, password, &origin);
    let confirmed = confirming.await;
    if !matches!(confirmed, Ok(None)) {
        // No wrong password.
        throttle.give_back(email, &origin);
    }
    match confirmed {
        Ok(Some(codes)) => shown_once::see_once(&ctx, PATH, &codes),
        Ok(None) => {
            let problem = Phrase::new("settings-factor-wrong-password");
            let page = code_problem(&ctx, &developer, problem).await?;
            Ok(page.answer(&ctx, StatusCode::BAD_REQUEST))
        }
        Err(error) => code_refused(&ctx, &developer, error).await,
    }
}

/// The form behind "Turn off".
pub(crate) async fn end_code(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let form: CodeForm = ctx.form().await?;
    let state = &ctx.state;
    // Whoever holds a stolen session must not guess the code.
    let (email, code) = (developer.email.as_str(), form.code.as_str());
    let sign_in = &ctx.core().sign_in;
    let origin = sign_in.sign_in_origin(email, None, ctx.client());
    if let Err(wait) = sign_in_form::take_code(state, email, &origin, code) {
        let page = code_problem(&ctx, &developer, sign_in_form::too_many_codes(wait)).await?;
        return Ok(page.too_many(&ctx, wait));
    }
    let console = &ctx.core().console;
    let ended = console.end_second_factor(&developer.member, code).await;
    if !matches!(ended, Err(Error::BadRequest(_))) {
        sign_in_form::not_wrong(state, email, code);
    }
    match ended {
        Ok(()) => Ok(Notice::SecondFactorOff.redirect_to(PATH)),
        Err(error) => code_refused(&ctx, &developer, error).await,
    }
}

async fn code_refused(ctx: &HandlerContext, developer: &Developer, error: Error) -> HandlerResult {
    let Error::BadRequest(problem) = error else {
        return Err(error.into());
    };
    let page = code_problem(ctx, developer, field_refused(&problem)).await?;
    Ok(page.answer(ctx, StatusCode::BAD_REQUEST))
}

/// The page that says why a code was not accepted.
async fn code_problem<'a>(
    ctx: &HandlerContext,
    developer: &'a Developer,
    problem: Phrase,
) -> Result<SettingsPage<'a>, HttpError> {
    Ok(SettingsPage {
        code_problem: Some(problem),
        ..SettingsPage::new(ctx, developer).await?
    })
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
pub(crate) async fn change_password(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let form: PasswordForm = ctx.form().await?;
    let email = developer.email.as_str();
    let mut page = SettingsPage::new(&ctx, &developer).await?;
    let refused = |mut page: SettingsPage<'_>, problem: Phrase| {
        page.problem = Some(problem);
        Ok(page.answer(&ctx, StatusCode::BAD_REQUEST))
    };
    if form.new != form.repeated {
        return refused(page, Phrase::new("settings-differ"));
    }
    // Whoever holds a stolen session must not guess the password by this form either.
    let (origin, throttle) = (ctx.sign_in_origin(email), &ctx.state.developer_throttle);
    if let Err(wait) = throttle.take(email, &origin) {
        page.problem = Some(sign_in_form::too_many_codes(wait));
        return Ok(page.too_many(&ctx, wait));
    }
    let (current, new) = (form.current.into(), form.new.into());
    let console = &ctx.core().console;
    match console.change_password(email, current, new, &origin).await {
        Ok(Some(session)) => {
            let response = Notice::PasswordChanged.redirect_to(PATH);
            Ok(ctx.with_cookie(response, &cookie::DEVELOPER, session.expose_secret()))
        }
        Ok(None) => refused(page, Phrase::new("settings-wrong-password")),
        Err(Error::BadRequest(problem)) => refused(page, field_refused(&problem)),
        Err(error) => {
            // It was not judged.
            throttle.give_back(email, &origin);
            Err(error.into())
        }
    }
}
