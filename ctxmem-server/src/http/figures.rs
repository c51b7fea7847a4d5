//! What is counted of connections and requests.

use std::time::Duration;

use http::StatusCode;

use crate::figures::{Counter, Counters, Gauge, Histogram, labels};

/// From 50 µs, what an inject from memory takes, to what a request with a model may.
const DURATIONS: &[u64] = &[
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    2_500_000_000,
    5_000_000_000,
    10_000_000_000,
    30_000_000_000,
];

/// Every status that is answered, the frequent ones first. Others would be counted together.
pub(super) const STATUSES: [u16; 19] = [
    200, 303, 400, 401, 403, 404, 429, 503, 500, 502, 405, 408, 409, 410, 413, 415, 422, 304, 202,
];

labels! {
    /// Why a request was refused.
    pub(super) enum RefusalReason {
        BadRequest = "bad_request",
        Unauthorized = "unauthorized",
        Forbidden = "forbidden",
        /// The user has to be asked first.
        Consent = "consent",
        NotFound = "not_found",
        Method = "method",
        Conflict = "conflict",
        /// What a link led to is no more.
        Gone = "gone",
        TooLarge = "too_large",
        /// The body took too long to arrive.
        TooSlow = "too_slow",
        RateLimit = "rate_limit",
        SignInLimit = "sign_in_limit",
        Overload = "overload",
        Connections = "connections",
    }
}

labels! {
    /// Why a request failed.
    pub(super) enum FailureReason {
        Database = "database",
        Model = "model",
        Panic = "panic",
        Timeout = "timeout",
        /// It was asked whether the server can take requests, and it can't.
        NotReady = "not_ready",
        Other = "other",
    }
}

/// Why a request was not carried out. It travels in the extensions of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    Refusal(RefusalReason),
    Failure(FailureReason),
}

