//! `/dashboard/team`: who is in the team, and who is invited.

use askama::Template;
use http::StatusCode;
use secrecy::SecretString;
use serde::Deserialize;
use warp::reply::Response;

use super::shown_once;
use crate::core::{Developer, Error, InvitationRow, MemberRef, MemberRow, Role};
use crate::http::engine::{HandlerContext, HandlerResult, HttpError, compression, cookie, reply};
use crate::http::pages::{FormProblem, Notice, sign_in};
use crate::http::words::{PageTime, Phrase, filters};

const PATH: &str = "/dashboard/team";

#[derive(Template)]
#[template(path = "dashboard/team.html")]
struct TeamPage<'a> {
    who: &'a str,
    done: Option<Phrase>,
    is_owner: bool,
    /// The address that users see.
    contact: String,
    members: Vec<MemberView>,
    invitations: Vec<InvitationView>,
    /// The link of an invitation that was just made.
    link: Option<String>,
    /// For whom the next invitation is, as it was typed.
    label: String,
    /// Why no invitation was made.
    problem: FormProblem,
    /// Why something else was not done.
    refused: Option<Phrase>,
}

/// A member on the page.
struct MemberView {
    id: String,
    title: String,
    /// The address, where the title is a name.
    email: Option<String>,
    joined: PageTime,
    is_owner: bool,
    is_you: bool,
    has_second_factor: bool,
}

/// An invitation on the page.
struct InvitationView {
    id: String,
    title: Phrase,
    expires: PageTime,
}

impl MemberView {
    fn new(row: MemberRow, you: &Developer) -> Self {
        let developer = row.developer;
        let is_you = developer.member == you.member;
        let (title, email) = match developer.name {
            Some(name) => (name, Some(developer.email)),
            None => (developer.email, None),
        };
        Self {
            id: developer.member.as_str().to_owned(),
            title,
            email,
            joined: PageTime::short(row.joined_at),
            is_owner: developer.role == Role::Owner,
            is_you,
            has_second_factor: row.has_second_factor,
        }
    }
}

impl InvitationView {
    fn new(row: InvitationRow) -> Self {
        Self {
            title: if row.label.is_empty() {
                Phrase::new("team-created-on").arg("when", PageTime::short(row.created_at))
            } else {
                Phrase::named(&row.label)
            },
            id: row.id,
            expires: PageTime::short(row.expires_at),
        }
    }
}

impl<'a> TeamPage<'a> {
    async fn new(ctx: &HandlerContext, developer: &'a Developer) -> Result<Self, HttpError> {
        let team = ctx.core().console.team(developer).await?;
        Ok(Self {
            who: &developer.email,
            done: None,
            is_owner: developer.role == Role::Owner,
            contact: team.contact,
            members: team
                .members
                .into_iter()
                .map(|member| MemberView::new(member, developer))
                .collect(),
            invitations: team
                .invitations
                .into_iter()
                .map(InvitationView::new)
                .collect(),
            link: None,
            label: String::new(),
            problem: FormProblem::default(),
            refused: None,
        })
    }

    /// Never compressed, because it may show a link that lets people in.
    fn answer(&self, ctx: &HandlerContext, status: StatusCode) -> Response {
        compression::never(reply::page(&ctx.request, status, self))
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
    Ok(if page.link.is_some() {
        shown_once::forget(&ctx, response)
    } else {
        response
    })
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
