//! An agent's page, and the forms that create, rename and delete agents.

use std::sync::Arc;

use askama::Template;
use http::StatusCode;
use serde::Deserialize;
use warp::reply::Response;

use super::chart::Chart;
use super::keys::NewKeyForm;
use super::notice::DashboardNotice;
use super::overview;
use super::profile::ProfileForm;
use super::shown_once::Sender;
use super::view::{
    AgentView, FieldProblem, KeyState, KeyView, ScopeBox, agent_path, charts, key_path, scope_boxes,
};
use crate::core::{Core, Developer, Error, Manager};
use crate::http::error::HttpError;
use crate::http::handler_context::HandlerContext;
use crate::http::request_context::RequestContext;
use crate::http::words::{Phrase, filters};
use crate::http::{form, reply};

#[derive(Template)]
#[template(path = "dashboard/agent.html")]
struct AgentPage<'a> {
    who: &'a str,
    done: Option<Phrase>,
    problem: Option<Phrase>,
    agent: AgentView,
    keys: Vec<KeyView>,
    charts: Vec<Chart>,
    /// The form for another key, as it was sent.
    new_key: NewKeyForm,
    /// Why no key was created.
    key_problem: Option<FieldProblem>,
    scopes: Vec<ScopeBox>,
    profile: ProfileForm,
}

impl AgentPage<'_> {
    /// What is wrong with this field of the form for another key.
    fn wrong(&self, field: &str) -> Option<&Phrase> {
        self.key_problem.as_ref()?.with(field)
    }
}

/// What has just happened, as an agent's page shows it.
#[derive(Default)]
struct News {
    done: Option<Phrase>,
    problem: Option<Phrase>,
    new_key: NewKeyForm,
    key_problem: Option<FieldProblem>,
    /// A profile that was not saved.
    profile: Option<ProfileForm>,
}

pub(in crate::http) async fn show(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let agent_id = ctx.param();
    let news = News {
        done: DashboardNotice::text_of(&ctx),
        ..News::default()
    };
    page(ctx.core(), &ctx.request, &developer, &agent_id, news).await
}

/// An agent's page with its form for another key as it was sent, and why there is none.
pub(super) async fn key_not_created(
    core: &Core,
    reader: &RequestContext,
    developer: &Developer,
    agent_id: &str,
    new_key: NewKeyForm,
    problem: &str,
) -> Result<Response, HttpError> {
    let news = News {
        new_key,
        key_problem: Some(FieldProblem::new(problem)),
        ..News::default()
    };
    page(core, reader, developer, agent_id, news).await
}

/// An agent's page.
async fn page(
    core: &Core,
    reader: &RequestContext,
    developer: &Developer,
    agent_id: &str,
    news: News,
) -> Result<Response, HttpError> {
    let agent = core.agent_summary(&developer.id, agent_id).await?;
    let days = core.usage_of_agent(&developer.id, agent_id).await?;
    let mut keys = core.keys_of(&developer.id).await?;
    keys.retain(|key| key.agent_id == agent_id);
    let profile = match news.profile {
        Some(sent) => sent,
        None => ProfileForm {
            profile: core
                .agent_profile(Manager::Developer(developer.clone()), agent_id)
                .await?,
            problem: None,
        },
    };
    // Live keys first.
    keys.sort_by_key(|key| !core.key_row_works(key));
    let page = AgentPage {
        who: &developer.email,
        done: news.done,
        problem: news.problem,
        agent: AgentView::new(agent, core),
        keys: keys
            .into_iter()
            .map(|key| KeyView::new(key, core))
            .collect(),
        charts: charts(&days),
        scopes: scope_boxes(&news.new_key.scopes),
        new_key: news.new_key,
        key_problem: news.key_problem,
        profile,
    };
    let refused = page.problem.is_some() || page.key_problem.is_some();
    let status = if refused || page.profile.problem.is_some() {
        StatusCode::BAD_REQUEST
    } else {
        StatusCode::OK
    };
    Ok(reply::page(reader, status, &page))
}

#[derive(Default, Deserialize)]
pub(super) struct NewAgentForm {
    pub(super) name: String,
    /// Those that are ticked.
    #[serde(default, rename = "scope")]
    pub(super) scopes: Vec<String>,
}

/// The form behind "Create". The agent's first key is shown once, on the page that follows.
pub(in crate::http) async fn create(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let (api, request) = (ctx.api.clone(), Arc::clone(&ctx.request));
    let sender = Sender::of(&ctx);
    let form: NewAgentForm = ctx.form().await?;
    let created = match form::key_scopes(&form.scopes) {
        Ok(scopes) => {
            let core = &api.core;
            core.create_agent_of(&developer, &form.name, scopes).await
        }
        Err(refused) => Err(refused),
    };
    match created {
        Ok((_, key)) => sender.see_once(&api, &key_path(&key.id), &key.api_key),
        Err(Error::BadRequest(problem)) if request.wants_page() => {
            overview::agent_not_created(&api.core, &request, &developer, form, &problem).await
        }
        Err(error) => Err(error.into()),
    }
}

/// An agent and a name: the new one, or the one that confirms a deletion.
#[derive(Deserialize)]
struct AgentForm {
    agent_id: String,
    name: String,
}

/// The form behind "Rename".
pub(in crate::http) async fn rename(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let core = ctx.core().clone();
    let AgentForm { agent_id, name } = ctx.form().await?;
    core.rename_agent(&Manager::Developer(developer), &agent_id, &name)
        .await?;
    Ok(DashboardNotice::AgentRenamed.redirect(&agent_path(&agent_id)))
}

/// The form behind "Delete", where the agent's name has to be typed.
pub(in crate::http) async fn delete(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let (core, request) = (ctx.core().clone(), Arc::clone(&ctx.request));
    let AgentForm { agent_id, name } = ctx.form().await?;
    if core
        .delete_agent(&Manager::Developer(developer.clone()), &agent_id, &name)
        .await?
    {
        return Ok(DashboardNotice::AgentDeleted.redirect("/dashboard"));
    }
    let news = News {
        problem: Some(Phrase::new("agent-not-deleted")),
        ..News::default()
    };
    page(&core, &request, &developer, &agent_id, news).await
}

/// The page with a profile that was not saved.
pub(super) async fn page_with(
    core: &Core,
    reader: &RequestContext,
    developer: &Developer,
    agent_id: &str,
    sent: ProfileForm,
) -> Result<Response, HttpError> {
    let news = News {
        problem: Some(Phrase::new("frame-not-saved")),
        profile: Some(sent),
        ..News::default()
    };
    page(core, reader, developer, agent_id, news).await
}
