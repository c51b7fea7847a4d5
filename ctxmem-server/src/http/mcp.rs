//! `POST /mcp`: the Model Context Protocol. The crate `ctxmem-mcp` speaks it; here its requests are
//! authenticated, and what it asks of the memory goes through the table of routes like any other
//! request. So grants, consent, limits, quota, audit log and request log hold as they do over HTTP.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use bytes::Bytes;
use ctxmem_client::{Client, RetryPolicy, Transport, TransportError, async_trait, reqwest};
use ctxmem_mcp::Caller;
use ctxmem_types::{UserId, path};
use futures_util::stream;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use warp::reply::Response;

use super::api::Api;
use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::rate_limit::RateState;
use super::reply;
use super::request_context::{BodyStream, RequestContext};
use super::{dispatch, server};
use crate::core::Error;

/// Says whose memory a request is about: an agent's key is good for many users. Percent-encoded, as
/// in a path, because headers hold ASCII only.
const USER_ID: HeaderName = HeaderName::from_static("x-ctxmem-user-id");

/// What of the request's head the protocol needs. No credential is among it.
const PASSED_ON: [HeaderName; 5] = [
    header::ACCEPT,
    header::CONTENT_TYPE,
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
    HeaderName::from_static("mcp-protocol-version"),
];

/// The largest message, in bytes: it becomes a tree that takes many times as much.
const MAX_MESSAGE: usize = 256 << 10;

const JSON: &str = "application/json";

const UNKNOWN_VERSION: &str = "MCP-Protocol-Version: expected one of 2024-11-05, 2025-03-26, \
                               2025-06-18, 2025-11-25 and 2026-07-28.";

/// The host of requests that never leave the process.
const LOCALHOST: HeaderValue = HeaderValue::from_static("localhost");

/// The base URL of requests that never leave the process.
const IN_PROCESS: &str = "http://localhost";

pub(super) async fn answer(ctx: HandlerContext) -> Result<Response, HttpError> {
    let api = Arc::clone(&ctx.api);
    let Some(mcp) = &api.mcp else {
        return Err(HttpError::NOT_FOUND);
    };
    let request = Arc::clone(&ctx.request);
    from_no_other_site(&api, &request)?;
    let key = ctx.key_uncounted().await?;
    let user_id = user_id(&request.headers)?;
    let body = ctx.clone().json_text_within(MAX_MESSAGE).await?;

    let router = Arc::new(Router {
        api: Arc::clone(&api),
        peer: request.peer,
        called: AtomicBool::new(false),
        rate: OnceLock::new(),
    });
    let caller = Caller::new(client(&request, Arc::clone(&router))?, user_id);
    let response = mcp.answer(passed_on(&request.headers, body), caller).await;

    // Each request to the memory was counted by itself. What asked nothing of the memory counts as
    // one request.
    if !router.called.load(Ordering::Relaxed) {
        ctx.check_rate_limit(&key)?;
    } else if let Some(rate) = router.rate.get() {
        let _ = request.rate.set(*rate);
    }
    answered(response)
}

/// Refuses what a page of another site makes a browser send, also if its host's name leads here (DNS
/// rebinding): the protocol demands it. A browser always says from where it posts.
fn from_no_other_site(api: &Api, request: &RequestContext) -> Result<(), HttpError> {
    match request.headers.get(header::ORIGIN) {
        Some(origin) if !api.site.is_own_origin(origin) => Err(HttpError::Refused(
            StatusCode::FORBIDDEN,
            "This request comes from another site.",
        )),
        _ => Ok(()),
    }
}

/// The user in the header.
fn user_id(headers: &HeaderMap) -> Result<UserId, HttpError> {
    let mut found = headers.get_all(USER_ID).iter();
    let (Some(value), None) = (found.next(), found.next()) else {
        return Err(HttpError::Refused(
            StatusCode::BAD_REQUEST,
            "X-CtxMem-User-Id: expected exactly one, with the id of the user whose memory it is.",
        ));
    };
    let text = value.to_str().unwrap_or_default();
    path::decode_user_id(text)
        .map_err(|error| Error::BadRequest(format!("X-CtxMem-User-Id: {error}")).into())
}

