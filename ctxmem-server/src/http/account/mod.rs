//! `/account`: where users see what is remembered about them, who has access and what happened,
//! and where they download or delete it. One page, with a few more for single tasks.

mod access;
mod consent;
mod erase;
mod export;
mod fact_view;
mod facts;
mod history;
mod history_filter;
mod long_list;
mod memory;
mod notice;
mod preview;
mod sessions;

use askama::Template;
use http::StatusCode;
use warp::reply::Response;

use ctxmem_types::{ScopeSet, UserId};

use self::access::AccessView;
use self::consent::ConsentView;
use self::fact_view::FactFilter;
use self::facts::AddForm;
use self::history::HistoryEntry;
use self::memory::MemoryView;
use self::sessions::SessionView;
use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::page_time::PageTime;
use super::reply;
use super::sign_in::OidcLink;
use super::words::{Phrase, filters};
use crate::core::{AccessNow, Choices, Core, Error, Purpose};

pub(super) use access::{allow, revoke};
pub(super) use consent::{access_seen, ask_first, pause};
pub(super) use erase::{ask as ask_to_erase, erase, receipt, receipt_text};
pub(super) use export::{context, export};
pub(super) use facts::{add, correct, delete, delete_scope, edit, find, let_in, list};
pub(super) use history::{history, history_csv};
pub(super) use notice::AccountNotice;
pub(super) use preview::preview;
pub(super) use sessions::sign_out_everywhere;

/// How many entries of the history the overview shows.
const LATEST: u32 = 10;

/// What stands above every page of somebody who is signed in.
pub(super) struct AccountFrame {
    pub(super) user_id: String,
    /// Since when everything is paused.
    pub(super) paused: Option<PageTime>,
}

impl AccountFrame {
    pub(super) async fn of(core: &Core, user_id: &UserId) -> Result<Self, Error> {
        Ok(Self::with(user_id, &core.choices(user_id).await?))
    }

    fn with(user_id: &UserId, choices: &Choices) -> Self {
        Self {
            user_id: user_id.as_str().to_owned(),
            paused: choices.paused_at.map(PageTime::new),
        }
    }
}

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

#[derive(Template)]
#[template(path = "signed_out.html")]
pub(super) struct SignedOutPage<'a> {
    pub(super) oidc: Option<OidcLink<'a>>,
    pub(super) operator: Option<&'a str>,
    /// The name of the agent about which a user is asked to decide.
    pub(super) asking: Option<String>,
}

impl AccountPage {
    /// The notice, if it belongs to this section.
    fn notice_in(&self, section: &str) -> Option<Phrase> {
        let notice = self.notice.filter(|notice| notice.section() == section)?;
        Some(notice.text())
    }
}

pub(super) async fn show(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = match ctx.user().await {
        Ok(user_id) => user_id,
        Err(HttpError::Core(Error::NotSignedIn)) => {
            let oidc = OidcLink::new(&ctx.api, Purpose::User);
            let page = SignedOutPage {
                oidc,
                operator: ctx.api.operator.name.as_deref(),
                asking: None,
            };
            let status = StatusCode::UNAUTHORIZED;
            return Ok(reply::page(&ctx.request, status, &page));
        }
        Err(error) => return Err(error),
    };
    let core = ctx.core();
    let mut memory = facts::memory(core, &user_id, &FactFilter::default()).await?;
    memory.view = None;
    let choices = core.choices(&user_id).await?;
    let access = core.access(&user_id).await?;
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
    let sessions = core.sessions(&user_id, session).await?;
    let history = core.trail(&user_id, None, LATEST).await?;
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

/// What is wrong with a form: the field and the problem.
struct FormProblem {
    field: String,
    text: Phrase,
}

impl FormProblem {
    /// From a refusal that names one of these fields, if a browser asked. Any other error is
    /// returned as it is.
    fn of(error: Error, fields: &[&str], wants_page: bool) -> Result<Self, Error> {
        let Error::BadRequest(whole) = &error else {
            return Err(error);
        };
        match whole.split_once(": ") {
            Some((field, text)) if wants_page && fields.contains(&field) => Ok(Self {
                field: field.to_owned(),
                text: Phrase::refusal(text),
            }),
            _ => Err(error),
        }
    }

    /// The problem, if it is about this field.
    fn with(&self, field: &str) -> Option<&Phrase> {
        (self.field == field).then_some(&self.text)
    }
}
