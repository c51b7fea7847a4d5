//! `ctxmem-server agent …`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::Subcommand;
use ctxmem_types::{Scope, ScopeSet, Timestamp};
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::CliError;
use super::output::Output;
use crate::core::{AgentProfile, Core, Manager};
use crate::website;

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
        /// Where users go back to after they have decided: an https address, or one on localhost
        #[arg(long)]
        return_url: Option<String>,
        /// A scope that it can't do without, and why; once for each. Users find it ticked, with the
        /// reason. An empty reason takes it back
        #[arg(long = "need", value_name = "SCOPE=REASON", value_parser = need)]
        needs: Vec<(Scope, String)>,
    },
}

fn need(text: &str) -> Result<(Scope, String), String> {
    let (scope, reason) = text
        .split_once('=')
        .ok_or("expected a scope, an equals sign and the reason")?;
    let scope: Scope = scope
        .trim()
        .parse()
        .map_err(|_| format!("expected one of the scopes {}", ScopeSet::ALL))?;
    Ok((scope, reason.to_owned()))
}

/// Sets what users are told of an agent, asks its website whether it confirms the agent, and prints both.
async fn set_profile(
    core: &Core,
    agent: &str,
    profile: AgentProfile,
    output: &Output,
) -> Result<(), CliError> {
    let console = &core.console;
    let set = console.set_agent_profile(Manager::Operator, agent, profile);
    let set = set.await?;
    let is_confirmed = website::verify(console, agent, &set.url, true).await?;
    let needs = set.needs.iter();
    let needs: BTreeMap<&str, &str> = needs
        .map(|(scope, reason)| (scope.name(), &**reason))
        .collect();
    let value = json!({
        "agent_id": agent,
        "purpose": set.purpose,
        "url": set.url,
        "url_verified": is_confirmed,
        "privacy_url": set.privacy_url,
        "return_url": set.return_url,
        "needs": needs,
    });
    let mut text = format!(
        "agent           {agent}\npurpose         {}\nurl             {}\nprivacy policy  {}\n\
         return address  {}",
        set.purpose, set.url, set.privacy_url, set.return_url
    );
    if !set.url.is_empty() && !is_confirmed {
        let _ = write!(
            text,
            "\nnot verified    users see that nobody has checked the url; to have it checked, put the line \
             {agent} into {} there and run this again",
            website::PATH
        );
    }
    for (scope, reason) in needs {
        let _ = write!(text, "\nneeds           {scope}: {reason}");
    }
    output.print(&value, &text)
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
            let created = core.console.create_agent(name, developer, scopes).await?;
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
            return_url,
            needs: changed,
        } => {
            let console = &core.console;
            let now = console.agent_profile(Manager::Operator, &agent).await?;
            let mut needs = now.needs;
            needs.extend(changed);
            let profile = AgentProfile {
                purpose: purpose.unwrap_or(now.purpose),
                url: url.unwrap_or(now.url),
                privacy_url: privacy_url.unwrap_or(now.privacy_url),
                return_url: return_url.unwrap_or(now.return_url),
                needs,
                verified_at: None,
            };
            set_profile(core, &agent, profile, output).await
        }
        AgentCommand::Rename { agent, name } => {
            let console = &core.console;
            console
                .rename_agent(&Manager::Operator, &agent, &name)
                .await?;
            output.print(
                &json!({ "agent_id": agent, "name": name.trim() }),
                &format!("{agent}  {}", name.trim()),
            )
        }
        AgentCommand::Delete { agent, name } => {
            let console = &core.console;
            let deleting = console.delete_agent(&Manager::Operator, &agent, &name);
            if !deleting.await? {
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
            let agents = core.console.agents().await?;
            let rows = agents.iter().map(|(agent, developer, created_at)| {
                let value = json!({
                    "agent_id": agent.id,
                    "name": agent.name,
                    "developer": developer,
                    "created_at": Timestamp::from_unix_millis(*created_at),
                });
                let line = format!("{}  {}  {developer}", agent.id, agent.name);
                (value, line)
            });
            output.list("agents", rows)
        }
    }
}
