//! The span of a request, for traces.

use http::StatusCode;
use tracing::Span;
use tracing::field::Empty;

use super::request_context::RequestContext;
use super::route::{self, Route};
use crate::traces;

/// Begins the span of a request, in the trace of its caller if that names one. It is none where nobody
/// asks for spans.
pub(crate) fn begin(routes: &'static [Route], request: &RequestContext) -> Span {
    if !traces::are_wanted() {
        return Span::none();
    }
    // Only what is in the table of routes: paths and methods that clients make up may say anything.
    let route = route::find(routes, &request.method, request.path());
    let (method, template) =
        route.map_or(("other", "other"), |(_, it)| (it.method(), it.template()));
    let name = format!("{method} {template}");
    let span = tracing::trace_span!(
        target: traces::TARGET,
        "request",
        otel.name = name,
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = template,
        http.response.status_code = Empty,
        ctxmem.request_id = request.request_id.as_str(),
    );
    traces::continue_from(&span, &request.headers);
    span
}

/// Notes how the request was answered.
pub(crate) fn end(span: &Span, status: StatusCode) {
    if span.is_none() {
        return;
    }
    span.record("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}
