//! The trace context: which trace a request belongs to, as its header says, and what is passed on.

use http::{HeaderMap, HeaderValue};
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::traces::{self, TRACEPARENT};

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
    if !traces::are_wanted() {
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
