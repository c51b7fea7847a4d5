//! `GET /account`: the overview.

use askama::Template;
use ctxmem_types::ScopeSet;
use http::StatusCode;
use warp::reply::Response;

use super::access::AccessView;
use super::add_form::AddForm;
use super::consent::ConsentView;
use super::fact_view::FactFilter;
use super::frame::AccountFrame;
use super::history::HistoryEntry;
use super::memory::MemoryView;
use super::notice::AccountNotice;
use super::sessions::SessionView;
use super::{facts, signed_out};
use crate::core::{AccessNow, Error};
use crate::http::engine::error::HttpError;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::reply;
use crate::http::words::{Phrase, filters};

/// How many entries of the history the overview shows.
const LATEST: u32 = 10;

#[derive(Template)]
#[template(path = "account/overview.html")]
struct AccountPage {
    frame: AccountFrame,
    summary: Phrase,
    notice: Option<AccountNotice>,
    memory: MemoryView,
    add: AddForm,
    access: Vec<AccessView>,
    consent: ConsentView,
    sessions: Vec<SessionView>,
    history: Vec<HistoryEntry>,
}

impl AccountPage {
    /// The notice, if it belongs to this section.
    fn notice_in(&self, section: &str) -> Option<Phrase> {
        let notice = self.notice.filter(|notice| notice.section() == section)?;
        Some(notice.text())
    }
}

pub(crate) async fn show(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = match ctx.user().await {
        Ok(user_id) => user_id,
        Err(HttpError::Core(Error::NotSignedIn)) => {
            return Ok(signed_out::page(&ctx, None));
        }
        Err(error) => return Err(error),
    };
    let core = ctx.core();
    let mut memory = facts::memory(core, &user_id, &FactFilter::default()).await?;
    memory.view = None;
    let choices = core.grants.choices(&user_id).await?;
    let access = core.grants.access(&user_id).await?;
    let consent = ConsentView::of(core, &user_id, &access, &choices).await?;
    let usable = access.iter().map(AccessNow::effective);
    let usable: Vec<ScopeSet> = match choices.paused_at {
        Some(_) => Vec::new(),
        None => usable.filter(|scopes| !scopes.is_empty()).collect(),
    };
    let frame = AccountFrame::with(&user_id, &choices);
    let access = access.into_iter().map(AccessView::new);
    let access = access.map(|agent| agent.in_frame(&frame));
    let session = ctx.session_cookie().unwrap_or_default();
    let sessions = core.sign_in.sessions(&user_id, session).await?;
    let history = core.memory.trail(&user_id, None, LATEST).await?;
    let page = AccountPage {
        summary: summary(&memory, &usable),
        notice: AccountNotice::of(&ctx),
        memory,
        add: AddForm::empty(),
        access: access.collect(),
        frame,
        consent,
        sessions: sessions.iter().map(SessionView::new).collect(),
        history: history.iter().map(HistoryEntry::new).collect(),
    };
    Ok(reply::page(&ctx.request, StatusCode::OK, &page))
}

/// How many agents can use how many facts, by what each of these agents can use.
fn summary(memory: &MemoryView, usable: &[ScopeSet]) -> Phrase {
    let id = if usable
        .iter()
        .all(|scopes| memory.counted(*scopes) == memory.count)
    {
        "account-summary"
    } else {
        "account-summary-part"
    };
    let together = usable.iter().flat_map(|scopes| scopes.iter()).collect();
    Phrase::new(id)
        .arg("agents", usable.len())
        .arg("facts", memory.count)
        .arg("usable", memory.counted(together))
}
