//! Spans for traces by OTLP: one for each request, and below it one for each thing that takes time.
//!
//! Every layer may open a span; `otlp` sends them where `--otlp-url` says. Their target and their level
//! are such that no log shows them. Without that flag nobody asks for them, and a span costs one
//! comparison.
//!
//! A span says what was done and how long it took, and nothing of contents or persons. Of what a caller
//! says about its own trace only the ids are taken (`traceparent`), not its notes (`tracestate`).

use http::{HeaderMap, HeaderValue};
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::{Level, Metadata, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

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

/// The same for work that writes.
pub(crate) fn database_write() -> Span {
    step!("database write")
}

/// Makes a span part of the trace that a request names, if it names one.
pub(crate) fn continue_from(span: &Span, headers: &HeaderMap) {
    let parent = TraceContextPropagator::new().extract(&OnlyIds(headers));
    if parent.span().span_context().is_valid() {
        // It fails only for a span that has begun, or that nobody asks for.
        let _ = span.set_parent(parent);
    }
}

/// What a request names that is sent from within the current span; `None` where there is none.
pub(crate) fn traceparent() -> Option<HeaderValue> {
    if !are_wanted() {
        return None;
    }
    let context = Span::current().context();
    let span = context.span();
    let span = span.span_context();
    let (trace, id, flags) = (span.trace_id(), span.span_id(), span.trace_flags());
    let text = format!("00-{trace}-{id}-{:02x}", flags.to_u8());
    span.is_valid().then(|| HeaderValue::try_from(text).ok())?
}

/// The headers of a request as far as they are the ids of a trace.
struct OnlyIds<'h>(&'h HeaderMap);

impl Extractor for OnlyIds<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        if key == TRACEPARENT {
            self.0.get(TRACEPARENT)?.to_str().ok()
        } else {
            None
        }
    }

    fn keys(&self) -> Vec<&str> {
        vec![TRACEPARENT]
    }
}
