//! The memory service as the tools of the Model Context Protocol reach it: each call is a request of its
//! own, carried out by the handler of its route, with no HTTP in between. So authentication, grants,
//! consent, limits, quota, metrics, audit log and request log hold as they do over HTTP.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use ctxmem_mcp::{CallError, MemoryService};
use ctxmem_types::{
    FactRecord, FactSearchRequest, InjectRequest, InjectResponse, Timestamp, UpdateRequest,
    UpdateResponse, UserId,
};
use http::Method;

use crate::core::{Error, Reply, StoreError};
use crate::http::api::{facts, inject, update};
use crate::http::engine::rate_limit::RateState;
use crate::http::engine::request_context::RequestContext;
use crate::http::engine::state::ServerState;
use crate::http::engine::{HandlerContext, HttpError, dispatch, lifecycle, rate_limit};

/// A wait that is longer is told as this one.
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// The memory service, in the name of whoever sent a request of the protocol.
pub(super) struct InProcess {
    state: Arc<ServerState>,
    /// The request of the protocol.
    request: Arc<RequestContext>,
    /// Whether anything was asked.
    called: AtomicBool,
    /// The state of the rate limit after the first call.
    rate: OnceLock<RateState>,
}

impl InProcess {
    pub(super) fn new(state: Arc<ServerState>, request: Arc<RequestContext>) -> Self {
        Self {
            state,
            request,
            called: AtomicBool::new(false),
            rate: OnceLock::new(),
        }
    }

    pub(super) fn was_called(&self) -> bool {
        self.called.load(Ordering::Relaxed)
    }

    pub(super) fn rate(&self) -> Option<RateState> {
        self.rate.get().copied()
    }

    /// Has a request to a route handled.
    async fn call<T>(
        &self,
        method: Method,
        template: &'static str,
        handle: impl AsyncFnOnce(&HandlerContext) -> Result<T, HttpError>,
    ) -> Result<T, CallError> {
        self.called.store(true, Ordering::Relaxed);
        let began = Instant::now();
        let request = Arc::new(self.request.within(method, template));
        let ctx = HandlerContext {
            state: Arc::clone(&self.state),
            request: Arc::clone(&request),
            params: Vec::new(),
        };
        let handling = async {
            dispatch::begin(self.state.routes, &request);
            let result = handle(&ctx).await;
            result.inspect_err(|error| error.log(request.request_id.as_str()))
        };
        let result = lifecycle::run(&self.state, &request, began, handling).await;
        if let Some(rate) = request.rate.get() {
            let _ = self.rate.set(*rate);
        }
        result.map_err(|error| call_error(&error, request.request_id.as_str()))
    }
}

#[async_trait]
impl MemoryService for InProcess {
    async fn inject(
        &self,
        user_id: &UserId,
        message: Option<&str>,
    ) -> Result<InjectResponse, CallError> {
        let mut request = InjectRequest::new(user_id.clone(), "");
        request.message = message.map(ToOwned::to_owned);
        self.call(Method::POST, "/api/context/inject", async |ctx| {
            let answer = inject::run(ctx, async |ctx| {
                ctx.hold(request.message.as_ref().map_or(0, String::len))?;
                Ok(request)
            });
            Ok(answer.await?.to_response().map_err(Error::from)?)
        })
        .await
    }

    async fn update(
        &self,
        user_id: &UserId,
        said: String,
        at: Option<Timestamp>,
    ) -> Result<UpdateResponse, CallError> {
        let mut request = UpdateRequest::new(user_id.clone(), said, "");
        request.at = at;
        self.call(Method::POST, "/api/context/update", async |ctx| {
            // Whoever asks again makes another call of the tool, so no key would ever be seen twice.
            let answer = update::run(ctx, async |ctx| {
                ctx.hold(request.user_message.len())?;
                Ok((None, request))
            });
            fresh(answer.await?)
        })
        .await
    }

    async fn facts(&self, user_id: &UserId) -> Result<Vec<FactRecord>, CallError> {
        self.call(Method::GET, "/api/context/{userId}/facts", async |ctx| {
            let answer = facts::run_list(ctx, |_| Ok(user_id.clone()));
            Ok(answer.await?.facts)
        })
        .await
    }

    async fn search_facts(
        &self,
        user_id: &UserId,
        query: &str,
        limit: Option<u32>,
    ) -> Result<Vec<FactRecord>, CallError> {
        let template = "/api/context/{userId}/facts/search";
        let mut request = FactSearchRequest::new(query);
        request.limit = limit;
        self.call(Method::POST, template, async |ctx| {
            let answer = facts::run_search(ctx, async |ctx| {
                ctx.hold(request.query.len())?;
                Ok((user_id.clone(), request))
            });
            Ok(answer.await?.facts)
        })
        .await
    }

    async fn delete_fact(&self, user_id: &UserId, fact_id: &str) -> Result<(), CallError> {
        let template = "/api/context/{userId}/facts/{factId}";
        self.call(Method::DELETE, template, async |ctx| {
            let what = (user_id.clone(), fact_id.to_owned(), None);
            let answer = facts::run_delete(ctx, |_| Ok(what));
            fresh(answer.await?).map(|_| ())
        })
        .await
    }
}

/// The answer to a request without an idempotency key, which none was sent before.
fn fresh<T>(reply: Reply<T>) -> Result<T, HttpError> {
    match reply {
        Reply::Fresh(answer) => Ok(answer),
        Reply::Replayed(_) => Err(Error::from(StoreError::corrupt("idempotency", "key")).into()),
    }
}

/// What an agent is told of an error, in the words that the client of the SDK has for it.
fn call_error(error: &HttpError, request_id: &str) -> CallError {
    let (status, code) = error.kind();
    let wait = error.retry_after().map(|wait| wait.min(LONGEST_WAIT));
    let wait = wait.map(rate_limit::whole_seconds);
    let meaning = code.meaning().map(|meaning| format!(": {meaning}"));
    let again = wait.map(|wait| format!("; try again in {wait} s"));
    let summary = format!(
        "the service answered {} {code}{}{} (request id {request_id})",
        status.as_u16(),
        meaning.unwrap_or_default(),
        again.unwrap_or_default(),
    );
    CallError {
        status: Some(status.as_u16()),
        message: Some(error.text()),
        consent_url: error.consent_url().map(ToOwned::to_owned),
        retry_after: wait.map(Duration::from_secs),
        summary,
    }
}
