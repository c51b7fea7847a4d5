//! `GET /dashboard`: a developer's agents and their usage.

use askama::Template;
use http::StatusCode;
use warp::reply::Response;

use super::chart::Chart;
use super::notice::DashboardNotice;
use super::sign_in;
use super::view::{AgentView, ScopeBox, charts, scope_boxes};
use crate::http::error::HttpError;
use crate::http::handler_context::HandlerContext;
use crate::http::reply;

#[derive(Template)]
#[template(path = "dashboard/overview.html")]
struct DashboardPage<'a> {
    who: &'a str,
    done: Option<&'static str>,
    agents: Vec<AgentView>,
    charts: Vec<Chart>,
    scopes: Vec<ScopeBox>,
}

pub(in crate::http) async fn show(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = match ctx.developer().await {
        Ok(developer) => developer,
        Err(error) if sign_in::is_needed(&error) => return Ok(sign_in::page(&ctx.api)),
        Err(error) => return Err(error),
    };
    let core = ctx.core();
    let agents = core.agents_of(&developer.id).await?;
    let days = core.usage_of(&developer.id).await?;
    let page = DashboardPage {
        who: &developer.email,
        done: DashboardNotice::text_of(&ctx),
        agents: agents
            .into_iter()
            .map(|agent| AgentView::new(agent, core))
            .collect(),
        charts: charts(&days),
        scopes: scope_boxes(),
    };
    Ok(reply::page(StatusCode::OK, &page))
}
