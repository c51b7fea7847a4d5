//! `GET /dashboard`: a developer's agents and their usage.

use std::num::NonZeroU32;

use askama::Template;
use serde::Deserialize;

use super::usage::{UsageQuery, UsageView};
use super::{sign_in, view};
use crate::core::{AgentSummary, Developer, Error};
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::pages::choice::ScopeChoice;
use crate::http::pages::{FormProblem, Notice};
use crate::http::words::{Phrase, filters};

#[derive(Default, Deserialize)]
pub(super) struct NewAgentForm {
    pub(super) name: String,
    /// Those that are ticked.
    #[serde(default, rename = "scope")]
    pub(super) scopes: Vec<String>,
}

#[derive(Template)]
#[template(path = "dashboard/overview.html")]
pub(super) struct DashboardPage<'a> {
    developer: &'a Developer,
    done: Option<Phrase>,
    agents: Vec<AgentSummary>,
    /// How many updates each may send in a month.
    quota: Option<NonZeroU32>,
    usage: UsageView,
    /// The form for a new agent, as it was sent.
    pub(super) new_agent: NewAgentForm,
    /// Why no agent was created.
    pub(super) problem: FormProblem,
}

impl<'a> DashboardPage<'a> {
    pub(super) async fn new(
        ctx: &HandlerContext,
        developer: &'a Developer,
        usage: &UsageQuery,
    ) -> Result<Self, Error> {
        let (core, console) = (ctx.core(), &ctx.core().console);
        let agents = console.agents_of(&developer.id).await?;
        Ok(Self {
            developer,
            done: None,
            usage: UsageView::of_all(core, developer, &agents, usage).await?,
            agents,
            quota: console.monthly_quota(),
            new_agent: NewAgentForm::default(),
            problem: FormProblem::default(),
        })
    }

    fn scopes(&self) -> Vec<ScopeChoice> {
        view::scope_boxes(&self.new_agent.scopes)
    }
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let Some(developer) = ctx.developer_or_nobody().await? else {
        return sign_in::page(&ctx);
    };
    let page = DashboardPage {
        done: Notice::text_of(&ctx),
        ..DashboardPage::new(&ctx, &developer, &ctx.query()?).await?
    };
    ctx.page(&page)
}
