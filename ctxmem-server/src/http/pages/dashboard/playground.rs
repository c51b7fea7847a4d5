//! `/dashboard/playground`: where developers try a key with a test user. The same rules apply
//! as for any request with that key.

use std::time::SystemTime;

use askama::Template;
use ctxmem_types::{FactSearchRequest, InjectRequest, UpdateRequest, UserId};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use warp::reply::Response;

use super::view;
use crate::core::{Caller, Developer, Error, Key, test_user};
use crate::http::engine::playground_history::{PastCall, curl};
use crate::http::engine::rate_limit::Bucket;
use crate::http::engine::state::ServerState;
use crate::http::engine::{HandlerContext, HandlerResult, HttpError, form, reply};
use crate::http::pages::Notice;
use crate::http::words::{Phrase, filters};

#[derive(Template)]
#[template(path = "dashboard/playground.html")]
struct PlaygroundPage<'a> {
    who: &'a str,
    developer_id: &'a str,
    done: Option<Phrase>,
    keys: Vec<KeyChoice>,
    form: PlaygroundForm,
    turn: Option<PlaygroundTurn>,
    /// The last calls, the newest first.
    calls: Vec<PastCall>,
}

impl PlaygroundPage<'_> {
    /// The user id of test users; only its end can be chosen.
    fn test_user(&self) -> String {
        format!("playground:{}:NAME", self.developer_id)
    }
}

/// A live key in the list.
struct KeyChoice {
    id: String,
    text: Phrase,
    chosen: bool,
}

/// A request and its answer, as the page shows them.
struct PlaygroundTurn {
    call: PastCall,
    request: String,
    headers: Vec<String>,
    answer: String,
}

/// The form as it was sent.
#[derive(Deserialize)]
struct PlaygroundForm {
    key_id: String,
    user: String,
    /// The button: `inject`, `update`, `read`, `list` or `search`.
    action: String,
    base_prompt: Option<String>,
    message: Option<String>,
    answer: Option<String>,
    query: Option<String>,
}

impl Default for PlaygroundForm {
    fn default() -> Self {
        Self {
            key_id: String::new(),
            user: "test".to_owned(),
            action: String::new(),
            base_prompt: Some("You are a helpful assistant.".to_owned()),
            message: Some("My name is Ada and I live in Lisbon.".to_owned()),
            answer: Some("Nice to meet you, Ada.".to_owned()),
            query: Some("Where does the user live?".to_owned()),
        }
    }
}

#[derive(Deserialize)]
struct PlaygroundQuery {
    /// The id of the key to choose.
    key: Option<String>,
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let query: PlaygroundQuery = ctx.query()?;
    let form = PlaygroundForm {
        key_id: query.key.unwrap_or_default(),
        ..PlaygroundForm::default()
    };
    let done = Notice::text_of(&ctx);
    page(&ctx, &developer, form, done, None).await
}

async fn page(
    ctx: &HandlerContext,
    developer: &Developer,
    form: PlaygroundForm,
    done: Option<Phrase>,
    turn: Option<PlaygroundTurn>,
) -> HandlerResult {
    let core = ctx.core();
    let agents = core.console.agents_of(&developer.id).await?;
    let keys = core.grants.keys_of(&developer.id).await?;
    let keys = keys
        .into_iter()
        .filter(|key| core.grants.key_row_works(key));
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
                    text: Phrase::new("playground-key-choice")
                        .arg("agent", name)
                        .arg("prefix", &key.prefix)
                        .arg("scopes", scopes),
                    chosen: key.id == form.key_id,
                    id: key.id,
                }
            })
            .collect(),
        form,
        turn,
        calls: ctx.state.playground_history.of(developer),
    };
    ctx.page(&page)
}

/// The forms behind the calls. The page shows the answer, also if it is a refusal.
pub(crate) async fn run(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let form: PlaygroundForm = ctx.form().await?;
    let user_id = test_user(&developer.id, &form.user)?;
    let action = PlaygroundAction::new(&form, user_id)?;
    let (state, console) = (&ctx.state, &ctx.core().console);
    let (key, prefix) = console.playground_key(&developer, &form.key_id).await?;
    let (method, path, request) = (action.method(), action.path(), action.json());
    let response = answer(state, key, action, ctx.request.request_id.as_str()).await;
    let (head, body) = response.into_parts();
    let answer: Value = serde_json::from_slice(&reply::whole(body).await).unwrap_or_default();
    let headers = SHOWN.into_iter().filter_map(|name| {
        let value = head.headers.get(name)?.to_str().ok()?;
        Some(format!("{name}: {value}"))
    });
    let call = PastCall {
        at: state.core.now(),
        method,
        prefix,
        status: head.status.to_string(),
        is_good: head.status.is_success(),
        curl: curl(&state.site.page(&path), &request),
        path,
    };
    state.playground_history.add(&developer, call.clone());
    let turn = PlaygroundTurn {
        call,
        request,
        headers: headers.collect(),
        answer: pretty(&answer),
    };
    page(&ctx, &developer, form, None, Some(turn)).await
}

