//! Rounds in which targets take turns, and their figures.

use std::time::Duration;

use crate::effort::Plan;
use crate::load::{self, LoadResult, Requests, float};
use crate::process::Process;
use crate::report;

/// One server, and what it is asked.
pub(crate) struct Target<'p> {
    pub(crate) name: String,
    pub(crate) process: &'p Process,
    pub(crate) requests: Requests,
}

impl<'p> Target<'p> {
    pub(crate) fn new(name: impl Into<String>, process: &'p Process, requests: Requests) -> Self {
        Self {
            name: name.into(),
            process,
            requests,
        }
    }
}

/// The figures of one turn of a target.
#[derive(Clone, Copy)]
pub(crate) struct Measurement {
    pub(crate) per_second: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// Of the server process, in microseconds a request.
    pub(crate) cpu: f64,
}

/// The figures of all turns of one target.
pub(crate) struct TargetMeasurements {
    pub(crate) name: String,
    pub(crate) measurements: Vec<Measurement>,
}

/// The median of some figures, with the smallest and the greatest.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Span {
    pub(crate) fn of(figures: impl IntoIterator<Item = f64>) -> Self {
        let mut figures: Vec<f64> = figures.into_iter().collect();
        figures.sort_by(f64::total_cmp);
        let at = |n: usize| figures.get(n).copied().unwrap_or(f64::NAN);
        Self {
            median: at(figures.len() / 2),
            min: at(0),
            max: at(figures.len().saturating_sub(1)),
        }
    }
}

/// Loads the targets in turns, measures each turn, and prints a table of each against the first.
pub(crate) async fn compare(
    plan: Plan,
    title: &str,
    connections: usize,
    targets: &[Target<'_>],
) -> Vec<TargetMeasurements> {
    let mut measured: Vec<TargetMeasurements> = targets
        .iter()
        .map(|target| TargetMeasurements {
            name: target.name.clone(),
            measurements: Vec::new(),
        })
        .collect();
    for round in 0..=plan.rounds {
        for (target, measured) in targets.iter().zip(&mut measured) {
            let measurement = measure(target, connections, plan.turn).await;
            // The first round warms up: pools, caches, the processor.
            if round > 0 {
                measured.measurements.push(measurement);
            }
        }
    }
    report::against_first(title, &measured);
    measured
}

/// A load by itself, and the same beside something else.
pub(crate) struct Pair<T> {
    pub(crate) alone: LoadResult,
    pub(crate) loaded: LoadResult,
    /// What came of the other thing.
    pub(crate) beside: T,
}

/// Drives a load by itself and beside something else, by turns, each for the same time.
pub(crate) async fn pairs<T>(
    plan: Plan,
    drive: impl AsyncFn(Duration) -> LoadResult,
    beside: impl AsyncFn(Duration) -> T,
) -> Vec<Pair<T>> {
    let turn = plan.erasing / u32::try_from(plan.rounds).unwrap();
    let mut pairs = Vec::new();
    for _ in 0..=plan.rounds {
        let alone = drive(turn).await;
        let (loaded, beside) = tokio::join!(drive(turn), beside(turn));
        pairs.push(Pair {
            alone,
            loaded,
            beside,
        });
    }
    // The first round warms up.
    pairs.split_off(1)
}

impl<T> Pair<T> {
    /// The 99th percentile beside the other thing, as a multiple of that alone.
    pub(crate) fn p99_ratio(&self) -> f64 {
        self.loaded.percentile(99) / self.alone.percentile(99)
    }
}

async fn measure(target: &Target<'_>, connections: usize, time: Duration) -> Measurement {
    let before = target.process.cpu();
    let driven = load::drive(
        target.process.address(),
        connections,
        time,
        &target.requests,
    )
    .await;
    let used = target.process.cpu().saturating_sub(before);
    Measurement {
        per_second: driven.per_second(),
        p50: driven.percentile(50),
        p99: driven.percentile(99),
        cpu: used.as_secs_f64() * 1e6 / float(driven.count()),
    }
}
