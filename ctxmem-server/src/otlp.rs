//! Sends spans to a collector by OTLP: protobuf over HTTP, in batches, from a thread of its own. When
//! the collector does not keep up or does not answer, spans are dropped and requests go on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode, Url};
use tokio::runtime::Handle;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;

/// How long the collector may take for a batch.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long the last spans may take at the end.
const LAST_TIMEOUT: Duration = Duration::from_secs(3);

/// Where traces are sent below the URL of a collector.
const PATH: [&str; 2] = ["v1", "traces"];

pub(crate) struct Traces(SdkTracerProvider);

impl Traces {
    /// A sender to this collector. It must be made where the runtime of the server is.
    pub(crate) fn to(collector: &Url) -> Result<Self, String> {
        let unusable = || "--otlp-url: no sender could be made for this address".to_owned();
        let client = Client::builder()
            .timeout(TIMEOUT)
            .redirect(Policy::none())
            .no_proxy()
            .build()
            .map_err(|_| unusable())?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Collector {
                client,
                runtime: Handle::current(),
                fails: AtomicBool::new(false),
            })
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(traces_url(collector))
            .with_timeout(TIMEOUT)
            .build()
            .map_err(|_| unusable())?;
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder()
            .with_service_name("ctxmem-server")
            .with_attribute(version)
            .build();
        let provider = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_batch_exporter(exporter)
            .build();
        Ok(Self(provider))
    }

    /// The layer that gives spans to the sender.
    pub(crate) fn layer<S>(&self) -> OpenTelemetryLayer<S, SdkTracer>
    where
        S: tracing::Subscriber + for<'s> LookupSpan<'s>,
    {
        // What it could add says where in the sources a span is, and on which thread.
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("ctxmem-server"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_level(false)
            .with_tracked_inactivity(false)
            .with_context_activation(false)
    }

    pub(crate) async fn finish(self) {
        let last = move || self.0.shutdown_with_timeout(LAST_TIMEOUT);
        // The thread that sends waits for this runtime, so this must not be one of its workers.
        if let Ok(Err(_)) | Err(_) = tokio::task::spawn_blocking(last).await {
            tracing::warn!("the last traces were not sent");
        }
    }
}

/// The address to which traces are sent, by the specification of OTLP.
fn traces_url(collector: &Url) -> String {
    let mut url = collector.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(PATH);
    }
    url.into()
}

/// A collector, with the runtime on which it is asked: the thread that sends has none.
#[derive(Debug)]
struct Collector {
    client: Client,
    runtime: Handle,
    /// Whether the last batch was not taken.
    fails: AtomicBool,
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sending = self.runtime.spawn(async move {
            let response = client.execute(request.try_into()?).await?;
            Ok::<_, reqwest::Error>(response.status())
        });
        let sent = sending.await?.map_err(reqwest::Error::without_url);
        let taken = sent.as_ref().is_ok_and(StatusCode::is_success);
        self.note(taken);
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = sent?;
        Ok(response)
    }
}

impl Collector {
    /// Says in the log when the collector begins to fail, and when it works again.
    fn note(&self, taken: bool) {
        match (self.fails.swap(!taken, Ordering::Relaxed), taken) {
            (false, false) => {
                tracing::warn!("the collector takes no traces; until it does, they are dropped");
            }
            (true, true) => tracing::info!("the collector takes traces again"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_go_below_the_address_of_the_collector() {
        for (collector, expected) in [
            ("http://collector:4318", "http://collector:4318/v1/traces"),
            ("http://collector:4318/", "http://collector:4318/v1/traces"),
            ("https://host/otlp", "https://host/otlp/v1/traces"),
        ] {
            assert_eq!(traces_url(&collector.parse().unwrap()), expected);
        }
    }
}
