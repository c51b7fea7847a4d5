//! Logs go to stderr, as text or JSON. They name routes and the ids of agents and requests, but
//! never a prompt, a fact, a key, a cookie or a user.

use std::io::{self, IsTerminal as _};
use std::panic;

use tracing::{Level, Metadata};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::Layer;
use tracing_subscriber::prelude::*;

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object per line.
    Json,
}

/// Installs the log. `filter` is a level such as `info`, or directives such as
/// `info,ctxmem_server=debug`. Each line is written at once.
pub(crate) fn init(format: LogFormat, filter: &str) -> Result<(), String> {
    let filter: EnvFilter = filter
        .parse()
        .map_err(|_| "--log: expected a level such as info or debug".to_owned())?;
    let registry = tracing_subscriber::registry()
        .with(filter)
        .with(filter_fn(is_fit_to_print));
    let layer = Layer::default().with_writer(io::stderr);
    match format {
        LogFormat::Text => registry
            .with(layer.with_ansi(io::stderr().is_terminal()))
            .init(),
        LogFormat::Json => registry
            .with(layer.json().flatten_event(true).with_current_span(false))
            .init(),
    }
    // The message of a panic may hold anything, so only its location is logged.
    panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string);
        tracing::error!(location, "a task panicked");
    }));
    Ok(())
}

/// Whether an event may be logged. What libraries log below `info` may hold anything: warp traces
/// path segments, and a user id is one. So it is dropped, whatever the operator's filter says.
fn is_fit_to_print(event: &Metadata<'_>) -> bool {
    event.target().starts_with("ctxmem_server") || *event.level() <= Level::INFO
}
