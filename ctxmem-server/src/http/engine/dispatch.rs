//! Answers requests by the table of routes.

use std::sync::Arc;

use http::{HeaderValue, StatusCode, header};
use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::request_context::{BodyStream, MatchedRoute, RequestContext};
use super::route::{self, Route};
use super::state::{ServerState, is_for_programs, is_of_mcp};

/// For a year browsers ask this host by https only.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Answers a request; without a matching route, with 404 or 405.
pub(crate) async fn answer(
    state: Arc<ServerState>,
    request: Arc<RequestContext>,
    body: BodyStream,
) -> Response {
    request.bring_body(body);
    let mut response = dispatch(Arc::clone(&state), Arc::clone(&request)).await;
    if state.site.is_https() {
        let headers = response.headers_mut();
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HSTS);
    }
    if is_for_programs(request.path()) {
        return response;
    }
    (state.pages.finish)(&state, &request, response).await
}

/// Finds the route of a request, and notes it.
pub(crate) fn begin(routes: &'static [Route], request: &RequestContext) -> Option<&'static Route> {
    let (place, route) = route::find(routes, &request.method, request.path())?;
    // Set once, because a request has one route.
    let _ = request.route.set(MatchedRoute {
        place,
        template: route.template(),
    });
    tracing::trace!(
        route = route.template(),
        request_id = request.request_id.as_str(),
        "began"
    );
    Some(route)
}

async fn dispatch(state: Arc<ServerState>, request: Arc<RequestContext>) -> Response {
    let Some(route) = begin(state.routes, &request) else {
        return fallback(&state, &request);
    };
    let with_params = |params| HandlerContext {
        state: Arc::clone(&state),
        params,
        request: Arc::clone(&request),
    };
    match (route.handler)(with_params(route.params(request.path()))).await {
        Ok(response) => response,
        Err(error) => {
            error.log(request.request_id.as_str());
            let ctx = with_params(Vec::new());
            match (state.pages.form_again)(&ctx, &error).await {
                Some(mut page) => {
                    page.extensions_mut().insert(error.problem());
                    page
                }
                None => error_answer(&state, error, &request),
            }
        }
    }
}

/// The answer to a request that fails: a page for browsers, JSON for everyone else.
fn error_answer(state: &ServerState, error: HttpError, request: &RequestContext) -> Response {
    if request.wants_page() {
        let mut response = (state.pages.error)(&error, request);
        error.complete(&mut response);
        response
    } else {
        error.into_response()
    }
}

fn fallback(state: &ServerState, request: &RequestContext) -> Response {
    let allowed = route::allowed(state.routes, request.path());
    let is_off = state.mcp.is_none() && is_of_mcp(request.path());
    if allowed.is_empty() || is_off {
        return error_answer(state, HttpError::NOT_FOUND, request);
    }
    let refused = HttpError::Refused(
        StatusCode::METHOD_NOT_ALLOWED,
        "This path does not accept that method; see the Allow header.",
    );
    let mut response = error_answer(state, refused, request);
    if let Ok(allow) = HeaderValue::from_str(&allowed.join(", ")) {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    response
}
