//! A key's page, and the forms that create, rotate and revoke keys. The page shows a new key once.

use askama::Template;
use chrono::Duration;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::agent_page::{AgentPage, NewKeyForm};
use super::quickstart::{QUICKSTARTS, Quickstart};
use super::shown_once;
use super::usage::UsageQuery;
use super::view::{self, KeyState};
use crate::core::{Agent, Developer, Error, KeyRow, KeyTerms, Manager};
use crate::http::engine::{HandlerContext, HandlerResult, compression, form};
use crate::http::pages::{FormProblem, Notice};
use crate::http::words::{Phrase, filters};

#[derive(Template)]
#[template(path = "dashboard/key.html")]
struct KeyPage<'a> {
    developer: &'a Developer,
    done: Option<Phrase>,
    agent: Agent,
    key: KeyRow,
    state: KeyState,
    /// The key itself, where it was just made.
    secret: Option<SecretString>,
    /// The service's public address.
    url: String,
    quickstarts: &'static [Quickstart],
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let key_id = ctx.param();
    let (key, agent) = ctx.core().grants.key_of(&developer, &key_id).await?;
    let secret = shown_once::arrived(&ctx);
    let is_shown = secret.is_some();
    let page = KeyPage {
        developer: &developer,
        done: Notice::text_of(&ctx),
        agent,
        state: KeyState::of(&key, ctx.core()),
        key,
        secret,
        url: ctx.state.site.page(""),
        quickstarts: QUICKSTARTS,
    };
    let response = shown_once::shown(&ctx, ctx.page(&page)?, is_shown);
    Ok(if is_shown {
        compression::never(response)
    } else {
        response
    })
}

impl NewKeyForm {
    fn terms(&self) -> Result<KeyTerms, Error> {
        let name = self.name.trim();
        let lifetime = match self.expires_in.trim() {
            "" => None,
            days => Some(count(days).map(Duration::days).ok_or_else(|| {
                Error::BadRequest(
                    "expires_in: expected a number of days, or nothing for a key that does not \
                     expire"
                        .to_owned(),
                )
            })?),
        };
        Ok(KeyTerms {
            scopes: form::key_scopes(&self.scopes)?,
            name: (!name.is_empty()).then(|| name.to_owned()),
            lifetime,
        })
    }
}

/// A number of days or hours.
fn count(text: &str) -> Option<i64> {
    text.parse::<u16>().ok().map(i64::from)
}

/// The form behind "Create the key".
pub(crate) async fn create(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let form: NewKeyForm = ctx.form().await?;
    let core = ctx.core();
    let agent = core.console.agent_of(&developer.id, &form.agent_id).await?;
    let created = match form.terms() {
        Ok(terms) => {
            let manager = Manager::Developer(developer.clone());
            core.grants
                .create_key(manager, agent.id.clone(), terms)
                .await
        }
        Err(refused) => Err(refused),
    };
    match created {
        Ok(key) => shown_once::see_once(&ctx, &view::key_path(&key.id), &key.api_key),
        Err(Error::BadRequest(problem)) if ctx.request.wants_page() => {
            let usage = UsageQuery::default();
            let mut page = AgentPage::new(&ctx, &developer, &agent.id, &usage).await?;
            page.new_key = form;
            page.key_problem = FormProblem::new(&problem, "name");
            page.refused(&ctx)
        }
        Err(error) => Err(error.into()),
    }
}

#[derive(Deserialize)]
struct RotateKeyForm {
    key_id: String,
    /// In hours.
    grace: String,
}

/// The form behind "Replace".
pub(crate) async fn rotate(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let form: RotateKeyForm = ctx.form().await?;
    let grace = count(&form.grace)
        .ok_or_else(|| Error::BadRequest("grace: expected a number of hours".to_owned()))?;
    let (manager, grace) = (Manager::Developer(developer), Duration::hours(grace));
    let grants = &ctx.core().grants;
    let (_, key) = grants.rotate_key(manager, form.key_id, grace).await?;
    shown_once::see_once(&ctx, &view::key_path(&key.id), &key.api_key)
}

/// The form behind "Revoke".
pub(crate) async fn revoke(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let key_id = ctx.field("key_id").await?;
    let manager = Manager::Developer(developer);
    let key = ctx.core().grants.revoke_key(manager, key_id).await?;
    let page = view::agent_path(&key.agent_id);
    Ok(Notice::KeyRevoked.redirect_to(&page))
}
