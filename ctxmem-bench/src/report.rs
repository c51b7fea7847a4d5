//! Markdown tables.

use crate::rounds::{Measurement, Span, TargetMeasurements};

/// The head of a table with these columns.
pub(crate) fn head(columns: &str) {
    let rule = "---|".repeat(columns.split(" | ").count());
    println!("| {columns} |\n|{rule}");
}

/// A table of targets, each against the first one.
pub(crate) fn against_first(title: &str, measured: &[TargetMeasurements]) {
    println!("\n### {title}\n");
    head("target | requests/s | × | p50 µs | p99 µs | × | CPU µs a request | ×");
    for target in measured {
        let first = &measured[0];
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            target.name,
            span(of(target, |turn| turn.per_second), 0),
            ratio(target, first, |turn| turn.per_second),
            span(of(target, |turn| turn.p50), 0),
            span(of(target, |turn| turn.p99), 0),
            ratio(target, first, |turn| turn.p99),
            span(of(target, |turn| turn.cpu), 1),
            ratio(target, first, |turn| turn.cpu),
        );
    }
}

fn of(measured: &TargetMeasurements, figure: impl Fn(&Measurement) -> f64) -> Span {
    Span::of(measured.measurements.iter().map(figure))
}

/// The ratio to the other target in the same round.
fn ratio(
    measured: &TargetMeasurements,
    to: &TargetMeasurements,
    figure: impl Fn(&Measurement) -> f64,
) -> String {
    let turns = measured.measurements.iter().zip(&to.measurements);
    let ratios = Span::of(turns.map(|(a, b)| figure(a) / figure(b)));
    // Hundredths mean nothing for large ratios.
    span(ratios, if ratios.median < 0.1 { 4 } else { 2 })
}

/// How much more it is than of the other target in the same round.
pub(crate) fn difference(
    measured: &TargetMeasurements,
    from: &TargetMeasurements,
    figure: impl Fn(&Measurement) -> f64,
) -> String {
    let turns = measured.measurements.iter().zip(&from.measurements);
    span(Span::of(turns.map(|(a, b)| figure(a) - figure(b))), 0)
}

/// Median, and the span in parentheses.
pub(crate) fn span(span: Span, digits: usize) -> String {
    let Span { median, min, max } = span;
    format!("{median:.digits$} ({min:.digits$}–{max:.digits$})")
}
