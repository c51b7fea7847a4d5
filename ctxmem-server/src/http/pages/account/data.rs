//! `GET /account/data`: downloads, deletion, and where the user is signed in.

use askama::Template;

use super::auto_delete::KindChoice;
use super::frame::AccountFrame;
use super::sessions::SessionView;
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::pages::Notice;
use crate::http::words::{Phrase, filters};

#[derive(Template)]
#[template(path = "account/data.html")]
struct DataPage {
    frame: AccountFrame,
    done: Option<Phrase>,
    auto_delete: Vec<KindChoice>,
    sessions: Vec<SessionView>,
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let core = ctx.core();
    let session = ctx.session();
    let sessions = core.sign_in.sessions(&user_id, session).await?;
    let choices = core.grants.choices(&user_id).await?;
    let page = DataPage {
        done: Notice::text_of(&ctx),
        frame: AccountFrame::with(&user_id, &choices),
        auto_delete: KindChoice::all(&choices.auto_delete),
        sessions: sessions.iter().map(SessionView::new).collect(),
    };
    ctx.page(&page)
}
