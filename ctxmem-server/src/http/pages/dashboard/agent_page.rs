//! An agent's page, with the forms on it as they were sent.

use std::num::NonZeroU32;

use askama::Template;
use http::StatusCode;
use serde::Deserialize;

use super::usage::{UsageQuery, UsageView};
use super::view::{self, KeyState};
use crate::core::{AgentProfile, AgentSummary, Developer, Error, KeyRow, Manager};
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::pages::choice::ScopeChoice;
use crate::http::pages::{FormProblem, Notice};
use crate::http::words::{Phrase, filters};
use crate::website;

#[derive(Default, Deserialize)]
pub(super) struct NewKeyForm {
    pub(super) agent_id: String,
    #[serde(default)]
    pub(super) name: String,
    /// In days; empty for a key that does not expire.
    #[serde(default)]
    pub(super) expires_in: String,
    /// Those that are ticked.
    #[serde(default, rename = "scope")]
    pub(super) scopes: Vec<String>,
}

#[derive(Template)]
#[template(path = "dashboard/agent.html")]
pub(super) struct AgentPage<'a> {
    developer: &'a Developer,
    done: Option<Phrase>,
    pub(super) problem: Option<Phrase>,
    summary: AgentSummary,
    /// How many updates it may send in a month.
    quota: Option<NonZeroU32>,
    keys: Vec<(KeyRow, KeyState)>,
    usage: UsageView,
    /// The form for another key, as it was sent.
    pub(super) new_key: NewKeyForm,
    /// Why no key was created.
    pub(super) key_problem: FormProblem,
    /// What users are told of the agent, and what is wrong with one of these fields.
    pub(super) profile: AgentProfile,
    pub(super) profile_problem: FormProblem,
}

impl<'a> AgentPage<'a> {
    pub(super) async fn new(
        ctx: &HandlerContext,
        developer: &'a Developer,
        agent_id: &str,
        usage: &UsageQuery,
    ) -> Result<Self, Error> {
        let (core, console) = (ctx.core(), &ctx.core().console);
        let summary = console.agent_summary(&developer.id, agent_id).await?;
        let usage = UsageView::of(core, developer, Some(agent_id), usage).await?;
        let mut keys = core.grants.keys_of(&developer.id).await?;
        keys.retain(|key| key.agent_id == agent_id);
        // Live keys first.
        keys.sort_by_key(|key| !core.grants.key_row_works(key));
        let keys = keys.into_iter().map(|key| {
            let state = KeyState::of(&key, core);
            (key, state)
        });
        let manager = Manager::Developer(developer.clone());
        Ok(Self {
            developer,
            done: None,
            problem: None,
            summary,
            quota: console.monthly_quota(),
            keys: keys.collect(),
            usage,
            new_key: NewKeyForm::default(),
            key_problem: FormProblem::default(),
            profile: console.agent_profile(manager, agent_id).await?,
            profile_problem: FormProblem::default(),
        })
    }

    /// The page with what is wrong on it.
    pub(super) fn refused(&self, ctx: &HandlerContext) -> HandlerResult {
        ctx.page_of(StatusCode::BAD_REQUEST, self)
    }

    /// The scopes of the form for another key.
    fn scopes(&self) -> Vec<ScopeChoice> {
        view::scope_boxes(&self.new_key.scopes)
    }

    fn wrong_need(&self, scope: &ScopeChoice) -> Option<&Phrase> {
        let field = format!("need_{}", scope.name());
        self.profile_problem.with(&field)
    }

    /// The host of the website, once it is saved; empty without one.
    fn host(&self) -> String {
        if self.profile_problem.is_some() {
            String::new()
        } else {
            website::host(&self.profile.url)
        }
    }

    /// Where the website confirms its agents.
    fn confirmed_at(&self) -> String {
        let address = website::address(&self.profile.url);
        address.map(String::from).unwrap_or_default()
    }
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let page = AgentPage {
        done: Notice::text_of(&ctx),
        ..AgentPage::new(&ctx, &developer, &ctx.param(), &ctx.query()?).await?
    };
    ctx.page(&page)
}
