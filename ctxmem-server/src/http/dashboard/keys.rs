//! The forms that create and revoke keys, and the page that shows a new key once.

use askama::Template;
use ctxmem_types::ScopeSet;
use http::StatusCode;
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use warp::reply::Response;

use super::notice::DashboardNotice;
use super::view;
use crate::core::{Agent, Developer, Manager, MintedKey};
use crate::http::error::HttpError;
use crate::http::handler_context::HandlerContext;
use crate::http::{Api, compression, form, reply};

/// An example program that uses a key. A test compiles it.
const PROGRAM: &str = include_str!("../../../templates/dashboard/first_turn.rs");

#[derive(Template)]
#[template(path = "dashboard/key_created.html")]
struct KeyCreatedPage<'a> {
    who: &'a str,
    agent: &'a Agent,
    key: &'a str,
    scopes: String,
    /// The service's public address.
    url: String,
    program: &'static str,
}

#[derive(Deserialize)]
struct NewKeyForm {
    agent_id: String,
    /// Those that are ticked.
    #[serde(default, rename = "scope")]
    scopes: Vec<String>,
}

/// The form behind "Create the key".
pub(in crate::http) async fn create(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let api = ctx.api.clone();
    let form: NewKeyForm = ctx.form().await?;
    let scopes = form::key_scopes(&form.scopes)?;
    let agent = api.core.agent_of(&developer.id, &form.agent_id).await?;
    let manager = Manager::Developer(developer.id.clone());
    let key = api
        .core
        .create_key(manager, agent.id.clone(), scopes)
        .await?;
    Ok(created(&api, &developer, &agent, &key, scopes))
}

/// The page that shows a new key. No other page ever does.
pub(super) fn created(
    api: &Api,
    developer: &Developer,
    agent: &Agent,
    key: &MintedKey,
    scopes: ScopeSet,
) -> Response {
    let page = KeyCreatedPage {
        who: &developer.email,
        agent,
        key: key.api_key.expose_secret(),
        scopes: view::scopes(scopes),
        url: api.site.page(""),
        program: PROGRAM,
    };
    compression::never(reply::page(StatusCode::OK, &page))
}

#[derive(Deserialize)]
struct RevokeKeyForm {
    key_id: String,
}

/// The form behind "Revoke".
pub(in crate::http) async fn revoke(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let core = ctx.core().clone();
    let form: RevokeKeyForm = ctx.form().await?;
    let manager = Manager::Developer(developer.id);
    let key = core.revoke_key(manager, form.key_id).await?;
    let page = view::agent_path(&key.agent_id);
    Ok(DashboardNotice::KeyRevoked.redirect(&page))
}
