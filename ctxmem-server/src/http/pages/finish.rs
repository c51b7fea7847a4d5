//! Finishing pages: completes their forms, sets the notice for the next page, and compresses them.

use http::Method;
use warp::reply::Response;

use super::notice;
use crate::http::engine::request_context::RequestContext;
use crate::http::engine::state::ServerState;
use crate::http::engine::{compression, form_mark, reply};

pub(crate) async fn finish(
    state: &ServerState,
    request: &RequestContext,
    mut response: Response,
) -> Response {
    let is_page = reply::has_type(&response, "text/html");
    let shows_notice = is_page && request.method == Method::GET;
    notice::finish(state, request, &mut response, shows_notice);
    if is_page {
        response = completed(response, request.form_mark.get().map(String::as_str)).await;
    }
    compression::finish(state, request, response).await
}

/// The page with its forms completed.
async fn completed(response: Response, mark: Option<&str>) -> Response {
    let (head, body) = response.into_parts();
    let page = reply::whole(body).await;
    let page = form_mark::complete(&String::from_utf8_lossy(&page), mark);
    Response::from_parts(head, page.into_bytes().into())
}
