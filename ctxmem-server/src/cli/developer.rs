//! `ctxmem-server developer …`.

use std::io::{self, IsTerminal as _, Write as _};

use clap::Subcommand;
use ctxmem_types::Timestamp;
use rustix::termios::{self, LocalModes, OptionalActions, Termios};
use secrecy::SecretString;
use serde_json::json;
use zeroize::Zeroizing;

use super::CliError;
use super::output::Output;
use crate::core::{Core, MemberRef};

#[derive(Debug, Subcommand)]
pub(super) enum DeveloperCommand {
    /// Create a developer
    Create {
        /// The e-mail address with which the developer signs in
        #[arg(long)]
        email: String,
    },
    /// List developers
    List,
    /// Delete a developer. Whoever is the last of a team goes only once it has no agents left
    Delete {
        /// The developer's e-mail address
        #[arg(long)]
        email: String,
    },
    /// Set a developer's password, from a prompt or the first line of stdin
    SetPassword {
        /// The developer's e-mail address
        #[arg(long)]
        email: String,
    },
    /// List the members of a developer's team
    Members {
        /// The e-mail address of any member
        #[arg(long)]
        email: String,
    },
    /// Make a developer the owner of their team, for teams whose owner can't sign in. Users then see
    /// this address with the team's agents
    MakeOwner {
        /// The e-mail address of the member who becomes the owner
        #[arg(long)]
        email: String,
    },
    /// Remove a member from their team. Agents and keys stay
    RemoveMember {
        /// The member's e-mail address
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
            let developer = core.console.create_developer(&email).await?;
            output.print(
                &json!({ "developer_id": developer.id.as_str(), "email": developer.email }),
                &format!("{}  {}", developer.id.as_str(), developer.email),
            )
        }
        DeveloperCommand::List => list(core, output).await,
        DeveloperCommand::Delete { email } => {
            let deleted = core.console.delete_developer(&email).await?;
            output.print(
                &json!({ "email": deleted.email, "deleted": true }),
                &format!("{} is deleted and signed out.", deleted.email),
            )
        }
        DeveloperCommand::Members { email } => {
            let team = core.console.team_of(&email).await?;
            let members = team.members.iter().map(|member| {
                let developer = &member.developer;
                let (role, has_factor) = (developer.role.as_str(), member.has_second_factor);
                let value = json!({
                    "email": developer.email,
                    "name": developer.name,
                    "role": role,
                    "second_factor": has_factor,
                });
                let factor = if has_factor { "  second factor" } else { "" };
                (value, format!("{}  {role}{factor}", developer.email))
            });
            let (members, lines): (Vec<_>, Vec<_>) = members.unzip();
            let open = team.invitations.len();
            output.print(
                &json!({ "contact": team.contact, "members": members, "open_invitations": open }),
                &format!(
                    "{}\nOpen invitations: {open}\nUsers see: {}",
                    lines.join("\n"),
                    team.contact
                ),
            )
        }
        DeveloperCommand::MakeOwner { email } => {
            let owner = core.console.hand_over_team(MemberRef::Email(email)).await?;
            output.print(
                &json!({ "email": owner.email, "role": "owner" }),
                &format!("{} owns the team now.", owner.email),
            )
        }
        DeveloperCommand::RemoveMember { email } => {
            let removed = core.console.remove_member(MemberRef::Email(email)).await?;
            output.print(
                &json!({ "email": removed.email, "removed": true }),
                &format!("{} is removed and signed out.", removed.email),
            )
        }
        DeveloperCommand::ResetSecondFactor { email } => {
            core.console.reset_second_factor(&email).await?;
            output.print(
                &json!({ "email": email, "second_factor": false }),
                "The second factor is off.",
            )
        }
        DeveloperCommand::SetPassword { email } => {
            let password = read_password().map_err(CliError::io("password"))?;
            core.console.set_password(&email, password).await?;
            output.print(
                &json!({ "email": email, "password_set": true }),
                "The password is set.",
            )
        }
    }
}

async fn list(core: &Core, output: &Output) -> Result<(), CliError> {
    let developers = core.console.developers().await?;
    let rows = developers.iter().map(|(developer, created_at, agents)| {
        let role = developer.role.as_str();
        let value = json!({
            "developer_id": developer.member.as_str(),
            "email": developer.email,
            "name": developer.name,
            "role": role,
            "team_id": developer.id.as_str(),
            "agents": agents,
            "created_at": Timestamp::from_unix_millis(*created_at),
        });
        let line = format!("{}  {role}  agents: {agents}", developer.email);
        (value, line)
    });
    output.list("developers", rows)
}

fn read_password() -> io::Result<SecretString> {
    let hidden = if io::stdin().is_terminal() {
        write!(io::stderr(), "Password: ")?;
        Some(HiddenInput::begin()?)
    } else {
        None
    };
    let mut line = Zeroizing::new(String::new());
    let read = io::stdin().read_line(&mut line);
    if hidden.is_some() {
        writeln!(io::stderr())?;
    }
    read?;
    Ok(line.trim_end_matches(['\r', '\n']).into())
}

/// While it lasts the terminal does not show what is typed.
struct HiddenInput(Termios);

impl HiddenInput {
    fn begin() -> io::Result<Self> {
        let shown = termios::tcgetattr(io::stdin())?;
        let mut hidden = shown.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        termios::tcsetattr(io::stdin(), OptionalActions::Now, &hidden)?;
        Ok(Self(shown))
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        // There is nothing else to try.
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
