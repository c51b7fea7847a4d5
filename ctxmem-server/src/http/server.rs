//! The accept loop: everything around a handler that plain `warp::serve` leaves open.
//!
//! Header and request deadlines, a connection cap, a panic that becomes a 500, one log line
//! a request, and a drain with a deadline.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use futures_util::FutureExt as _;
use http::{HeaderName, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_service::Service as _;
use warp::Filter as _;
use warp::reply::Response;

use super::Api;
use super::body::{self, BodyStream, Drained};
use super::error::HttpError;
use super::exchange::Exchange;
use super::routes;
use super::within::within;

/// How long to wait before the next accept after one failed (for want of descriptors, say).
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How many clients beyond the cap are told so at once; more are cut off.
const TURNED_AWAY: usize = 256;

/// How long a client beyond the cap may take to ask and be told.
const TURN_AWAY_TIME: Duration = Duration::from_secs(2);

const TOO_MANY: &str = r#"{"error":"Too many connections. Retry later.","code":"INTERNAL_ERROR"}"#;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What answers a request, less what is done for all of them.
trait Routes<F>: Fn(Arc<Api>, Arc<Exchange>, BodyStream) -> F + Copy + Send + Sync + 'static {}

impl<F, R> Routes<F> for R where
    R: Fn(Arc<Api>, Arc<Exchange>, BodyStream) -> F + Copy + Send + Sync + 'static
{
}

/// Serves until `shutdown` resolves; then takes no new connection and answers what is under
/// way, for as long as the drain deadline allows. Answers when that deadline is.
pub(crate) async fn serve(
    api: Arc<Api>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Instant {
    serve_routes(api, routes::answer, listener, shutdown).await
}

async fn serve_routes<R, F>(
    api: Arc<Api>,
    routes: R,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Instant
where
    R: Routes<F>,
    F: Future<Output = Response> + Send + 'static,
{
    let connections = Arc::new(Semaphore::new(api.limits.connections));
    let turned_away = Arc::new(Semaphore::new(TURNED_AWAY));
    let graceful = GracefulShutdown::new();
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(api.limits.header_time);

    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let Ok(permit) = Arc::clone(&connections).try_acquire_owned() else {
            if let Ok(permit) = Arc::clone(&turned_away).try_acquire_owned() {
                tokio::spawn(turn_away(stream, permit));
            }
            continue;
        };
        // Answers are small and written whole: waiting to fill a packet only delays them.
        let _ = stream.set_nodelay(true);
        let api = Arc::clone(&api);
        let connection = builder.serve_connection(
            TokioIo::new(stream),
            service_fn(move |request| answer(Arc::clone(&api), routes, request)),
        );
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A connection that breaks is the client's affair.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    tracing::info!("shutting down: answering what is under way");
    let deadline = Instant::now() + api.limits.drain_time;
    if tokio::time::timeout_at(deadline.into(), graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some requests were still under way at the drain deadline");
    }
    deadline
}

/// Tells a client beyond the connection cap so, instead of leaving it waiting.
async fn turn_away(mut stream: TcpStream, _permit: OwnedSemaphorePermit) {
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
         cache-control: no-store\r\nretry-after: 1\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{TOO_MANY}",
        TOO_MANY.len()
    );
    let telling = async {
        let mut dropped = [0; 4096];
        // HTTP libraries don't take an answer to what they have not begun to ask.
        if stream.read(&mut dropped).await? == 0 {
            return Ok(());
        }
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        // To close on what was not read would tear the answer from the client's hands.
        while stream.read(&mut dropped).await? > 0 {}
        std::io::Result::Ok(())
    };
    // It was told, or it asked nothing, or it did not listen.
    let _ = tokio::time::timeout(TURN_AWAY_TIME, telling).await;
}

async fn answer<R, F>(
    api: Arc<Api>,
    routes: R,
    mut request: http::Request<Incoming>,
) -> Result<Response, Infallible>
where
    R: Routes<F>,
    F: Future<Output = Response> + Send + 'static,
{
    let began = Instant::now();
    let limits = api.limits;
    let exchange = Arc::new(Exchange::begin(&mut request));
    let held_back = exchange.holds_body_back();
    let arrived_by = began + limits.body_time;
    let request = request.map(|body| Drained::new(body, held_back, arrived_by.into()));
    let handling = async {
        if exchange.names_one_host() {
            let (api, exchange) = (Arc::clone(&api), Arc::clone(&exchange));
            // A filter of this request's own takes along what belongs to it; in the request's
            // extensions that would cost several allocations.
            let filter = warp::body::stream().then(move |stream| {
                routes(
                    Arc::clone(&api),
                    Arc::clone(&exchange),
                    body::stream(stream),
                )
            });
            warp::service(filter).call(request).await
        } else {
            let refused = HttpError::Refused(StatusCode::BAD_REQUEST, "Host: expected one, once.");
            Ok(refused.into_response())
        }
    };
    let handling = AssertUnwindSafe(handling).catch_unwind();
    let answered_by = began + limits.request_time;
    let mut response = match within(answered_by.into(), handling).await {
        Ok(Ok(Ok(response))) => response,
        Ok(Err(_panic)) => HttpError::Refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Unexpected server error. Retry.",
        )
        .into_response(),
        Err(_elapsed) => HttpError::Refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The request took too long. Retry.",
        )
        .into_response(),
    };
    // A key that was taken for good, and was not, has no limit that anybody is told.
    let accepted = response.status() != StatusCode::UNAUTHORIZED;
    let headers = response.headers_mut();
    if let Some(id) = exchange.request_id.header() {
        headers.insert(X_REQUEST_ID, id);
    }
    if let Some(rate) = exchange.rate.get().filter(|_| accepted) {
        rate.stamp(headers, SystemTime::now());
    }
    tracing::info!(
        route = exchange.route.get().copied().unwrap_or("none"),
        method = exchange.method.as_str(),
        status = response.status().as_u16(),
        duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        request_id = exchange.request_id.as_str(),
        agent_id = exchange.agent_id.get().map(AsRef::<str>::as_ref),
        "answered"
    );
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Core, Settings, SystemClock};
    use crate::extract::Rules;
    use crate::http::{Limits, Site};
    use crate::store::Db;

    #[tokio::test]
    async fn a_panic_becomes_an_answer_and_ends_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let database = format!("sqlite://{}", folder.path().join("test.db").display());
        let core = Core::new(
            Db::open(&database).await.unwrap(),
            Arc::new(Rules),
            Arc::new(SystemClock),
            Settings::default(),
        );
        let site = Site::new("http://localhost".parse().unwrap());
        let api = Arc::new(Api::new(Arc::new(core), None, Limits::default(), site));
        let routes = |_, _, _| async { panic!("canary") };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = serve_routes(api, routes, listener, std::future::pending());
        let asking = async {
            let mut stream = TcpStream::connect(address).await.unwrap();
            // Twice on one connection: it outlives the panic.
            let first = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
            let last = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
            stream.write_all(first.as_bytes()).await.unwrap();
            stream.write_all(last.as_bytes()).await.unwrap();
            let mut answers = String::new();
            stream.read_to_string(&mut answers).await.unwrap();
            answers
        };
        let answers = tokio::select! {
            answers = asking => answers,
            _ = serving => unreachable!("it serves for ever"),
        };
        let body = r#"{"error":"Unexpected server error. Retry.","code":"INTERNAL_ERROR"}"#;
        assert_eq!(answers.matches("HTTP/1.1 500 ").count(), 2, "{answers}");
        assert_eq!(answers.matches("content-type: application/json").count(), 2);
        assert_eq!(answers.matches("x-request-id: ").count(), 2);
        assert_eq!(answers.matches(body).count(), 2);
        assert!(!answers.contains("canary"));
    }
}
