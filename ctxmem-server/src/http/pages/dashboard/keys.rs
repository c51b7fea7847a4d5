//! A key's page, and the forms that create, rotate and revoke keys. The page shows a new key once.

use std::sync::Arc;

use askama::Template;
use chrono::Duration;
use http::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use warp::reply::Response;

use super::agent_page::{self, NewKeyForm};
use super::notice::DashboardNotice;
use super::quickstart::{QUICKSTARTS, Quickstart};
use super::shown_once::{self, Sender};
use super::view::{self, KeyState, KeyView};
use crate::core::{Agent, Error, KeyTerms, Manager};
use crate::http::engine::error::HttpError;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::{compression, form, reply};
use crate::http::words::{Phrase, filters};

#[derive(Template)]
#[template(path = "dashboard/key.html")]
struct KeyPage<'a> {
    who: &'a str,
    done: Option<Phrase>,
    agent: Agent,
    key: KeyView,
    /// The key itself, where it was just made.
    secret: Option<SecretString>,
    /// The service's public address.
    url: String,
    quickstarts: &'static [Quickstart],
}

impl KeyPage<'_> {
    fn shown(&self) -> Option<&str> {
        self.secret.as_ref().map(ExposeSecret::expose_secret)
    }
}

/// The page of a key.
pub(crate) async fn show(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let key_id = ctx.param();
    let (row, agent) = ctx.core().grants.key_of(&developer, &key_id).await?;
    let secret = shown_once::arrived(&ctx);
    let is_shown = secret.is_some();
    let page = KeyPage {
        who: &developer.email,
        done: DashboardNotice::text_of(&ctx),
        agent,
        key: KeyView::new(row, ctx.core()),
        secret,
        url: ctx.state.site.page(""),
        quickstarts: QUICKSTARTS,
    };
    let response = reply::page(&ctx.request, StatusCode::OK, &page);
    Ok(if is_shown {
        compression::never(shown_once::forget(&ctx.state, response))
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
pub(crate) async fn create(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let (state, request) = (ctx.state.clone(), Arc::clone(&ctx.request));
    let sender = Sender::of(&ctx);
    let form: NewKeyForm = ctx.form().await?;
    let agent = state
        .core
        .console
        .agent_of(&developer.id, &form.agent_id)
        .await?;
    let manager = Manager::Developer(developer.clone());
    let created = match form.terms() {
        Ok(terms) => {
            state
                .core
                .grants
                .create_key(manager, agent.id.clone(), terms)
                .await
        }
        Err(refused) => Err(refused),
    };
    match created {
        Ok(key) => sender.see_once(&state, &view::key_path(&key.id), &key.api_key),
        Err(Error::BadRequest(problem)) if request.wants_page() => {
            agent_page::key_not_created(
                &state.core,
                &request,
                &developer,
                &agent.id,
                form,
                &problem,
            )
            .await
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
pub(crate) async fn rotate(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let (state, sender) = (ctx.state.clone(), Sender::of(&ctx));
    let form: RotateKeyForm = ctx.form().await?;
    let grace = count(&form.grace)
        .ok_or_else(|| Error::BadRequest("grace: expected a number of hours".to_owned()))?;
    let manager = Manager::Developer(developer);
    let grace = Duration::hours(grace);
    let (_, key) = state
        .core
        .grants
        .rotate_key(manager, form.key_id, grace)
        .await?;
    sender.see_once(&state, &view::key_path(&key.id), &key.api_key)
}

#[derive(Deserialize)]
struct RevokeKeyForm {
    key_id: String,
}

/// The form behind "Revoke".
pub(crate) async fn revoke(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let core = ctx.core().clone();
    let form: RevokeKeyForm = ctx.form().await?;
    let manager = Manager::Developer(developer);
    let key = core.grants.revoke_key(manager, form.key_id).await?;
    let page = view::agent_path(&key.agent_id);
    Ok(DashboardNotice::KeyRevoked.redirect(&page))
}
