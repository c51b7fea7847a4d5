//! `ctxmem-server audit`: who did what, when. The log never holds what was said or stored.

use clap::Args;
use ctxmem_types::Timestamp;
use serde_json::{Value, json};

use super::output::Output;
use super::{CliError, user_id};
use crate::core::{Action, AuditRange, AuditRow, Core};

/// Which entries.
#[derive(Clone, Debug, Args)]
pub(super) struct AuditArgs {
    /// Only about this user
    #[arg(long, value_name = "ID")]
    user: Option<String>,
    /// Only by or about this agent
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Only these actions, such as erase,revoke
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = action)]
    action: Vec<Action>,
    /// Only from this instant on, such as 2026-03-01T00:00:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<Timestamp>,
    /// Only before this instant
    #[arg(long, value_name = "TIME")]
    until: Option<Timestamp>,
    /// How many entries at most, the newest first
    #[arg(long, default_value_t = 100)]
    limit: u32,
}

fn action(name: &str) -> Result<Action, String> {
    Action::from_text(name).ok_or_else(|| {
        let names: Vec<&str> = Action::ALL.iter().map(|action| action.as_str()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

pub(super) async fn run(core: &Core, args: AuditArgs, output: &Output) -> Result<(), CliError> {
    let user = args.user.map(|id| user_id("--user", id)).transpose()?;
    let millis = |at: Option<Timestamp>| at.map(|at| at.unix_millis());
    let (since, until) = (millis(args.since), millis(args.until));
    let part = AuditRange {
        agent_id: args.agent.unwrap_or_default(),
        actions: args.action,
        between: (since.is_some() || until.is_some())
            .then(|| (since.unwrap_or(0), until.unwrap_or(i64::MAX))),
        ..AuditRange::default()
    };
    let rows = core.operator.audit_log(user, part, args.limit).await?;
    output.list("entries", rows.iter().map(|row| (value(row), line(row))))
}

fn value(row: &AuditRow) -> Value {
    let event = &row.event;
    json!({
        "id": row.id,
        "at": Timestamp::from_unix_millis(event.at),
        "action": event.action.as_str(),
        "actor": event.actor.as_str(),
        "outcome": event.outcome.as_str(),
        "agent_id": event.agent_id,
        "agent_name": row.agent_name,
        "developer_id": event.developer_id,
        "scopes": event.scopes,
        "facts": event.facts,
        "grants": event.grants,
        "times": event.times,
    })
}

fn line(row: &AuditRow) -> String {
    let event = &row.event;
    let at = Timestamp::from_unix_millis(event.at).map_or_else(String::new, |at| at.to_string());
    let mut parts = vec![format!(
        "{at}  {}  by {}  {}",
        event.action.as_str(),
        event.actor.as_str(),
        event.outcome.as_str()
    )];
    let agent = row.agent_name.as_ref().or(event.agent_id.as_ref());
    let others = [
        ("agent", agent.cloned()),
        ("facts", (event.facts > 0).then(|| event.facts.to_string())),
        (
            "grants",
            (event.grants > 0).then(|| event.grants.to_string()),
        ),
        ("times", (event.times > 1).then(|| event.times.to_string())),
    ];
    for (name, value) in others {
        parts.extend(value.map(|value| format!("{name}: {value}")));
    }
    parts.join("  ")
}
