//! `GET /metrics`, in Prometheus' text format. It has a separate listener, because the figures
//! are for operators and the public address is for everybody. `/livez` and `/readyz` are there too.

use std::sync::Arc;

use http::StatusCode;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use tokio::net::TcpListener;
use warp::Filter as _;

use super::{health, reply};
use crate::core::{CacheFigures, Core};

const HITS: &str = "ctxmem_cache_hits_total";
const MISSES: &str = "ctxmem_cache_misses_total";
const EVICTIONS: &str = "ctxmem_cache_evictions_total";
const ENTRIES: &str = "ctxmem_cache_entries";
const BYTES: &str = "ctxmem_cache_bytes";

/// Serves the figures of a core until the future is dropped.
pub(crate) async fn serve(core: Arc<Core>, listener: TcpListener) {
    let metrics = Arc::new(Metrics::new());
    let ready = Arc::clone(&core);
    let figures = warp::path!("metrics").map(move || metrics.answer(core.cache_figures()));
    let live = warp::path!("livez").map(health::is_live);
    let ready = warp::path!("readyz").then(move || {
        let core = Arc::clone(&ready);
        async move { health::is_ready(&core).await }
    });
    let routes = figures.or(live).unify().or(ready).unify();
    warp::serve(warp::get().and(routes).boxed())
        .incoming(listener)
        .run()
        .await;
}

struct Metrics {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
}

impl Metrics {
    fn new() -> Self {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        metrics::with_local_recorder(&recorder, || {
            metrics::describe_counter!(HITS, "Injects and updates that were answered from memory");
            metrics::describe_counter!(
                MISSES,
                "Injects and updates for which the database was asked"
            );
            metrics::describe_counter!(EVICTIONS, "Entries that made room for others");
            metrics::describe_gauge!(ENTRIES, "Entries in memory");
            metrics::describe_gauge!(BYTES, "About how many bytes the entries take");
        });
        Self { recorder, handle }
    }

    fn answer(&self, cache: CacheFigures) -> warp::reply::Response {
        metrics::with_local_recorder(&self.recorder, || {
            metrics::counter!(HITS).absolute(cache.hits);
            metrics::counter!(MISSES).absolute(cache.misses);
            metrics::counter!(EVICTIONS).absolute(cache.evictions);
            metrics::gauge!(ENTRIES).set(gauge(cache.entries));
            metrics::gauge!(BYTES).set(gauge(cache.bytes));
        });
        let text = self.handle.render().into_bytes();
        reply::with_type(
            StatusCode::OK,
            "text/plain; version=0.0.4; charset=utf-8",
            text,
        )
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact up to petabytes")]
fn gauge(figure: u64) -> f64 {
    figure as f64
}
