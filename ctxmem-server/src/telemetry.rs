//! Logs go to stderr, as text or JSON. They name routes and the ids of agents and requests, but
//! never a prompt, a fact, a key, a cookie or a user.
//!
//! A thread of its own writes them. When the reader of stderr stops reading, requests go on: lines
//! that find no room in the buffer are dropped and counted.

use std::io::{self, IsTerminal as _};
use std::panic;
use std::time::Duration;

use reqwest::Url;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::fmt::Layer;
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{EnvFilter, Layer as AnyLayer, Registry, reload};

use crate::log_writer::LogWriter;
#[cfg(feature = "otlp")]
use crate::otlp::Traces;
use crate::traces;
#[cfg(not(feature = "otlp"))]
use crate::without_otlp::Traces;

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object per line.
    Json,
}

/// How often the log says how many lines were dropped.
const REPORT_EVERY: Duration = Duration::from_secs(10);

/// The log. When it is dropped, the lines that wait are written, unless that takes longer than a
/// second.
pub(crate) struct Log {
    filter: LogFilter,
    traces: Option<Traces>,
    writer: LogWriter,
}

/// What is logged, which can be changed while the server runs.
#[derive(Clone)]
pub(crate) struct LogFilter(reload::Handle<EnvFilter, Registry>);

impl LogFilter {
    /// Logs what this filter says from now on.
    pub(crate) fn set(&self, filter: &str) -> Result<(), String> {
        let filter = parsed(filter)?;
        // It fails when there is no log left, and then nobody misses it.
        let _ = self.0.reload(filter);
        Ok(())
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.writer.finish();
    }
}

impl Log {
    pub(crate) fn filter(&self) -> LogFilter {
        self.filter.clone()
    }

    pub(crate) async fn finish_traces(&mut self) {
        if let Some(traces) = self.traces.take() {
            traces.finish().await;
        }
    }

    /// Says in the log how many lines were dropped, until the future is dropped.
    pub(crate) fn report_dropped_lines(&self) -> impl Future<Output = ()> + use<> {
        let writer = self.writer.clone();
        async move {
            let mut reported = 0;
            loop {
                tokio::time::sleep(REPORT_EVERY).await;
                let lines = writer.dropped_lines();
                if lines > reported {
                    let lines = lines - reported;
                    tracing::warn!(
                        lines,
                        "log lines were dropped, because stderr was not read fast enough"
                    );
                }
                reported = lines;
            }
        }
    }
}

pub(crate) fn check(filter: &str) -> Result<(), String> {
    parsed(filter).map(drop)
}

fn parsed(filter: &str) -> Result<EnvFilter, String> {
    let parsed = filter.parse();
    parsed.map_err(|_| "--log: expected a level such as info or debug".to_owned())
}

/// Installs the log. `filter` is a level such as `info`, or directives such as
/// `info,ctxmem_server=debug`. Traces go to the collector, if there is one.
pub(crate) fn init(
    format: LogFormat,
    filter: &str,
    collector: Option<&Url>,
) -> Result<Log, String> {
    let (filter, handle) = reload::Layer::new(parsed(filter)?);
    let traces = collector.map(Traces::to).transpose()?;
    let writer = LogWriter::start(io::stderr()).map_err(|cause| format!("the log: {cause}"))?;
    let registry = tracing_subscriber::registry();
    match &traces {
        // What no log shows is then not even looked at.
        None => registry
            .with(filter)
            .with(filter_fn(is_fit_to_print))
            .with(lines(format, writer.clone()))
            .init(),
        Some(traces) => registry
            .with(lines(format, writer.clone()).with_filter(filter.and(filter_fn(is_fit_to_print))))
            .with(traces.layer().with_filter(filter_fn(traces::is_ours)))
            .init(),
    }
    // The message of a panic may hold anything, so only its location is logged.
    panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string);
        tracing::error!(location, "a task panicked");
    }));
    Ok(Log {
        filter: LogFilter(handle),
        traces,
        writer,
    })
}

fn lines<S>(format: LogFormat, writer: LogWriter) -> Box<dyn AnyLayer<S> + Send + Sync>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
{
    let layer = Layer::default().with_writer(writer);
    match format {
        LogFormat::Text => layer.with_ansi(io::stderr().is_terminal()).boxed(),
        LogFormat::Json => layer
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .boxed(),
    }
}

/// Whether an event may be logged. What libraries log below `info` may hold anything: warp traces
/// path segments, and a user id is one. So it is dropped, whatever the operator's filter says. rmcp
/// logs messages from `info` on.
fn is_fit_to_print(event: &Metadata<'_>) -> bool {
    let target = event.target();
    let most = if target.starts_with("ctxmem_server") {
        Level::TRACE
    } else if target.starts_with("rmcp") {
        Level::ERROR
    } else {
        Level::INFO
    };
    *event.level() <= most
}
