//! The form about what users are told of an agent.

use ctxmem_types::Scope;
use serde::Deserialize;

use super::agent_page::AgentPage;
use super::usage::UsageQuery;
use super::view::agent_path;
use crate::core::{AgentProfile, Error, Manager};
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::pages::{FormProblem, Notice};
use crate::http::words::Phrase;
use crate::website;

#[derive(Deserialize)]
struct SentProfile {
    agent_id: String,
    #[serde(default)]
    purpose: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    privacy_url: String,
    #[serde(default)]
    return_url: String,
    /// The reasons for all scopes in their order; empty where one is not needed.
    #[serde(default, rename = "need")]
    needs: Vec<String>,
}

/// The form behind "Save", which also asks the website whether it confirms the agent. With a mistake it comes back with what was entered.
pub(crate) async fn set(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let sent: SentProfile = ctx.form().await?;
    let profile = AgentProfile {
        purpose: sent.purpose,
        url: sent.url,
        privacy_url: sent.privacy_url,
        return_url: sent.return_url,
        needs: Scope::ALL.into_iter().zip(sent.needs).collect(),
        verified_at: None,
    };
    let manager = Manager::Developer(developer.clone());
    let console = &ctx.core().console;
    let saving = console.set_agent_profile(manager, &sent.agent_id, profile.clone());
    match saving.await {
        Ok(saved) => {
            let is_local = ctx.state.site.is_local();
            website::verify(console, &sent.agent_id, &saved.url, is_local).await?;
            let page = agent_path(&sent.agent_id);
            Ok(Notice::ProfileSaved.redirect_to(&page))
        }
        Err(Error::BadRequest(text)) if ctx.request.wants_page() => {
            let usage = UsageQuery::default();
            let mut page = AgentPage::new(&ctx, &developer, &sent.agent_id, &usage).await?;
            page.problem = Some(Phrase::new("frame-not-saved"));
            page.profile = profile;
            page.profile_problem = FormProblem::new(&text, "purpose");
            page.refused(&ctx)
        }
        Err(error) => Err(error.into()),
    }
}
