//! An agent's page, with the forms on it as they were sent.

use askama::Template;
use ctxmem_types::Scope;
use http::StatusCode;
use serde::Deserialize;

use super::usage::{UsageQuery, UsageView};
use super::view::{AgentView, KeyState, KeyView, ScopeBox, scope_boxes};
use crate::core::{AgentProfile, Developer, Manager};
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::pages::{FormProblem, Notice};
use crate::http::words::{PageTime, Phrase, filters};
use crate::website;

/// The fields of a new key.
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

/// What users are told of the agent, and what is wrong with one of these fields.
pub(super) struct ProfileForm {
    pub(super) profile: AgentProfile,
    pub(super) problem: FormProblem,
}

impl ProfileForm {
    /// The host of the website, once it is saved; empty without one.
    fn host(&self) -> String {
        if self.problem.is_some() {
            String::new()
        } else {
            website::host(&self.profile.url)
        }
    }

    /// When the website last confirmed the agent.
    fn verified_at(&self) -> Option<PageTime> {
        self.profile.verified_at.map(PageTime::new)
    }

    /// Where the website confirms its agents.
    fn confirmed_at(&self) -> String {
        let address = website::address(&self.profile.url);
        address.map(String::from).unwrap_or_default()
    }

    /// What is wrong with the reason for the scope of this name.
    pub(super) fn wrong_need(&self, scope: &str) -> Option<&Phrase> {
        self.problem.with(&format!("need_{scope}"))
    }

    /// Why the agent needs the scope of this name; empty where it doesn't.
    pub(super) fn reason(&self, scope: &str) -> &str {
        let scope = Scope::from_name(scope);
        let reason = scope.and_then(|scope| self.profile.needs.get(&scope));
        reason.map(String::as_str).unwrap_or_default()
    }
}

#[derive(Template)]
#[template(path = "dashboard/agent.html")]
struct AgentPage<'a> {
    who: &'a str,
    done: Option<Phrase>,
    problem: Option<Phrase>,
    agent: AgentView,
    keys: Vec<KeyView>,
    usage: UsageView,
    /// The form for another key, as it was sent.
    new_key: NewKeyForm,
    /// Why no key was created.
    key_problem: FormProblem,
    scopes: Vec<ScopeBox>,
    profile: ProfileForm,
}

impl AgentPage<'_> {
    /// What is wrong with this field of the form for another key.
    fn wrong(&self, field: &str) -> Option<&Phrase> {
        self.key_problem.with(field)
    }
}

/// What has just happened, as an agent's page shows it.
#[derive(Default)]
pub(super) struct News {
    pub(super) done: Option<Phrase>,
    pub(super) usage: UsageQuery,
    pub(super) problem: Option<Phrase>,
    /// The form for another key as it was sent, and why there is none.
    pub(super) new_key: NewKeyForm,
    pub(super) key_problem: FormProblem,
    /// A profile that was not saved.
    pub(super) profile: Option<ProfileForm>,
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let agent_id = ctx.param();
    let news = News {
        done: Notice::text_of(&ctx),
        usage: ctx.query()?,
        ..News::default()
    };
    page(&ctx, &developer, &agent_id, news).await
}

/// An agent's page.
pub(super) async fn page(
    ctx: &HandlerContext,
    developer: &Developer,
    agent_id: &str,
    news: News,
) -> HandlerResult {
    let core = ctx.core();
    let agent = core.console.agent_summary(&developer.id, agent_id).await?;
    let usage = UsageView::of(core, developer, Some(agent_id), &news.usage).await?;
    let mut keys = core.grants.keys_of(&developer.id).await?;
    keys.retain(|key| key.agent_id == agent_id);
    let profile = match news.profile {
        Some(sent) => sent,
        None => ProfileForm {
            profile: core
                .console
                .agent_profile(Manager::Developer(developer.clone()), agent_id)
                .await?,
            problem: FormProblem::default(),
        },
    };
    // Live keys first.
    keys.sort_by_key(|key| !core.grants.key_row_works(key));
    let page = AgentPage {
        who: &developer.email,
        done: news.done,
        problem: news.problem,
        agent: AgentView::new(agent, core),
        keys: keys
            .into_iter()
            .map(|key| KeyView::new(key, core))
            .collect(),
        usage,
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
    ctx.page_of(status, &page)
}
