//! What is recorded of requests is what happened.

use std::time::Duration;

use http::StatusCode;

use super::{FailureReason, HttpMetrics, InGauge, Problem, RefusalReason};
use crate::http::ROUTES;

/// The routes, as the metrics name them.
fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let routes = ROUTES.iter();
    routes.map(|route| (route.method(), route.template()))
}

#[test]
fn requests_are_recorded_by_route_and_status() {
    let metrics = HttpMetrics::new(names(), 1);
    let took = Duration::from_millis(1);
    metrics.record_answer(None, StatusCode::NOT_FOUND, None, took);
    for _ in 0..2 {
        metrics.record_answer(Some(0), StatusCode::OK, None, took);
    }
    let counted = |labels: [&str; 3]| metrics.all.requests.with_label_values(&labels).get();
    let (method, template) = (ROUTES[0].method(), ROUTES[0].template());
    assert_eq!(counted(["other", "other", "404"]), 1);
    assert_eq!(counted([method, template, "200"]), 2);
    let durations = metrics.all.durations.with_label_values(&[method, template]);
    assert_eq!(durations.get_sample_count(), 2);
    assert!((durations.get_sample_sum() - 0.002).abs() < 1e-9);
    // Routes that nobody asked for do not appear.
    let families = metrics.all.gather();
    let durations = families.iter().find(|it| it.name().contains("duration"));
    assert_eq!(durations.unwrap().get_metric().len(), 2);
}

#[test]
fn an_answer_that_names_no_problem_is_judged_by_its_status() {
    let metrics = HttpMetrics::new(names(), 1);
    let named = Problem::Refusal(RefusalReason::RateLimit);
    for (status, problem) in [
        (StatusCode::TOO_MANY_REQUESTS, Some(named)),
        (StatusCode::TOO_MANY_REQUESTS, None),
        (StatusCode::SERVICE_UNAVAILABLE, None),
        (StatusCode::OK, None),
        (StatusCode::SEE_OTHER, None),
    ] {
        metrics.record_answer(None, status, problem, Duration::ZERO);
    }
    let total = |name| {
        let families = metrics.all.gather();
        let family = families.iter().find(|family| family.name() == name);
        let metrics = family.unwrap().get_metric().iter();
        metrics.map(|it| it.get_counter().get_value()).sum::<f64>()
    };
    assert_eq!(metrics.all.refusals.of(RefusalReason::RateLimit).get(), 1);
    assert_eq!(metrics.all.refusals.of(RefusalReason::SignInLimit).get(), 1);
    assert_eq!(metrics.all.failures.of(FailureReason::NotReady).get(), 1);
    assert!((total("ctxmem_refusals_total") - 2.0).abs() < 0.5);
    assert!((total("ctxmem_failures_total") - 1.0).abs() < 0.5);
}

#[test]
fn a_gauge_falls_when_what_it_counts_ends() {
    let metrics = HttpMetrics::new(names(), 1);
    let first = InGauge::enter(&metrics.all.in_flight);
    let second = InGauge::enter(&metrics.all.in_flight);
    assert_eq!(metrics.all.in_flight.get(), 2);
    drop((first, second));
    assert_eq!(metrics.all.in_flight.get(), 0);
}
