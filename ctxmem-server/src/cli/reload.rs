//! SIGHUP: the log level, the limits and the model are read again while the server runs. The
//! environment of a process can't change, so what can be new stands in the configuration file and in
//! files with one secret each.

use super::serve::log_settings;
use super::settings::GivenByName;
use super::{CliError, Command, Parsed, public_url, try_parse};
use crate::app::Reloader;
use crate::config::Config;
use crate::telemetry::LogFilter;

/// The settings that are taken over. All others take a restart.
const TAKEN_OVER: [&str; 8] = [
    "log",
    "rate-limit",
    "erasure-limit",
    "monthly-quota",
    "model-url",
    "model-name",
    "model-api-key",
    "model-timeout",
];

/// The signals to come. Where there are none, they never come.
#[cfg(unix)]
pub(super) type Hangups = tokio::signal::unix::Signal;
#[cfg(not(unix))]
pub(super) type Hangups = ();

/// Installs the signal handler: without it, a hangup would end the server.
#[cfg(unix)]
pub(super) fn signal() -> Result<Hangups, CliError> {
    use tokio::signal::unix::{SignalKind, signal};
    signal(SignalKind::hangup()).map_err(|cause| CliError::Io {
        what: "SIGHUP".to_owned(),
        cause,
    })
}

#[cfg(not(unix))]
pub(super) fn signal() -> Result<Hangups, CliError> {
    Ok(())
}

/// Reads the settings again at each signal, until the future is dropped. What can't be used leaves
/// everything as it is, and the log says why.
#[cfg(unix)]
pub(super) async fn at_each(
    mut hangups: Hangups,
    reloader: Reloader,
    filter: LogFilter,
    mut given: GivenByName,
) {
    while hangups.recv().await.is_some() {
        match reload(&reloader, &filter) {
            Ok(now) => {
                let names = needing_restart(&given, &now);
                if !names.is_empty() {
                    let settings = names.join(", ");
                    tracing::warn!(settings, "these settings have changed and take a restart");
                }
                given = now;
            }
            Err(error) => tracing::error!(%error, "the settings were not reloaded"),
        }
    }
}

#[cfg(not(unix))]
pub(super) async fn at_each(_: Hangups, _: Reloader, _: LogFilter, _: GivenByName) {
    std::future::pending().await
}

#[cfg(unix)]
fn reload(reloader: &Reloader, filter: &LogFilter) -> Result<GivenByName, CliError> {
    let Parsed { cli, given, .. } = try_parse()?.map_err(|(error, source)| {
        let source = source.unwrap_or_default();
        CliError::Usage(format!("{} {source}", first_line(&error.to_string())))
    })?;
    let args = match cli.command {
        Some(Command::Serve(args)) => args.or(cli.serve),
        _ => cli.serve,
    };
    let wanted = args.log_filter().to_owned();
    // The address for browsers is not among what is taken over.
    let site = public_url(&cli.common, args.listens_at())?;
    let config: Config = args.config(cli.common.database.config()?, site)?;
    crate::telemetry::check(&wanted).map_err(CliError::Usage)?;
    log_settings(&config);
    let taken_over = reloader.reload(config);
    filter.set(&wanted).map_err(CliError::Usage)?;
    taken_over.map_err(|error| CliError::Usage(error.to_string()))?;
    tracing::info!("the log level, the limits and the model are as configured now");
    Ok(given)
}

/// What clap says begins with `error: `, and goes on with its usage.
#[cfg(unix)]
fn first_line(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line)
}

/// Settings that differ and are not taken over.
#[cfg(unix)]
fn needing_restart(before: &GivenByName, now: &GivenByName) -> Vec<String> {
    let names = before.keys().chain(now.keys());
    let mut names: Vec<String> = names
        .filter(|name| {
            let value = |given: &GivenByName| given.get(*name).map(|given| given.value.clone());
            value(before) != value(now) && !TAKEN_OVER.contains(&name.as_str())
        })
        .cloned()
        .collect();
    names.dedup();
    names.sort();
    names.dedup();
    names
}
