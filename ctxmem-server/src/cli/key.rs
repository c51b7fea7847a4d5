//! `ctxmem-server key …`.

use chrono::Duration;
use clap::Subcommand;
use ctxmem_types::{ScopeSet, Timestamp};
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::CliError;
use super::output::Output;
use crate::core::{Core, KeyRow, KeyTerms, Manager};

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
        /// What to call the key
        #[arg(long)]
        name: Option<String>,
        /// For how long the key works, such as 90d or 12h [default: for any time]
        #[arg(long, value_name = "TIME", value_parser = duration)]
        expires_in: Option<Duration>,
    },
    /// Create a key in place of another, with the same name, scopes and lifetime
    Rotate {
        /// The id of the key to replace
        id: String,
        /// For how long the old key goes on working, such as 24h; 0h for not at all
        #[arg(long, value_name = "TIME", value_parser = duration, default_value = "24h")]
        grace: Duration,
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
        KeyCommand::Create {
            agent,
            scopes,
            name,
            expires_in,
        } => {
            let scopes = scopes.unwrap_or(ScopeSet::ALL);
            let terms = KeyTerms {
                scopes,
                name,
                lifetime: expires_in,
            };
            let grants = &core.grants;
            let creating = grants.create_key(Manager::Operator, agent.clone(), terms);
            let created = creating.await?;
            let key = created.api_key.expose_secret();
            let value = json!({
                "key_id": created.id,
                "agent_id": agent,
                "api_key": key,
                "scopes": scopes,
            });
            output.print(&value, &format!("{key} (shown this once)"))
        }
        KeyCommand::Rotate { id, grace } => {
            let (old, created) = core
                .grants
                .rotate_key(Manager::Operator, id.clone(), grace)
                .await?;
            let key = created.api_key.expose_secret();
            let value = json!({
                "key_id": created.id,
                "agent_id": old.agent_id,
                "api_key": key,
                "scopes": old.scopes,
                "replaces": id,
            });
            output.print(&value, &format!("{key} (shown this once)"))
        }
        KeyCommand::List => {
            let keys = core.grants.keys().await?;
            let at = |millis: Option<i64>| millis.and_then(Timestamp::from_unix_millis);
            let rows = keys.iter().map(|key| {
                let value = json!({
                    "key_id": key.id,
                    "agent_id": key.agent_id,
                    "prefix": key.prefix,
                    "scopes": key.scopes,
                    "created_at": at(Some(key.created_at)),
                    "last_used_at": at(key.last_used_at),
                    "revoked_at": at(key.revoked_at),
                    "name": key.name,
                    "expires_at": at(key.expires_at),
                    "replaced_by": key.replaced_by,
                });
                (value, line(key, core.grants.key_row_works(key)))
            });
            output.list("keys", rows)
        }
        KeyCommand::Revoke { id } => {
            core.grants
                .revoke_key(Manager::Operator, id.clone())
                .await?;
            output.print(
                &json!({ "key_id": id, "revoked": true }),
                &format!("{id} is revoked."),
            )
        }
    }
}

fn line(key: &KeyRow, works: bool) -> String {
    let end = key.expires_at.and_then(Timestamp::from_unix_millis);
    let until = end.map(|end| format!("live until {end}"));
    let state = match (key.revoked_at, key.expires_at) {
        (None, _) if works => until.as_deref().unwrap_or("live"),
        (Some(at), Some(end)) if at != end => "revoked",
        (Some(_), None) => "revoked",
        _ => "expired",
    };
    let name = key.name.as_deref().unwrap_or_default();
    let KeyRow {
        id,
        prefix,
        agent_id,
        scopes,
        ..
    } = key;
    let line = format!("{id}  {prefix}…  agent {agent_id}  {state}  {scopes}  {name}");
    line.trim_end().to_owned()
}

/// A time such as `90d`, `12h` or `30m`.
fn duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a whole number with d, h or m, such as 90d".to_owned();
    let unit_at = text.len().checked_sub(1).ok_or_else(expected)?;
    let (number, unit) = text.split_at_checked(unit_at).ok_or_else(expected)?;
    let number: u32 = number.parse().map_err(|_| expected())?;
    let number = i64::from(number);
    match unit {
        "d" => Ok(Duration::days(number)),
        "h" => Ok(Duration::hours(number)),
        "m" => Ok(Duration::minutes(number)),
        _ => Err(expected()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_and_a_unit() {
        assert_eq!(duration("90d"), Ok(Duration::days(90)));
        assert_eq!(duration("12h"), Ok(Duration::hours(12)));
        assert_eq!(duration("0m"), Ok(Duration::zero()));
        for text in [
            "",
            "d",
            "90",
            "-1d",
            "1.5h",
            "1w",
            "9999999999d",
            "1 d",
            "1é",
        ] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
