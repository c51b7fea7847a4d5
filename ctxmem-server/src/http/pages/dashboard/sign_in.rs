//! Sign-in to the dashboard by e-mail address and password, and sign-out.

use std::time::Duration;

use askama::Template;
use http::StatusCode;
use secrecy::ExposeSecret as _;
use serde::Deserialize;

use crate::core::{DeveloperSignIn, Error, Purpose, SignInOrigin, is_app_code};
use crate::http::engine::operator::OperatorConfig;
use crate::http::engine::state::ServerState;
use crate::http::engine::{HandlerContext, HandlerResult, cookie, rate_limit, reply};
use crate::http::pages::sign_in::{self, OidcLink};
use crate::http::words::{Phrase, filters};

#[derive(Template)]
#[template(path = "dashboard/sign_in.html")]
struct SignInPage<'a> {
    operator: &'a OperatorConfig,
    /// As it was typed.
    email: &'a str,
    problem: Option<Phrase>,
    oidc: Option<OidcLink<'a>>,
}

/// The page for visitors who are not signed in.
pub(super) fn page(ctx: &HandlerContext) -> HandlerResult {
    let page = SignInPage::new(&ctx.state, "", None);
    ctx.page_of(StatusCode::UNAUTHORIZED, &page)
}

impl<'a> SignInPage<'a> {
    fn new(state: &'a ServerState, email: &'a str, problem: Option<Phrase>) -> Self {
        Self {
            operator: &state.operator,
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
pub(crate) async fn sign_in(ctx: HandlerContext) -> HandlerResult {
    ctx.same_site()?;
    let form: SignInForm = ctx.strangers_form().await?;
    let (email, password) = (form.email.as_str(), form.password.into());
    let (origin, throttle) = (ctx.sign_in_origin(email), &ctx.state.developer_throttle);
    let page = |problem| SignInPage::new(&ctx.state, email, Some(problem));
    if let Err(wait) = throttle.take(email, &origin) {
        let problem =
            Phrase::new("developer-too-many").arg("seconds", rate_limit::whole_seconds(wait));
        return Ok(reply::too_many(&ctx.request, wait, &page(problem)));
    }
    // A new sign-in ends the session that the browser had before.
    let before = ctx.cookie(&cookie::DEVELOPER);
    let console = &ctx.core().console;
    let signing_in = console.sign_in_developer(email, password, before, &origin);
    let session = match signing_in.await {
        Err(error @ Error::Overloaded(_)) => {
            // Nobody has to wait because we were busy.
            throttle.give_back(email, &origin);
            let page = page(Phrase::refusal(&error.to_string()));
            return ctx.page_of(StatusCode::SERVICE_UNAVAILABLE, &page);
        }
        session => session?,
    };
    match session {
        DeveloperSignIn::SignedIn(session) => {
            Ok(sign_in::developer_signed_in(&ctx, email, &session))
        }
        DeveloperSignIn::NeedsCode(kept) => {
            let response = reply::see_other("/dashboard/sign-in/code");
            Ok(ctx.with_cookie(response, &cookie::SECOND_STEP, kept.expose_secret()))
        }
        DeveloperSignIn::Refused => {
            let page = page(Phrase::new("developer-wrong"));
            ctx.page_of(StatusCode::UNAUTHORIZED, &page)
        }
    }
}

#[derive(Template)]
#[template(path = "dashboard/sign_in_code.html")]
struct CodePage {
    problem: Option<Phrase>,
}

/// The page that asks for the code, after the password.
pub(crate) async fn ask_for_code(ctx: HandlerContext) -> HandlerResult {
    let kept = ctx.cookie(&cookie::SECOND_STEP).unwrap_or_default();
    if ctx.core().console.awaits_code(kept).is_none() {
        return Ok(reply::see_other("/dashboard"));
    }
    ctx.page(&CodePage { problem: None })
}

#[derive(Deserialize)]
pub(super) struct CodeForm {
    pub(super) code: String,
}

/// The form behind the code's "Sign in".
pub(crate) async fn sign_in_with_code(ctx: HandlerContext) -> HandlerResult {
    ctx.same_site()?;
    let form: CodeForm = ctx.strangers_form().await?;
    let (state, console) = (&ctx.state, &ctx.core().console);
    let kept = ctx.cookie(&cookie::SECOND_STEP).unwrap_or_default();
    let Some(email) = console.awaits_code(kept) else {
        return Ok(reply::see_other("/dashboard"));
    };
    let origin = ctx.sign_in_origin(&email);
    if let Err(wait) = take_code(state, &email, &origin, &form.code) {
        let problem = Some(too_many_codes(wait));
        return Ok(reply::too_many(&ctx.request, wait, &CodePage { problem }));
    }
    let before = ctx.cookie(&cookie::DEVELOPER);
    let signed_in = console.sign_in_with_code(kept, &form.code, before).await;
    if !matches!(signed_in, Ok(None)) {
        not_wrong(state, &email, &form.code);
    }
    match signed_in {
        Ok(Some(session)) => {
            let response = sign_in::developer_signed_in(&ctx, &email, &session);
            Ok(ctx.without_cookie(response, &cookie::SECOND_STEP))
        }
        Ok(None) => {
            let problem = Some(Phrase::new("developer-code-wrong"));
            ctx.page_of(StatusCode::UNAUTHORIZED, &CodePage { problem })
        }
        Err(Error::NotSignedIn) => Ok(reply::see_other("/dashboard")),
        Err(error) => Err(error.into()),
    }
}

pub(crate) async fn sign_out(ctx: HandlerContext) -> HandlerResult {
    ctx.same_site()?;
    // Otherwise the session is over, and its cookie goes.
    if ctx.developer_or_nobody().await?.is_some() {
        let sign_in::SignOutForm {} = ctx.form().await?;
    }
    if let Some(session) = ctx.cookie(&cookie::DEVELOPER) {
        ctx.core().console.sign_out_developer(session).await?;
    }
    Ok(sign_in::signed_out(&ctx, "/dashboard", &cookie::DEVELOPER))
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
