//! Sources of settings: a flag's value is from the command line, then the environment, then files
//! that hold one secret each (`CTXMEM_…_FILE`), then the configuration file, then the defaults.
//!
//! A file's values become the defaults of the flags that they are for, so they are read and
//! checked as flags are, and a flag that is new is a key of the file as well.
//! With a struct of its own for the file, every setting would be written four times.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::OsStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Command};
use toml::Value;

use super::{CliError, address};

/// The flag that names the configuration file.
pub(super) const CONFIG: &str = "config";
/// The ending of environment variables that name a file with the value.
const FILE_SUFFIX: &str = "_FILE";
/// The database URLs may hold a password, so a file may hold them as well.
const MAY_HOLD_PASSWORD: [&str; 2] = ["database-url", "keys-database-url"];
/// Other commands with flags of the server. `serve` takes its defaults from the flags before it.
const SHARING: [&str; 3] = ["extract", "check-model", "import"];

/// A value that is not from a flag or an environment variable of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SettingValue {
    /// The value, as it would be written behind the flag.
    pub(super) value: String,
    /// The file that it is from.
    pub(super) file: PathBuf,
}

/// Values by the names of their flags, without the dashes.
pub(super) type SettingsByName = BTreeMap<String, SettingValue>;

/// The command with these values as its defaults.
pub(super) fn with_values(command: Command, given: &SettingsByName) -> Command {
    let with_values = |command: Command| {
        command.mut_args(|arg| match given.get(name(&arg)) {
            Some(given) => {
                let is_hidden = is_secret(&arg) || is_url(&arg);
                let arg = arg.default_value(OsStr::from(given.value.clone()));
                arg.hide_default_value(is_hidden)
            }
            None => arg,
        })
    };
    let mut command = with_values(command);
    for name in SHARING {
        command = command.mut_subcommand(name, with_values);
    }
    without_urls(command)
}

/// The command whose help shows no URL of the environment, which may hold a password.
fn without_urls(command: Command) -> Command {
    let hidden = |arg: Arg| {
        let is_url = is_url(&arg);
        if is_url {
            arg.hide_env_values(true)
        } else {
            arg
        }
    };
    command.mut_args(hidden).mut_subcommands(without_urls)
}

/// The flags of the server that can be set by the environment, and so by a file.
pub(super) fn settable(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_settable = |arg: &&Arg| {
        arg.get_env().is_some()
            && arg
                .get_long()
                .is_some_and(|name| !["json", CONFIG].contains(&name))
    };
    command.get_arguments().filter(is_settable)
}

/// The flag of this name, if it can be set so.
fn setting<'c>(command: &'c Command, wanted: &str) -> Option<&'c Arg> {
    settable(command).find(|arg| name(arg) == wanted)
}

/// A flag's name, without the dashes; empty for an argument without one.
pub(super) fn name(arg: &Arg) -> &str {
    arg.get_long().unwrap_or_default()
}

/// Whether the value is a URL, which is shown without a user and a password.
pub(super) fn is_url(arg: &Arg) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    names.iter().any(|name| name.ends_with("URL"))
}

pub(super) fn is_secret(arg: &Arg) -> bool {
    (arg.is_hide_env_values_set() && !is_url(arg)) || MAY_HOLD_PASSWORD.contains(&name(arg))
}

/// The name of the setting that names a file with this secret. `None` for the master key, whose
/// file has a flag of its own.
pub(super) fn file_setting(command: &Command, secret: &Arg) -> Option<String> {
    let file = format!("{}-file", name(secret));
    setting(command, &file).is_none().then_some(file)
}

/// The configuration file that the command line or the environment names.
pub(super) fn config_file(command: Command, args: &[OsString]) -> Option<PathBuf> {
    // What else is wrong is reported once the file has been read.
    let matches = command.ignore_errors(true).try_get_matches_from(args);
    matches.ok()?.get_one(CONFIG).cloned()
}

/// The values of the configuration file, if there is one, and of files with one secret each. Errors
/// show no values.
pub(super) fn given(command: &Command, file: Option<&Path>) -> Result<SettingsByName, CliError> {
    let mut given = match file {
        Some(file) => of_config_file(command, file)?,
        None => SettingsByName::new(),
    };
    for arg in settable(command).filter(|arg| is_secret(arg)) {
        let variable = arg.get_env().and_then(|name| name.to_str());
        let (Some(variable), Some(_)) = (variable, file_setting(command, arg)) else {
            continue;
        };
        let from_file = format!("{variable}{FILE_SUFFIX}");
        let Some(file) = std::env::var_os(&from_file) else {
            continue;
        };
        if std::env::var_os(variable).is_some() {
            let both = format!("{from_file}: set either this or {variable}");
            return Err(CliError::Usage(both));
        }
        given.insert(name(arg).to_owned(), secret(&from_file, file.into())?);
    }
    Ok(given)
}