/// The form behind "Erase".
pub(crate) async fn erase(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let user = ctx.field("user").await?;
    let console = &ctx.core().console;
    console.erase_test_user(&developer, &user).await?;
    // They hold what was said to it.
    ctx.state.playground_history.forget(&developer);
    Ok(Notice::TestUserErased.redirect_to("/dashboard/playground"))
}

/// The call to try.
enum PlaygroundAction {
    Inject(InjectRequest),
    Update(UpdateRequest),
    Read(UserId),
    List(UserId),
    Search(UserId, FactSearchRequest),
}

impl PlaygroundAction {
    fn new(form: &PlaygroundForm, user_id: UserId) -> Result<Self, Error> {
        let text = |field: &Option<String>, name| field.clone().ok_or_else(|| form::missing(name));
        match form.action.as_str() {
            "inject" => {
                let base_prompt = text(&form.base_prompt, "base_prompt")?;
                Ok(Self::Inject(InjectRequest::new(user_id, base_prompt)))
            }
            "update" => {
                let message = text(&form.message, "message")?;
                let answer = text(&form.answer, "answer")?;
                Ok(Self::Update(UpdateRequest::new(user_id, message, answer)))
            }
            "read" => Ok(Self::Read(user_id)),
            "list" => Ok(Self::List(user_id)),
            "search" => {
                let query = text(&form.query, "query")?;
                Ok(Self::Search(user_id, FactSearchRequest::new(query)))
            }
            _ => Err(Error::BadRequest(
                "action: expected inject, update, read, list or search".to_owned(),
            )),
        }
    }

    fn method(&self) -> &'static str {
        match self {
            Self::Inject(_) | Self::Update(_) | Self::Search(..) => "POST",
            Self::Read(_) | Self::List(_) => "GET",
        }
    }

    fn path(&self) -> String {
        let of = |user_id: &UserId, rest: &str| {
            let id: String = form_urlencoded::byte_serialize(user_id.as_str().as_bytes()).collect();
            format!("/api/context/{}{rest}", id.replace('+', "%20"))
        };
        match self {
            Self::Inject(_) => "/api/context/inject".to_owned(),
            Self::Update(_) => "/api/context/update".to_owned(),
            Self::Read(user_id) => of(user_id, ""),
            Self::List(user_id) => of(user_id, "/facts"),
            Self::Search(user_id, _) => of(user_id, "/facts/search"),
        }
    }

    fn json(&self) -> String {
        match self {
            Self::Inject(request) => pretty(request),
            Self::Update(request) => pretty(request),
            Self::Read(_) | Self::List(_) => String::new(),
            Self::Search(_, request) => pretty(request),
        }
    }
}

/// The answer to a request with this key.
async fn answer(
    state: &ServerState,
    key: Key,
    action: PlaygroundAction,
    request_id: &str,
) -> Response {
    let bucket = match &action {
        PlaygroundAction::Update(_) => Bucket::Updates,
        _ => Bucket::Others,
    };
    let rate = state
        .limiter
        .get()
        .map(|limiter| limiter.take(&key.id, bucket));
    let answered = match rate.filter(|rate| !rate.admitted) {
        Some(refused) => Err(HttpError::RateLimited(refused.wait)),
        None => answer_admitted(state, key, action, request_id).await,
    };
    let mut response = answered.unwrap_or_else(|error| {
        error.log(request_id);
        error.into_response()
    });
    if let Some(rate) = rate {
        rate.add_headers(response.headers_mut(), SystemTime::now());
    }
    response
}

async fn answer_admitted(
    state: &ServerState,
    key: Key,
    action: PlaygroundAction,
    request_id: &str,
) -> HandlerResult {
    match action {
        PlaygroundAction::Inject(request) => {
            let answer = state.core.memory.inject(&key, request).await?;
            Ok(reply::injected(&answer))
        }
        PlaygroundAction::Update(request) => {
            let answer = state
                .core
                .memory
                .update(key, request, None, request_id)
                .await?;
            state.metrics.record_update(&answer);
            Ok(reply::answered(answer))
        }
        PlaygroundAction::Read(user_id) => {
            let context = state.core.memory.context(&key, user_id).await?;
            Ok(reply::json(StatusCode::OK, &context))
        }
        PlaygroundAction::List(user_id) => {
            let caller = Caller::Key(key);
            let facts = state.core.memory.fact_records(&caller, user_id).await?;
            Ok(reply::json(StatusCode::OK, &facts))
        }
        PlaygroundAction::Search(user_id, request) => {
            let (caller, memory) = (Caller::Key(key), &state.core.memory);
            let facts = memory.search_facts(&caller, user_id, &request).await?;
            Ok(reply::json(StatusCode::OK, &facts))
        }
    }
}

/// The headers to show.
const SHOWN: [&str; 5] = [
    "content-type",
    "retry-after",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
];

fn pretty(json: &impl Serialize) -> String {
    serde_json::to_string_pretty(json).unwrap_or_default()
}
