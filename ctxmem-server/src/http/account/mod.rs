//! `/account`: what is remembered of a user, who has access to it, what happened, and how to
//! take it along or delete it. One page, and a few beside it.

mod access;
mod done;
mod erase;
mod export;
mod facts;
mod history;
mod memory;
mod preview;

use askama::Template;
use http::StatusCode;
use warp::reply::Response;

use self::access::AccessView;
use self::done::Done;
use self::facts::AddForm;
use self::history::Line;
use self::memory::Memory;
use super::call::Call;
use super::error::HttpError;
use super::reply;
use super::sign_in::OidcLink;
use crate::core::{Error, Purpose};

pub(super) use access::{allow, revoke};
pub(super) use erase::{ask as ask_to_erase, erase, receipt};
pub(super) use export::{context, export};
pub(super) use facts::{add, correct, delete, delete_scope, edit};
pub(super) use history::history;
pub(super) use preview::preview;

/// How many entries of the history the overview shows.
const LATEST: u32 = 10;

#[derive(Template)]
#[template(path = "account/overview.html")]
struct OverviewPage<'a> {
    user_id: &'a str,
    done: Option<Done>,
    memory: Memory,
    add: AddForm,
    access: Vec<AccessView>,
    with_access: usize,
    history: Vec<Line>,
}

#[derive(Template)]
#[template(path = "signed_out.html")]
struct SignedOutPage<'a> {
    oidc: Option<OidcLink<'a>>,
}

impl OverviewPage<'_> {
    /// What was done, where it belongs to this section.
    fn done_in(&self, section: &str) -> Option<&'static str> {
        let done = self.done.filter(|done| done.section() == section)?;
        Some(done.text())
    }
}

pub(super) async fn show(call: Call) -> Result<Response, HttpError> {
    let user_id = match call.user().await {
        Ok(user_id) => user_id,
        Err(HttpError::Core(Error::NotSignedIn)) => {
            let oidc = OidcLink::new(&call.api, Purpose::User);
            return Ok(reply::page(
                StatusCode::UNAUTHORIZED,
                &SignedOutPage { oidc },
            ));
        }
        Err(error) => return Err(error),
    };
    let core = call.core();
    let memory = Memory::of(core.remembered(&user_id).await?);
    let access: Vec<AccessView> = core
        .access(&user_id)
        .await?
        .into_iter()
        .map(|(access, state)| AccessView::new(access, state))
        .collect();
    let history = core.trail(&user_id, None, LATEST).await?;
    let page = OverviewPage {
        user_id: user_id.as_str(),
        done: query(&call, "done").and_then(|code| Done::from_code(&code)),
        memory,
        add: AddForm::empty(),
        with_access: access.iter().filter(|agent| agent.has_access).count(),
        access,
        history: history.iter().map(Line::new).collect(),
    };
    Ok(reply::page(StatusCode::OK, &page))
}

/// A field of the query.
fn query(call: &Call, name: &str) -> Option<String> {
    let query = call.exchange.query();
    form_urlencoded::parse(query.as_bytes())
        .find_map(|(found, value)| (found == name).then(|| value.into_owned()))
}

/// A field of the query that must be there.
fn asked(call: &Call, name: &str) -> Result<String, Error> {
    query(call, name).ok_or_else(|| missing(name))
}

/// A field of a form that must be there.
fn field(form: &[(String, String)], name: &str) -> Result<String, Error> {
    form.iter()
        .find_map(|(found, value)| (found == name).then(|| value.clone()))
        .ok_or_else(|| missing(name))
}

fn missing(name: &str) -> Error {
    Error::BadRequest(format!("{name}: a required field is missing"))
}

/// What is wrong with a form: the field, and what about it.
struct Problem {
    field: String,
    text: String,
}

impl Problem {
    /// From a refusal, where it names one of these fields and a page can show it.
    fn of(error: Error, fields: &[&str], call_wants_page: bool) -> Result<Self, Error> {
        let Error::BadRequest(whole) = &error else {
            return Err(error);
        };
        match whole.split_once(": ") {
            Some((field, text)) if call_wants_page && fields.contains(&field) => Ok(Self {
                field: field.to_owned(),
                text: format!("{}.", capitalised(text)),
            }),
            _ => Err(error),
        }
    }

    /// What is wrong with this field.
    fn with(&self, field: &str) -> Option<&str> {
        (self.field == field).then_some(&*self.text)
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
