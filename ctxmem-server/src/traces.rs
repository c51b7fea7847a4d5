//! Spans for traces by OTLP: one for each request, and below it one for each thing that takes time.
//!
//! Every layer may open a span; `otlp` sends them where `--otlp-url` says. Their target and their level
//! are such that no log shows them. Without that flag nobody asks for them, and a span costs one
//! comparison.
//!
//! A span says what was done and how long it took, and nothing of contents or persons. Of what a caller
//! says about its own trace only the ids are taken (`traceparent`), not its notes (`tracestate`).

use tracing::{Level, Metadata, Span};

#[cfg(feature = "otlp")]
pub(crate) use crate::trace_context::{continue_from, traceparent};
#[cfg(not(feature = "otlp"))]
pub(crate) use crate::without_otlp::{continue_from, traceparent};

/// The target of all our spans.
pub(crate) const TARGET: &str = "ctxmem_trace";

/// The header with the ids of a trace.
pub(crate) const TRACEPARENT: &str = "traceparent";

/// Whether a span or an event is one of ours.
pub(crate) fn is_ours(found: &Metadata<'_>) -> bool {
    found.is_span() && found.target() == TARGET
}

/// Whether anybody asks for spans.
pub(crate) fn are_wanted() -> bool {
    tracing::span_enabled!(target: TARGET, Level::TRACE)
}

/// A span below the current one; none where there is no current one, such as in housekeeping.
macro_rules! step {
    ($name:literal $($fields:tt)*) => {
        if $crate::traces::are_wanted() && !::tracing::Span::current().is_none() {
            ::tracing::trace_span!(target: $crate::traces::TARGET, $name $($fields)*)
        } else {
            ::tracing::Span::none()
        }
    };
}

pub(crate) use step;

/// The span of a wait for the database, until it is dropped. Nothing is below it, so it is not entered.
pub(crate) fn database_read() -> Span {
    step!("database read")
}

pub(crate) fn database_write() -> Span {
    step!("database write")
}
