//! `POST /mcp`, and `/mcp/users/{userId}` for clients that can't send a header: the Model Context Protocol. The crate `ctxmem-mcp` speaks it; here its requests are
//! authenticated, and [`service`] carries out what it asks of the memory.

mod service;

use std::sync::Arc;

use bytes::Bytes;
use ctxmem_mcp::Caller;
use ctxmem_types::{UserId, path};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header};
use warp::reply::Response;

use self::service::InProcess;
use crate::core::{Error, Key, is_access_token};
use crate::http::engine::rate_limit::Bucket;
use crate::http::engine::request_context::RequestContext;
use crate::http::engine::state::ServerState;
use crate::http::engine::{HandlerContext, HandlerResult, HttpError, reply};

/// Says whose memory a request is about: an agent's key is good for many users. Percent-encoded, as
/// in a path, because headers hold ASCII only.
const USER_ID: HeaderName = HeaderName::from_static("x-ctxmem-user-id");

/// What of the request's head the protocol needs. No credential is among it.
const PASSED_ON: [HeaderName; 4] = [
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

/// The protocol's crate expects a host, and compares it with nothing.
const LOCALHOST: HeaderValue = HeaderValue::from_static("localhost");

/// What it wants to hear of what a client accepts. All answers are JSON, whatever that is.
const ACCEPTED: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

pub(crate) async fn answer(ctx: HandlerContext) -> HandlerResult {
    match answer_caller(&ctx).await {
        Err(error @ HttpError::Core(Error::InvalidKey)) if ctx.state.offers_oauth() => {
            let mut response = error.into_response();
            ask_for_token(&ctx, &mut response);
            Ok(response)
        }
        answer => answer,
    }
}

/// Says where a client learns how to ask the user (RFC 9728 §5.1).
fn ask_for_token(ctx: &HandlerContext, response: &mut Response) {
    let site = &ctx.state.site;
    let metadata = site.page("/.well-known/oauth-protected-resource/mcp");
    let error = match ctx.request.headers.get(header::AUTHORIZATION) {
        Some(_) => ", error=\"invalid_token\"",
        None => "",
    };
    let asks = format!("Bearer realm=\"ctxmem\", resource_metadata=\"{metadata}\"{error}");
    if let Ok(asks) = HeaderValue::from_str(&asks) {
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, asks);
    }
}

async fn answer_caller(ctx: &HandlerContext) -> HandlerResult {
    let (state, request) = (&ctx.state, &ctx.request);
    let mcp = state.mcp.as_ref().ok_or(HttpError::NOT_FOUND)?;
    from_no_other_site(state, request)?;
    let (key, user_id) = caller(ctx).await?;
    let body = ctx.json_text_within(MAX_MESSAGE).await?;

    let service = Arc::new(InProcess::new(Arc::clone(state), Arc::clone(request)));
    let caller = Caller::new(service.clone(), user_id);
    let response = mcp.answer(passed_on(&request.headers, body), caller).await;

    // Each call of the memory was counted by itself. What asked nothing of the memory counts as one
    // request.
    if !service.was_called() {
        ctx.check_rate_limit(&key, Bucket::Others)?;
    } else if let Some(rate) = service.rate() {
        let _ = request.rate.set(rate);
    }
    answered(response)
}

/// Refuses what a page of another site makes a browser send, also if its host's name leads here (DNS
/// rebinding): the protocol demands it. A browser always says from where it posts.
fn from_no_other_site(state: &ServerState, request: &RequestContext) -> Result<(), HttpError> {
    match request.headers.get(header::ORIGIN) {
        Some(origin) if !state.site.is_own_origin(origin) => Err(HttpError::Refused(
            StatusCode::FORBIDDEN,
            "This request comes from another site.",
        )),
        _ => Ok(()),
    }
}

/// An agent by its key, with the user whom it names; or a program that a user let in, for that user alone.
async fn caller(ctx: &HandlerContext) -> Result<(Key, UserId), HttpError> {
    let shown = ctx.request.bearer();
    let token = shown.filter(|shown| is_access_token(shown) && ctx.state.offers_oauth());
    let Some(token) = token else {
        let key = ctx.key_uncounted().await?;
        return Ok((key, user_id(ctx)?));
    };
    let (key, own) = ctx.core().oauth.authenticate(token).await?;
    let _ = ctx.request.key.set(key.clone());
    let names_one = !ctx.params.is_empty() || ctx.request.headers.contains_key(USER_ID);
    if names_one && user_id(ctx)? != own {
        let other = "X-CtxMem-User-Id: expected the user of the token, or no header.";
        return Err(HttpError::Refused(StatusCode::FORBIDDEN, other));
    }
    Ok((key, own))
}

/// The user in the address or in the header; in both, it is the same one.
fn user_id(ctx: &HandlerContext) -> Result<UserId, HttpError> {
    let mut found = ctx.request.headers.get_all(USER_ID).iter();
    let (first, further) = (found.next(), found.next());
    let refused = |text| Err(HttpError::Refused(StatusCode::BAD_REQUEST, text));
    let in_header = |value: &HeaderValue| {
        let text = value.to_str().unwrap_or_default();
        path::decode_user_id(text)
            .map_err(|error| Error::BadRequest(format!("X-CtxMem-User-Id: {error}")))
    };
    match (ctx.params.first(), first, further) {
        (None, Some(value), None) => Ok(in_header(value)?),
        (None, _, _) => refused(
            "X-CtxMem-User-Id: expected exactly one, with the id of the user whose memory it is, or an address that \
             ends in /mcp/users/ and that id.",
        ),
        (Some(_), None, _) => ctx.user_id(),
        (Some(_), Some(value), further) => {
            let user_id = ctx.user_id()?;
            if further.is_some() || in_header(value)? != user_id {
                return refused(
                    "X-CtxMem-User-Id: expected the user of the address, or no header.",
                );
            }
            Ok(user_id)
        }
    }
}

/// The request as the protocol's crate gets it.
fn passed_on(headers: &HeaderMap, body: Bytes) -> Request<Bytes> {
    let mut request = Request::new(body);
    *request.method_mut() = Method::POST;
    request.headers_mut().insert(header::HOST, LOCALHOST);
    request.headers_mut().insert(header::ACCEPT, ACCEPTED);
    for name in PASSED_ON {
        for value in headers.get_all(&name) {
            request.headers_mut().append(&name, value.clone());
        }
    }
    request
}

/// An answer of the protocol. No cache may store it, because it may be about a person. What the
/// protocol's crate refuses as plain text gets the form of all errors here, and repeats nothing.
fn answered(response: http::Response<Bytes>) -> HandlerResult {
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
        415 => bad_request("body: expected one message of the Model Context Protocol."),
        _ => Err(HttpError::Refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Unexpected server error. Retry.",
        )),
    }
}
