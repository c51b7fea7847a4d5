use ctxmem_client::{BuildError, Client, ClientBuilder};
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry_http::HeaderInjector;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

fn connect(service: ClientBuilder) -> Result<Client, BuildError> {
    let propagator = TraceContextPropagator::new();
    let service = service.on_headers(move |headers| {
        let context = tracing::Span::current().context();
        propagator.inject_context(&context, &mut HeaderInjector(headers));
    });
    service.build()
}

// What is shown ends here.

use std::time::Duration;

use opentelemetry::trace::{TraceContextExt as _, TracerProvider as _};
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Instrument as _;
use tracing_subscriber::layer::SubscriberExt as _;
use wiremock::ResponseTemplate;

use crate::support::{builder, failing, header, requests, user};

#[tokio::test]
async fn each_attempt_belongs_to_the_trace_of_the_current_span() {
    let server = failing(1, ResponseTemplate::new(503)).await;
    let tracer = SdkTracerProvider::builder().build().tracer("test");
    let layer = tracing_opentelemetry::layer().with_tracer(tracer);
    // Where this thread's subscriber is the only one, tests on other threads turn spans off for it.
    crate::logs::keep();
    // On this thread, on which the whole test runs.
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));

    let retry = ctxmem_client::RetryPolicy::default().initial_backoff(Duration::ZERO);
    let service = builder(server.uri()).timeout(Duration::from_secs(10));
    let service = service.retry(retry);
    let client = connect(service).unwrap();
    let turn = tracing::info_span!("turn");
    let trace = turn.context().span().span_context().trace_id().to_string();
    client.context(&user()).instrument(turn).await.unwrap();

    let requests = requests(&server).await;
    let parents = requests.iter();
    let parents: Vec<String> = parents
        .map(|request| header(request, "traceparent"))
        .collect();
    let [first, second] = &parents[..] else {
        panic!("{parents:?}");
    };
    for parent in [first, second] {
        assert_eq!(parent.split('-').nth(1), Some(&*trace), "{parent}");
    }
    // Each attempt has a span of its own.
    assert_ne!(first, second);
}
