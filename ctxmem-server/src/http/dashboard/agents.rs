//! An agent's page, and the forms that make, rename and delete one.

use askama::Template;
use http::StatusCode;
use warp::reply::Response;

use super::chart::Chart;
use super::done::Done;
use super::form::{self, Form};
use super::keys;
use super::view::{AgentView, KeyView, ScopeBox, charts, scope_boxes};
use crate::core::Core;
use crate::http::call::Call;
use crate::http::error::HttpError;
use crate::http::reply;
use crate::store::Developer;

#[derive(Template)]
#[template(path = "dashboard/agent.html")]
struct AgentPage<'a> {
    who: &'a str,
    done: Option<&'static str>,
    problem: Option<&'static str>,
    agent: AgentView,
    keys: Vec<KeyView>,
    charts: Vec<Chart>,
    scopes: Vec<ScopeBox>,
}

pub(in crate::http) async fn show(call: Call) -> Result<Response, HttpError> {
    let developer = call.developer().await?;
    let agent_id = call.param.clone().unwrap_or_default();
    let done = Done::said(form::query(&call, "done").as_deref());
    page(call.core(), &developer, &agent_id, done, None).await
}

/// The page of an agent, with what was done to it or why it was not.
async fn page(
    core: &Core,
    developer: &Developer,
    agent_id: &str,
    done: Option<&'static str>,
    problem: Option<&'static str>,
) -> Result<Response, HttpError> {
    let agent = core.agent_summary(&developer.id, agent_id).await?;
    let days = core.usage_of_agent(&developer.id, agent_id).await?;
    let mut keys = core.keys_of(&developer.id).await?;
    keys.retain(|key| key.agent_id == agent_id);
    // The live ones first.
    keys.sort_by_key(|key| key.revoked_at.is_some());
    let page = AgentPage {
        who: &developer.email,
        done,
        problem,
        agent: AgentView::new(agent, core),
        keys: keys.into_iter().map(KeyView::new).collect(),
        charts: charts(&days),
        scopes: scope_boxes(),
    };
    let status = if problem.is_some() {
        StatusCode::BAD_REQUEST
    } else {
        StatusCode::OK
    };
    Ok(reply::page(status, &page))
}

/// The form behind "Create": the agent's first key is shown at once, and once.
pub(in crate::http) async fn create(call: Call) -> Result<Response, HttpError> {
    let developer = call.developer().await?;
    let api = call.api.clone();
    let form = Form::of(call).await?;
    let (name, scopes) = (form.field("name")?, form.scopes()?);
    let (agent, key) = api
        .core
        .create_agent_of(&developer.id, name, scopes)
        .await?;
    Ok(keys::created(&api, &developer, &agent, &key, scopes))
}

pub(in crate::http) async fn rename(call: Call) -> Result<Response, HttpError> {
    let developer = call.developer().await?;
    let core = call.core().clone();
    let form = Form::of(call).await?;
    let (agent_id, name) = (form.field("agent_id")?, form.field("name")?);
    core.rename_agent(&developer.id, agent_id, name).await?;
    Ok(reply::see_other(&Done::AgentRenamed.on(&address(agent_id))))
}

/// The form behind "Delete", which asks for the name of what is deleted.
pub(in crate::http) async fn delete(call: Call) -> Result<Response, HttpError> {
    let developer = call.developer().await?;
    let core = call.core().clone();
    let form = Form::of(call).await?;
    let (agent_id, name) = (form.field("agent_id")?, form.field("name")?);
    if core.delete_agent(&developer.id, agent_id, name).await? {
        return Ok(reply::see_other(&Done::AgentDeleted.on("/dashboard")));
    }
    let problem = "That is not the agent's name. Nothing was deleted.";
    page(&core, &developer, agent_id, None, Some(problem)).await
}

/// Where the page of an agent is, whose id was found to be one.
pub(super) fn address(agent_id: &str) -> String {
    format!("/dashboard/agents/{agent_id}")
}
