//! `GET /metrics`, in Prometheus' text format. It has a separate listener, because the metrics are
//! for operators and the public address is for everybody. `/livez` and `/readyz` are there too.

mod listener;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::StatusCode;
use prometheus::proto::MetricFamily;
use prometheus::{GaugeVec, IntGaugeVec, TextEncoder};
use tokio::net::TcpListener;
use warp::Filter as _;
use warp::filters::BoxedFilter;
use warp::reply::Response;

use crate::http::api::health;
use crate::http::engine::metrics::process;
use crate::http::engine::reply;
use crate::http::engine::state::ServerState;
use crate::metrics::{metrics, set};

/// How often rows are counted.
const COUNT_EVERY: Duration = Duration::from_mins(10);

/// Serves the metrics of a server, and what else operators look at, until the future is dropped.
pub(crate) async fn serve(
    page: Arc<Page>,
    listener: TcpListener,
    others: BoxedFilter<(Response,)>,
) {
    let (state, shown) = (Arc::clone(&page.state), Arc::clone(&page));
    let metrics = warp::path!("metrics").map(move || shown.answer());
    let live = warp::path!("livez").map(health::is_live);
    let ready = warp::path!("readyz").then(move || {
        let state = Arc::clone(&state);
        async move { health::is_ready(&state.core).await }
    });
    // One type: that of one filter within the other takes seconds to compile.
    let mut routes = metrics.boxed();
    for other in [live.boxed(), ready.boxed(), others] {
        routes = routes.or(other).unify().boxed();
    }
    let serving = listener::serve(listener, warp::get().and(routes).boxed());
    tokio::join!(serving, page.record_rows());
}

metrics! {
    struct BuildMetrics {
        /// Always 1. The labels say what is running.
        info: IntGaugeVec = "ctxmem_build_info" ["version", "commit"];
        /// When the process started, in seconds since 1970.
        started: GaugeVec = "process_start_time_seconds";
    }
}

/// The metrics of all layers.
pub(crate) struct Page {
    state: Arc<ServerState>,
    build: BuildMetrics,
}

impl Page {
    pub(crate) fn new(state: Arc<ServerState>) -> Self {
        let build = BuildMetrics::default();
        let version = env!("CTXMEM_VERSION");
        let (version, commit) = match version.split_once(" (") {
            Some((version, commit)) => (version, commit.trim_end_matches(')')),
            None => (version, "unknown"),
        };
        set(&build.info, [version, commit], 1);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let started = build.started.with_label_values::<&str>(&[]);
        started.set(now.unwrap_or_default().as_secs_f64());
        Self { state, build }
    }

    /// Counts the rows, again and again.
    async fn record_rows(&self) {
        loop {
            if let Err(error) = self.state.core.record_rows().await {
                tracing::warn!(%error, "rows were not counted for the metrics; it will be tried again");
            }
            tokio::time::sleep(COUNT_EVERY).await;
        }
    }

    /// The current values, sorted by name.
    pub(crate) fn gather(&self) -> Vec<MetricFamily> {
        let mut families = self.state.core.gather_metrics();
        families.extend(self.state.metrics.all.gather());
        families.extend(process::gather());
        families.extend(self.build.gather());
        families.sort_by(|one, other| one.name().cmp(other.name()));
        families
    }

    fn answer(&self) -> Response {
        match TextEncoder::new().encode_to_string(&self.gather()) {
            Ok(text) => reply::with_type(
                StatusCode::OK,
                "text/plain; version=0.0.4; charset=utf-8",
                text.into_bytes(),
            ),
            Err(error) => {
                tracing::error!(%error, "the metrics could not be encoded");
                reply::with_type(StatusCode::INTERNAL_SERVER_ERROR, "text/plain", "")
            }
        }
    }
}
