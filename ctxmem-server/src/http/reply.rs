//! Building answers.

use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use warp::reply::Response;

use crate::core::{Answered, Injected};

/// Room for the headers of most answers, so that they find it at once.
const HEADERS: usize = 10;

/// A JSON answer. Nothing on the way may keep it: it is about a person.
pub(super) fn json(status: StatusCode, body: &impl Serialize) -> Response {
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

/// A JSON file to keep, laid out for people.
pub(super) fn download(name: &'static str, body: &impl Serialize) -> Response {
    let Ok(bytes) = serde_json::to_vec_pretty(body) else {
        return json(StatusCode::OK, body);
    };
    let mut response = with_type(StatusCode::OK, "application/json", bytes);
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    response
}

/// The answer to a request that may have been answered before: then to the byte as it was.
pub(super) fn answered(answer: Answered<impl Serialize>) -> Response {
    match answer {
        Answered::Now(body) => json(StatusCode::OK, &body),
        Answered::Before(text) => {
            let mut response = with_type(StatusCode::OK, "application/json", text.into_bytes());
            response
                .headers_mut()
                .insert("idempotent-replayed", HeaderValue::from_static("true"));
            response
        }
    }
}

/// An enriched prompt.
pub(super) fn injected(injected: &Injected) -> Response {
    with_type(StatusCode::OK, "application/json", injected.to_json())
}

/// A page. It loads nothing but our own stylesheet and script, and can't be framed.
pub(super) fn html(status: StatusCode, page: String) -> Response {
    let mut response = with_type(status, "text/html; charset=utf-8", page.into_bytes());
    response.headers_mut().insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; \
             frame-ancestors 'none'; base-uri 'none'",
        ),
    );
    // Not `no-referrer`: browsers would then send `Origin: null` with our own forms.
    response.headers_mut().insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("same-origin"),
    );
    response
}

/// The answer to a form: go and look there.
pub(super) fn see_other(location: &str) -> Response {
    let mut response = with_type(StatusCode::SEE_OTHER, "text/plain", Vec::new());
    // Whoever made an address that can't stand in a header is led to the start.
    let location =
        HeaderValue::from_str(location).unwrap_or_else(|_| HeaderValue::from_static("/account"));
    response.headers_mut().insert(header::LOCATION, location);
    response
}

/// Any answer with a content type.
pub(super) fn with_type(status: StatusCode, content_type: &'static str, body: Vec<u8>) -> Response {
    let mut response = Response::new(body.into());
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

/// A page from its template.
pub(super) fn page(status: StatusCode, template: &impl askama::Template) -> Response {
    match template.render() {
        Ok(page) => html(status, page),
        Err(error) => {
            tracing::error!(%error, "a page could not be written");
            html(StatusCode::INTERNAL_SERVER_ERROR, String::new())
        }
    }
}
