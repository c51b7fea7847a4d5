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

use self::access::AccessView;
use self::consent::ConsentView;
use self::fact_view::FactFilter;
use self::facts::AddForm;
use self::history::HistoryEntry;
use self::memory::MemoryView;
use self::sessions::SessionView;
use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::reply;
use super::sign_in::OidcLink;
use super::words::{Phrase, filters};
use crate::core::{Error, Purpose};

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

#[derive(Template)]
#[template(path = "account/overview.html")]
struct AccountPage<'a> {
    user_id: &'a str,
    notice: Option<AccountNotice>,
    memory: MemoryView,
    add: AddForm,
    access: Vec<AccessView>,
    with_access: usize,
    consent: ConsentView,
    sessions: Vec<SessionView>,
    history: Vec<HistoryEntry>,
}

#[derive(Template)]
#[template(path = "signed_out.html")]
pub(super) struct SignedOutPage<'a> {
    pub(super) oidc: Option<OidcLink<'a>>,
    pub(super) operator: Option<&'a str>,
}

impl AccountPage<'_> {
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
            };
            let status = StatusCode::UNAUTHORIZED;
            return Ok(reply::page(&ctx.request, status, &page));
        }
        Err(error) => return Err(error),
    };
    let core = ctx.core();
    let mut memory = facts::memory(core, &user_id, &FactFilter::default()).await?;
    memory.view = None;
    let access = core.access(&user_id).await?;
    let consent = ConsentView::of(core, &user_id, &access).await?;
    let access = access
        .into_iter()
        .map(|(access, state)| AccessView::new(access, state));
    let access: Vec<AccessView> = match consent.paused {
        Some(_) => access.map(AccessView::paused).collect(),
        None => access.collect(),
    };
    let session = ctx.session_cookie().unwrap_or_default();
    let sessions = core.sessions(&user_id, session).await?;
    let history = core.trail(&user_id, None, LATEST).await?;
    let page = AccountPage {
        user_id: user_id.as_str(),
        notice: AccountNotice::of(&ctx),
        memory,
        add: AddForm::empty(),
        with_access: access.iter().filter(|agent| agent.has_access).count(),
        access,
        consent,
        sessions: sessions.iter().map(SessionView::new).collect(),
        history: history.iter().map(HistoryEntry::new).collect(),
    };
    Ok(reply::page(&ctx.request, StatusCode::OK, &page))
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
