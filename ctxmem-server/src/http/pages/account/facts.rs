//! The pages and forms about facts: find, add, correct, delete.

use askama::Template;
use ctxmem_types::{Scope, SliceKind, UserId};
use http::StatusCode;
use serde::Deserialize;
use warp::reply::Response;

use super::MEMORY;
use super::fact_view::{FactFilter, ViewQuery};
use super::frame::AccountFrame;
use super::memory::{FactView, MemoryView};
use super::undo::{self, Undo};
use crate::core::{
    Core, Correction, Error, FactId, FactVersion, FactWithProvenance, ScopeVersion, Suggestion,
    quotation,
};
use crate::http::engine::{HandlerContext, HandlerResult, HttpError, form, reply};
use crate::http::pages::choice::ScopeChoice;
use crate::http::pages::{FormProblem, Notice};
use crate::http::words::{Phrase, filters};

/// How many characters may be searched for.
const MAX_WORDS: usize = 200;

const SOME_CHANGED: Error = Error::Conflict("One of these facts has changed or is gone.");

#[derive(Default)]
struct AddForm {
    scope: Option<Scope>,
    name: String,
    value: String,
    problem: FormProblem,
}

impl AddForm {
    fn scopes(&self) -> Vec<ScopeChoice> {
        ScopeChoice::all(self.scope)
    }
}

#[derive(Template)]
#[template(path = "account/add.html")]
struct AddPage {
    frame: AccountFrame,
    /// Why it was not saved.
    text: Phrase,
    add: AddForm,
}

#[derive(Template)]
#[template(path = "account/facts.html")]
struct FactsPage {
    frame: AccountFrame,
    done: Option<Phrase>,
    undo: Option<Undo>,
    memory: MemoryView,
    add: AddForm,
}

#[derive(Template)]
#[template(path = "account/delete.html")]
struct DeletePage {
    frame: AccountFrame,
    facts: Vec<FactView>,
    /// Which facts these are, where they are all that a filter finds.
    all: Option<String>,
    view: Option<String>,
    back: String,
    /// Whether it can be undone on the next page.
    can_undo: bool,
    /// The choice to keep them out.
    keep_out: Phrase,
}

#[derive(Template)]
#[template(path = "account/edit.html")]
struct EditPage {
    frame: AccountFrame,
    fact: FactView,
    scopes: Vec<ScopeChoice>,
    /// The texts in the fields.
    name: String,
    value: String,
    problem: FormProblem,
    /// Whether another value stands there than the user saw.
    has_changed: bool,
    view: Option<String>,
    back: String,
}

/// The list to which a form leads back: the overview, or the list with its filters.
struct Back {
    filter: FactFilter,
    /// What the form said.
    view: Option<String>,
}

impl Back {
    fn of(core: &Core, session: &str, view: Option<String>) -> Result<Self, Error> {
        let filter = match &view {
            Some(view) => FactFilter::of(core, session, form::parse(view.as_bytes())?)?,
            None => FactFilter::default(),
        };
        Ok(Self { filter, view })
    }

    /// The address, without a fragment.
    fn address(&self) -> String {
        match self.view {
            Some(_) => self.filter.address(self.filter.query.page),
            None => "/account".to_owned(),
        }
    }

    /// Leads back, and tells there what was done, and how to undo it.
    fn with(&self, notice: Notice, undo: Option<String>) -> Response {
        notice.redirect_with_undo(&self.address(), undo)
    }
}

impl FactsPage {
    async fn of(
        ctx: &HandlerContext,
        user_id: &UserId,
        filter: &FactFilter,
    ) -> Result<Self, HttpError> {
        Ok(Self {
            frame: AccountFrame::of(ctx.core(), user_id).await?,
            done: None,
            undo: None,
            memory: memory(ctx.core(), user_id, filter, Some(ctx.session())).await?,
            add: AddForm::default(),
        })
    }
}

/// The list of facts, or of those that were searched for.
pub(crate) async fn list(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let query: ViewQuery = ctx.query()?;
    let filter = FactFilter::of(ctx.core(), ctx.session(), query)?;
    let page = FactsPage {
        done: Notice::text_of(&ctx),
        undo: Undo::of(&ctx, &user_id),
        ..FactsPage::of(&ctx, &user_id, &filter).await?
    };
    ctx.page(&page)
}

