//! `GET /metrics`, in Prometheus' text format. It has a separate listener, because the metrics are
//! for operators and the public address is for everybody. `/livez` and `/readyz` are there too.
//!
//! All values are read when they are asked for, from what the layers count (`crate::figures`) or
//! from the system. Only the rows of what expires are counted by themselves, every ten minutes.

mod list;
mod listener;
mod process;
#[cfg(test)]
mod tests;
mod text;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::StatusCode;
use tokio::net::TcpListener;
use warp::Filter as _;
use warp::reply::Response;

use super::api::Api;
use super::{health, reply};
use crate::core::{CacheFigures, Core, CoreFigures, ModelFigures, StoreFigures};
use crate::figures::{Counters, Label};
use text::{Page, Values};

/// How often the rows of what expires are counted.
const COUNT_EVERY: Duration = Duration::from_mins(10);

/// Serves the metrics of a server until the future is dropped.
pub(crate) async fn serve(api: Arc<Api>, listener: TcpListener) {
    let metrics = Arc::new(Metrics::new(Arc::clone(&api)));
    let shown = Arc::clone(&metrics);
    let page = warp::path!("metrics").map(move || shown.answer());
    let live = warp::path!("livez").map(health::is_live);
    let ready = warp::path!("readyz").then(move || {
        let api = Arc::clone(&api);
        async move { health::is_ready(&api.core).await }
    });
    let routes = page.or(live).unify().or(ready).unify();
    let serving = listener::serve(listener, warp::get().and(routes).boxed());
    tokio::join!(serving, metrics.count_rows());
}

struct Metrics {
    api: Arc<Api>,
    started: SystemTime,
    rows: Mutex<Option<CountedRows>>,
}

/// Rows of what expires.
struct CountedRows {
    at: SystemTime,
    by_kind: Vec<(&'static str, i64)>,
}

impl Metrics {
    fn new(api: Arc<Api>) -> Self {
        Self {
            api,
            started: SystemTime::now(),
            rows: Mutex::default(),
        }
    }

    /// Counts the rows of what expires, again and again.
    async fn count_rows(&self) {
        loop {
            match self.api.core.count_rows().await {
                Ok(by_kind) => {
                    let at = SystemTime::now();
                    let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
                    *rows = Some(CountedRows { at, by_kind });
                }
                Err(error) => {
                    tracing::warn!(%error, "rows were not counted for the metrics; it will be tried again");
                }
            }
            tokio::time::sleep(COUNT_EVERY).await;
        }
    }

    fn answer(&self) -> Response {
        reply::with_type(
            StatusCode::OK,
            "text/plain; version=0.0.4; charset=utf-8",
            self.text().into_bytes(),
        )
    }

    fn text(&self) -> String {
        let (core, mut page) = (&*self.api.core, Page::default());
        self.process(&mut page);
        requests(&mut page, &self.api);
        extraction(&mut page, core.figures(), core.model_figures());
        queues(&mut page, core);
        cache(&mut page, core.cache_figures());
        database(&mut page, core, core.store_figures());
        self.rows(&mut page);
        page.into_text()
    }

    fn process(&self, page: &mut Page) {
        let version = env!("CTXMEM_VERSION");
        let (version, commit) = match version.split_once(" (") {
            Some((version, commit)) => (version, commit.trim_end_matches(')')),
            None => (version, "unknown"),
        };
        page.metric(list::BUILD).value([version, commit], 1);
        page.value(list::STARTED, seconds_since_1970(self.started));
        let cpu = process::cpu_time().map(|used| used.as_secs_f64());
        page.known(list::CPU, cpu);
        page.known(list::MEMORY, process::resident_bytes());
        page.known(list::DESCRIPTORS, process::open_descriptors());
        page.known(list::MAX_DESCRIPTORS, process::max_descriptors());
    }

    fn rows(&self, page: &mut Page) {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rows) = &*rows {
            let mut values = page.metric(list::ROWS);
            for (kind, count) in &rows.by_kind {
                values.value([kind], count);
            }
            page.value(list::ROWS_COUNTED, seconds_since_1970(rows.at));
        }
    }
}

