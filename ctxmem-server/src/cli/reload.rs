//! SIGHUP: the log level, the limits and the model are read again while the server runs. The
//! environment of a process can't change, so what can be new stands in the configuration file and in
//! files with one secret each.
//!
//! A file may be one that nobody writes to, or lie where nothing answers. So they are read on a thread
//! of their own, which is left alone when it takes too long: the server goes on with what it has, and
//! its end waits for no file.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::signal::unix::Signal;

use super::serve::log_settings;
use super::settings::SettingsByName;
use super::{CliError, public_url, try_parse};
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
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// How many threads at most wait for files that don't answer.
const READING: usize = 8;

/// Reads the settings again at each signal, until the future is dropped. What can't be used leaves
/// everything as it is, and the log says why.
pub(super) async fn at_each(
    mut hangups: Signal,
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

struct Settings {
    log: String,
    config: Config,
    given: SettingsByName,
}

/// Reads the settings on a thread that is waited for no longer than the files may take. `reading` counts those threads.
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
        return Err(CliError::io("reading the settings")(cause));
    }
    match tokio::time::timeout(READ_TIMEOUT, receiver).await {
        Ok(Ok(settings)) => settings,
        Ok(Err(_)) => Err(CliError::Usage("reading them was cut short".to_owned())),
        Err(_) => Err(late("reading them took longer than 5 s")),
    }
}

fn read() -> Result<Settings, CliError> {
    let (cli, source) = try_parse()?.map_err(|(error, source)| {
        // What clap says begins with `error: `, and goes on with its usage.
        let (text, source) = (error.to_string(), source.unwrap_or_default());
        let line = text.lines().next().unwrap_or_default();
        let line = line.strip_prefix("error: ").unwrap_or(line);
        CliError::Usage(format!("{line} {source}"))
    })?;
    let args = cli.serve;
    let log = args.log_filter().to_owned();
    // The address for browsers is not among what is taken over.
    let site = public_url(&cli.common, args.listens_at())?;
    let config = args.config(cli.common.database.config()?, site)?;
    crate::telemetry::check(&log).map_err(CliError::Usage)?;
    let given = source.given;
    Ok(Settings { log, config, given })
}

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

/// Settings that differ and are not taken over.
fn needing_restart(before: &SettingsByName, now: &SettingsByName) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let changed = names.into_iter().filter(|name| {
        let value = |given: &SettingsByName| given.get(*name).map(|given| given.value.clone());
        value(before) != value(now) && !TAKEN_OVER.contains(&name.as_str())
    });
    changed.cloned().collect()
}
