//! The forms about facts: add, correct, delete.

use askama::Template;
use ctxmem_types::{Scope, SliceKind};
use http::StatusCode;
use serde::Deserialize;
use warp::reply::Response;

use super::memory::FactView;
use super::notice::AccountNotice;
use super::{FormProblem, HandlerContext, HttpError, reply};
use crate::core::{Error, FactVersion};
use crate::http::{form, scopes};

/// The form that adds a fact.
pub(super) struct AddForm {
    pub(super) scopes: Vec<ScopeOption>,
    pub(super) name: String,
    pub(super) value: String,
    pub(super) problem: Option<FormProblem>,
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
    /// The text in the field.
    value: String,
    problem: Option<FormProblem>,
}

impl AddForm {
    pub(super) fn empty() -> Self {
        Self::of(None, String::new(), String::new(), None)
    }

    fn of(scope: Option<Scope>, name: String, value: String, problem: Option<FormProblem>) -> Self {
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

    /// The problem with a field, if there is one.
    pub(super) fn wrong(&self, field: &str) -> Option<&str> {
        self.problem.as_ref()?.with(field)
    }
}

impl EditPage<'_> {
    fn wrong(&self) -> Option<&str> {
        self.problem.as_ref()?.with("value")
    }
}

#[derive(Deserialize)]
struct AddedFact {
    #[serde(deserialize_with = "form::scope")]
    scope: Scope,
    /// Used where facts of the scope have names.
    #[serde(default)]
    name: String,
    value: String,
}

/// The form behind "Add".
pub(in crate::http) async fn add(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let (core, wants_page) = (ctx.core().clone(), ctx.request.wants_page());
    let AddedFact { scope, name, value } = ctx.form().await?;
    let of_map = (scope.kind() == SliceKind::Map).then(|| name.clone());
    let added = core.add_fact(user_id.clone(), scope, of_map, value.clone());
    let Err(error) = added.await else {
        return Ok(AccountNotice::FactAdded.redirect());
    };
    let problem = FormProblem::of(error, &["scope", "name", "value"], wants_page)?;
    let page = AddPage {
        user_id: user_id.as_str(),
        add: AddForm::of(Some(scope), name, value, Some(problem)),
    };
    Ok(reply::page(StatusCode::BAD_REQUEST, &page))
}

#[derive(Deserialize)]
struct EditQuery {
    #[serde(deserialize_with = "form::scope")]
    scope: Scope,
    slot: String,
}

/// The page with the form that corrects a fact.
pub(in crate::http) async fn edit(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let EditQuery { scope, slot } = ctx.query()?;
    let fact = ctx
        .core()
        .fact_with_provenance(&user_id, scope, &slot)
        .await?;
    let page = EditPage {
        user_id: user_id.as_str(),
        value: fact.fact.value.clone(),
        fact: FactView::new(fact),
        problem: None,
    };
    Ok(reply::page(StatusCode::OK, &page))
}

#[derive(Deserialize)]
struct CorrectedFact {
    #[serde(deserialize_with = "form::scope")]
    scope: Scope,
    slot: String,
    /// When the value that the page showed was first stored.
    #[serde(deserialize_with = "form::millis")]
    seen: i64,
    value: String,
}

/// The form behind "Save".
pub(in crate::http) async fn correct(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let (core, wants_page) = (ctx.core().clone(), ctx.request.wants_page());
    let form: CorrectedFact = ctx.form().await?;
    let value = form.value;
    let seen = FactVersion {
        scope: form.scope,
        slot: form.slot,
        first_stored_at: form.seen,
    };
    let corrected = core.correct_fact(user_id.clone(), seen.clone(), value.clone());
    let Err(error) = corrected.await else {
        return Ok(AccountNotice::FactCorrected.redirect());
    };
    let problem = FormProblem::of(error, &["value"], wants_page)?;
    let mut fact = core
        .fact_with_provenance(&user_id, seen.scope, &seen.slot)
        .await?;
    // When it is sent again, the form is still about the value that the user saw.
    fact.fact.first_stored_at = seen.first_stored_at;
    let page = EditPage {
        user_id: user_id.as_str(),
        fact: FactView::new(fact),
        value,
        problem: Some(problem),
    };
    Ok(reply::page(StatusCode::BAD_REQUEST, &page))
}

#[derive(Deserialize)]
struct DeletedFact {
    #[serde(deserialize_with = "form::scope")]
    scope: Scope,
    slot: String,
    /// When the value that the page showed was first stored.
    #[serde(deserialize_with = "form::millis")]
    seen: i64,
}

/// The form behind "Delete".
pub(in crate::http) async fn delete(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let core = ctx.core().clone();
    let form: DeletedFact = ctx.form().await?;
    let seen = FactVersion {
        scope: form.scope,
        slot: form.slot,
        first_stored_at: form.seen,
    };
    core.delete_fact(user_id, seen).await?;
    Ok(AccountNotice::FactDeleted.redirect())
}

#[derive(Deserialize)]
struct DeletedScope {
    #[serde(deserialize_with = "form::scope")]
    scope: Scope,
    /// When the newest fact that the page showed was first stored.
    #[serde(deserialize_with = "form::millis")]
    seen: i64,
    confirm: Option<String>,
}

/// The form behind "Delete all of it".
pub(in crate::http) async fn delete_scope(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let core = ctx.core().clone();
    let form: DeletedScope = ctx.form().await?;
    if form.confirm.as_deref() == Some("yes") {
        core.delete_scope(user_id, form.scope, form.seen).await?;
        Ok(AccountNotice::ScopeDeleted.redirect())
    } else {
        let text = "confirm: tick the box to delete all facts of this kind";
        Err(Error::BadRequest(text.to_owned()).into())
    }
}