/// The facts on the page that a filter asks for. With a session, it knows which kinds can be deleted there so
/// that it can be undone.
pub(super) async fn memory(
    core: &Core,
    user_id: &UserId,
    filter: &FactFilter,
    session: Option<&str>,
) -> Result<MemoryView, HttpError> {
    let blocked_facts = core.memory.count_kept_out(user_id).await?;
    let facts = core.memory.facts_with_provenance(user_id).await?;
    let can_undo = |scope: &Scope| {
        let facts = facts.iter().filter(|kept| kept.fact.scope == *scope);
        session.is_some_and(|session| {
            let sealed = core.memory.seal_deleted(session, user_id, facts);
            sealed.is_some()
        })
    };
    let can_undo = Scope::ALL.into_iter().filter(can_undo).collect();
    Ok(MemoryView::of(facts, filter, blocked_facts, can_undo))
}

/// The form that searches. It posts, so that what is searched for is in no address.
pub(crate) async fn find(ctx: HandlerContext) -> HandlerResult {
    ctx.user().await?;
    let (core, session) = (ctx.core(), ctx.session());
    let form: ViewQuery = ctx.form().await?;
    let words = form.words.trim().to_owned();
    if words.chars().count() > MAX_WORDS {
        let text = format!("words: expected at most {MAX_WORDS} characters");
        return Err(Error::BadRequest(text).into());
    }
    let sealed = match &*words {
        "" => String::new(),
        words => core.sign_in.seal_words(session, words)?,
    };
    let mut filter = FactFilter::of(core, session, form)?;
    (filter.words, filter.query.find) = (words, sealed);
    Ok(reply::see_other(&format!("{}#found", filter.address(1))))
}

#[derive(Deserialize)]
struct AddedFact {
    /// `None` where the service is to find it out.
    #[serde(default, deserialize_with = "form::scope_or_none")]
    scope: Option<Scope>,
    /// Used where facts of the scope have names.
    #[serde(default)]
    name: String,
    value: String,
}

/// The form behind "Add".
pub(crate) async fn add(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let core = ctx.core();
    let AddedFact { scope, name, value } = ctx.form().await?;
    let place = match scope {
        Some(scope) => Suggestion {
            scope,
            name: (scope.kind() == SliceKind::Map).then(|| name.clone()),
            value: value.clone(),
        },
        None => core.memory.suggest(&value),
    };
    let added = core
        .memory
        .add_fact(user_id.clone(), place.scope, place.name, place.value);
    let Err(error) = added.await else {
        return Ok(Notice::FactAdded.redirect_to(MEMORY));
    };
    let problem = FormProblem::of(error, &["scope", "name", "value"], &ctx)?;
    let page = AddPage {
        frame: AccountFrame::of(core, &user_id).await?,
        text: Phrase::new("frame-not-saved"),
        add: AddForm {
            scope,
            name,
            value,
            problem,
        },
    };
    ctx.page_of(StatusCode::BAD_REQUEST, &page)
}

#[derive(Deserialize)]
struct EditQuery {
    fact: String,
    view: Option<String>,
}

/// The page about one fact: why it is known, and the forms that correct and delete it.
pub(crate) async fn edit(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let EditQuery { fact, view } = ctx.query()?;
    let core = ctx.core();
    let back = Back::of(core, ctx.session(), view)?;
    let id = FactId::new(fact);
    let fact = core.memory.fact_with_provenance(&user_id, &id).await?;
    let frame = AccountFrame::of(core, &user_id).await?;
    let page = EditPage::of(frame, fact, &back);
    ctx.page(&page)
}

impl EditPage {
    fn of(frame: AccountFrame, kept: FactWithProvenance, back: &Back) -> Self {
        let scope = kept.fact.scope;
        let fact = FactView::new(kept);
        Self {
            frame,
            scopes: ScopeChoice::all(Some(scope)),
            name: fact.name.clone().unwrap_or_default(),
            // Quotation marks and the day are not for typing.
            value: fact.words().to_owned(),
            fact,
            problem: FormProblem::default(),
            has_changed: false,
            view: back.view.clone(),
            back: format!("{}#memory", back.address()),
        }
    }
}

