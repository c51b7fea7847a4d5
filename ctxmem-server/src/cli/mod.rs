//! The command line: the server, and commands for operators, which also work while a server
//! uses the same database. Results go to stdout, logs and errors to stderr.

mod address;
mod agent;
mod audit;
mod backup;
mod check_model;
mod config;
mod database;
mod descriptors;
mod developer;
mod export;
mod extract;
mod extractor;
mod healthcheck;
mod import;
mod key;
mod master_key;
mod migrate;
mod oidc;
mod openapi;
mod operator;
mod output;
mod presets;
mod printed;
mod progress;
mod reload;
mod serve;
mod settings;
mod sign_in_secret;
mod user;
mod webhook;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use ctxmem_types::UserId;
use reqwest::Url;

use crate::app::StartError;
use crate::config::DEFAULT_LISTEN;
use crate::core::{Core, Settings, SystemClock};
use crate::extract::{BuiltIn, Extractor};
use crate::failpoint;
use crate::store::{Db, OpenError};
use output::Output;

/// Long-term memory for AI agents that belongs to the people it is about.
#[derive(Debug, Parser)]
#[command(name = "ctxmem-server", version = env!("CTXMEM_VERSION"))]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    serve: serve::ServeArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// The arguments of every command.
#[derive(Clone, Debug, Args)]
struct Common {
    #[command(flatten)]
    database: database::DatabaseArgs,
    /// A TOML file with settings; `ctxmem-server config sample` prints one [default: none]
    #[arg(long, env = "CTXMEM_CONFIG", global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The server's address for browsers; otherwise http:// and the address that it listens at
    #[arg(
        long,
        env = "CTXMEM_PUBLIC_URL",
        global = true,
        value_name = "URL",
        value_parser = address::public_url
    )]
    public_url: Option<Url>,
    /// Print results as JSON, one object on stdout
    #[arg(long, env = "CTXMEM_JSON", global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server (the default command)
    Serve(Box<serve::ServeArgs>),
    /// Agents: create, list, rename, delete, what users are told of them
    #[command(subcommand)]
    Agent(agent::AgentCommand),
    /// API keys: create, replace, list, revoke
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Developers: create, list, delete, passwords, members of teams
    #[command(subcommand)]
    Developer(developer::DeveloperCommand),
    /// Users: list, show, export, erase, sign-in links
    #[command(subcommand)]
    User(user::UserCommand),
    /// Show the audit log
    Audit(audit::AuditArgs),
    /// Extract facts from interactions, one JSON object per line, without a database
    Extract(extract::ExtractArgs),
    /// Check with a few messages whether a model is fit to extract facts, without a database
    CheckModel(Box<extractor::ExtractorArgs>),
    /// The key that protects the keys of users: rotate
    #[command(subcommand)]
    MasterKey(master_key::MasterKeyCommand),
    /// Ask the server that listens at --listen whether it is ready, and exit accordingly
    Healthcheck,
    /// Print the OpenAPI document of the interface
    Openapi,
    /// Settings: check, show, a sample file
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Update the database schema and exit
    Migrate(migrate::MigrateArgs),
    /// Copy a database on SQLite and its keys, also while the server runs
    Backup(backup::BackupArgs),
    /// Put a backup in the place of the database, without what users have taken away since
    Restore(backup::RestoreArgs),
    /// Take over from a newer database what users have taken away since this one was backed up
    ReapplyErasures(backup::ReapplyArgs),
    /// Write everything as lines of JSON: people, agents, hashes of keys, facts, the audit log
    Export(export::ExportArgs),
    /// Take in what `export` wrote, or another memory; what is there already stays as it is
    Import(Box<import::ImportArgs>),
}

