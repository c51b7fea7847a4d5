//! `GET /dashboard`: a developer's agents and their usage.

use askama::Template;
use http::StatusCode;
use serde::Deserialize;
use warp::reply::Response;

use super::notice::DashboardNotice;
use super::sign_in;
use super::usage::{UsageQuery, UsageView};
use super::view::{AgentView, FieldProblem, ScopeBox, scope_boxes};
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
    usage: UsageView,
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

/// What has just happened, and what the page is asked for.
#[derive(Default)]
struct News {
    done: Option<Phrase>,
    usage: UsageQuery,
    new_agent: NewAgentForm,
    problem: Option<FieldProblem>,
}

pub(crate) async fn show(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = match ctx.developer().await {
        Ok(developer) => developer,
        Err(error) if sign_in::is_needed(&error) => {
            return Ok(sign_in::page(&ctx.state, &ctx.request));
        }
        Err(error) => return Err(error),
    };
    let news = News {
        done: DashboardNotice::text_of(&ctx),
        usage: ctx.query()?,
        ..News::default()
    };
    page(ctx.core(), &ctx.request, &developer, news).await
}

/// The page with its form for a new agent as it was sent, and why there is none.
pub(super) async fn agent_not_created(
    core: &Core,
    reader: &RequestContext,
    developer: &Developer,
    new_agent: NewAgentForm,
    problem: &str,
) -> Result<Response, HttpError> {
    let news = News {
        new_agent,
        problem: Some(FieldProblem::new(problem)),
        ..News::default()
    };
    page(core, reader, developer, news).await
}

async fn page(
    core: &Core,
    reader: &RequestContext,
    developer: &Developer,
    news: News,
) -> Result<Response, HttpError> {
    let agents = core.console.agents_of(&developer.id).await?;
    let usage = UsageView::of_all(core, developer, &agents, &news.usage).await?;
    let status = match news.problem {
        Some(_) => StatusCode::BAD_REQUEST,
        None => StatusCode::OK,
    };
    let page = DashboardPage {
        who: &developer.email,
        done: news.done,
        usage,
        agents: agents
            .into_iter()
            .map(|agent| AgentView::new(agent, core))
            .collect(),
        scopes: scope_boxes(&news.new_agent.scopes),
        new_agent: news.new_agent,
        problem: news.problem,
    };
    Ok(reply::page(reader, status, &page))
}
