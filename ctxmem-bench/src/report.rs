//! Markdown tables.

use crate::rounds::{Played, Span, Turn};

/// A table of targets, each against the first one.
pub(crate) fn against_first(title: &str, played: &[Played]) {
    println!("\n### {title}\n");
    println!("| target | requests/s | × | p50 µs | p99 µs | × | CPU µs a request | × |");
    println!("|---|---|---|---|---|---|---|---|");
    for target in played {
        let first = &played[0];
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

fn of(played: &Played, figure: impl Fn(&Turn) -> f64) -> Span {
    Span::of(played.turns.iter().map(figure))
}

/// The ratio to the other target in the same round.
fn ratio(played: &Played, to: &Played, figure: impl Fn(&Turn) -> f64) -> String {
    let turns = played.turns.iter().zip(&to.turns);
    let ratios = Span::of(turns.map(|(a, b)| figure(a) / figure(b)));
    // A hundredth says nothing of what is many times less.
    span(ratios, if ratios.median < 0.1 { 4 } else { 2 })
}

/// Median, and the span in parentheses.
pub(crate) fn span(span: Span, digits: usize) -> String {
    let Span { median, min, max } = span;
    format!("{median:.digits$} ({min:.digits$}–{max:.digits$})")
}
