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
use crate::http::pages::choice::Choice;
use crate::http::words::{Phrase, filters};

#[derive(Template)]
#[template(path = "dashboard/playground.html")]
struct PlaygroundPage<'a> {
    developer: &'a Developer,
    done: Option<Phrase>,
    /// The live keys.
    keys: Vec<Choice>,
    form: PlaygroundForm,
    turn: Option<PlaygroundTurn>,
    /// The last calls, the newest first.
    calls: Vec<PastCall>,
}

impl PlaygroundPage<'_> {
    /// The user id of test users; only its end can be chosen.
    fn test_user(&self) -> String {
        format!("playground:{}:NAME", self.developer.id.as_str())
    }
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
        developer,
        done,
        keys: keys
            .map(|key| {
                let agent = agents.iter().find(|row| row.agent.id == key.agent_id);
                let name = agent.map(|row| row.agent.name.as_str()).unwrap_or_default();
                let title = Phrase::new("playground-key-choice")
                    .arg("agent", name)
                    .arg("prefix", &key.prefix)
                    .arg("scopes", view::scopes(key.scopes));
                let chosen = key.id == form.key_id;
                Choice::new(key.id, title, chosen)
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
    let trial = Trial::new(&form, user_id)?;
    let (state, console) = (&ctx.state, &ctx.core().console);
    let (key, prefix) = console.playground_key(&developer, &form.key_id).await?;
    let response = answer(state, key, trial.call, ctx.request.request_id.as_str()).await;
    let (head, body) = response.into_parts();
    let answer: Value = serde_json::from_slice(&reply::whole(body).await).unwrap_or_default();
    let headers = SHOWN.into_iter().filter_map(|name| {
        let value = head.headers.get(name)?.to_str().ok()?;
        Some(format!("{name}: {value}"))
    });
    let call = PastCall {
        at: state.core.now(),
        method: trial.method,
        prefix,
        status: head.status.to_string(),
        is_good: head.status.is_success(),
        curl: curl(&state.site.page(&trial.path), &trial.json),
        path: trial.path,
    };
    state.playground_history.add(&developer, call.clone());
    let turn = PlaygroundTurn {
        call,
        request: trial.json,
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

/// The call to try, and how the page shows it.
struct Trial {
    call: Call,
    method: &'static str,
    path: String,
    /// Empty without a body.
    json: String,
}

enum Call {
    Inject(InjectRequest),
    Update(UpdateRequest),
    Read(UserId),
    List(UserId),
    Search(UserId, FactSearchRequest),
}

impl Trial {
    fn new(form: &PlaygroundForm, user_id: UserId) -> Result<Self, Error> {
        let text = |field: &Option<String>, name| field.clone().ok_or_else(|| form::missing(name));
        let id: String = form_urlencoded::byte_serialize(user_id.as_str().as_bytes()).collect();
        let of_user = format!("/api/context/{}", id.replace('+', "%20"));
        let (call, method, path, json) = match form.action.as_str() {
            "inject" => {
                let base_prompt = text(&form.base_prompt, "base_prompt")?;
                let request = InjectRequest::new(user_id, base_prompt);
                let (path, json) = ("/api/context/inject".to_owned(), pretty(&request));
                (Call::Inject(request), "POST", path, json)
            }
            "update" => {
                let message = text(&form.message, "message")?;
                let answer = text(&form.answer, "answer")?;
                let request = UpdateRequest::new(user_id, message, answer);
                let (path, json) = ("/api/context/update".to_owned(), pretty(&request));
                (Call::Update(request), "POST", path, json)
            }
            "read" => (Call::Read(user_id), "GET", of_user, String::new()),
            "list" => {
                let path = format!("{of_user}/facts");
                (Call::List(user_id), "GET", path, String::new())
            }
            "search" => {
                let request = FactSearchRequest::new(text(&form.query, "query")?);
                let (path, json) = (format!("{of_user}/facts/search"), pretty(&request));
                (Call::Search(user_id, request), "POST", path, json)
            }
            _ => {
                let text = "action: expected inject, update, read, list or search";
                return Err(Error::BadRequest(text.to_owned()));
            }
        };
        Ok(Self {
            call,
            method,
            path,
            json,
        })
    }
}

/// The answer to a request with this key.
async fn answer(state: &ServerState, key: Key, call: Call, request_id: &str) -> Response {
    let bucket = match &call {
        Call::Update(_) => Bucket::Updates,
        _ => Bucket::Others,
    };
    let limiter = state.limiter.get();
    let rate = limiter.map(|limiter| limiter.take(&key.id, bucket));
    let answered = match rate.filter(|rate| !rate.admitted) {
        Some(refused) => Err(HttpError::RateLimited(refused.wait)),
        None => answer_admitted(state, key, call, request_id).await,
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
    call: Call,
    request_id: &str,
) -> HandlerResult {
    let memory = &state.core.memory;
    Ok(match call {
        Call::Inject(request) => reply::injected(&memory.inject(&key, request).await?),
        Call::Update(request) => {
            let answer = memory.update(key, request, None, request_id).await?;
            state.metrics.record_update(&answer);
            reply::answered(answer)
        }
        Call::Read(user_id) => {
            let context = memory.context(&key, user_id).await?;
            reply::json(StatusCode::OK, &context)
        }
        Call::List(user_id) => {
            let facts = memory.fact_records(&Caller::Key(key), user_id).await?;
            reply::json(StatusCode::OK, &facts)
        }
        Call::Search(user_id, request) => {
            let caller = Caller::Key(key);
            let facts = memory.search_facts(&caller, user_id, &request).await?;
            reply::json(StatusCode::OK, &facts)
        }
    })
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
