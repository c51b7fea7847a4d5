//! Finishing pages: completes their forms, sets the notice for the next page, and compresses them.

use http::Method;
use http_body_util::BodyExt as _;
use warp::reply::Response;

use super::flash;
use crate::http::engine::reply::has_type;
use crate::http::engine::request_context::RequestContext;
use crate::http::engine::state::ServerState;
use crate::http::engine::{compression, form_mark};

pub(crate) async fn finish(
    state: &ServerState,
    request: &RequestContext,
    mut response: Response,
) -> Response {
    let is_page = has_type(&response, "text/html");
    flash::finish(
        state,
        request,
        &mut response,
        is_page && request.method == Method::GET,
    );
    if is_page {
        response = completed(response, request.form_mark.get().map(String::as_str)).await;
    }
    compression::finish(state, request, response).await
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
