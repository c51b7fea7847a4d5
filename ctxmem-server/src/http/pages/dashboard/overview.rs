//! `GET /dashboard`: a developer's agents and their usage.

use askama::Template;
use http::StatusCode;
use serde::Deserialize;

use super::sign_in;
use super::usage::{UsageQuery, UsageView};
use super::view::{AgentView, ScopeBox, scope_boxes};
use crate::core::Developer;
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::pages::{FormProblem, Notice};
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
    problem: FormProblem,
    scopes: Vec<ScopeBox>,
}

impl DashboardPage<'_> {
    /// What is wrong with this field of the form.
    fn wrong(&self, field: &str) -> Option<&Phrase> {
        self.problem.with(field)
    }
}

/// What has just happened, and what the page is asked for.
#[derive(Default)]
pub(super) struct News {
    pub(super) done: Option<Phrase>,
    pub(super) usage: UsageQuery,
    /// The form for a new agent as it was sent, and why there is none.
    pub(super) new_agent: NewAgentForm,
    pub(super) problem: FormProblem,
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let Some(developer) = ctx.developer_or_nobody().await? else {
        return sign_in::page(&ctx);
    };
    let news = News {
        done: Notice::text_of(&ctx),
        usage: ctx.query()?,
        ..News::default()
    };
    page(&ctx, &developer, news).await
}

/// The page after what has just happened.
pub(super) async fn page(ctx: &HandlerContext, developer: &Developer, news: News) -> HandlerResult {
    let core = ctx.core();
    let agents = core.console.agents_of(&developer.id).await?;
    let usage = UsageView::of_all(core, developer, &agents, &news.usage).await?;
    let status = if news.problem.is_some() {
        StatusCode::BAD_REQUEST
    } else {
        StatusCode::OK
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
    ctx.page_of(status, &page)
}
