//! What a user decides about all agents: whether new ones must ask first, the pause of everything, and
//! that what is new was seen.

use serde::Deserialize;
use warp::reply::Response;

use super::{APPS, HOME};
use crate::core::{Choices, Core, Error, FirstGrant};
use crate::http::engine::{HandlerContext, HttpError, reply};
use crate::http::pages::notice::Notice;
use crate::http::words::Phrase;

/// How new agents get access.
pub(super) struct ModeView {
    /// Whether new agents must ask, because the user wants it or always.
    pub(super) asks: bool,
    pub(super) always_asks: bool,
    /// Which agents get access without asking.
    pub(super) mode: Phrase,
}

impl ModeView {
    pub(super) fn of(core: &Core, choices: &Choices) -> Self {
        let mode = core.grants.first_grant();
        Self {
            asks: choices.asks,
            always_asks: mode == FirstGrant::Ask,
            mode: Phrase::new(match mode {
                FirstGrant::Auto => "access-mode-auto",
                FirstGrant::Own | FirstGrant::Ask => "access-mode-own",
            }),
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
    let form: PauseForm = ctx.form().await?;
    let pause = yes_or_no("pause", &form.pause)?;
    ctx.core().grants.pause(&user_id, pause).await?;
    let notice = if pause {
        Notice::Paused
    } else {
        Notice::Resumed
    };
    Ok(notice.redirect_to(HOME))
}

#[derive(Deserialize)]
struct AskFirstForm {
    ask: String,
}

/// The form behind "New apps must ask me".
pub(crate) async fn ask_first(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let form: AskFirstForm = ctx.form().await?;
    let asks = yes_or_no("ask", &form.ask)?;
    ctx.core().grants.ask_first(&user_id, asks).await?;
    let notice = if asks {
        Notice::AsksFirst
    } else {
        Notice::AsksByMode
    };
    Ok(notice.redirect_to(APPS))
}

/// The form behind "I have seen this".
pub(crate) async fn access_seen(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    ctx.core().grants.see_access(&user_id).await?;
    Ok(reply::see_other("/account"))
}

fn yes_or_no(field: &str, text: &str) -> Result<bool, Error> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(Error::BadRequest(format!("{field}: expected yes or no"))),
    }
}