/// Why a command failed, in words for the operator.
#[derive(Debug, thiserror::Error)]
enum CliError {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Core(#[from] crate::core::Error),
    #[error(transparent)]
    Backup(#[from] crate::store::backup::BackupError),
    #[error(transparent)]
    Import(#[from] crate::core::ImportError),
    #[error("the model is not fit to extract facts")]
    Unfit,
    #[error("{0}")]
    ModelFailed(String),
    #[error("{0}")]
    Usage(String),
    #[error("{what}: {cause}")]
    Io { what: String, cause: std::io::Error },
}

impl CliError {
    /// What a failure to read or to write this becomes.
    fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |cause| Self::Io { what, cause }
    }
}

fn user_id(from: &str, id: String) -> Result<UserId, CliError> {
    UserId::new(id).map_err(|error| CliError::Usage(format!("{from}: {error}")))
}

/// Runs the command with which the process was started. The runtime starts here and not in the
/// binary, which would compile everything that runs on it a second time.
///
/// # Panics
///
/// When the system does not let the runtime start its threads.
#[tokio::main]
pub async fn main() -> ExitCode {
    let _failpoints = failpoint::configure();
    match Box::pin(run()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            ExitCode::FAILURE
        }
    }
}

/// The commands and flags, for manual pages and for what shells complete.
pub fn command() -> clap::Command {
    Cli::command()
}

/// What clap refuses, and where the value came from.
type Refused = (clap::Error, Option<String>);

/// Reads the command line, the environment and the configuration file.
fn try_parse() -> Result<Result<(Cli, config::Source), Refused>, CliError> {
    let args: Vec<OsString> = std::env::args_os().collect();
    let command = Cli::command();
    let file = settings::config_file(command.clone(), &args);
    let given = settings::given(&command, file.as_deref())?;
    let command = settings::with_values(command, &given);
    let parsed = command.clone().try_get_matches_from(&args);
    let parsed = parsed.and_then(|matches| {
        let mut cli = Cli::from_arg_matches(&matches)?;
        // Its flags may stand before the word and behind it.
        if let Some(behind) = matches.subcommand_matches("serve") {
            cli.serve.update_from_arg_matches(behind)?;
        }
        Ok((cli, matches))
    });
    Ok(match parsed {
        Ok((cli, matches)) => {
            let source = config::Source {
                command,
                matches,
                given,
            };
            Ok((cli, source))
        }
        Err(error) => {
            let source = settings::source_of_error(&error, &command, &given, &args);
            Err((settings::without_passwords(error), source))
        }
    })
}

async fn run() -> Result<(), CliError> {
    // Ends the process where clap would: at a wrong flag, and for the help.
    let (cli, source) =
        try_parse()?.unwrap_or_else(|(error, source)| output::refuse(&error, source.as_deref()));
    let (common, output) = (&cli.common, &Output::new(cli.common.json));
    let Some(command) = cli.command else {
        return serve::run(common, cli.serve, source, output).await;
    };
    match command {
        Command::Serve(_) => serve::run(common, cli.serve, source, output).await,
        Command::Agent(asked) => agent::run(&open(common).await?, asked, output).await,
        Command::Key(asked) => key::run(&open(common).await?, asked, output).await,
        Command::Developer(asked) => developer::run(&open(common).await?, asked, output).await,
        Command::User(asked) => {
            let site = public_url(common, DEFAULT_LISTEN)?;
            user::run(&open(common).await?, site, asked, output).await
        }
        Command::Audit(args) => audit::run(&open(common).await?, args, output).await,
        Command::MasterKey(asked) => Box::pin(master_key::run(common, asked, output)).await,
        Command::Extract(args) => extract::run(args, output).await,
        Command::CheckModel(args) => check_model::run(*args, output).await,
        Command::Healthcheck => healthcheck::run(cli.serve.listens_at(), output).await,
        Command::Openapi => openapi::run(output),
        Command::Config(asked) => config::run(common, cli.serve, asked, &source, output),
        Command::Migrate(args) => migrate::run(common, args, output).await,
        Command::Backup(args) => backup::back_up(common, args, output).await,
        Command::Restore(args) => Box::pin(backup::restore(common, args, output)).await,
        Command::ReapplyErasures(args) => Box::pin(backup::reapply(common, args, output)).await,
        Command::Export(args) => export::run(&open(common).await?, args).await,
        Command::Import(args) => Box::pin(import::run(common, *args, output)).await,
    }
}

/// Opens the database for an administrative command.
async fn open(common: &Common) -> Result<Core, CliError> {
    let db = common.database.open_existing().await?;
    Ok(core_with(db, Arc::new(BuiltIn), Settings::default()))
}

/// The rules of the service on a database, for operators.
fn core_with(db: Db, extractor: Arc<dyn Extractor>, settings: Settings) -> Core {
    Core::new(db, extractor, Arc::new(SystemClock), settings, "")
}

/// The address for browsers: what the operator says, or else where the server listens.
fn public_url(common: &Common, listen: &str) -> Result<Url, CliError> {
    match &common.public_url {
        Some(url) => Ok(url.clone()),
        None => address::public_url(&format!("http://{listen}"))
            .map_err(|error| CliError::Usage(format!("--listen: {error}"))),
    }
}
