//! The accept loop, with what `warp::serve` lacks: deadlines for heads, a limit on connections,
//! headers for every answer, and a shutdown that waits for requests in progress, up to a deadline.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use http::{HeaderName, StatusCode, header};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower_service::Service as _;
use warp::Filter as _;
use warp::reply::Response;

use super::body::{self, DrainOnDrop};
use super::body_budget::WithPermit;
use super::error::{HttpError, SHORTLY};
use super::metrics::InGauge;
use super::overflow::{self, OverLimit};
use super::pipelining::{Line, ReadAhead};
use super::rare_warning::RareWarning;
use super::request_context::{BodyStream, RequestContext};
use super::state::ServerState;
use super::write_deadline::WriteDeadline;
use super::{dispatch, lifecycle, reply};

/// How long to wait after an accept failed, for example because descriptors ran out.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How much is read ahead on a connection, in bytes. A head must fit.
const READ_BUFFER: usize = 24 << 10;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The function that answers a request, without what this file does for all requests.
trait Routes<F>:
    Fn(Arc<ServerState>, Arc<RequestContext>, BodyStream) -> F + Copy + Send + Sync + 'static
{
}

impl<F, R> Routes<F> for R where
    R: Fn(Arc<ServerState>, Arc<RequestContext>, BodyStream) -> F + Copy + Send + Sync + 'static
{
}