fn of_config_file(command: &Command, file: &Path) -> Result<SettingsByName, CliError> {
    let wrong = |problem: String| CliError::Usage(format!("{}: {problem}", file.display()));
    let text = read(&format!("--config {}", file.display()), file)?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error
            .span()
            .map_or(0, |span| text[..span.start].lines().count().max(1));
        wrong(format!("line {line}: {}", error.message()))
    })?;
    let mut given = SettingsByName::new();
    for (key, value) in table {
        if setting(command, &key).is_some() {
            let value = text_of(&value).ok_or_else(|| {
                wrong(format!(
                    "{key}: expected a text, a whole number or a list of texts"
                ))
            })?;
            let file = file.to_owned();
            given.insert(key, SettingValue { value, file });
        } else if let Some(arg) = secret_in_file(command, &key) {
            let file = value
                .as_str()
                .ok_or_else(|| wrong(format!("{key}: expected the path of a file in quotes")))?;
            given.insert(name(arg).to_owned(), secret(&key, file.into())?);
        } else {
            return Err(wrong(format!(
                "{key}: there is no such setting; `ctxmem-server config sample` lists them all"
            )));
        }
    }
    Ok(given)
}

/// The secret whose file this setting names.
fn secret_in_file<'c>(command: &'c Command, key: &str) -> Option<&'c Arg> {
    settable(command)
        .filter(|arg| is_secret(arg))
        .find(|arg| file_setting(command, arg).as_deref() == Some(key))
}

/// A value as it is written behind a flag.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Array(values) => {
            let texts: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
            texts.map(|texts| texts.join(","))
        }
        _ => None,
    }
}

/// The secret in a file, without the line's end that editors add.
fn secret(named_by: &str, file: PathBuf) -> Result<SettingValue, CliError> {
    let text = read(&format!("{named_by} {}", file.display()), &file)?;
    let value = text.trim_end_matches(['\r', '\n']).to_owned();
    Ok(SettingValue { value, file })
}

fn read(what: &str, file: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(file).map_err(CliError::io(what))
}

/// What clap refuses, without users and passwords of URLs, which it would repeat.
pub(super) fn without_passwords(mut error: clap::Error) -> clap::Error {
    let shown: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, address::shown(text))),
            _ => None,
        })
        .collect();
    for (kind, text) in shown {
        error.insert(kind, ContextValue::String(text));
    }
    error
}

/// Says where an invalid value came from, unless it was on the command line: clap names only the flag.
pub(super) fn source_of_error(
    error: &clap::Error,
    command: &Command,
    given: &SettingsByName,
    args: &[OsString],
) -> Option<String> {
    if !matches!(
        error.kind(),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation
    ) {
        return None;
    }
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let arg = settable(command).find(|arg| {
        flag.strip_prefix("--")
            .is_some_and(|flag| flag.split(' ').next() == arg.get_long())
    })?;
    let flag = format!("--{}", name(arg));
    let is_on_line = args.iter().filter_map(|arg| arg.to_str()).any(|text| {
        text == flag
            || text
                .strip_prefix(&flag)
                .is_some_and(|rest| rest.starts_with('='))
    });
    if is_on_line {
        return None;
    }
    let variable = arg.get_env()?;
    if std::env::var_os(variable).is_some() {
        return Some(format!(
            "The value is from the environment variable {}.",
            variable.display()
        ));
    }
    let given = given.get(name(arg))?;
    Some(format!("The value is from {}.", given.file.display()))
}

/// Where the value of a flag is from, for people.
pub(super) fn source(arg: &Arg, matches: &ArgMatches, given: &SettingsByName) -> String {
    use clap::parser::ValueSource::{CommandLine, EnvVariable};
    match (
        matches.value_source(arg.get_id().as_str()),
        given.get(name(arg)),
    ) {
        (Some(CommandLine), _) => "flag".to_owned(),
        (Some(EnvVariable), _) => "environment".to_owned(),
        (_, Some(given)) => given.file.display().to_string(),
        _ => "default".to_owned(),
    }
}
