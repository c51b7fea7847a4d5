//! The command line: the server, and commands for operators, which also work while a server
//! uses the same database. Results go to stdout, logs and errors to stderr.

mod agent;
mod check_model;
mod database;
mod descriptors;
mod developer;
mod extract;
mod extractor;
mod key;
mod master_key;
mod oidc;
mod operator;
mod output;
mod serve;
mod sign_in_secret;
mod user;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use reqwest::Url;

use crate::app::StartError;
use crate::config::DEFAULT_LISTEN;
use crate::core::{Core, Settings, SystemClock};
use crate::extract::Rules;
use crate::failpoint;
use crate::store::{Db, OpenError};
use output::Output;

/// Long-term memory for AI agents that belongs to the people it is about.
#[derive(Debug, Parser)]
#[command(name = "ctxmem-server", version)]
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
    /// The server's address for browsers [default: http:// and the listen address]
    #[arg(long, env = "CTXMEM_PUBLIC_URL", global = true, value_name = "URL")]
    public_url: Option<Url>,
    /// Print results as JSON, one object on stdout
    #[arg(long, env = "CTXMEM_JSON", global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server (the default command)
    Serve(Box<serve::ServeArgs>),
    /// Agents: create, list
    #[command(subcommand)]
    Agent(agent::AgentCommand),
    /// API keys: create, replace, list, revoke
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Developers: create, set a password
    #[command(subcommand)]
    Developer(developer::DeveloperCommand),
    /// Users: sign-in links
    #[command(subcommand)]
    User(user::UserCommand),
    /// Extract facts from interactions, one JSON object per line, without a database
    Extract(extract::ExtractArgs),
    /// Check with five messages whether a model is fit to extract facts, without a database
    CheckModel(check_model::CheckModelArgs),
    /// The key that protects the keys of users: rotate
    #[command(subcommand)]
    MasterKey(master_key::MasterKeyCommand),
    /// Update the database schema and exit
    Migrate,
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
    #[error("the model is not fit to extract facts")]
    Unfit,
    #[error("{0}")]
    Usage(String),
    #[error("{what}: {cause}")]
    Io { what: String, cause: std::io::Error },
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
    let cli = Cli::parse();
    let output = Output::new(cli.common.json);
    match Box::pin(run(cli, &output)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli, output: &Output) -> Result<(), CliError> {
    let common = cli.common;
    match cli.command {
        None => serve::run(common, cli.serve, output).await,
        Some(Command::Serve(args)) => serve::run(common, args.or(cli.serve), output).await,
        Some(Command::Agent(command)) => agent::run(&open(&common).await?, command, output).await,
        Some(Command::Key(command)) => key::run(&open(&common).await?, command, output).await,
        Some(Command::Developer(command)) => {
            developer::run(&open(&common).await?, command, output).await
        }
        Some(Command::User(command)) => {
            let site = public_url(&common, DEFAULT_LISTEN)?;
            user::run(&open(&common).await?, site, command, output).await
        }
        Some(Command::MasterKey(command)) => {
            Box::pin(master_key::run(&common, command, output)).await
        }
        Some(Command::Extract(args)) => extract::run(args, output).await,
        Some(Command::CheckModel(args)) => check_model::run(args, output).await,
        Some(Command::Migrate) => {
            open(&common).await?;
            output.print(
                &serde_json::json!({ "migrated": true }),
                "The schema is up to date.",
            )
        }
    }
}

/// Opens the database for an administrative command.
async fn open(common: &Common) -> Result<Core, CliError> {
    let db = Db::open(common.database.config()?).await?;
    Ok(Core::new(
        db,
        Arc::new(Rules),
        Arc::new(SystemClock),
        Settings::default(),
    ))
}

fn public_url(common: &Common, listen: &str) -> Result<Url, CliError> {
    let url = match &common.public_url {
        Some(url) => url.clone(),
        None => format!("http://{listen}")
            .parse()
            .map_err(|_| CliError::Usage("--listen: expected an address and a port".to_owned()))?,
    };
    if matches!(url.scheme(), "http" | "https") && url.has_host() {
        Ok(url)
    } else {
        Err(CliError::Usage(
            "--public-url: expected an http:// or https:// address".to_owned(),
        ))
    }
}
