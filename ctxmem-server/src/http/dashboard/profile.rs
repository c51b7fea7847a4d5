//! The form about what users are told of an agent.

use std::sync::Arc;

use serde::Deserialize;
use warp::reply::Response;

use super::agents;
use super::notice::DashboardNotice;
use super::view::agent_path;
use crate::core::{AgentProfile, Error, Manager};
use crate::http::error::HttpError;
use crate::http::handler_context::HandlerContext;
use crate::http::words::Phrase;

/// The fields, and what is wrong with one of them.
pub(super) struct ProfileForm {
    pub(super) profile: AgentProfile,
    pub(super) problem: Option<(String, Phrase)>,
}

impl ProfileForm {
    /// The problem, if it is about this field.
    pub(super) fn wrong(&self, field: &str) -> Option<&Phrase> {
        let (about, text) = self.problem.as_ref()?;
        (about == field).then_some(text)
    }
}

#[derive(Deserialize)]
struct SentProfile {
    agent_id: String,
    #[serde(default)]
    purpose: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    privacy_url: String,
}

/// The form behind "Save". With a mistake it comes back with what was entered.
pub(in crate::http) async fn set(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let core = ctx.core().clone();
    let request = Arc::clone(&ctx.request);
    let sent: SentProfile = ctx.form().await?;
    let profile = AgentProfile {
        purpose: sent.purpose,
        url: sent.url,
        privacy_url: sent.privacy_url,
    };
    let manager = Manager::Developer(developer.clone());
    let saving = core.set_agent_profile(manager, &sent.agent_id, profile.clone());
    match saving.await {
        Ok(_) => {
            let page = agent_path(&sent.agent_id);
            Ok(DashboardNotice::ProfileSaved.redirect(&page))
        }
        Err(Error::BadRequest(text)) if request.wants_page() => {
            let (field, text) = text.split_once(": ").unwrap_or(("purpose", &text));
            let form = ProfileForm {
                profile,
                problem: Some((field.to_owned(), Phrase::refusal(text))),
            };
            agents::page_with(&core, &request, &developer, &sent.agent_id, form).await
        }
        Err(error) => Err(error.into()),
    }
}
