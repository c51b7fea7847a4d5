//! `GET /metrics`, in Prometheus' text format. It has a separate listener, because the metrics are
//! for operators and the public address is for everybody. `/livez` and `/readyz` are there too.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::StatusCode;
use prometheus::proto::MetricFamily;
use prometheus::{GaugeVec, IntGaugeVec, TextEncoder};
use tokio::net::TcpListener;
use warp::Filter as _;
use warp::reply::Response;

use super::{listener, process};
use crate::http::api::Api;
use crate::http::{health, reply};
use crate::metrics::{metrics, set};

/// How often the rows that expire are counted.
const COUNT_EVERY: Duration = Duration::from_mins(10);

/// Serves the metrics of a server until the future is dropped.
pub(crate) async fn serve(api: Arc<Api>, listener: TcpListener) {
    let page = Arc::new(Page::new(Arc::clone(&api)));
    let shown = Arc::clone(&page);
    let metrics = warp::path!("metrics").map(move || shown.answer());
    let live = warp::path!("livez").map(health::is_live);
    let ready = warp::path!("readyz").then(move || {
        let api = Arc::clone(&api);
        async move { health::is_ready(&api.core).await }
    });
    let routes = metrics.or(live).unify().or(ready).unify();
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
pub(super) struct Page {
    api: Arc<Api>,
    build: BuildMetrics,
}

impl Page {
    pub(super) fn new(api: Arc<Api>) -> Self {
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
        Self { api, build }
    }

    /// Counts the rows that expire, again and again.
    async fn record_rows(&self) {
        loop {
            if let Err(error) = self.api.core.record_rows().await {
                tracing::warn!(%error, "rows were not counted for the metrics; it will be tried again");
            }
            tokio::time::sleep(COUNT_EVERY).await;
        }
    }

    /// The current values, sorted by name.
    pub(super) fn gather(&self) -> Vec<MetricFamily> {
        let mut families = self.api.core.gather_metrics();
        families.extend(self.api.metrics.all.gather());
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
