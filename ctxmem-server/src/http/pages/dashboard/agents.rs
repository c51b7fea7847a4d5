//! The forms that create, rename and delete agents.

use std::sync::Arc;

use serde::Deserialize;
use warp::reply::Response;

use super::agent_page;
use super::notice::DashboardNotice;
use super::overview::{self, NewAgentForm};
use super::shown_once::Sender;
use super::view::{agent_path, key_path};
use crate::core::{Error, Manager};
use crate::http::engine::error::HttpError;
use crate::http::engine::form;
use crate::http::engine::handler_context::HandlerContext;

/// The form behind "Create". The agent's first key is shown once, on the page that follows.
pub(crate) async fn create(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let (state, request) = (ctx.state.clone(), Arc::clone(&ctx.request));
    let sender = Sender::of(&ctx);
    let form: NewAgentForm = ctx.form().await?;
    let created = match form::key_scopes(&form.scopes) {
        Ok(scopes) => {
            let core = &state.core;
            core.console
                .create_agent_of(&developer, &form.name, scopes)
                .await
        }
        Err(refused) => Err(refused),
    };
    match created {
        Ok((_, key)) => sender.see_once(&state, &key_path(&key.id), &key.api_key),
        Err(Error::BadRequest(problem)) if request.wants_page() => {
            overview::agent_not_created(&state.core, &request, &developer, form, &problem).await
        }
        Err(error) => Err(error.into()),
    }
}

/// An agent and a name: the new one, or the one that confirms a deletion.
#[derive(Deserialize)]
struct AgentForm {
    agent_id: String,
    name: String,
}

/// The form behind "Rename".
pub(crate) async fn rename(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let core = ctx.core().clone();
    let AgentForm { agent_id, name } = ctx.form().await?;
    core.console
        .rename_agent(&Manager::Developer(developer), &agent_id, &name)
        .await?;
    Ok(DashboardNotice::AgentRenamed.redirect(&agent_path(&agent_id)))
}

/// The form behind "Delete", where the agent's name has to be typed.
pub(crate) async fn delete(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let (core, request) = (ctx.core().clone(), Arc::clone(&ctx.request));
    let AgentForm { agent_id, name } = ctx.form().await?;
    if core
        .console
        .delete_agent(&Manager::Developer(developer.clone()), &agent_id, &name)
        .await?
    {
        return Ok(DashboardNotice::AgentDeleted.redirect("/dashboard"));
    }
    agent_page::not_deleted(&core, &request, &developer, &agent_id).await
}
