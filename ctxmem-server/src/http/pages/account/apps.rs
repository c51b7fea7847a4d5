//! `GET /account/apps`: which agents have access, and what the user decided about all of them.

use askama::Template;

use super::access::AccessView;
use super::consent::ModeView;
use super::fact_view::FactFilter;
use super::frame::AccountFrame;
use super::news::News;
use super::{facts, overview};
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::pages::Notice;
use crate::http::words::{Phrase, filters};

#[derive(Template)]
#[template(path = "account/apps.html")]
struct AppsPage {
    frame: AccountFrame,
    done: Option<Phrase>,
    summary: Phrase,
    news: News,
    mode: ModeView,
    /// Those that have access, and those that had it.
    active: Vec<AccessView>,
    ended: Vec<AccessView>,
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let core = ctx.core();
    let memory = facts::memory(core, &user_id, &FactFilter::default(), None).await?;
    core.memory.store_what_happened().await;
    let choices = core.grants.choices(&user_id).await?;
    let access = core.grants.access(&user_id).await?;
    let frame = AccountFrame::with(&user_id, &choices);
    let summary = overview::summary(&memory, &overview::usable(&access, &choices));
    let news = News::of(core, &user_id, &access, &choices).await?;
    let access = access.into_iter().map(AccessView::new);
    let access = access.map(|agent| agent.in_frame(&frame));
    let (active, ended) = access.partition(|agent| agent.active && !agent.access.agent_deleted);
    let page = AppsPage {
        done: Notice::text_of(&ctx),
        mode: ModeView::of(core, &choices),
        frame,
        summary,
        news,
        active,
        ended,
    };
    ctx.page(&page)
}
