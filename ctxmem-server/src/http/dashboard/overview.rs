//! `GET /dashboard`: a developer's agents, and what they all did.

use askama::Template;
use http::StatusCode;
use warp::reply::Response;

use super::chart::Chart;
use super::done::Done;
use super::view::{AgentView, ScopeBox, charts, scope_boxes};
use super::{form, sign_in};
use crate::http::call::Call;
use crate::http::error::HttpError;
use crate::http::reply;

#[derive(Template)]
#[template(path = "dashboard/overview.html")]
struct OverviewPage<'a> {
    who: &'a str,
    done: Option<&'static str>,
    agents: Vec<AgentView>,
    charts: Vec<Chart>,
    scopes: Vec<ScopeBox>,
}

pub(in crate::http) async fn show(call: Call) -> Result<Response, HttpError> {
    let developer = match call.developer().await {
        Ok(developer) => developer,
        Err(error) if sign_in::is_wanted(&error) => return Ok(sign_in::page()),
        Err(error) => return Err(error),
    };
    let core = call.core();
    let agents = core.agents_of(&developer.id).await?;
    let days = core.usage_of(&developer.id).await?;
    let page = OverviewPage {
        who: &developer.email,
        done: Done::said(form::query(&call, "done").as_deref()),
        agents: agents
            .into_iter()
            .map(|agent| AgentView::new(agent, core))
            .collect(),
        charts: charts(&days),
        scopes: scope_boxes(),
    };
    Ok(reply::page(StatusCode::OK, &page))
}
