//! Answers requests by the table of routes.

use std::sync::Arc;

use http::{HeaderValue, StatusCode, header};
use warp::reply::Response;

use super::api::{Api, MCP_PATH};
use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::request_context::{BodyStream, MatchedRoute, RequestContext};
use super::route::Route;
use super::{finish, form_again, route};

/// Answers a request; without a matching route, with 404 or 405.
pub(super) async fn answer(
    api: Arc<Api>,
    request: Arc<RequestContext>,
    body: BodyStream,
) -> Response {
    request.bring_body(body);
    let response = dispatch(Arc::clone(&api), Arc::clone(&request)).await;
    finish::finish(&api, &request, response).await
}

/// Finds the route of a request, and notes it.
pub(super) fn begin(routes: &'static [Route], request: &RequestContext) -> Option<&'static Route> {
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

async fn dispatch(api: Arc<Api>, request: Arc<RequestContext>) -> Response {
    let Some(route) = begin(api.routes, &request) else {
        return fallback(&api, &request);
    };
    let ctx = HandlerContext {
        api: Arc::clone(&api),
        params: route.params(request.path()),
        request: Arc::clone(&request),
    };
    match route.handler()(ctx).await {
        Ok(response) => response,
        Err(error) => {
            error.log(request.request_id.as_str());
            match form_again::page(api, &request, route.template(), &error).await {
                Some(mut page) => {
                    page.extensions_mut().insert(error.problem());
                    page
                }
                None => error.answer(&request),
            }
        }
    }
}

fn fallback(api: &Api, request: &RequestContext) -> Response {
    let allowed = route::allowed(api.routes, request.path());
    let is_off = api.mcp.is_none() && request.path() == MCP_PATH;
    if allowed.is_empty() || is_off {
        return HttpError::NOT_FOUND.answer(request);
    }
    let mut response = HttpError::Refused(
        StatusCode::METHOD_NOT_ALLOWED,
        "This path does not accept that method; see the Allow header.",
    )
    .answer(request);
    if let Ok(allow) = HeaderValue::from_str(&allowed.join(", ")) {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    response
}
