//! `ctxmem-server config …`.

use clap::{Arg, ArgMatches, Command, Subcommand};
use serde_json::{Map, json};

use super::output::Output;
use super::serve::ServeArgs;
use super::settings::{self, SettingsByName};
use super::{CliError, Common, address};
use crate::http::SettingInForce;

#[derive(Clone, Copy, Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Check flags, environment and configuration file without starting the server
    Check,
    /// Show every setting in force and where it is from; secrets are not shown
    Show,
    /// Print a configuration file with every setting, explained, at its default
    Sample,
}

/// What the settings are shown from.
pub(super) struct Source {
    pub(super) command: Command,
    pub(super) matches: ArgMatches,
    pub(super) given: SettingsByName,
}

pub(super) fn run(
    common: &Common,
    serve: ServeArgs,
    command: ConfigCommand,
    source: &Source,
    output: &Output,
) -> Result<(), CliError> {
    match command {
        ConfigCommand::Check => {
            serve.check(common)?;
            output.print(&json!({ "usable": true }), "The configuration can be used.")
        }
        ConfigCommand::Show => {
            serve.check(common)?;
            let (mut values, mut lines) = (Map::new(), Vec::new());
            for SettingInForce { name, value, from } in in_force(source) {
                lines.push(
                    format!("{name:<22} {value:<30} {from}")
                        .trim_end()
                        .to_owned(),
                );
                values.insert(name, json!({ "value": value, "from": from }));
            }
            output.print(&values, &lines.join("\n"))
        }
        ConfigCommand::Sample => {
            let sample = sample(&source.command);
            output.print(&json!({ "sample": sample }), sample.trim_end())
        }
    }
}

/// Every setting, without its value where that is a secret.
pub(super) fn in_force(source: &Source) -> Vec<SettingInForce> {
    let settings = settings::settable(&source.command).filter(|arg| !arg.is_hide_set());
    let shown = settings.map(|arg| SettingInForce {
        name: settings::name(arg).to_owned(),
        value: shown(arg, &source.matches),
        from: settings::source(arg, &source.matches, &source.given),
    });
    shown.collect()
}

fn shown(arg: &Arg, matches: &ArgMatches) -> String {
    let raw = matches.get_raw(arg.get_id().as_str());
    let values: Option<Vec<_>> = raw.map(|values| {
        let texts = values.map(|value| value.to_string_lossy().into_owned());
        texts.collect()
    });
    match values {
        // A database URL may hold a password, unless it is that of a file.
        Some(values) if settings::is_secret(arg) => match values.join(",") {
            file if file.starts_with("sqlite:") => file,
            _ => "(set, not shown)".to_owned(),
        },
        // Some services take a key in the query.
        Some(values) if settings::is_url(arg) => {
            let url = address::shown(&values.join(","));
            let place = url.split_once('?').map(|(place, _)| format!("{place}?…"));
            place.unwrap_or(url)
        }
        Some(values) => values.join(","),
        None => default(arg).unwrap_or_default(),
    }
}

/// What the help says that a flag has without a value. `None` where that is nothing.
fn default(arg: &Arg) -> Option<String> {
    if let Some(value) = arg.get_default_values().first() {
        return Some(value.to_string_lossy().into_owned());
    }
    let help = arg.get_help()?.to_string();
    let (_, default) = help.rsplit_once("[default: ")?;
    let default = default.trim_end().strip_suffix(']')?;
    (default != "none").then(|| default.to_owned())
}

/// A configuration file in which nothing is set.
fn sample(command: &Command) -> String {
    let head = [
        "# Settings of ctxmem-server: start it with --config FILE, or CTXMEM_CONFIG=FILE. A flag comes before"
            .to_owned(),
        "# its environment variable, and this before the file. Remove the # in front of what you set."
            .to_owned(),
    ];
    let settings = settings::settable(command)
        .filter(|arg| !arg.is_hide_set())
        .flat_map(|arg| lines_of(arg, command));
    let lines: Vec<String> = head.into_iter().chain(settings).collect();
    lines.join("\n") + "\n"
}

fn lines_of(arg: &Arg, command: &Command) -> Vec<String> {
    let name = settings::name(arg);
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let help = help
        .split_once(" [default: ")
        .map_or(&*help, |(help, _)| help);
    let default = default(arg).unwrap_or_default();
    let default = if default.parse::<u64>().is_ok() {
        default
    } else {
        format!("{default:?}")
    };
    let mut lines = vec![String::new()];
    lines.extend(wrapped(help).iter().map(|line| format!("# {line}")));
    lines.push(format!("#{name} = {default}"));
    if settings::is_secret(arg)
        && let Some(file) = settings::file_setting(command, arg)
    {
        lines.push(format!("#{file} = \"\""));
    }
    lines
}

/// A text in lines of at most 96 characters.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().filter(|line| line.len() + word.len() < 96);
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}
