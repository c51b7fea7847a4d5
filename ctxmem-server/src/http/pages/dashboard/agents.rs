//! The forms that create, rename and delete agents.

use http::StatusCode;
use serde::Deserialize;

use super::agent_page::AgentPage;
use super::overview::{DashboardPage, NewAgentForm};
use super::shown_once;
use super::usage::UsageQuery;
use super::view::{agent_path, key_path};
use crate::core::{Error, Manager};
use crate::http::engine::{HandlerContext, HandlerResult, form};
use crate::http::pages::{FormProblem, Notice};
use crate::http::words::Phrase;

/// The form behind "Create". The agent's first key is shown once, on the page that follows.
pub(crate) async fn create(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let form: NewAgentForm = ctx.form().await?;
    let created = match form::key_scopes(&form.scopes) {
        Ok(scopes) => {
            let console = &ctx.core().console;
            console
                .create_agent_of(&developer, &form.name, scopes)
                .await
        }
        Err(refused) => Err(refused),
    };
    match created {
        Ok((_, key)) => shown_once::see_once(&ctx, &key_path(&key.id), &key.api_key),
        Err(Error::BadRequest(problem)) if ctx.request.wants_page() => {
            let usage = UsageQuery::default();
            let mut page = DashboardPage::new(&ctx, &developer, &usage).await?;
            page.new_agent = form;
            page.problem = FormProblem::new(&problem, "name");
            ctx.page_of(StatusCode::BAD_REQUEST, &page)
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
pub(crate) async fn rename(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let AgentForm { agent_id, name } = ctx.form().await?;
    let (console, manager) = (&ctx.core().console, Manager::Developer(developer));
    console.rename_agent(&manager, &agent_id, &name).await?;
    Ok(Notice::AgentRenamed.redirect_to(&agent_path(&agent_id)))
}

/// The form behind "Delete", where the agent's name has to be typed.
pub(crate) async fn delete(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let AgentForm { agent_id, name } = ctx.form().await?;
    let manager = Manager::Developer(developer.clone());
    let console = &ctx.core().console;
    if console.delete_agent(&manager, &agent_id, &name).await? {
        return Ok(Notice::AgentDeleted.redirect_to("/dashboard"));
    }
    let usage = UsageQuery::default();
    let mut page = AgentPage::new(&ctx, &developer, &agent_id, &usage).await?;
    page.problem = Some(Phrase::new("agent-not-deleted"));
    page.refused(&ctx)
}