impl Problem {
    /// The problem of an answer that names none, such as a page of the sign-in.
    pub(super) fn of_status(status: StatusCode) -> Option<Self> {
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

/// Counts of one route.
pub(super) struct RouteFigures {
    method: &'static str,
    template: &'static str,
    /// In the order of [`STATUSES`], and one for all others.
    statuses: [Counter; STATUSES.len() + 1],
    pub(super) durations: Histogram,
}

impl RouteFigures {
    fn new((method, template): (&'static str, &'static str)) -> Self {
        Self {
            method,
            template,
            statuses: std::array::from_fn(|_| Counter::default()),
            durations: Histogram::of_durations(DURATIONS),
        }
    }

    /// How often each status was answered; `None` stands for one that is not in [`STATUSES`].
    pub(super) fn statuses(&self) -> impl Iterator<Item = (Option<u16>, u64)> {
        let counts = self.statuses.iter().map(Counter::get);
        let names = STATUSES.iter().copied().map(Some).chain([None]);
        names.zip(counts)
    }
}

/// Counts of the HTTP interface.
pub(super) struct HttpFigures {
    /// In the order of the table of routes, and one for requests that match none.
    routes: Box<[RouteFigures]>,
    pub(super) in_flight: Gauge,
    pub(super) refusals: Counters<RefusalReason>,
    pub(super) failures: Counters<FailureReason>,
    /// Connections that are open, without those that are told that there are too many.
    pub(super) connections: Gauge,
    pub(super) accepted: Counter,
    /// Connections beyond the limit.
    pub(super) turned_away: Counter,
    /// Connections that the system did not hand over, for example for want of descriptors.
    pub(super) not_accepted: Counter,
}

impl HttpFigures {
    /// Nothing is counted yet. `routes` are the methods and templates of the table, in its order.
    pub(super) fn new(routes: impl Iterator<Item = (&'static str, &'static str)>) -> Self {
        let routes = routes.chain([("other", "other")]);
        Self {
            routes: routes.map(RouteFigures::new).collect(),
            in_flight: Gauge::default(),
            refusals: Counters::default(),
            failures: Counters::default(),
            connections: Gauge::default(),
            accepted: Counter::default(),
            turned_away: Counter::default(),
            not_accepted: Counter::default(),
        }
    }

    /// Counts a request that was answered, by the place of its route in the table.
    pub(super) fn answered(
        &self,
        route: Option<usize>,
        status: StatusCode,
        problem: Option<Problem>,
        took: Duration,
    ) {
        let route = &self.routes[route.unwrap_or(self.routes.len() - 1)];
        let found = STATUSES.iter().position(|known| *known == status.as_u16());
        route.statuses[found.unwrap_or(STATUSES.len())].count();
        route.durations.record_duration(took);
        match problem.or_else(|| Problem::of_status(status)) {
            Some(Problem::Refusal(reason)) => self.refusals.count(reason),
            Some(Problem::Failure(reason)) => self.failures.count(reason),
            None => {}
        }
    }

    /// The figures of each route with its method and template, and last those of requests that match
    /// none.
    pub(super) fn routes(
        &self,
    ) -> impl Iterator<Item = (&'static str, &'static str, &RouteFigures)> {
        let routes = self.routes.iter();
        routes.map(|figures| (figures.method, figures.template, figures))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The statuses that the files below this folder name.
    fn named_below(folder: &Path, found: &mut Vec<u16>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                named_below(&path, found);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            for rest in code.split("StatusCode::").skip(1) {
                let name = rest.split(|c: char| !c.is_ascii_uppercase() && c != '_');
                let name = name
                    .into_iter()
                    .next()
                    .unwrap_or_default()
                    .replace('_', " ");
                let all = (100..600).filter_map(|n| StatusCode::from_u16(n).ok());
                let named = all.filter(|status| {
                    let reason = status.canonical_reason().unwrap_or_default();
                    reason.to_uppercase().replace('-', " ") == name
                });
                found.extend(named.map(|status| status.as_u16()));
            }
        }
    }

    #[test]
    fn every_status_that_a_handler_names_has_a_count_of_its_own() {
        let mut found = Vec::new();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http");
        named_below(&source, &mut found);
        assert!(found.len() > 50, "{found:?}");
        for status in found {
            assert!(STATUSES.contains(&status), "{status}");
        }
    }

    #[test]
    fn what_has_no_route_or_an_odd_status_is_counted_with_its_like() {
        let figures = HttpFigures::new([("GET", "/here")].into_iter());
        let took = Duration::from_millis(1);
        figures.answered(None, StatusCode::NOT_FOUND, None, took);
        figures.answered(Some(0), StatusCode::IM_A_TEAPOT, None, took);
        let (method, template, other) = figures.routes().last().unwrap();
        assert_eq!((method, template), ("other", "other"));
        assert!(other.statuses().any(|found| found == (Some(404), 1)));
        let (_, first, of_first) = figures.routes().next().unwrap();
        assert_eq!(first, "/here");
        assert_eq!(of_first.statuses().last(), Some((None, 1)));
        assert_eq!(of_first.durations.read().count, 1);
    }

    #[test]
    fn an_answer_that_names_no_problem_is_judged_by_its_status() {
        let figures = HttpFigures::new([("GET", "/here")].into_iter());
        let took = Duration::ZERO;
        let named = Problem::Refusal(RefusalReason::RateLimit);
        figures.answered(None, StatusCode::TOO_MANY_REQUESTS, Some(named), took);
        figures.answered(None, StatusCode::TOO_MANY_REQUESTS, None, took);
        figures.answered(None, StatusCode::SERVICE_UNAVAILABLE, None, took);
        figures.answered(None, StatusCode::OK, None, took);
        figures.answered(None, StatusCode::SEE_OTHER, None, took);
        let refusals = figures.refusals.read().filter(|(_, count)| *count > 0);
        let expected = [
            (RefusalReason::RateLimit, 1),
            (RefusalReason::SignInLimit, 1),
        ];
        assert!(refusals.eq(expected));
        let failures = figures.failures.read().filter(|(_, count)| *count > 0);
        assert!(failures.eq([(FailureReason::NotReady, 1)]));
    }
}
