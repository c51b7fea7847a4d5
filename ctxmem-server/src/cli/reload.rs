//! SIGHUP: the log level, the limits and the model are read again while the server runs. The
//! environment of a process can't change, so what can be new stands in the configuration file and in
//! files with one secret each.
//!
//! A file may be one that nobody writes to, or lie where nothing answers. So they are read on a thread
//! of their own, which is left alone when it takes too long: the server goes on with what it has, and
//! its end waits for no file.

#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::{AtomicUsize, Ordering};
#[cfg(unix)]
use std::time::Duration;

use super::serve::log_settings;
use super::settings::SettingsByName;
use super::{CliError, Command, Parsed, public_url, try_parse};
use crate::app::Reloader;
use crate::config::Config;
use crate::telemetry::LogFilter;

/// The settings that are taken over. All others take a restart.
const TAKEN_OVER: [&str; 12] = [
    "log",
    "rate-limit",
    "erasure-limit",
    "monthly-quota",
    "model",
    "model-url",
    "model-name",
    "model-api-key",
    "model-header",
    "model-ca",
    "model-timeout",
    "model-max-tokens",
];

/// How long the files may take.
#[cfg(unix)]
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// How many threads at most wait for files that don't answer.
#[cfg(unix)]
const READING: usize = 8;

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
    mut given: SettingsByName,
) {
    let reading = Arc::default();
    while hangups.recv().await.is_some() {
        let read = read_in_time(&reading).await;
        match read.and_then(|settings| settings.apply(&reloader, &filter)) {
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
pub(super) async fn at_each(_: Hangups, _: Reloader, _: LogFilter, _: SettingsByName) {
    std::future::pending().await
}

/// What was read.
#[cfg(unix)]
struct Settings {
    log: String,
    config: Config,
    given: SettingsByName,
}

/// Reads the settings on a thread that is waited for no longer than the files may take. `reading` counts those threads.
#[cfg(unix)]
async fn read_in_time(reading: &Arc<AtomicUsize>) -> Result<Settings, CliError> {
    let late = |why: &str| CliError::Usage(format!("{why}: is a file a pipe, or its disk away?"));
    if reading.load(Ordering::SeqCst) >= READING {
        return Err(late("the files of earlier signals are still being read"));
    }
    let (sender, receiver) = tokio::sync::oneshot::channel();
    reading.fetch_add(1, Ordering::SeqCst);
    let counted = Arc::clone(reading);
    let spawned = std::thread::Builder::new()
        .name("reload".to_owned())
        .spawn(move || {
            let settings = read();
            counted.fetch_sub(1, Ordering::SeqCst);
            // Nobody is waiting now if it took too long.
            let _ = sender.send(settings);
        });
    if let Err(cause) = spawned {
        reading.fetch_sub(1, Ordering::SeqCst);
        let what = "reading the settings".to_owned();
        return Err(CliError::Io { what, cause });
    }
    match tokio::time::timeout(READ_TIMEOUT, receiver).await {
        Ok(Ok(settings)) => settings,
        Ok(Err(_)) => Err(CliError::Usage("reading them was cut short".to_owned())),
        Err(_) => Err(late("reading them took longer than 5 s")),
    }
}

#[cfg(unix)]
fn read() -> Result<Settings, CliError> {
    let Parsed { cli, given, .. } = try_parse()?.map_err(|(error, source)| {
        let source = source.unwrap_or_default();
        CliError::Usage(format!("{} {source}", first_line(&error.to_string())))
    })?;
    let args = match cli.command {
        Some(Command::Serve(args)) => args.or(cli.serve),
        _ => cli.serve,
    };
    let log = args.log_filter().to_owned();
    // The address for browsers is not among what is taken over.
    let site = public_url(&cli.common, args.listens_at())?;
    let config = args.config(cli.common.database.config()?, site)?;
    crate::telemetry::check(&log).map_err(CliError::Usage)?;
    Ok(Settings { log, config, given })
}

#[cfg(unix)]
impl Settings {
    /// Sets what can be changed, and answers what was given.
    fn apply(self, reloader: &Reloader, filter: &LogFilter) -> Result<SettingsByName, CliError> {
        log_settings(&self.config);
        let taken_over = reloader.reload(self.config);
        filter.set(&self.log).map_err(CliError::Usage)?;
        taken_over.map_err(|error| CliError::Usage(error.to_string()))?;
        tracing::info!("the log level, the limits and the model are as configured now");
        Ok(self.given)
    }
}

/// What clap says begins with `error: `, and goes on with its usage.
#[cfg(unix)]
fn first_line(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line)
}

/// Settings that differ and are not taken over.
#[cfg(unix)]
fn needing_restart(before: &SettingsByName, now: &SettingsByName) -> Vec<String> {
    let names = before.keys().chain(now.keys());
    let mut names: Vec<String> = names
        .filter(|name| {
            let value = |given: &SettingsByName| given.get(*name).map(|given| given.value.clone());
            value(before) != value(now) && !TAKEN_OVER.contains(&name.as_str())
        })
        .cloned()
        .collect();
    names.dedup();
    names.sort();
    names.dedup();
    names
}
