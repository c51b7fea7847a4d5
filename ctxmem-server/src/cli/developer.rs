//! `ctxmem-server developer …`.

use std::io::{self, IsTerminal as _};

use clap::Subcommand;
use secrecy::SecretString;
use serde_json::json;

use super::CliError;
use super::output::Output;
use crate::core::Core;

#[derive(Debug, Subcommand)]
pub(super) enum DeveloperCommand {
    /// Create a developer
    Create {
        /// The e-mail address with which the developer signs in
        #[arg(long)]
        email: String,
    },
    /// Set a developer's password, from a prompt or the first line of stdin
    SetPassword {
        /// The developer's e-mail address
        #[arg(long)]
        email: String,
    },
    /// Turn a developer's second factor off, for whoever lost it and the recovery codes
    ResetSecondFactor {
        /// The developer's e-mail address
        #[arg(long)]
        email: String,
    },
}

pub(super) async fn run(
    core: &Core,
    command: DeveloperCommand,
    output: &Output,
) -> Result<(), CliError> {
    match command {
        DeveloperCommand::Create { email } => {
            let developer = core.create_developer(&email).await?;
            output.print(
                &json!({ "developer_id": developer.id.as_str(), "email": developer.email }),
                &format!("{}  {}", developer.id.as_str(), developer.email),
            )
        }
        DeveloperCommand::ResetSecondFactor { email } => {
            core.reset_second_factor(&email).await?;
            output.print(
                &json!({ "email": email, "second_factor": false }),
                "The second factor is off.",
            )
        }
        DeveloperCommand::SetPassword { email } => {
            let password = read_password().map_err(|cause| CliError::Io {
                what: "password".to_owned(),
                cause,
            })?;
            core.set_password(&email, password).await?;
            output.print(
                &json!({ "email": email, "password_set": true }),
                "The password is set.",
            )
        }
    }
}

fn read_password() -> io::Result<SecretString> {
    if io::stdin().is_terminal() {
        return rpassword::prompt_password("Password: ").map(Into::into);
    }
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).into())
}
