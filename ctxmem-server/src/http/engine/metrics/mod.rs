//! Metrics of connections, requests and the process.

pub(crate) mod process;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;
use std::time::Duration;

use ctxmem_types::UpdateResponse;
use http::StatusCode;
use prometheus::{Histogram, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec};

use crate::core::Reply;
use crate::metrics::{Counters, labels, metrics, set};

/// In seconds: from an inject answered from memory, to what a request with a model may take.
const DURATIONS: &[f64] = &[
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
    1.0, 2.5, 5.0, 10.0, 30.0,
];

labels! {
    pub(crate) enum RefusalReason {
        BadRequest = "bad_request",
        Unauthorized = "unauthorized",
        Forbidden = "forbidden",
        /// The user has to be asked first.
        Consent = "consent",
        NotFound = "not_found",
        Method = "method",
        Conflict = "conflict",
        /// The target of a link no longer exists.
        Gone = "gone",
        TooLarge = "too_large",
        /// The body took too long to arrive.
        TooSlow = "too_slow",
        RateLimit = "rate_limit",
        SignInLimit = "sign_in_limit",
        Overload = "overload",
        Connections = "connections",
        /// An update beyond the monthly quota, which is answered with status 200.
        Quota = "quota",
    }
}

labels! {
    pub(crate) enum FailureReason {
        Database = "database",
        Model = "model",
        Panic = "panic",
        Timeout = "timeout",
        /// The answer to a readiness probe.
        NotReady = "not_ready",
        Other = "other",
    }
}

/// Why a request was not carried out. It travels in the extensions of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    Refusal(RefusalReason),
    Failure(FailureReason),
}

impl Problem {
    /// The problem of an answer that names none, such as a page of the sign-in.
    pub(crate) fn of_status(status: StatusCode) -> Option<Self> {
        let refusal = match status.as_u16() {
            ..=399 => return None,
            401 => RefusalReason::Unauthorized,
            403 => RefusalReason::Forbidden,
            404 => RefusalReason::NotFound,
            405 => RefusalReason::Method,
            408 => RefusalReason::TooSlow,
            409 => RefusalReason::Conflict,
            410 => RefusalReason::Gone,
            413 => RefusalReason::TooLarge,
            // A key that has sent too many requests is told by an error.
            429 => RefusalReason::SignInLimit,
            503 => return Some(Self::Failure(FailureReason::NotReady)),
            500.. => return Some(Self::Failure(FailureReason::Other)),
            _ => RefusalReason::BadRequest,
        };
        Some(Self::Refusal(refusal))
    }
}

metrics! {
    pub(crate) struct Declared {
        /// Requests that were answered.
        pub(crate) requests: IntCounterVec = "ctxmem_requests_total" ["method", "route", "status"];
        /// How long requests took, from their head to the head of the answer.
        durations: HistogramVec = "ctxmem_request_duration_seconds" ["method", "route"] in DURATIONS;
        /// Requests that are not answered yet.
        pub(crate) in_flight: IntGauge = "ctxmem_requests_in_flight";
        /// Requests that were refused. An update beyond the quota is one, though its status is 200.
        refusals: Counters<RefusalReason> = "ctxmem_refusals_total" ["reason"];
        /// Requests that failed on the side of the server.
        pub(crate) failures: Counters<FailureReason> = "ctxmem_failures_total" ["cause"];
        /// Connections of clients that are open.
        pub(crate) connections: IntGauge = "ctxmem_connections_open";
        /// Connections of clients that may be open.
        connections_limit: IntGaugeVec = "ctxmem_connections_limit";
        /// Connections that clients made.
        pub(crate) connections_accepted: IntCounter = "ctxmem_connections_accepted_total";
        /// Connections beyond the limit.
        pub(crate) connections_refused: IntCounter = "ctxmem_connections_refused_total";
        /// Connections that could not be accepted, for example for want of file descriptors.
        pub(crate) connections_failed: IntCounter = "ctxmem_connections_failed_total";
    }
}

/// The metrics of a route, which appear with its first request.
#[derive(Default)]
struct RouteMetrics {
    /// Requests that were answered with status 200. Other statuses are looked up.
    ok: OnceLock<IntCounter>,
    durations: OnceLock<Histogram>,
}

/// The metrics of the HTTP interface.
pub(crate) struct HttpMetrics {
    pub(crate) all: Declared,
    /// The method and the path of each route.
    names: Box<[(&'static str, &'static str)]>,
    /// In the same order, and one for requests that match none.
    routes: Box<[RouteMetrics]>,
}

/// Counts in a gauge until it is dropped.
pub(crate) struct InGauge<'m>(&'m IntGauge);

impl<'m> InGauge<'m> {
    pub(crate) fn enter(gauge: &'m IntGauge) -> Self {
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for InGauge<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl HttpMetrics {
    /// The routes by their methods and paths, in the order of the table.
    pub(crate) fn new(
        names: impl Iterator<Item = (&'static str, &'static str)>,
        max_connections: usize,
    ) -> Self {
        let all = Declared::default();
        set(&all.connections_limit, [], max_connections);
        let names: Box<[_]> = names.collect();
        let routes = (0..=names.len()).map(|_| RouteMetrics::default());
        Self {
            all,
            names,
            routes: routes.collect(),
        }
    }

    /// Records an answered request, by the index of its route in the table.
    pub(crate) fn record_answer(
        &self,
        route: Option<usize>,
        status: StatusCode,
        problem: Option<Problem>,
        took: Duration,
    ) {
        let (method, template) = route.map_or(("other", "other"), |route| self.names[route]);
        let route = &self.routes[route.unwrap_or(self.names.len())];
        let requests = || {
            let labels = [method, template, status.as_str()];
            self.all.requests.with_label_values(&labels)
        };
        if status == StatusCode::OK {
            route.ok.get_or_init(requests).inc();
        } else {
            requests().inc();
        }
        let durations = || self.all.durations.with_label_values(&[method, template]);
        let durations = route.durations.get_or_init(durations);
        durations.observe(took.as_secs_f64());
        match problem.or_else(|| Problem::of_status(status)) {
            Some(Problem::Refusal(reason)) => self.all.refusals.of(reason).inc(),
            Some(Problem::Failure(reason)) => self.all.failures.of(reason).inc(),
            None => {}
        }
    }

    /// Records an update as refused if it was beyond the quota.
    pub(crate) fn record_update(&self, answer: &Reply<UpdateResponse>) {
        if matches!(answer, Reply::Fresh(answer) if answer.limit_reached == Some(true)) {
            self.all.refusals.of(RefusalReason::Quota).inc();
        }
    }
}
