//! The forms that make and revoke keys, and the page on which a key is seen once.

use askama::Template;
use ctxmem_types::ScopeSet;
use http::StatusCode;
use secrecy::ExposeSecret as _;
use warp::reply::Response;

use super::agents;
use super::done::Done;
use super::form::Form;
use super::view;
use crate::core::{Manager, MintedKey};
use crate::http::call::Call;
use crate::http::error::HttpError;
use crate::http::{Api, reply};
use crate::store::{Agent, Developer};

/// A program that uses a key. It is compiled by a test.
const PROGRAM: &str = include_str!("../../../templates/dashboard/first_turn.rs");

#[derive(Template)]
#[template(path = "dashboard/key_created.html")]
struct KeyCreatedPage<'a> {
    who: &'a str,
    agent: &'a Agent,
    key: &'a str,
    scopes: String,
    /// Under which the service is reached.
    url: String,
    program: &'static str,
}

pub(in crate::http) async fn create(call: Call) -> Result<Response, HttpError> {
    let developer = call.developer().await?;
    let api = call.api.clone();
    let form = Form::of(call).await?;
    let (agent_id, scopes) = (form.field("agent_id")?, form.scopes()?);
    let agent = api.core.agent_of(&developer.id, agent_id).await?;
    let manager = Manager::Developer(developer.id.clone());
    let key = api
        .core
        .create_key(manager, agent.id.clone(), scopes)
        .await?;
    Ok(created(&api, &developer, &agent, &key, scopes))
}

/// The page that shows a key: the only one that ever does.
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
    reply::page(StatusCode::OK, &page)
}

pub(in crate::http) async fn revoke(call: Call) -> Result<Response, HttpError> {
    let developer = call.developer().await?;
    let core = call.core().clone();
    let form = Form::of(call).await?;
    let key_id = form.field("key_id")?.to_owned();
    let manager = Manager::Developer(developer.id);
    let key = core.revoke_key(manager, key_id).await?;
    let page = agents::address(&key.agent_id);
    Ok(reply::see_other(&Done::KeyRevoked.on(&page)))
}
