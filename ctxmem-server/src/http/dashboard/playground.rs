//! `/dashboard/playground`: a developer tries a key on a made-up user, through the same rules
//! as any request with it.

use std::sync::Arc;
use std::time::SystemTime;

use askama::Template;
use ctxmem_types::{InjectRequest, UpdateRequest, UserId};
use http::StatusCode;
use http_body_util::BodyExt as _;
use serde::Serialize;
use serde_json::Value;
use warp::reply::Response;

use super::done::Done;
use super::form::{self, Form};
use super::view;
use crate::core::{Core, Error, Key, test_user};
use crate::http::call::Call;
use crate::http::error::HttpError;
use crate::http::{Api, reply};
use crate::store::Developer;

#[derive(Template)]
#[template(path = "dashboard/playground.html")]
struct PlaygroundPage<'a> {
    who: &'a str,
    developer_id: &'a str,
    done: Option<&'static str>,
    keys: Vec<KeyChoice>,
    filled: Filled,
    exchanged: Option<Exchanged>,
}

/// A live key to choose.
struct KeyChoice {
    id: String,
    text: String,
    chosen: bool,
}

/// What stands in the form.
struct Filled {
    key_id: String,
    user: String,
    base_prompt: String,
    message: String,
    answer: String,
}

/// What was asked, and what came of it.
struct Exchanged {
    path: &'static str,
    prefix: String,
    request: String,
    status: String,
    is_good: bool,
    headers: Vec<String>,
    answer: String,
}

impl Default for Filled {
    fn default() -> Self {
        Self {
            key_id: String::new(),
            user: "test".to_owned(),
            base_prompt: "You are a helpful assistant.".to_owned(),
            message: "My name is Ada and I live in Lisbon.".to_owned(),
            answer: "Nice to meet you, Ada.".to_owned(),
        }
    }
}

impl Filled {
    fn of(form: &Form) -> Self {
        let get = |name| form.get(name).unwrap_or_default().to_owned();
        Self {
            key_id: get("key_id"),
            user: get("user"),
            base_prompt: get("base_prompt"),
            message: get("message"),
            answer: get("answer"),
        }
    }
}

pub(in crate::http) async fn show(call: Call) -> Result<Response, HttpError> {
    let developer = call.developer().await?;
    let done = Done::said(form::query(&call, "done").as_deref());
    let filled = Filled {
        key_id: form::query(&call, "key").unwrap_or_default(),
        ..Filled::default()
    };
    page(call.core(), &developer, filled, done, None).await
}

async fn page(
    core: &Core,
    developer: &Developer,
    filled: Filled,
    done: Option<&'static str>,
    exchanged: Option<Exchanged>,
) -> Result<Response, HttpError> {
    let agents = core.agents_of(&developer.id).await?;
    let keys = core.keys_of(&developer.id).await?;
    let keys = keys.into_iter().filter(|key| key.revoked_at.is_none());
    let page = PlaygroundPage {
        who: &developer.email,
        developer_id: developer.id.as_str(),
        done,
        keys: keys
            .map(|key| {
                let agent = agents.iter().find(|row| row.agent.id == key.agent_id);
                let name = agent.map(|row| row.agent.name.as_str()).unwrap_or_default();
                let scopes = view::scopes(key.scopes);
                KeyChoice {
                    text: format!("{name}: {}… ({scopes})", key.prefix),
                    chosen: key.id == filled.key_id,
                    id: key.id,
                }
            })
            .collect(),
        filled,
        exchanged,
    };
    Ok(reply::page(StatusCode::OK, &page))
}