/// A client whose requests go through the table of routes, with the key that came.
fn client(request: &RequestContext, router: Arc<Router>) -> Result<Client, HttpError> {
    let timeout = router.api.limits.request_timeout;
    Client::builder()
        .base_url(IN_PROCESS)
        .api_key(request.bearer().unwrap_or_default())
        .transport(ThroughRoutes(router))
        .retry(RetryPolicy::none())
        .timeout(timeout)
        .build()
        .map_err(|_| Error::InvalidKey.into())
}

/// The request as the protocol's crate gets it.
fn passed_on(headers: &HeaderMap, body: Bytes) -> Request<Bytes> {
    let mut request = Request::new(body);
    *request.method_mut() = Method::POST;
    request.headers_mut().insert(header::HOST, LOCALHOST);
    for name in PASSED_ON {
        for value in headers.get_all(&name) {
            request.headers_mut().append(&name, value.clone());
        }
    }
    request
}

/// An answer of the protocol. No cache may store it, because it may be about a person. What the
/// protocol's crate refuses as plain text gets the form of all errors here, and repeats nothing.
fn answered(response: http::Response<Bytes>) -> Result<Response, HttpError> {
    let (head, body) = response.into_parts();
    let content_type = head.headers.get(header::CONTENT_TYPE);
    let is_message = content_type.is_some_and(|found| found == JSON);
    if is_message {
        return Ok(reply::with_type(head.status, JSON, body));
    }
    let bad_request = |text| Err(HttpError::Refused(StatusCode::BAD_REQUEST, text));
    match head.status.as_u16() {
        // A notification was accepted, and has no answer.
        202 => {
            let mut answer = Response::default();
            *answer.status_mut() = head.status;
            Ok(answer)
        }
        400 => bad_request(UNKNOWN_VERSION),
        406 => bad_request("Accept: expected application/json and text/event-stream."),
        415 => bad_request("body: expected one message of the Model Context Protocol."),
        _ => Err(HttpError::Refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Unexpected server error. Retry.",
        )),
    }
}

/// Answers requests of this process by the table of routes.
struct Router {
    api: Arc<Api>,
    /// The other end of the connection by which the client of the protocol came.
    peer: IpAddr,
    /// Whether anything was asked.
    called: AtomicBool,
    /// The state of the rate limit after the first request.
    rate: OnceLock<RateState>,
}

struct ThroughRoutes(Arc<Router>);

#[async_trait]
impl Transport for ThroughRoutes {
    async fn execute(
        &self,
        request: reqwest::Request,
    ) -> Result<reqwest::Response, TransportError> {
        let router = &self.0;
        router.called.store(true, Ordering::Relaxed);
        let began = Instant::now();
        let (context, body) = of_this_process(router.peer, &request);
        let context = Arc::new(context);
        let handling = dispatch::answer(Arc::clone(&router.api), Arc::clone(&context), body);
        let response = server::answered(&router.api, &context, began, handling).await;
        if let Some(rate) = context.rate.get() {
            let _ = router.rate.set(*rate);
        }
        let (head, body) = response.into_parts();
        let body = body.collect().await.map_err(|_| TransportError::failed())?;
        let response = http::Response::from_parts(head, body.to_bytes());
        Ok(reqwest::Response::from(response))
    }
}

/// The request as the routes get it.
fn of_this_process(peer: IpAddr, request: &reqwest::Request) -> (RequestContext, BodyStream) {
    let bytes = request.body().and_then(reqwest::Body::as_bytes);
    let bytes = Bytes::copy_from_slice(bytes.unwrap_or_default());
    let mut head = Request::new(());
    *head.method_mut() = request.method().clone();
    let url = request.url();
    let query = url.query().map(|query| format!("?{query}"));
    if let Ok(uri) = format!("{}{}", url.path(), query.unwrap_or_default()).parse() {
        *head.uri_mut() = uri;
    }
    *head.headers_mut() = request.headers().clone();
    head.headers_mut().insert(header::HOST, LOCALHOST);
    let context = RequestContext::begin(peer, &mut head);
    (context, Box::pin(stream::iter([Ok(bytes)])))
}
