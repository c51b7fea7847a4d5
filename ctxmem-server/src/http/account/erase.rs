//! Deleting everything: what it would take, the deletion, and the receipt.

use askama::Template;
use ctxmem_types::UserId;
use http::StatusCode;
use warp::reply::Response;

use super::access::AccessView;
use super::history::who;
use super::memory::Memory;
use super::{Call, HttpError, Problem, asked, field, reply};
use crate::core::{Core, Error};
use crate::http::scopes;
use crate::http::when::When;

/// What is to be typed so that nobody deletes everything by a slip of the hand.
const WORD: &str = "erase";

#[derive(Template)]
#[template(path = "account/erase.html")]
struct ErasePage<'a> {
    user_id: &'a str,
    memory: Memory,
    /// The names of the agents that lose access.
    agents: Vec<String>,
    word: &'static str,
    problem: Option<Problem>,
}

#[derive(Template)]
#[template(path = "account/receipt.html")]
struct ReceiptPage<'a> {
    user_id: &'a str,
    who: String,
    when: When,
    facts: i64,
    titles: String,
    grants: i64,
    id: String,
}

impl<'a> ErasePage<'a> {
    async fn of(
        core: &Core,
        user_id: &'a UserId,
        problem: Option<Problem>,
    ) -> Result<Self, HttpError> {
        let access = core.access(user_id).await?;
        Ok(Self {
            user_id: user_id.as_str(),
            memory: Memory::of(core.remembered(user_id).await?),
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
pub(in crate::http) async fn ask(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let page = ErasePage::of(call.core(), &user_id, None).await?;
    Ok(reply::page(StatusCode::OK, &page))
}

/// The form behind "Delete everything".
pub(in crate::http) async fn erase(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let (core, wants_page) = (call.core().clone(), call.exchange.wants_page());
    let form = call.form().await?;
    let typed = field(&form, "confirm").unwrap_or_default();
    if !typed.trim().eq_ignore_ascii_case(WORD) {
        let text = format!("confirm: type the word {WORD}");
        let problem = Problem::of(Error::BadRequest(text), &["confirm"], wants_page)?;
        let page = ErasePage::of(&core, &user_id, Some(problem)).await?;
        return Ok(reply::page(StatusCode::BAD_REQUEST, &page));
    }
    let receipt = core.erase_own(user_id).await?;
    Ok(reply::see_other(&format!("/account/receipt?id={receipt}")))
}

/// What was deleted, as it stands in the audit log.
pub(in crate::http) async fn receipt(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let id = asked(&call, "id")?;
    let row = call.core().receipt(&user_id, &id).await?;
    let page = ReceiptPage {
        user_id: user_id.as_str(),
        who: who(&row),
        when: When::at(row.event.at),
        facts: row.event.facts,
        titles: scopes::titles(row.event.scopes),
        grants: row.event.grants,
        id: row.id,
    };
    Ok(reply::page(StatusCode::OK, &page))
}
