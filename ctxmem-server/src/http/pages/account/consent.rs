//! What a user decides about all agents: whether new ones must ask first, the pause of everything, and
//! that what is new was seen.

use super::{APPS, HOME};
use crate::core::{Choices, Core, Error, FirstGrant};
use crate::http::engine::{HandlerContext, HandlerResult, HttpError, reply};
use crate::http::pages::Notice;
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

/// The form behind "Pause everything" and "End the pause".
pub(crate) async fn pause(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let pause = yes_or_no(&ctx, "pause").await?;
    ctx.core().grants.pause(&user_id, pause).await?;
    let notice = if pause {
        Notice::Paused
    } else {
        Notice::Resumed
    };
    Ok(notice.redirect_to(HOME))
}

/// The form behind "New apps must ask me".
pub(crate) async fn ask_first(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let asks = yes_or_no(&ctx, "ask").await?;
    ctx.core().grants.ask_first(&user_id, asks).await?;
    let notice = if asks {
        Notice::AsksFirst
    } else {
        Notice::AsksByMode
    };
    Ok(notice.redirect_to(APPS))
}

/// The form behind "I have seen this".
pub(crate) async fn access_seen(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    ctx.core().grants.see_access(&user_id).await?;
    Ok(reply::see_other("/account"))
}

async fn yes_or_no(ctx: &HandlerContext, field: &str) -> Result<bool, HttpError> {
    match &*ctx.field(field).await? {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(Error::BadRequest(format!("{field}: expected yes or no")).into()),
    }
}