fn requests(page: &mut Page, api: &Api) {
    let figures = &api.figures;
    // Of most routes nothing is ever asked, so only those are shown that were.
    let mut values = page.metric(list::REQUESTS);
    for (method, route, of_route) in figures.routes() {
        for (status, count) in of_route.statuses().filter(|(_, count)| *count > 0) {
            let status = status.map_or_else(|| "other".to_owned(), |status| status.to_string());
            values.value([method, route, &status], count);
        }
    }
    let mut values = page.metric(list::REQUEST_DURATION);
    for (method, route, of_route) in figures.routes() {
        if of_route.statuses().any(|(_, count)| count > 0) {
            values.histogram([method, route], &of_route.durations);
        }
    }
    page.value(list::IN_FLIGHT, figures.in_flight.get());
    let mut values = page.metric(list::REFUSALS);
    by_label(&mut values, &figures.refusals);
    values.value(["quota"], api.core.figures().updates_beyond_quota());
    by_label(&mut page.metric(list::FAILURES), &figures.failures);
    page.value(list::CONNECTIONS, figures.connections.get());
    page.value(list::CONNECTIONS_LIMIT, api.limits.max_connections);
    page.value(list::CONNECTIONS_ACCEPTED, figures.accepted.get());
    page.value(list::CONNECTIONS_REFUSED, figures.turned_away.get());
    page.value(list::CONNECTIONS_FAILED, figures.not_accepted.get());
}

fn extraction(page: &mut Page, core: &CoreFigures, model: Option<&ModelFigures>) {
    by_label(&mut page.metric(list::UPDATES), &core.updates);
    page.value(list::EVICTED, core.evicted.get());
    let mut values = page.metric(list::EXTRACTION);
    match model {
        None => values.histogram(["rules"], &core.by_rules),
        Some(_) => values.histogram(["model"], &core.by_model),
    }
    if let Some(model) = model {
        by_label(&mut page.metric(list::MODEL_REQUESTS), &model.requests);
        page.metric(list::MODEL_DURATION)
            .histogram([], &model.durations);
        let mut values = page.metric(list::MODEL_TOKENS);
        values.value(["in"], model.tokens_in.get());
        values.value(["out"], model.tokens_out.get());
    }
    by_label(&mut page.metric(list::ERASURES), &core.erasures);
}

fn queues(page: &mut Page, core: &Core) {
    let queues = core.queues();
    let mut values = page.metric(list::QUEUE);
    for (name, length) in &queues {
        values.value([name], length.waiting);
    }
    let mut values = page.metric(list::QUEUE_LIMIT);
    for (name, length) in &queues {
        values.value([name], length.limit);
    }
}

fn cache(page: &mut Page, cache: CacheFigures) {
    page.value(list::CACHE_HITS, cache.hits);
    page.value(list::CACHE_MISSES, cache.misses);
    page.value(list::CACHE_EVICTIONS, cache.evictions);
    page.value(list::CACHE_ENTRIES, cache.entries);
    page.value(list::CACHE_BYTES, cache.bytes);
}

fn database(page: &mut Page, core: &Core, store: &StoreFigures) {
    let files = core.file_sizes();
    let mut values = page.metric(list::DATABASE);
    values.histogram(["read"], &store.reads);
    values.histogram(["write"], &store.writes);
    if !core.has_group_commit() {
        values.histogram(["optimistic_write"], &store.autocommits);
    }
    let mut values = page.metric(list::DATABASE_CONNECTIONS);
    for pool in core.pool_sizes() {
        values.value([pool.name, "used"], pool.open - pool.idle);
        values.value([pool.name, "idle"], pool.idle);
    }
    page.metric(list::COMMIT).histogram([], &store.commits);
    if core.has_group_commit() {
        page.metric(list::COMMIT_UNITS)
            .histogram([], &store.group_sizes);
    }
    page.value(list::COMMIT_FAILURES, store.failed_commits.get());
    if let Some(files) = files {
        page.value(list::DATABASE_FILE, files.database);
        page.value(list::WAL, files.log);
        page.known(list::DISK_FREE, files.free);
    }
}

/// Adds each count. Those that are nothing yet are shown too, so that the first one is an increase.
fn by_label<L: Label>(values: &mut Values<'_>, counters: &Counters<L>) {
    for (label, count) in counters.read() {
        values.value([label.name()], count);
    }
}

fn seconds_since_1970(at: SystemTime) -> f64 {
    at.duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs_f64()
}
