//! Builds answers.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use http::{HeaderName, HeaderValue, StatusCode, header};
use http_body_util::{BodyExt as _, Collected};
use hyper::body::Body;
use serde::Serialize;
use warp::reply::{Reply as _, Response};

use super::rate_limit::whole_seconds;
use super::request_context::RequestContext;
use crate::core::{InjectReply, Reply};

/// Capacity for the headers of most answers, so that the map is allocated once.
const HEADERS: usize = 12;

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// What a page may load, and who may show it in a frame: nobody.
macro_rules! content_security_policy {
    () => {
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         frame-ancestors 'none'; base-uri 'none'"
    };
}

/// What browsers may not do on our pages, and who may not see them.
const PAGE_HEADERS: [(HeaderName, HeaderValue); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(concat!(content_security_policy!(), "; form-action 'self'")),
    ),
    // With `no-referrer` browsers would send `Origin: null` with our own forms.
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("same-origin"),
    ),
    // A page that opened ours, or that ours opened, can't reach into it.
    (OPENER_POLICY, HeaderValue::from_static("same-origin")),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static(
            "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
        ),
    ),
    // A sign-in link that somebody published must not be found by a search.
    (
        HeaderName::from_static("x-robots-tag"),
        HeaderValue::from_static("noindex, nofollow"),
    ),
];

/// A JSON answer. No cache may store it, because it is about a person.
pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => with_type(status, "application/json", bytes),
        Err(error) => {
            tracing::error!(%error, "an answer could not be written");
            let body = br#"{"error":"Unexpected server error.","code":"INTERNAL_ERROR"}"#;
            with_type(
                StatusCode::INTERNAL_SERVER_ERROR,
                "application/json",
                body.to_vec(),
            )
        }
    }
}

/// A JSON file to download, indented for people.
pub(crate) fn download(name: &'static str, body: &impl Serialize) -> Response {
    let Ok(bytes) = serde_json::to_vec_pretty(body) else {
        return json(StatusCode::OK, body);
    };
    as_file(name, with_type(StatusCode::OK, "application/json", bytes))
}

/// A file to download, which is written while it is sent. If the stream fails, so does the
/// connection, and the client knows that the file is incomplete.
pub(crate) fn download_stream<E>(
    name: &'static str,
    content_type: &'static str,
    pieces: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
) -> Response
where
    E: std::error::Error + Send + Sync + 'static,
{
    let response = with_type(StatusCode::OK, content_type, Vec::new());
    as_file(name, with_stream(response, pieces))
}

/// The answer with a body that is written while it is sent.
pub(crate) fn with_stream<E>(
    mut response: Response,
    pieces: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
) -> Response
where
    E: std::error::Error + Send + Sync + 'static,
{
    // Bodies are shared between threads, which the stream need not be: only its sole owner polls
    // it.
    let mut pieces = Mutex::new(pieces.boxed());
    let pieces = stream::poll_fn(move |context| {
        let pieces = pieces.get_mut().unwrap_or_else(PoisonError::into_inner);
        pieces.poll_next_unpin(context)
    });
    *response.body_mut() = warp::reply::stream(pieces).into_response().into_body();
    response
}

pub(crate) fn text_file(name: &str, content_type: &'static str, text: String) -> Response {
    as_file(name, with_type(StatusCode::OK, content_type, text))
}

fn as_file(name: &str, mut response: Response) -> Response {
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    response
}

/// The answer to a request with an `Idempotency-Key`. A replayed answer has the same bytes as
/// the first one.
pub(crate) fn answered(answer: Reply<impl Serialize>) -> Response {
    match answer {
        Reply::Fresh(body) => json(StatusCode::OK, &body),
        Reply::Replayed(text) => {
            let mut response = with_type(StatusCode::OK, "application/json", text.into_bytes());
            response
                .headers_mut()
                .insert("idempotent-replayed", HeaderValue::from_static("true"));
            response
        }
    }
}

pub(crate) fn injected(injected: &InjectReply) -> Response {
    with_type(StatusCode::OK, "application/json", injected.to_json())
}

/// A page. It may load only our own stylesheet and script, and can't be framed.
pub(crate) fn html(status: StatusCode, page: impl Into<Bytes>) -> Response {
    let mut response = with_type(status, "text/html; charset=utf-8", page.into());
    response.headers_mut().extend(PAGE_HEADERS);
    // The language of the page follows from both.
    let vary = HeaderValue::from_static("accept-language, cookie");
    response.headers_mut().insert(header::VARY, vary);
    response
}

/// Lets the forms of a page lead to this origin, too, which may be the one that opened the page.
pub(crate) fn forms_lead_to(response: &mut Response, origin: &str) {
    // Browsers know no address in brackets here.
    let origin = if origin.contains('[') {
        "http:"
    } else {
        origin
    };
    let policy = concat!(content_security_policy!(), "; form-action 'self' ");
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&format!("{policy}{origin}")) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.remove(OPENER_POLICY);
}

/// The answer to a form: a redirect to the page that shows the result.
pub(crate) fn see_other(location: &str) -> Response {
    let mut response = with_type(StatusCode::SEE_OTHER, "text/plain", Vec::new());
    // An address that can't be a header value leads to the start.
    let location =
        HeaderValue::from_str(location).unwrap_or_else(|_| HeaderValue::from_static("/account"));
    response.headers_mut().insert(header::LOCATION, location);
    response
}

pub(crate) fn with_type(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Bytes>,
) -> Response {
    let mut response = Response::new(body.into().into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}

/// A page for somebody who tried too often, and may try again after this time.
pub(crate) fn too_many(
    request: &RequestContext,
    wait: Duration,
    template: &impl askama::Template,
) -> Response {
    let mut response = page(request, StatusCode::TOO_MANY_REQUESTS, template);
    retry_after(&mut response, wait);
    response
}

/// Says when the request may be sent again, rounded up, so that nobody comes too early.
pub(crate) fn retry_after(response: &mut Response, wait: Duration) {
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
}

/// The bytes of an answer that is in memory already, which can't fail.
pub(crate) async fn whole(body: impl Body<Data = Bytes, Error = warp::Error>) -> Bytes {
    let whole = body.collect().await.map(Collected::to_bytes);
    whole.unwrap_or_default()
}

/// Whether an answer has this content type, with or without parameters.
pub(crate) fn has_type(response: &Response, name: &str) -> bool {
    let found = response.headers().get(header::CONTENT_TYPE);
    let found = found.and_then(|value| value.to_str().ok());
    found.is_some_and(|found| found.split(';').next().unwrap_or_default().trim() == name)
}

/// A page rendered from its template, in the language of whoever sent the request.
pub(crate) fn page(
    request: &RequestContext,
    status: StatusCode,
    template: &impl askama::Template,
) -> Response {
    match template.render_with_values(request) {
        Ok(page) => html(status, page),
        Err(error) => {
            tracing::error!(%error, "a page could not be written");
            html(StatusCode::INTERNAL_SERVER_ERROR, String::new())
        }
    }
}
