//! `/dashboard/join`: the page behind an invitation to a team.
//!
//! Opening the link only shows the page, because mail scanners and previews open links too and must not
//! use them up. Where there is an identity provider, people join by signing in there: an address that
//! somebody types is not verified, and its owner would be signed in to the team of whoever typed it.

use askama::Template;
use http::StatusCode;
use serde::Deserialize;

use crate::core::{Error, Joining};
use crate::http::engine::operator::OperatorConfig;
use crate::http::engine::site::invitation_path;
use crate::http::engine::{HandlerContext, HandlerResult, cookie, reply};
use crate::http::pages::FormProblem;
use crate::http::pages::sign_in::{self, LinkQuery};
use crate::http::words::{Phrase, filters};

#[derive(Template)]
#[template(path = "dashboard/join.html")]
struct JoinPage<'a> {
    operator: &'a OperatorConfig,
    team: &'a str,
    /// What the identity provider is called, where there is one.
    provider: Option<&'a str>,
    /// As it was sent.
    form: &'a JoinForm,
    problem: FormProblem,
    /// Why nobody can join at this moment.
    busy: Option<Phrase>,
}

#[derive(Template)]
#[template(path = "dashboard/join_refused.html")]
struct RefusedPage;

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let LinkQuery { token } = ctx.query()?;
    let form = JoinForm {
        token,
        ..JoinForm::default()
    };
    page(&ctx, &form, None).await
}

#[derive(Default, Deserialize)]
struct JoinForm {
    token: String,
    name: String,
    email: String,
    password: String,
    repeated: String,
}

/// The form behind "Join the team".
pub(crate) async fn join(ctx: HandlerContext) -> HandlerResult {
    ctx.same_site()?;
    let form: JoinForm = ctx.strangers_form().await?;
    if ctx.state.oidc.is_some() {
        // The page has another button.
        return Ok(reply::see_other(&invitation_path(&form.token)));
    }
    let joined = if form.password == form.repeated {
        let joining = Joining::Password {
            name: form.name.clone(),
            email: form.email.clone(),
            password: form.password.clone().into(),
            origin: ctx.sign_in_origin(&form.email),
        };
        // A new sign-in ends the session that the browser had before.
        let before = ctx.cookie(&cookie::DEVELOPER);
        let console = &ctx.core().console;
        console.join_team(&form.token, joining, before).await
    } else {
        Err(Error::BadRequest(
            "repeated: expected the same password again".to_owned(),
        ))
    };
    match joined {
        Ok(Some(session)) => Ok(sign_in::developer_signed_in(&ctx, &form.email, &session)),
        Ok(None) => ctx.page_of(StatusCode::GONE, &RefusedPage),
        Err(error @ (Error::BadRequest(_) | Error::Overloaded(_))) if ctx.request.wants_page() => {
            page(&ctx, &form, Some(&error)).await
        }
        Err(error) => Err(error.into()),
    }
}

/// The page of an invitation with its form as it was sent, and why nobody joined.
async fn page(ctx: &HandlerContext, form: &JoinForm, why: Option<&Error>) -> HandlerResult {
    let state = &ctx.state;
    let Some(team) = state.core.console.look_at_invitation(&form.token).await? else {
        return ctx.page_of(StatusCode::GONE, &RefusedPage);
    };
    let (status, problem, busy) = match why {
        None => (StatusCode::OK, FormProblem::default(), None),
        Some(Error::BadRequest(problem)) => (
            StatusCode::BAD_REQUEST,
            FormProblem::new(problem, "name"),
            None,
        ),
        Some(error) => (
            StatusCode::SERVICE_UNAVAILABLE,
            FormProblem::default(),
            Some(Phrase::refusal(&error.to_string())),
        ),
    };
    let page = JoinPage {
        operator: &state.operator,
        team: &team,
        provider: state.oidc.as_ref().map(|oidc| oidc.provider.name()),
        form,
        problem,
        busy,
    };
    ctx.page_of(status, &page)
}
