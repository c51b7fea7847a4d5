//! The lifecycle of a request, whatever its route and its answer: it has a deadline, a panic ends
//! nothing but itself, and it is traced, counted and logged.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use ctxmem_types::ErrorCode;
use futures_util::FutureExt as _;
use http::StatusCode;
use tracing::Instrument as _;
use warp::reply::Response;

use super::error::HttpError;
use super::metrics::{FailureReason, InGauge, Problem};
use super::request_context::RequestContext;
use super::request_span;
use super::state::ServerState;
use crate::core::AnsweredRequest;

const PANICKED: HttpError =
    HttpError::Failed(FailureReason::Panic, "Unexpected server error. Retry.");

const TOO_LONG: HttpError =
    HttpError::Failed(FailureReason::Timeout, "The request took too long. Retry.");

pub(crate) trait Answer {
    /// The answer to a request that did not end by itself.
    fn of_error(error: HttpError) -> Self;

    /// Its status, the code of its error, and why the request was not carried out, if the answer says more
    /// than its status.
    fn outcome(&self) -> (StatusCode, Option<ErrorCode>, Option<Problem>);
}

/// An answer over HTTP.
impl Answer for Response {
    fn of_error(error: HttpError) -> Self {
        error.into_response()
    }

    fn outcome(&self) -> (StatusCode, Option<ErrorCode>, Option<Problem>) {
        let told = self.extensions();
        (self.status(), told.get().cloned(), told.get().copied())
    }
}

/// An answer to a caller in this process.
impl<T> Answer for Result<T, HttpError> {
    fn of_error(error: HttpError) -> Self {
        Err(error)
    }

    fn outcome(&self) -> (StatusCode, Option<ErrorCode>, Option<Problem>) {
        let Err(error) = self else {
            return (StatusCode::OK, None, None);
        };
        let (status, code) = error.kind();
        (status, Some(code), Some(error.problem()))
    }
}

/// Has a request handled. `began` is when it came.
pub(crate) async fn run<A: Answer>(
    state: &ServerState,
    context: &RequestContext,
    began: Instant,
    handling: impl Future<Output = A>,
) -> A {
    let _in_flight = InGauge::enter(&state.metrics.all.in_flight);
    let span = request_span::begin(state.routes, context);
    let handling = AssertUnwindSafe(handling.instrument(span.clone())).catch_unwind();
    let answered_by = began + state.limits.request_timeout;
    let answer = match tokio::time::timeout_at(answered_by.into(), handling).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_panic)) => A::of_error(PANICKED),
        Err(_elapsed) => A::of_error(TOO_LONG),
    };
    let (status, code, problem) = answer.outcome();
    request_span::end(&span, status);
    let took = began.elapsed();
    let route = context.route.get().map(|route| route.place);
    state.metrics.record_answer(route, status, problem, took);
    log_for_developer(state, context, status, code.as_ref(), took);
    tracing::info!(
        route = context.route_template().unwrap_or("none"),
        method = context.method_name(),
        status = status.as_u16(),
        duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        request_id = context.request_id.as_str(),
        agent_id = context.agent_id.get().map(AsRef::<str>::as_ref),
        "answered"
    );
    answer
}

/// Notes a request with an API key for the log that its developer sees.
fn log_for_developer(
    state: &ServerState,
    context: &RequestContext,
    status: StatusCode,
    code: Option<&ErrorCode>,
    took: Duration,
) {
    let (Some(agent_id), Some(path)) = (context.agent_id.get(), context.route_template()) else {
        return;
    };
    state.core.console.log_request(&AnsweredRequest {
        agent_id,
        method: context.method_name(),
        path,
        status: status.as_u16(),
        code: code.map(ErrorCode::as_str),
        micros: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        request_id: context.request_id.as_str(),
    });
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::super::dispatch;
    use super::*;
    use crate::{App, Config};

    /// A server whose requests may take this long.
    async fn state(
        folder: &tempfile::TempDir,
        request_timeout: Duration,
    ) -> std::sync::Arc<ServerState> {
        let database = format!("sqlite://{}", folder.path().join("test.db").display());
        let mut config = Config::new(database, "http://localhost".parse().unwrap());
        config.limits.request_timeout = request_timeout;
        App::open(config).await.unwrap().state
    }

    /// A request to a route.
    fn context() -> RequestContext {
        let mut request = http::Request::new(());
        *request.uri_mut() = "/livez".parse().unwrap();
        let context = RequestContext::begin(IpAddr::V4(Ipv4Addr::LOCALHOST), &mut request);
        dispatch::begin(crate::http::ROUTES, &context).unwrap();
        context
    }

    #[tokio::test]
    async fn a_panic_or_no_end_is_an_error_in_this_process_as_over_http_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(&folder, Duration::from_millis(100)).await;
        let panics = async || -> Result<(), HttpError> { panic!("canary") };
        let result = run(&state, &context(), Instant::now(), panics()).await;
        let text = result.unwrap_err().text();
        assert_eq!(text, "Unexpected server error. Retry.");
        let never = std::future::pending::<Result<(), HttpError>>();
        let result = run(&state, &context(), Instant::now(), never).await;
        let text = result.unwrap_err().text();
        assert_eq!(text, "The request took too long. Retry.");
        let never = std::future::pending::<Response>();
        let response = run(&state, &context(), Instant::now(), never).await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let metrics = &state.metrics.all;
        let failed = metrics
            .requests
            .with_label_values(&["GET", "/livez", "500"]);
        assert_eq!(failed.get(), 3);
        assert_eq!(metrics.failures.of(FailureReason::Panic).get(), 1);
        assert_eq!(metrics.failures.of(FailureReason::Timeout).get(), 2);
    }
}
