//! `ctxmem-mcp`: the memory of one user for a client of the Model Context Protocol, which starts this
//! program and speaks to it over standard input and output.

use std::env::VarError;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ctxmem_client::types::InvalidUserId;
use ctxmem_client::{BuildError, ClientBuilder, UserId};
use ctxmem_mcp::{Caller, McpHandler};
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::prelude::*;

const USER_ID: &str = "CTXMEM_USER_ID";

/// Nobody waits for a prompt here, as an agent does.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

const HELP: &str = "\
Long-term memory for clients of the Model Context Protocol, over standard input and output.

The client starts this program, with these environment variables:
  CTXMEM_BASE_URL  address of the memory service, such as http://127.0.0.1:8080
  CTXMEM_API_KEY   the agent's API key
  CTXMEM_USER_ID   the user whose memory it is

What to put into the configuration of your client: docs/mcp.md";

#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error(transparent)]
    Client(#[from] BuildError),
    #[error("the environment variable CTXMEM_USER_ID is not set")]
    NoUser,
    #[error("the environment variable CTXMEM_USER_ID can't be used: {0}")]
    User(#[from] InvalidUserId),
    // What the SDK says of it repeats the message.
    #[error("the first message is not one with which the protocol begins")]
    Protocol,
    #[error("arguments are not known; --help says what there is")]
    Arguments,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--help" | "-h"] => Some(HELP),
        ["--version" | "-V"] => Some(concat!("ctxmem-mcp ", env!("CARGO_PKG_VERSION"))),
        _ => return failed(&StartError::Arguments),
    };
    if let Some(text) = asked {
        // If the output is closed, nobody wants to read it.
        let _ = writeln!(std::io::stdout(), "{text}");
        return ExitCode::SUCCESS;
    }
    log();
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn failed(error: &StartError) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "ctxmem-mcp: {error}");
    ExitCode::FAILURE
}

/// The client's warnings go to standard error, which hosts keep as the log of the program. What other
/// libraries log may hold messages, so it is left out.
fn log() {
    let ours =
        tracing_subscriber::filter::Targets::new().with_target("ctxmem_client", LevelFilter::WARN);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false);
    tracing_subscriber::registry().with(lines).with(ours).init();
}

/// Answers until the client closes the input.
async fn run() -> Result<(), StartError> {
    let user_id = match std::env::var(USER_ID) {
        Ok(text) => UserId::new(text)?,
        Err(VarError::NotPresent) => return Err(StartError::NoUser),
        Err(VarError::NotUnicode(_)) => return Err(InvalidUserId.into()),
    };
    let client = ClientBuilder::from_env()?
        .inject_timeout(READ_TIMEOUT)
        .user_agent(concat!("ctxmem-mcp/", env!("CARGO_PKG_VERSION")))
        .build()?;
    // Hosts show a server as connected whatever its calls will answer, and keep what is said here.
    let checked = client.clone();
    tokio::spawn(async move {
        if let Err(error) = checked.check_key().await {
            let _ = writeln!(
                std::io::stderr(),
                "ctxmem-mcp: the memory service can't be used yet: {error}"
            );
        }
    });
    let handler = McpHandler::for_one(Caller::new(Arc::new(client), user_id));
    let serving = handler.serve(rmcp::transport::stdio_pipes()).await;
    match serving {
        // The task ends with the input; if it panicked, there is nobody left to tell.
        Ok(running) => drop(running.waiting().await),
        // Nothing was asked.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(_) => return Err(StartError::Protocol),
    }
    Ok(())
}
