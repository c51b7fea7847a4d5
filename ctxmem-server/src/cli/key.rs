//! `ctxmem-server key …`.

use clap::Subcommand;
use ctxmem_types::{ScopeSet, Timestamp};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::CliError;
use super::output::Output;
use crate::core::{Core, Manager};

#[derive(Debug, Subcommand)]
pub(super) enum KeyCommand {
    /// Create another key for an agent; the key is shown only once
    Create {
        /// The agent's id
        #[arg(long, value_name = "ID")]
        agent: String,
        /// Scopes of the key [default: all]
        #[arg(long, value_name = "A,B")]
        scopes: Option<ScopeSet>,
    },
    /// List keys
    List,
    /// Revoke a key, with immediate effect
    Revoke {
        /// The key's id
        id: String,
    },
}

pub(super) async fn run(core: &Core, command: KeyCommand, output: &Output) -> Result<(), CliError> {
    match command {
        KeyCommand::Create { agent, scopes } => {
            let scopes = scopes.unwrap_or(ScopeSet::ALL);
            let created = core
                .create_key(Manager::Operator, agent.clone(), scopes)
                .await?;
            let key = created.api_key.expose_secret();
            let value = json!({
                "key_id": created.id,
                "agent_id": agent,
                "api_key": key,
                "scopes": scopes,
            });
            output.print(&value, &format!("{key} (shown this once)"))
        }
        KeyCommand::List => {
            let keys = core.keys().await?;
            let at = |millis: Option<i64>| millis.and_then(Timestamp::from_unix_millis);
            let values: Vec<Value> = keys
                .iter()
                .map(|key| {
                    json!({
                        "key_id": key.id,
                        "agent_id": key.agent_id,
                        "prefix": key.prefix,
                        "scopes": key.scopes,
                        "created_at": at(Some(key.created_at)),
                        "last_used_at": at(key.last_used_at),
                        "revoked_at": at(key.revoked_at),
                    })
                })
                .collect();
            let lines: Vec<String> = keys
                .iter()
                .map(|key| {
                    let state = if key.revoked_at.is_some() {
                        "revoked"
                    } else {
                        "live"
                    };
                    format!(
                        "{}  {}…  agent {}  {state}  {}",
                        key.id, key.prefix, key.agent_id, key.scopes
                    )
                })
                .collect();
            output.print(&json!({ "keys": values }), &lines.join("\n"))
        }
        KeyCommand::Revoke { id } => {
            core.revoke_key(Manager::Operator, id.clone()).await?;
            output.print(
                &json!({ "key_id": id, "revoked": true }),
                &format!("{id} is revoked."),
            )
        }
    }
}
