//! Response finalisation: completes forms, sets the notice for the next page, compresses, and adds
//! the header that keeps browsers to https. Every response passes through it, whichever handler
//! made it.

use http::{HeaderValue, Method, header};
use http_body_util::BodyExt as _;
use warp::reply::Response;

use super::api::{Api, MCP_PATH};
use super::reply::has_type;
use super::request_context::RequestContext;
use super::{compression, flash, form_mark};

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
    if request.path().starts_with("/api/") || request.path() == MCP_PATH {
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
