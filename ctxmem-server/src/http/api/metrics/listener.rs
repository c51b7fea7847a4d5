//! The connections of those who watch the server. They are few, and none may be held for nothing: their
//! sockets come out of the head-room that the public listener leaves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use warp::filters::BoxedFilter;
use warp::reply::Response;

use crate::http::engine::rare_warning::RareWarning;
use crate::http::engine::server::ACCEPT_PAUSE;
use crate::http::engine::write_deadline::WriteDeadline;

/// So many are open at once; more wait in the system.
const CONNECTIONS: usize = 16;

/// How long a head may take to arrive, the time before its first byte included, and how long an answer
/// may wait for whoever asked.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn serve(listener: TcpListener, routes: BoxedFilter<(Response,)>) {
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    let mut failed = RareWarning::default();
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE);
    // It is never closed.
    while let Ok(permit) = Arc::clone(&connections).acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                if let Some(times) = failed.count(Instant::now()) {
                    tracing::warn!(%error, times, "connections for the metrics could not be accepted");
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let stream = TokioIo::new(WriteDeadline::new(stream, PATIENCE));
        let service = TowerToHyperService::new(warp::service(routes.clone()));
        let connection = builder.serve_connection(stream, service);
        tokio::spawn(async move {
            let _ = connection.await;
            drop(permit);
        });
    }
}