/// Serves until `shutdown` resolves. Then it accepts no new connections and answers the requests
/// in progress until the drain deadline, which it returns.
pub(crate) async fn serve(
    state: Arc<ServerState>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Instant {
    serve_routes(state, dispatch::answer, listener, shutdown).await
}

async fn serve_routes<R, F>(
    state: Arc<ServerState>,
    routes: R,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Instant
where
    R: Routes<F>,
    F: Future<Output = Response> + Send + 'static,
{
    let connections = Arc::new(Semaphore::new(state.limits.max_connections));
    let line = Line::new();
    let mut over_limit = OverLimit::new(state.limits.max_turned_away);
    let (mut refused, mut failed) = (RareWarning::default(), RareWarning::default());
    let graceful = GracefulShutdown::new();
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(state.limits.header_timeout)
        .max_buf_size(READ_BUFFER);
    let mut builder_of_last = builder.clone();
    builder_of_last.keep_alive(false);

    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                state.metrics.all.connections_failed.inc();
                if let Some(times) = failed.count(Instant::now()) {
                    tracing::warn!(%error, times, "connections could not be accepted");
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // Answers are small and written at once, so waiting to fill a packet would only delay
        // them.
        let _ = stream.set_nodelay(true);
        let has_read = ReadAhead::default();
        let stream = WriteDeadline::new(stream, state.limits.write_timeout);
        let stream = TokioIo::new(has_read.watch(stream));
        let state = Arc::clone(&state);
        state.metrics.all.connections_accepted.inc();
        let Ok(permit) = Arc::clone(&connections).try_acquire_owned() else {
            state.metrics.all.connections_refused.inc();
            if let Some(times) = refused.count(Instant::now()) {
                tracing::warn!(times, "connections were refused, because too many are open");
            }
            let connection = builder_of_last.serve_connection(
                stream,
                service_fn(move |request| {
                    answer(Arc::clone(&state), overflow::answer, peer.ip(), request)
                }),
            );
            let telling = tokio::spawn(async move {
                // A client that sends nothing or does not read gets no answer.
                let _ = tokio::time::timeout(overflow::TIMEOUT, connection).await;
            });
            over_limit.add(telling).await;
            continue;
        };
        let counting = Arc::clone(&state);
        let line = line.clone();
        let connection = builder.serve_connection(
            stream,
            service_fn(move |request| {
                let (line, has_read) = (line.clone(), has_read.clone());
                let answering = answer(Arc::clone(&state), routes, peer.ip(), request);
                // Boxed, because hyper keeps room for it as long as the connection is open.
                Box::pin(async move {
                    line.wait(&has_read).await;
                    answering.await
                })
            }),
        );
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _open = InGauge::enter(&counting.metrics.all.connections);
            // A broken connection needs no handling: the client knows.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    tracing::info!("shutting down: answering what is under way");
    let deadline = Instant::now() + state.limits.drain_timeout;
    if tokio::time::timeout_at(deadline.into(), graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some requests were still under way at the drain deadline");
    }
    deadline
}

async fn answer<R, F>(
    state: Arc<ServerState>,
    routes: R,
    peer: IpAddr,
    mut request: http::Request<Incoming>,
) -> Result<http::Response<impl Body<Data = Bytes, Error = warp::Error>>, Infallible>
where
    R: Routes<F>,
    F: Future<Output = Response> + Send + 'static,
{
    let began = Instant::now();
    let context = Arc::new(RequestContext::begin(peer, &mut request));
    let expects_continue = context.expects_continue();
    let arrived_by = began + state.limits.body_timeout;
    let request = request.map(|body| DrainOnDrop::new(body, expects_continue, arrived_by.into()));
    let handling = async {
        if let Err(refused) = context.check_headers() {
            return HttpError::Refused(StatusCode::BAD_REQUEST, refused).into_response();
        }
        let (state, context) = (Arc::clone(&state), Arc::clone(&context));
        // A filter per request captures the context. Passing it in the request's extensions
        // would cost several allocations.
        let filter = warp::body::stream().then(move |stream| {
            routes(
                Arc::clone(&state),
                Arc::clone(&context),
                body::stream(stream),
            )
        });
        let Ok(response) = warp::service(filter).call(request).await;
        response
    };
    let mut response = lifecycle::run(&state, &context, began, handling).await;
    add_headers(&mut response, &context);
    Ok(response.map(|body| WithPermit::new(body, context.take_permit())))
}

/// Adds the headers of every answer: the request id, the state of the rate limit, and when to come
/// back.
fn add_headers(response: &mut Response, context: &RequestContext) {
    // A key that was accepted from the cache and turned out to be invalid has no rate limit
    // to report.
    let accepted = response.status() != StatusCode::UNAUTHORIZED;
    let headers = response.headers_mut();
    if let Some(id) = context.request_id.header() {
        headers.insert(X_REQUEST_ID, id);
    }
    if let Some(rate) = context.rate.get().filter(|_| accepted) {
        rate.add_headers(headers, SystemTime::now());
    }
    // A client that is turned away is told when to come back, whatever the reason.
    if response.status() == StatusCode::SERVICE_UNAVAILABLE
        && !response.headers().contains_key(header::RETRY_AFTER)
    {
        reply::retry_after(response, SHORTLY);
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    use super::*;
    use crate::{App, Config};

    /// What a client finds at a server with these routes.
    async fn asked<R, F, T>(routes: R, asking: impl AsyncFnOnce(SocketAddr) -> T) -> T
    where
        R: Routes<F>,
        F: Future<Output = Response> + Send + 'static,
    {
        let folder = tempfile::tempdir().unwrap();
        let database = format!("sqlite://{}", folder.path().join("test.db").display());
        let url = "http://localhost".parse().unwrap();
        let state = App::open(Config::new(database, url)).await.unwrap().state;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::select! {
            found = asking(address) => found,
            _ = serve_routes(state, routes, listener, std::future::pending()) => unreachable!("it serves for ever"),
        }
    }

    /// Reads one answer, which has no body.
    async fn read_answer(stream: &mut TcpStream) {
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(stream.read_u8().await.unwrap());
        }
    }

    #[tokio::test]
    async fn those_who_send_many_requests_at_once_do_not_keep_others_waiting() {
        static SENT_AHEAD: AtomicUsize = AtomicUsize::new(0);
        static ALL_ARE_THERE: AtomicBool = AtomicBool::new(false);
        const GREEDY: usize = 50;
        const MANY: usize = 200;
        let routes = |_, context: Arc<RequestContext>, _| async move {
            if context.path() == "/many" {
                while !ALL_ARE_THERE.load(Ordering::Relaxed) {
                    tokio::task::yield_now().await;
                }
                SENT_AHEAD.fetch_add(1, Ordering::Relaxed);
            }
            Response::default()
        };
        let asking = async |address| {
            let many = "GET /many HTTP/1.1\r\nhost: x\r\n\r\n".repeat(MANY);
            let mut greedy = Vec::new();
            for _ in 0..GREEDY {
                let mut stream = TcpStream::connect(address).await.unwrap();
                stream.write_all(many.as_bytes()).await.unwrap();
                greedy.push(stream);
            }
            let mut other = TcpStream::connect(address).await.unwrap();
            ALL_ARE_THERE.store(true, Ordering::Relaxed);
            for _ in 0..10 {
                let one = "GET /one HTTP/1.1\r\nhost: x\r\n\r\n";
                other.write_all(one.as_bytes()).await.unwrap();
                read_answer(&mut other).await;
            }
            SENT_AHEAD.load(Ordering::Relaxed)
        };
        let between = asked(routes, asking).await;
        // The first of each, and then a few at a time.
        assert!(
            between < 4 * GREEDY,
            "{between} of theirs before ten of another"
        );
    }

    #[tokio::test]
    async fn everything_that_was_sent_ahead_is_answered() {
        const MANY: usize = 100;
        let routes = |_, _, _| async { Response::default() };
        let asking = async |address| {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let many = "GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(MANY);
            stream.write_all(many.as_bytes()).await.unwrap();
            for _ in 0..MANY {
                read_answer(&mut stream).await;
            }
        };
        asked(routes, asking).await;
    }

    #[tokio::test]
    async fn a_panic_becomes_an_answer_and_ends_nothing() {
        let routes = |_, _, _| async { panic!("canary") };
        let asking = async |address| {
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
        let answers = asked(routes, asking).await;
        let body = r#"{"error":"Unexpected server error. Retry.","code":"INTERNAL_ERROR"}"#;
        assert_eq!(answers.matches("HTTP/1.1 500 ").count(), 2, "{answers}");
        assert_eq!(answers.matches("content-type: application/json").count(), 2);
        assert_eq!(answers.matches("x-request-id: ").count(), 2);
        assert_eq!(answers.matches(body).count(), 2);
        assert!(!answers.contains("canary"));
    }
}
