//! Deleting everything: the page that shows what would be deleted, the deletion and its receipt.

use std::sync::Arc;

use askama::Template;
use ctxmem_types::{Scope, UserId};
use http::StatusCode;
use serde::Deserialize;
use warp::reply::Response;

use super::access::AccessView;
use super::history::who;
use super::{FormProblem, HandlerContext, HttpError, reply};
use crate::core::{Core, Error};
use crate::http::page_time::PageTime;
use crate::http::scopes;

/// The word to type, so that nobody deletes everything by accident.
const WORD: &str = "erase";

#[derive(Template)]
#[template(path = "account/erase.html")]
struct ErasePage<'a> {
    user_id: &'a str,
    kinds: KindCounts,
    /// For how many days the log is kept; `None` for all time.
    log_days: Option<u32>,
    /// The names of the agents that lose access.
    agents: Vec<String>,
    word: &'static str,
    problem: Option<FormProblem>,
}

/// How many facts of each kind there are.
struct KindCounts {
    counts: Vec<(&'static str, usize)>,
    total: usize,
}

impl KindCounts {
    async fn of(core: &Core, user_id: &UserId) -> Result<Self, Error> {
        let facts = core.facts_with_provenance(user_id).await?;
        let counts = Scope::ALL.map(|scope| {
            let of_kind = facts.iter().filter(|kept| kept.fact.scope == scope);
            (scopes::title(scope), of_kind.count())
        });
        Ok(Self {
            counts: counts.into_iter().filter(|(_, count)| *count > 0).collect(),
            total: facts.len(),
        })
    }
}

#[derive(Template)]
#[template(path = "account/receipt.html")]
struct ReceiptPage<'a> {
    user_id: &'a str,
    who: String,
    when: PageTime,
    facts: i64,
    titles: String,
    grants: i64,
    id: String,
    log_days: Option<u32>,
}

/// The same to keep, as plain text.
#[derive(Template)]
#[template(path = "account/receipt.txt")]
struct ReceiptText<'a>(&'a ReceiptPage<'a>);

impl<'a> ErasePage<'a> {
    async fn of(
        core: &Core,
        user_id: &'a UserId,
        problem: Option<FormProblem>,
    ) -> Result<Self, HttpError> {
        let access = core.access(user_id).await?;
        Ok(Self {
            user_id: user_id.as_str(),
            kinds: KindCounts::of(core, user_id).await?,
            log_days: core.audit_days(),
            agents: access
                .into_iter()
                .map(|(access, state)| AccessView::new(access, state))
                .filter(|agent| agent.active)
                .map(|agent| agent.agent_name)
                .collect(),
            word: WORD,
            problem,
        })
    }

    fn wrong(&self) -> Option<&str> {
        self.problem.as_ref()?.with("confirm")
    }
}

/// The page that says what would be deleted.
pub(in crate::http) async fn ask(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let page = ErasePage::of(ctx.core(), &user_id, None).await?;
    Ok(reply::page(StatusCode::OK, &page))
}

#[derive(Deserialize)]
struct EraseForm {
    #[serde(default)]
    confirm: String,
}

/// The form behind "Delete everything".
pub(in crate::http) async fn erase(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let (core, wants_page) = (ctx.core().clone(), ctx.request.wants_page());
    let form: EraseForm = ctx.form().await?;
    if !form.confirm.trim().eq_ignore_ascii_case(WORD) {
        let text = format!("confirm: type the word {WORD}");
        let problem = FormProblem::of(Error::BadRequest(text), &["confirm"], wants_page)?;
        let page = ErasePage::of(&core, &user_id, Some(problem)).await?;
        return Ok(reply::page(StatusCode::BAD_REQUEST, &page));
    }
    let receipt = core.erase_own(user_id).await?;
    Ok(reply::see_other(&format!("/account/receipt?id={receipt}")))
}

#[derive(Deserialize)]
struct ReceiptQuery {
    id: String,
}

/// The receipt: what was deleted, according to the audit log.
pub(in crate::http) async fn receipt(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let query: ReceiptQuery = ctx.query()?;
    let page = ReceiptPage::of(ctx.core(), &user_id, &query.id).await?;
    Ok(reply::page(StatusCode::OK, &page))
}

/// The receipt as a file.
pub(in crate::http) async fn receipt_text(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let query: ReceiptQuery = ctx.query()?;
    let page = ReceiptPage::of(ctx.core(), &user_id, &query.id).await?;
    Ok(reply::text_file("ctxmem-receipt.txt", &ReceiptText(&page)))
}

impl<'a> ReceiptPage<'a> {
    async fn of(core: &Arc<Core>, user_id: &'a UserId, id: &str) -> Result<Self, Error> {
        let row = core.receipt(user_id, id).await?;
        Ok(Self {
            user_id: user_id.as_str(),
            who: who(&row),
            when: PageTime::new(row.event.at),
            facts: row.event.facts,
            titles: scopes::titles(row.event.scopes),
            grants: row.event.grants,
            id: row.id,
            log_days: core.audit_days(),
        })
    }
}