#[derive(Deserialize)]
struct CorrectedFact {
    #[serde(deserialize_with = "form::fact_version")]
    fact: FactVersion,
    #[serde(default, deserialize_with = "form::scope_or_none")]
    scope: Option<Scope>,
    name: Option<String>,
    value: String,
    view: Option<String>,
}

/// The form behind "Save".
pub(crate) async fn correct(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let core = ctx.core();
    let form: CorrectedFact = ctx.form().await?;
    let back = Back::of(core, ctx.session(), form.view)?;
    let seen = form.fact;
    let correction = Correction {
        scope: form.scope,
        // Kinds without names leave the field empty.
        name: form.name.clone().filter(|name| !name.trim().is_empty()),
        value: still_quoted(core, &user_id, &seen.id, &form.value).await,
    };
    let corrected = core
        .memory
        .correct_fact(user_id.clone(), seen.clone(), correction);
    let Err(error) = corrected.await else {
        return Ok(back.with(Notice::FactCorrected, None));
    };
    let wants_page = ctx.request.wants_page();
    let (status, problem) = match error {
        // What was typed stays, beside what stands there now.
        Error::Conflict(_) if wants_page => (StatusCode::CONFLICT, FormProblem::default()),
        Error::NotFound(_) if wants_page => (StatusCode::NOT_FOUND, FormProblem::default()),
        error => {
            let problem = FormProblem::of(error, &["scope", "name", "value"], &ctx)?;
            (StatusCode::BAD_REQUEST, problem)
        }
    };
    let frame = AccountFrame::of(core, &user_id).await?;
    let name = form.name.unwrap_or_default();
    let mut fact = match core.memory.fact_with_provenance(&user_id, &seen.id).await {
        Err(Error::NotFound(_)) if wants_page => {
            let page = AddPage {
                frame,
                text: Phrase::new("memory-gone"),
                add: AddForm {
                    scope: form.scope,
                    name,
                    value: form.value,
                    problem: FormProblem::default(),
                },
            };
            return ctx.page_of(status, &page);
        }
        found => found?,
    };
    if problem.is_some() {
        // When it is sent again, the form is still about the value that the user saw.
        fact.mark = seen.mark;
    }
    let page = EditPage {
        scopes: ScopeChoice::all(form.scope.or(Some(fact.fact.scope))),
        name,
        value: form.value,
        has_changed: !problem.is_some(),
        problem,
        ..EditPage::of(frame, fact, &back)
    };
    ctx.page_of(status, &page)
}

/// What was typed, or the quotation that is there if its words were left alone: only its kind was corrected.
async fn still_quoted(core: &Core, user_id: &UserId, id: &FactId, typed: &str) -> String {
    let kept = core.memory.fact_with_provenance(user_id, id).await.ok();
    let kept = kept
        .map(|kept| kept.fact.value)
        .filter(|value| quotation(value).is_some_and(|(said, _)| said == typed.trim()));
    kept.unwrap_or_else(|| typed.to_owned())
}

#[derive(Deserialize)]
struct DeletedFacts {
    /// The button of one fact, whatever is ticked.
    #[serde(default, deserialize_with = "form::fact_versions")]
    one: Vec<FactVersion>,
    /// Those that are ticked.
    #[serde(default, deserialize_with = "form::fact_versions")]
    fact: Vec<FactVersion>,
    /// All that the filter finds, as the page showed them.
    #[serde(default, deserialize_with = "form::scope_version_or_none")]
    all: Option<ScopeVersion>,
    /// How many the question was about, where it was about all.
    count: Option<usize>,
    keep_out: Option<String>,
    confirm: Option<String>,
    view: Option<String>,
}

