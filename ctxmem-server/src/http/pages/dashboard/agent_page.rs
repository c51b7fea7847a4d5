//! An agent's page, with the forms on it as they were sent.

use askama::Template;
use ctxmem_types::Scope;
use http::StatusCode;
use serde::Deserialize;
use warp::reply::Response;

use super::notice::DashboardNotice;
use super::usage::{UsageQuery, UsageView};
use super::view::{AgentView, FieldProblem, KeyState, KeyView, ScopeBox, scope_boxes};
use crate::core::{AgentProfile, Core, Developer, Manager};
use crate::http::engine::error::HttpError;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::reply;
use crate::http::engine::request_context::RequestContext;
use crate::http::words::page_time::PageTime;
use crate::http::words::{Phrase, filters};
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
    pub(super) problem: Option<(String, Phrase)>,
}

impl ProfileForm {
    /// The host of the website, once it is saved; empty without one.
    fn host(&self) -> String {
        match &self.problem {
            Some(_) => String::new(),
            None => website::host(&self.profile.url),
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

    /// The problem, if it is about this field.
    pub(super) fn wrong(&self, field: &str) -> Option<&Phrase> {
        let (about, text) = self.problem.as_ref()?;
        (about == field).then_some(text)
    }

    /// The same about the reason for the scope of this name.
    pub(super) fn wrong_need(&self, scope: &str) -> Option<&Phrase> {
        self.wrong(&format!("need_{scope}"))
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
    key_problem: Option<FieldProblem>,
    scopes: Vec<ScopeBox>,
    profile: ProfileForm,
}

impl AgentPage<'_> {
    /// What is wrong with this field of the form for another key.
    fn wrong(&self, field: &str) -> Option<&Phrase> {
        self.key_problem.as_ref()?.with(field)
    }
}

/// What has just happened, as an agent's page shows it.
#[derive(Default)]
struct News {
    done: Option<Phrase>,
    usage: UsageQuery,
    problem: Option<Phrase>,
    new_key: NewKeyForm,
    key_problem: Option<FieldProblem>,
    /// A profile that was not saved.
    profile: Option<ProfileForm>,
}

pub(crate) async fn show(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let agent_id = ctx.param();
    let news = News {
        done: DashboardNotice::text_of(&ctx),
        usage: ctx.query()?,
        ..News::default()
    };
    page(ctx.core(), &ctx.request, &developer, &agent_id, news).await
}

/// An agent's page with its form for another key as it was sent, and why there is none.
pub(super) async fn key_not_created(
    core: &Core,
    reader: &RequestContext,
    developer: &Developer,
    agent_id: &str,
    new_key: NewKeyForm,
    problem: &str,
) -> Result<Response, HttpError> {
    let news = News {
        new_key,
        key_problem: Some(FieldProblem::new(problem)),
        ..News::default()
    };
    page(core, reader, developer, agent_id, news).await
}

/// An agent's page.
async fn page(
    core: &Core,
    reader: &RequestContext,
    developer: &Developer,
    agent_id: &str,
    news: News,
) -> Result<Response, HttpError> {
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
            problem: None,
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
    Ok(reply::page(reader, status, &page))
}

/// The page with a profile that was not saved.
pub(super) async fn page_with(
    core: &Core,
    reader: &RequestContext,
    developer: &Developer,
    agent_id: &str,
    sent: ProfileForm,
) -> Result<Response, HttpError> {
    let news = News {
        problem: Some(Phrase::new("frame-not-saved")),
        profile: Some(sent),
        ..News::default()
    };
    page(core, reader, developer, agent_id, news).await
}

/// The page of an agent that was not deleted, because its name was not typed.
pub(super) async fn not_deleted(
    core: &Core,
    reader: &RequestContext,
    developer: &Developer,
    agent_id: &str,
) -> Result<Response, HttpError> {
    let news = News {
        problem: Some(Phrase::new("agent-not-deleted")),
        ..News::default()
    };
    page(core, reader, developer, agent_id, news).await
}
