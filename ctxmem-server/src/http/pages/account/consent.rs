//! The consent section at the top of a user's access: agents that wait, agents that are new,
//! whether new agents must ask first, and the pause of everything.

use ctxmem_types::UserId;
use serde::Deserialize;
use warp::reply::Response;

use super::asked_view::AskedView;
use super::notice::AccountNotice;
use crate::core::{AccessNow, Choices, ConsentRequest, Core, Error, FirstGrant, State};
use crate::http::engine::error::HttpError;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::reply;
use crate::http::words::Phrase;
use crate::http::words::page_time::PageTime;

/// What the page shows of it.
pub(super) struct ConsentView {
    /// Whether new agents must ask, because the user wants it or always.
    pub(super) asks: bool,
    pub(super) always_asks: bool,
    /// Which agents get access without asking.
    pub(super) mode: Phrase,
    pub(super) waiting: Vec<WaitingView>,
    pub(super) newcomers: Vec<Newcomer>,
}

/// An agent that waits.
pub(super) struct WaitingView {
    pub(super) agent_id: String,
    pub(super) agent_name: String,
    pub(super) asked: AskedView,
}

/// An agent that got access without asking since the user last looked.
pub(super) struct Newcomer {
    pub(super) agent_id: String,
    pub(super) agent_name: String,
    pub(super) since: PageTime,
}

impl ConsentView {
    pub(super) async fn of(
        core: &Core,
        user_id: &UserId,
        access: &[AccessNow],
        choices: &Choices,
    ) -> Result<Self, Error> {
        let waiting = core.grants.consent_requests(user_id).await?;
        let mode = core.grants.first_grant();
        Ok(Self {
            asks: choices.asks,
            always_asks: mode == FirstGrant::Ask,
            mode: Phrase::new(match mode {
                FirstGrant::Auto => "access-mode-auto",
                FirstGrant::Own | FirstGrant::Ask => "access-mode-own",
            }),
            waiting: waiting.into_iter().map(WaitingView::new).collect(),
            newcomers: newcomers(access, choices.access_seen_at),
        })
    }
}

fn newcomers(access: &[AccessNow], seen_at: Option<i64>) -> Vec<Newcomer> {
    access
        .iter()
        .filter(|now| now.state == State::Active)
        .map(|now| &now.access)
        .filter(|agent| {
            agent.grant.is_by_agent()
                && seen_at.is_none_or(|seen_at| seen_at < agent.grant.created_at)
        })
        .map(|agent| Newcomer {
            agent_id: agent.grant.agent_id.clone(),
            agent_name: agent.agent_name.clone(),
            since: PageTime::new(agent.grant.created_at),
        })
        .collect()
}

impl WaitingView {
    fn new(request: ConsentRequest) -> Self {
        Self {
            asked: AskedView::new(&request),
            agent_id: request.agent_id,
            agent_name: request.agent_name,
        }
    }
}

#[derive(Deserialize)]
struct PauseForm {
    pause: String,
}

/// The form behind "Pause everything" and "End the pause".
pub(crate) async fn pause(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let core = ctx.core().clone();
    let form: PauseForm = ctx.form().await?;
    let pause = yes_or_no("pause", &form.pause)?;
    core.grants.pause(&user_id, pause).await?;
    let notice = if pause {
        AccountNotice::Paused
    } else {
        AccountNotice::Resumed
    };
    Ok(notice.redirect())
}

#[derive(Deserialize)]
struct AskFirstForm {
    ask: String,
}

/// The form behind "New agents must ask me".
pub(crate) async fn ask_first(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let core = ctx.core().clone();
    let form: AskFirstForm = ctx.form().await?;
    let asks = yes_or_no("ask", &form.ask)?;
    core.grants.ask_first(&user_id, asks).await?;
    let notice = if asks {
        AccountNotice::AsksFirst
    } else {
        AccountNotice::AsksByMode
    };
    Ok(notice.redirect())
}

/// The form behind "I have seen this".
pub(crate) async fn access_seen(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    ctx.core().grants.see_access(&user_id).await?;
    Ok(reply::see_other("/account#access"))
}

fn yes_or_no(field: &str, text: &str) -> Result<bool, Error> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(Error::BadRequest(format!("{field}: expected yes or no"))),
    }
}
