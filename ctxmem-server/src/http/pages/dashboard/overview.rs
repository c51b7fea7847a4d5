//! `GET /dashboard`: a developer's agents and their usage.

use askama::Template;
use http::StatusCode;
use serde::Deserialize;
use warp::reply::Response;

use super::chart::Chart;
use super::notice::DashboardNotice;
use super::sign_in;
use super::view::{AgentView, FieldProblem, ScopeBox, charts, scope_boxes};
use crate::core::{Core, Developer};
use crate::http::engine::error::HttpError;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::reply;
use crate::http::engine::request_context::RequestContext;
use crate::http::words::{Phrase, filters};

/// The fields of a new agent.
#[derive(Default, Deserialize)]
pub(super) struct NewAgentForm {
    pub(super) name: String,
    /// Those that are ticked.
    #[serde(default, rename = "scope")]
    pub(super) scopes: Vec<String>,
}

#[derive(Template)]
#[template(path = "dashboard/overview.html")]
struct DashboardPage<'a> {
    who: &'a str,
    done: Option<Phrase>,
    agents: Vec<AgentView>,
    charts: Vec<Chart>,
    /// The form for a new agent, as it was sent.
    new_agent: NewAgentForm,
    /// Why no agent was created.
    problem: Option<FieldProblem>,
    scopes: Vec<ScopeBox>,
}

impl DashboardPage<'_> {
    /// What is wrong with this field of the form.
    fn wrong(&self, field: &str) -> Option<&Phrase> {
        self.problem.as_ref()?.with(field)
    }
}

pub(crate) async fn show(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = match ctx.developer().await {
        Ok(developer) => developer,
        Err(error) if sign_in::is_needed(&error) => {
            return Ok(sign_in::page(&ctx.state, &ctx.request));
        }
        Err(error) => return Err(error),
    };
    let done = DashboardNotice::text_of(&ctx);
    let new_agent = NewAgentForm::default();
    page(ctx.core(), &ctx.request, &developer, done, new_agent, None).await
}

/// The page with its form for a new agent as it was sent, and why there is none.
pub(super) async fn agent_not_created(
    core: &Core,
    reader: &RequestContext,
    developer: &Developer,
    new_agent: NewAgentForm,
    problem: &str,
) -> Result<Response, HttpError> {
    let problem = FieldProblem::new(problem);
    page(core, reader, developer, None, new_agent, Some(problem)).await
}

async fn page(
    core: &Core,
    reader: &RequestContext,
    developer: &Developer,
    done: Option<Phrase>,
    new_agent: NewAgentForm,
    problem: Option<FieldProblem>,
) -> Result<Response, HttpError> {
    let agents = core.console.agents_of(&developer.id).await?;
    let days = core.console.usage_of(&developer.id).await?;
    let status = match problem {
        Some(_) => StatusCode::BAD_REQUEST,
        None => StatusCode::OK,
    };
    let page = DashboardPage {
        who: &developer.email,
        done,
        agents: agents
            .into_iter()
            .map(|agent| AgentView::new(agent, core))
            .collect(),
        charts: charts(&days),
        scopes: scope_boxes(&new_agent.scopes),
        new_agent,
        problem,
    };
    Ok(reply::page(reader, status, &page))
}
