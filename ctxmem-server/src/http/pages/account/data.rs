//! `GET /account/data`: downloads, deletion, and where the user is signed in.

use askama::Template;

use super::auto_delete::KindChoice;
use super::frame::AccountFrame;
use crate::core::ListedSession;
use crate::http::engine::{HandlerContext, HandlerResult, cookie, reply};
use crate::http::pages::Notice;
use crate::http::words::{Phrase, filters};

#[derive(Template)]
#[template(path = "account/data.html")]
struct DataPage {
    frame: AccountFrame,
    done: Option<Phrase>,
    auto_delete: [KindChoice; 7],
    sessions: Vec<ListedSession>,
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let core = ctx.core();
    let choices = core.grants.choices(&user_id).await?;
    let page = DataPage {
        done: Notice::text_of(&ctx),
        frame: AccountFrame::with(&user_id, &choices),
        auto_delete: KindChoice::all(&choices.auto_delete),
        sessions: core.sign_in.sessions(&user_id, ctx.session()).await?,
    };
    ctx.page(&page)
}

/// The form behind "Sign out everywhere".
pub(crate) async fn sign_out_everywhere(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    ctx.core().sign_in.sign_out_everywhere(&user_id).await?;
    Ok(ctx.without_cookie(reply::see_other("/account"), &cookie::SESSION))
}