/// The forms behind "Delete" and "Delete selected", and behind the question that comes before several are deleted
/// and before what can't be undone.
pub(crate) async fn delete(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let (core, session) = (ctx.core(), ctx.session());
    let form: DeletedFacts = ctx.form().await?;
    let back = Back::of(core, session, form.view)?;
    let is_one = form.one.len() == 1;
    let mut seen = if form.one.is_empty() {
        form.fact
    } else {
        form.one
    };
    let mut facts = core.memory.facts_with_provenance(&user_id).await?;
    if let Some(all) = &form.all {
        let found = back.filter.select(facts.clone()).into_iter();
        let found = found.filter(|kept| all.holds(kept));
        seen = found.map(|kept| kept.version()).collect();
        if form.confirm.is_some() && form.count != Some(seen.len()) {
            return Err(SOME_CHANGED.into());
        }
    }
    let keeps_out = form.keep_out.as_deref() == Some("yes");
    if seen.is_empty() {
        let text = "fact: select at least one fact";
        let refused = Error::BadRequest(text.to_owned());
        FormProblem::of(refused, &["fact"], &ctx)?;
        let mut page = FactsPage::of(&ctx, &user_id, &back.filter).await?;
        page.memory.problem = Some(Phrase::new("memory-select-one"));
        return ctx.page_of(StatusCode::BAD_REQUEST, &page);
    }
    facts.retain(|kept| seen.iter().any(|seen| seen.id == kept.id));
    let undo = core.memory.seal_deleted(session, &user_id, &facts);
    let facts: Vec<FactView> = facts.into_iter().map(FactView::new).collect();
    let asks = !is_one || undo.is_none();
    if form.confirm.as_deref() != Some("yes") && asks {
        let is_there = |seen: &FactVersion| {
            let version = seen.to_text();
            facts.iter().any(|fact| fact.version == version)
        };
        if !seen.iter().all(is_there) {
            return Err(match (facts.len(), seen.len()) {
                (0, 1) => Error::NotFound("There is no such fact."),
                (_, 1) => Error::Conflict("Another value is there by now."),
                _ => SOME_CHANGED,
            }
            .into());
        }
        let page = DeletePage {
            frame: AccountFrame::of(core, &user_id).await?,
            can_undo: undo.is_some(),
            keep_out: keep_out(&facts),
            all: form.all.as_ref().map(ScopeVersion::to_text),
            facts,
            view: back.view.clone(),
            back: format!("{}#memory", back.address()),
        };
        return ctx.page(&page);
    }
    core.memory.delete_facts(user_id, seen, keeps_out).await?;
    let has_name = facts.iter().any(|fact| fact.is_alone);
    let notice = undo::deleted(facts.len(), keeps_out, has_name);
    Ok(back.with(notice, undo))
}

/// The choice to keep these facts out when they are deleted, with all that it keeps out.
fn keep_out(facts: &[FactView]) -> Phrase {
    let alone = facts.iter().filter(|fact| fact.is_alone);
    let names: Vec<&str> = alone.filter_map(|fact| fact.name.as_deref()).collect();
    undo::keep_out(facts.len(), &names)
}

#[derive(Deserialize)]
struct DeletedScope {
    #[serde(deserialize_with = "form::scope")]
    scope: Scope,
    /// What the page showed.
    #[serde(deserialize_with = "form::scope_version")]
    seen: ScopeVersion,
    confirm: Option<String>,
}

/// The form behind "Delete all of it".
pub(crate) async fn delete_scope(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let (core, session) = (ctx.core(), ctx.session());
    let form: DeletedScope = ctx.form().await?;
    if form.confirm.as_deref() == Some("yes") {
        let mut facts = core.memory.facts_with_provenance(&user_id).await?;
        facts.retain(|kept| kept.fact.scope == form.scope);
        let undo = core.memory.seal_deleted(session, &user_id, &facts);
        core.memory
            .delete_scope(user_id, form.scope, form.seen)
            .await?;
        Ok(Notice::ScopeDeleted.redirect_with_undo(MEMORY, undo))
    } else {
        let text = "confirm: tick the box to delete all facts of this kind";
        Err(Error::BadRequest(text.to_owned()).into())
    }
}

/// The form behind "Allow all again".
pub(crate) async fn unblock(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    ctx.core().memory.let_all_in(user_id).await?;
    Ok(Notice::Unblock.redirect_to(MEMORY))
}
