//! The forms about facts: add, correct, delete.

use askama::Template;
use ctxmem_types::{Scope, SliceKind};
use http::StatusCode;
use warp::reply::Response;

use super::done::Done;
use super::memory::FactView;
use super::{Call, HttpError, Problem, asked, field, reply};
use crate::core::{Error, Seen};
use crate::http::scopes;

/// The form that adds a fact.
pub(super) struct AddForm {
    pub(super) scopes: Vec<ScopeOption>,
    pub(super) name: String,
    pub(super) value: String,
    pub(super) problem: Option<Problem>,
}

/// A scope to choose.
pub(super) struct ScopeOption {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) chosen: bool,
}

#[derive(Template)]
#[template(path = "account/add.html")]
struct AddPage<'a> {
    user_id: &'a str,
    add: AddForm,
}

#[derive(Template)]
#[template(path = "account/edit.html")]
struct EditPage<'a> {
    user_id: &'a str,
    fact: FactView,
    /// What stands in the field.
    value: String,
    problem: Option<Problem>,
}

impl AddForm {
    pub(super) fn empty() -> Self {
        Self::of(None, String::new(), String::new(), None)
    }

    fn of(scope: Option<Scope>, name: String, value: String, problem: Option<Problem>) -> Self {
        let scopes = Scope::ALL.map(|each| ScopeOption {
            name: each.name(),
            title: scopes::title(each),
            chosen: Some(each) == scope,
        });
        Self {
            scopes: scopes.into(),
            name,
            value,
            problem,
        }
    }

    /// What is wrong with a field.
    pub(super) fn wrong(&self, field: &str) -> Option<&str> {
        self.problem.as_ref()?.with(field)
    }
}

impl EditPage<'_> {
    fn wrong(&self) -> Option<&str> {
        self.problem.as_ref()?.with("value")
    }
}

/// The form behind "Add".
pub(in crate::http) async fn add(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let (core, wants_page) = (call.core().clone(), call.exchange.wants_page());
    let form = call.form().await?;
    let scope = scope(&field(&form, "scope")?)?;
    let value = field(&form, "value")?;
    let name = field(&form, "name").unwrap_or_default();
    let of_map = (scope.kind() == SliceKind::Map).then(|| name.clone());
    let added = core.add_fact(user_id.clone(), scope, of_map, value.clone());
    let Err(error) = added.await else {
        return Ok(Done::FactAdded.back());
    };
    let problem = Problem::of(error, &["scope", "name", "value"], wants_page)?;
    let page = AddPage {
        user_id: user_id.as_str(),
        add: AddForm::of(Some(scope), name, value, Some(problem)),
    };
    Ok(reply::page(StatusCode::BAD_REQUEST, &page))
}

/// The page with the form that corrects a fact.
pub(in crate::http) async fn edit(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let scope = scope(&asked(&call, "scope")?)?;
    let slot = asked(&call, "slot")?;
    let fact = call.core().remembered_fact(&user_id, scope, &slot).await?;
    let page = EditPage {
        user_id: user_id.as_str(),
        value: fact.fact.value.clone(),
        fact: FactView::new(fact),
        problem: None,
    };
    Ok(reply::page(StatusCode::OK, &page))
}

/// The form behind "Save".
pub(in crate::http) async fn correct(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let (core, wants_page) = (call.core().clone(), call.exchange.wants_page());
    let form = call.form().await?;
    let (seen, value) = (seen(&form)?, field(&form, "value")?);
    let corrected = core.correct_fact(user_id.clone(), seen.clone(), value.clone());
    let Err(error) = corrected.await else {
        return Ok(Done::FactCorrected.back());
    };
    let problem = Problem::of(error, &["value"], wants_page)?;
    let mut fact = core
        .remembered_fact(&user_id, seen.scope, &seen.slot)
        .await?;
    // Sent again, the form is about what its reader saw.
    fact.fact.first_stored_at = seen.first_stored_at;
    let page = EditPage {
        user_id: user_id.as_str(),
        fact: FactView::new(fact),
        value,
        problem: Some(problem),
    };
    Ok(reply::page(StatusCode::BAD_REQUEST, &page))
}

/// The form behind "Delete".
pub(in crate::http) async fn delete(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let core = call.core().clone();
    let seen = seen(&call.form().await?)?;
    core.delete_fact(user_id, seen).await?;
    Ok(Done::FactDeleted.back())
}

/// The form behind "Delete all of it".
pub(in crate::http) async fn delete_scope(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let core = call.core().clone();
    let form = call.form().await?;
    let scope = scope(&field(&form, "scope")?)?;
    let newest = instant(&field(&form, "seen")?)?;
    if field(&form, "confirm").is_ok_and(|confirm| confirm == "yes") {
        core.delete_scope(user_id, scope, newest).await?;
        Ok(Done::ScopeDeleted.back())
    } else {
        let text = "confirm: tick the box to delete all facts of this kind";
        Err(Error::BadRequest(text.to_owned()).into())
    }
}

fn seen(form: &[(String, String)]) -> Result<Seen, Error> {
    Ok(Seen {
        scope: scope(&field(form, "scope")?)?,
        slot: field(form, "slot")?,
        first_stored_at: instant(&field(form, "seen")?)?,
    })
}

fn scope(name: &str) -> Result<Scope, Error> {
    Scope::from_name(name)
        .ok_or_else(|| Error::BadRequest("scope: expected one of the seven scopes".to_owned()))
}

fn instant(millis: &str) -> Result<i64, Error> {
    millis
        .parse()
        .map_err(|_| Error::BadRequest("seen: expected milliseconds since 1970".to_owned()))
}
