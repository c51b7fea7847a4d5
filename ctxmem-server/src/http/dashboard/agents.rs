//! An agent's page, and the forms that create, rename and delete agents.

use askama::Template;
use http::StatusCode;
use serde::Deserialize;
use warp::reply::Response;

use super::chart::Chart;
use super::keys;
use super::notice::DashboardNotice;
use super::profile::ProfileForm;
use super::view::{AgentView, KeyView, ScopeBox, agent_path, charts, scope_boxes};
use crate::core::{Core, Developer, Manager};
use crate::http::error::HttpError;
use crate::http::handler_context::HandlerContext;
use crate::http::{form, reply};

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
    profile: ProfileForm,
}

pub(in crate::http) async fn show(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let agent_id = ctx.param.clone().unwrap_or_default();
    page(
        ctx.core(),
        &developer,
        &agent_id,
        DashboardNotice::text_of(&ctx),
        None,
        None,
    )
    .await
}

/// An agent's page, with a notice of what was done or the reason why it was not.
async fn page(
    core: &Core,
    developer: &Developer,
    agent_id: &str,
    done: Option<&'static str>,
    problem: Option<&'static str>,
    profile: Option<ProfileForm>,
) -> Result<Response, HttpError> {
    let agent = core.agent_summary(&developer.id, agent_id).await?;
    let days = core.usage_of_agent(&developer.id, agent_id).await?;
    let mut keys = core.keys_of(&developer.id).await?;
    keys.retain(|key| key.agent_id == agent_id);
    let profile = match profile {
        Some(sent) => sent,
        None => ProfileForm {
            profile: core
                .agent_profile(Manager::Developer(developer.id.clone()), agent_id)
                .await?,
            problem: None,
        },
    };
    // Live keys first.
    keys.sort_by_key(|key| key.revoked_at.is_some());
    let page = AgentPage {
        who: &developer.email,
        done,
        problem,
        agent: AgentView::new(agent, core),
        keys: keys.into_iter().map(KeyView::new).collect(),
        charts: charts(&days),
        scopes: scope_boxes(),
        profile,
    };
    let status = if problem.is_some() || page.profile.problem.is_some() {
        StatusCode::BAD_REQUEST
    } else {
        StatusCode::OK
    };
    Ok(reply::page(status, &page))
}

#[derive(Deserialize)]
struct NewAgentForm {
    name: String,
    /// Those that are ticked.
    #[serde(default, rename = "scope")]
    scopes: Vec<String>,
}

/// The form behind "Create". The agent's first key is shown once, on the page that follows.
pub(in crate::http) async fn create(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let api = ctx.api.clone();
    let form: NewAgentForm = ctx.form().await?;
    let scopes = form::key_scopes(&form.scopes)?;
    let (agent, key) = api
        .core
        .create_agent_of(&developer.id, &form.name, scopes)
        .await?;
    Ok(keys::created(&api, &developer, &agent, &key, scopes))
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
    core.rename_agent(&developer.id, &agent_id, &name).await?;
    Ok(DashboardNotice::AgentRenamed.redirect(&agent_path(&agent_id)))
}

/// The form behind "Delete", where the agent's name has to be typed.
pub(in crate::http) async fn delete(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let core = ctx.core().clone();
    let AgentForm { agent_id, name } = ctx.form().await?;
    if core.delete_agent(&developer.id, &agent_id, &name).await? {
        return Ok(DashboardNotice::AgentDeleted.redirect("/dashboard"));
    }
    let problem = "That is not the agent's name. Nothing was deleted.";
    page(&core, &developer, &agent_id, None, Some(problem), None).await
}

/// The page with a profile that was not saved.
pub(super) async fn page_with(
    core: &Core,
    developer: &Developer,
    agent_id: &str,
    sent: ProfileForm,
) -> Result<Response, HttpError> {
    let problem = "Not saved. Fix the field below.";
    page(core, developer, agent_id, None, Some(problem), Some(sent)).await
}
