//! Response finalisation: completes forms, sets the notice for the next page, compresses, and adds
//! the header that keeps browsers to https. Every response passes through it, whichever handler
//! made it.

use http::{HeaderName, HeaderValue, Method, header};
use http_body_util::BodyExt as _;
use warp::reply::Response;

use super::Api;
use super::request_context::RequestContext;
use super::{compression, flash, form_mark, mcp};

/// For a year browsers ask this host by https only.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");

pub(super) async fn finish(
    api: &Api,
    request: &RequestContext,
    mut response: Response,
) -> Response {
    if api.site.is_https() {
        let headers = response.headers_mut();
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HSTS);
    }
    // Agents get neither pages nor cookies, and their answers are not compressed: see
    // `compression`.
    if request.path().starts_with("/api/") || request.path() == mcp::PATH {
        return response;
    }
    let is_page = has_type(&response, "text/html");
    flash::finish(
        api,
        request,
        &mut response,
        is_page && request.method == Method::GET,
    );
    if is_page {
        response = completed(response, request.form_mark.get().map(String::as_str)).await;
    }
    compression::finish(api, request, response).await
}

/// The page with its forms completed.
async fn completed(response: Response, mark: Option<&str>) -> Response {
    let (head, body) = response.into_parts();
    // It is in memory already, and can't fail.
    let page = body
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes);
    let page = page.unwrap_or_default();
    let page = form_mark::complete(&String::from_utf8_lossy(&page), mark);
    Response::from_parts(head, page.into_bytes().into())
}

/// Whether an answer has this content type, with or without parameters.
pub(super) fn has_type(response: &Response, name: &str) -> bool {
    let found = response.headers().get(header::CONTENT_TYPE);
    let found = found.and_then(|value| value.to_str().ok());
    found.is_some_and(|found| found.split(';').next().unwrap_or_default().trim() == name)
}

/// What browsers may not do on our pages, and who may not see them.
pub(super) const OF_PAGES: [(HeaderName, HeaderValue); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; \
             frame-ancestors 'none'; base-uri 'none'",
        ),
    ),
    // With `no-referrer` browsers would send `Origin: null` with our own forms.
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("same-origin"),
    ),
    // A page that opened ours, or that ours opened, can't reach into it.
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
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