/// The forms behind "Inject" and "Update". What the call is answered, refusals included,
/// stands on the page.
pub(in crate::http) async fn run(call: Call) -> Result<Response, HttpError> {
    let developer = call.developer().await?;
    let (api, exchange) = (call.api.clone(), Arc::clone(&call.exchange));
    let form = Form::of(call).await?;
    let user_id = test_user(&developer.id, form.field("user")?)?;
    let key_id = form.field("key_id")?;
    let asked = Asked::of(&form, user_id)?;
    let (key, prefix) = api.core.playground_key(&developer.id, key_id).await?;
    let (path, request) = (asked.path(), asked.json());
    let response = answer(&api, key, asked, exchange.request_id.as_str()).await;
    let exchanged = Exchanged::new(path, prefix, request, response).await;
    page(
        &api.core,
        &developer,
        Filled::of(&form),
        None,
        Some(exchanged),
    )
    .await
}

/// The form behind "Erase".
pub(in crate::http) async fn erase(call: Call) -> Result<Response, HttpError> {
    let developer = call.developer().await?;
    let core = call.core().clone();
    let form = Form::of(call).await?;
    core.erase_test_user(&developer.id, form.field("user")?)
        .await?;
    let page = "/dashboard/playground";
    Ok(reply::see_other(&Done::TestUserErased.on(page)))
}

/// The call that is tried.
enum Asked {
    Inject(InjectRequest),
    Update(UpdateRequest),
}

impl Asked {
    fn of(form: &Form, user_id: UserId) -> Result<Self, Error> {
        match form.field("action")? {
            "inject" => Ok(Self::Inject(InjectRequest::new(
                user_id,
                form.field("base_prompt")?,
            ))),
            "update" => Ok(Self::Update(UpdateRequest::new(
                user_id,
                form.field("message")?,
                form.field("answer")?,
            ))),
            _ => Err(Error::BadRequest(
                "action: expected inject or update".to_owned(),
            )),
        }
    }

    fn path(&self) -> &'static str {
        match self {
            Self::Inject(_) => "/api/context/inject",
            Self::Update(_) => "/api/context/update",
        }
    }

    fn json(&self) -> String {
        match self {
            Self::Inject(request) => pretty(request),
            Self::Update(request) => pretty(request),
        }
    }
}

/// What a request with this key is answered.
async fn answer(api: &Api, key: Key, asked: Asked, request_id: &str) -> Response {
    let rate = api.limiter.as_ref().map(|limiter| limiter.take(&key.id));
    let answered = if rate.is_none_or(|rate| rate.admitted) {
        answer_admitted(&api.core, key, asked).await
    } else {
        Err(HttpError::RateLimited)
    };
    let mut response = answered.unwrap_or_else(|error| {
        error.log(request_id);
        error.into_response()
    });
    if let Some(rate) = rate {
        rate.stamp(response.headers_mut(), SystemTime::now());
    }
    response
}

async fn answer_admitted(core: &Arc<Core>, key: Key, asked: Asked) -> Result<Response, HttpError> {
    match asked {
        Asked::Inject(request) => {
            let answer = core.inject(&key, request).await?;
            Ok(reply::injected(&answer))
        }
        Asked::Update(request) => {
            let answer = core.update(key, request, None).await?;
            Ok(reply::answered(answer))
        }
    }
}

/// The headers of an answer that callers look at.
const SHOWN: [&str; 5] = [
    "content-type",
    "retry-after",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
];

impl Exchanged {
    async fn new(path: &'static str, prefix: String, request: String, response: Response) -> Self {
        let (head, body) = response.into_parts();
        let body = body
            .collect()
            .await
            .map(http_body_util::Collected::to_bytes);
        let answer: Value = serde_json::from_slice(&body.unwrap_or_default()).unwrap_or_default();
        let headers = SHOWN.into_iter().filter_map(|name| {
            let value = head.headers.get(name)?.to_str().ok()?;
            Some(format!("{name}: {value}"))
        });
        Self {
            path,
            prefix,
            request,
            status: head.status.to_string(),
            is_good: head.status.is_success(),
            headers: headers.collect(),
            answer: pretty(&answer),
        }
    }
}

fn pretty(json: &impl Serialize) -> String {
    serde_json::to_string_pretty(json).unwrap_or_default()
}
