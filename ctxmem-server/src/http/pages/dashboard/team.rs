//! `/dashboard/team`: who is in the team, and who is invited.

use askama::Template;
use http::StatusCode;
use secrecy::SecretString;
use serde::Deserialize;
use warp::reply::Response;

use super::shown_once;
use crate::core::{Developer, Error, InvitationRow, MemberRef, Role, Team};
use crate::http::engine::{HandlerContext, HandlerResult, HttpError, compression, cookie, reply};
use crate::http::pages::{FormProblem, Notice, sign_in};
use crate::http::words::{PageTime, Phrase, filters};

const PATH: &str = "/dashboard/team";

#[derive(Template)]
#[template(path = "dashboard/team.html")]
struct TeamPage<'a> {
    developer: &'a Developer,
    done: Option<Phrase>,
    team: Team,
    /// The link of an invitation that was just made.
    link: Option<String>,
    /// For whom the next invitation is, as it was typed.
    label: String,
    /// Why no invitation was made.
    problem: FormProblem,
    /// Why something else was not done.
    refused: Option<Phrase>,
}

impl<'a> TeamPage<'a> {
    async fn new(ctx: &HandlerContext, developer: &'a Developer) -> Result<Self, HttpError> {
        Ok(Self {
            developer,
            done: None,
            team: ctx.core().console.team(developer).await?,
            link: None,
            label: String::new(),
            problem: FormProblem::default(),
            refused: None,
        })
    }

    fn is_owner(&self) -> bool {
        self.developer.role == Role::Owner
    }

    /// Never compressed, because it may show a link that lets people in.
    fn answer(&self, ctx: &HandlerContext, status: StatusCode) -> Response {
        compression::never(reply::page(&ctx.request, status, self))
    }
}

/// What an invitation is called: by for whom it is, or when it was made.
fn title(invitation: &InvitationRow) -> Phrase {
    if invitation.label.is_empty() {
        let created = PageTime::short(invitation.created_at);
        Phrase::new("team-created-on").arg("when", created)
    } else {
        Phrase::named(&invitation.label)
    }
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let token = shown_once::arrived(&ctx);
    let link = |token: &SecretString| ctx.state.site.invitation(token);
    let page = TeamPage {
        done: Notice::text_of(&ctx),
        link: token.as_ref().map(link),
        ..TeamPage::new(&ctx, &developer).await?
    };
    let response = page.answer(&ctx, StatusCode::OK);
    Ok(shown_once::shown(&ctx, response, page.link.is_some()))
}

#[derive(Deserialize)]
struct InviteForm {
    #[serde(default)]
    label: String,
}

/// The form behind "Create an invitation". Its link is shown once, on the page that follows.
pub(crate) async fn invite(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let InviteForm { label } = ctx.form().await?;
    match ctx.core().console.invite(&developer, &label).await {
        Ok(token) => shown_once::see_once(&ctx, PATH, &token),
        Err(Error::BadRequest(problem)) if ctx.request.wants_page() => {
            let page = TeamPage {
                label,
                problem: FormProblem::new(&problem, "name"),
                ..TeamPage::new(&ctx, &developer).await?
            };
            Ok(page.answer(&ctx, StatusCode::BAD_REQUEST))
        }
        Err(error) => refused(&ctx, &developer, error).await,
    }
}

/// The form behind "Withdraw".
pub(crate) async fn withdraw(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let id = ctx.field("invitation_id").await?;
    let console = &ctx.core().console;
    console.withdraw_invitation(&developer, &id).await?;
    Ok(Notice::InvitationWithdrawn.redirect_to(PATH))
}

/// The form behind "Remove".
pub(crate) async fn remove(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let id = ctx.field("member_id").await?;
    let whom = MemberRef::Id(id, developer.clone());
    match ctx.core().console.remove_member(whom).await {
        Ok(_) => Ok(Notice::MemberRemoved.redirect_to(PATH)),
        Err(error) => refused(&ctx, &developer, error).await,
    }
}

/// The form behind "Make owner".
pub(crate) async fn hand_over(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let id = ctx.field("member_id").await?;
    let whom = MemberRef::Id(id, developer.clone());
    ctx.core().console.hand_over_team(whom).await?;
    Ok(Notice::TeamHandedOver.redirect_to(PATH))
}

/// The form behind "Leave the team". Whoever leaves is signed out.
pub(crate) async fn leave(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let sign_in::SignOutForm {} = ctx.form().await?;
    match ctx.core().console.leave_team(&developer).await {
        Ok(()) => Ok(sign_in::signed_out(&ctx, "/dashboard", &cookie::DEVELOPER)),
        Err(error) => refused(&ctx, &developer, error).await,
    }
}

/// The page that says why something was not done, where that is for people to read.
async fn refused(ctx: &HandlerContext, developer: &Developer, error: Error) -> HandlerResult {
    let Error::Conflict(text) = error else {
        return Err(error.into());
    };
    if !ctx.request.wants_page() {
        return Err(error.into());
    }
    let page = TeamPage {
        refused: Some(Phrase::refusal(text)),
        ..TeamPage::new(ctx, developer).await?
    };
    Ok(page.answer(ctx, StatusCode::CONFLICT))
}
