//! `ctxmem-server agent …`.

use clap::Subcommand;
use ctxmem_types::{ScopeSet, Timestamp};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::CliError;
use super::output::Output;
use crate::core::{AgentProfile, Core, Manager};

#[derive(Debug, Subcommand)]
pub(super) enum AgentCommand {
    /// Create an agent and its first key; the key is shown only once
    Create {
        /// The agent's name, which users see
        #[arg(long)]
        name: String,
        /// The developer who owns it; created if missing [default: the oldest developer]
        #[arg(long, value_name = "EMAIL")]
        developer: Option<String>,
        /// Scopes of the key [default: all]
        #[arg(long, value_name = "A,B")]
        scopes: Option<ScopeSet>,
    },
    /// List agents
    List,
    /// Change what an agent is called
    Rename {
        /// The agent
        #[arg(long, value_name = "ID")]
        agent: String,
        /// Its new name, which users see
        #[arg(long)]
        name: String,
    },
    /// Delete an agent: its keys stop working. What users have of it stays theirs
    Delete {
        /// The agent
        #[arg(long, value_name = "ID")]
        agent: String,
        /// Its name, so that no other one is deleted by mistake
        #[arg(long)]
        name: String,
    },
    /// Set what users are told of an agent when they decide about its access. What is not given
    /// stays as it is; an empty text removes it
    Profile {
        /// The agent
        #[arg(long, value_name = "ID")]
        agent: String,
        /// What it is for, in a sentence
        #[arg(long)]
        purpose: Option<String>,
        /// A page about it
        #[arg(long)]
        url: Option<String>,
        /// Its privacy policy
        #[arg(long)]
        privacy_url: Option<String>,
    },
}

pub(super) async fn run(
    core: &Core,
    command: AgentCommand,
    output: &Output,
) -> Result<(), CliError> {
    match command {
        AgentCommand::Create {
            name,
            developer,
            scopes,
        } => {
            let scopes = scopes.unwrap_or(ScopeSet::ALL);
            let created = core.create_agent(name, developer, scopes).await?;
            let key = created.key.api_key.expose_secret();
            let value = json!({
                "agent_id": created.agent.id,
                "name": created.agent.name,
                "key_id": created.key.id,
                "api_key": key,
                "scopes": scopes,
            });
            let text = format!(
                "agent    {}, {}\nAPI key  {key} (shown this once)\nscopes   {scopes}",
                created.agent.name, created.agent.id
            );
            output.print(&value, &text)
        }
        AgentCommand::Profile {
            agent,
            purpose,
            url,
            privacy_url,
        } => {
            let now = core.agent_profile(Manager::Operator, &agent).await?;
            let profile = AgentProfile {
                purpose: purpose.unwrap_or(now.purpose),
                url: url.unwrap_or(now.url),
                privacy_url: privacy_url.unwrap_or(now.privacy_url),
            };
            let set = core.set_agent_profile(Manager::Operator, &agent, profile);
            let set = set.await?;
            let value = json!({
                "agent_id": agent,
                "purpose": set.purpose,
                "url": set.url,
                "privacy_url": set.privacy_url,
            });
            let text = format!(
                "agent           {agent}\npurpose         {}\nurl             {}\nprivacy policy  {}",
                set.purpose, set.url, set.privacy_url
            );
            output.print(&value, &text)
        }
        AgentCommand::Rename { agent, name } => {
            core.rename_agent(&Manager::Operator, &agent, &name).await?;
            output.print(
                &json!({ "agent_id": agent, "name": name.trim() }),
                &format!("{agent}  {}", name.trim()),
            )
        }
        AgentCommand::Delete { agent, name } => {
            if !core.delete_agent(&Manager::Operator, &agent, &name).await? {
                return Err(CliError::Usage(format!(
                    "--name: expected the name of the agent {agent}, as `agent list` shows it"
                )));
            }
            output.print(
                &json!({ "agent_id": agent, "deleted": true }),
                &format!("{agent} is deleted, and its keys work no more."),
            )
        }
        AgentCommand::List => {
            let agents = core.agents().await?;
            let values: Vec<Value> = agents
                .iter()
                .map(|(agent, developer, created_at)| {
                    json!({
                        "agent_id": agent.id,
                        "name": agent.name,
                        "developer": developer,
                        "created_at": Timestamp::from_unix_millis(*created_at),
                    })
                })
                .collect();
            let lines: Vec<String> = agents
                .iter()
                .map(|(agent, developer, _)| format!("{}  {}  {developer}", agent.id, agent.name))
                .collect();
            output.print(&json!({ "agents": values }), &lines.join("\n"))
        }
    }
}
