//! `ctxmem-server user …`. Nothing here shows what is remembered, but the export of a user who is named.

use std::path::PathBuf;

use clap::Subcommand;
use ctxmem_types::{Timestamp, UserId};
use reqwest::Url;
use serde_json::{Value, json};

use super::output::Output;
use super::{CliError, export};
use crate::core::{Core, UserKey, UserSummary};
use crate::http::Site;

#[derive(Debug, Subcommand)]
pub(super) enum UserCommand {
    /// List users by their hashes, with what there is of each
    List {
        /// Show the users' ids as well, as agents send them
        #[arg(long)]
        ids: bool,
        /// Begin after the user with this hash
        #[arg(long, value_name = "HASH", value_parser = UserKey::from_text)]
        after: Option<UserKey>,
        /// How many at most
        #[arg(long, default_value_t = 100)]
        limit: u32,
    },
    /// Show what there is of a user: how many facts, which grants
    Show {
        /// The user's id, as agents send it
        user_id: String,
    },
    /// Write everything about a user as lines of JSON, as `export --user` does
    Export {
        /// The user's id, as agents send it
        user_id: String,
        /// A new file, which only its owner can read [default: stdout]
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Erase everything that is remembered of a user, and revoke every grant, for good
    Erase {
        /// The user's id, as agents send it
        user_id: String,
    },
    /// Create a link with which a user can sign in once, within 15 minutes
    SignInLink {
        /// The user's id, as agents send it
        user_id: String,
    },
}

pub(super) async fn run(
    core: &Core,
    public_url: Url,
    command: UserCommand,
    output: &Output,
) -> Result<(), CliError> {
    match command {
        UserCommand::List { ids, after, limit } => list(core, ids, after, limit, output).await,
        UserCommand::Show { user_id } => {
            let user = core.operator.user_summary(&named(user_id)?).await?;
            output.print(&value(&user, true), &text(&user))
        }
        UserCommand::Export { user_id, file } => {
            let user = Some(user_id);
            export::run(core, export::ExportArgs { user, file }).await
        }
        UserCommand::Erase { user_id } => {
            let receipt = core.memory.erase_by_operator(named(user_id)?).await?;
            let Some(receipt) = receipt else {
                return Err(CliError::Usage(
                    "There is nothing about this user.".to_owned(),
                ));
            };
            output.print(
                &json!({ "erased": true, "receipt": receipt }),
                &format!("Erased. The receipt is entry {receipt} of the audit log."),
            )
        }
        UserCommand::SignInLink { user_id } => {
            let link = core.sign_in.sign_in_link(named(user_id)?).await?;
            let url = Site::new(public_url).sign_in_link(&link.token);
            let expires_at = Timestamp::from(link.expires_at);
            output.print(
                &json!({ "url": url, "expires_at": expires_at }),
                &format!("{url}\nworks once, until {expires_at}"),
            )
        }
    }
}

fn named(user_id: String) -> Result<UserId, CliError> {
    super::user_id("USER_ID", user_id)
}

async fn list(
    core: &Core,
    ids: bool,
    after: Option<UserKey>,
    limit: u32,
    output: &Output,
) -> Result<(), CliError> {
    let users = core.operator.user_summaries(after, limit).await?;
    let rows = users.iter().map(|user| (value(user, ids), line(user, ids)));
    output.list("users", rows)
}

fn count(user: &UserSummary) -> usize {
    user.facts.iter().map(|(_, count)| count).sum()
}

fn line(user: &UserSummary, ids: bool) -> String {
    let id = match &user.user_id {
        None => "  erased".to_owned(),
        Some(user_id) if ids => format!("  {}", user_id.as_str()),
        Some(_) => String::new(),
    };
    let (facts, grants) = (count(user), user.grants.len());
    format!("{}  facts: {facts}  grants: {grants}{id}", user.key)
}

fn value(user: &UserSummary, ids: bool) -> Value {
    let at = |millis: Option<i64>| millis.and_then(Timestamp::from_unix_millis);
    let facts: serde_json::Map<String, Value> = user
        .facts
        .iter()
        .map(|(scope, count)| (scope.name().to_owned(), (*count).into()))
        .collect();
    let grants: Vec<Value> = user
        .grants
        .iter()
        .map(|(grant, state)| {
            json!({
                "grant_id": grant.id,
                "agent_id": grant.agent_id,
                "scopes": grant.scopes,
                "state": state.as_str(),
                "made_by": grant.made_by,
                "created_at": at(Some(grant.created_at)),
            })
        })
        .collect();
    let mut value = json!({
        "hash": user.key,
        "erased": user.user_id.is_none(),
        "facts": facts,
        "grants": grants,
        "waiting_agents": user.requests,
        "asks_first": user.asks,
        "paused_at": at(user.paused_at),
        "last_updated": at(user.last_updated),
        "erasures": user.erasures,
    });
    if let (Some(user_id), true) = (&user.user_id, ids) {
        value["user_id"] = user_id.as_str().into();
    }
    value
}

fn text(user: &UserSummary) -> String {
    let mut lines = vec![format!("hash      {}", user.key)];
    if user.user_id.is_none() {
        lines.push("erased    nothing is stored but the log".to_owned());
    }
    for (scope, count) in &user.facts {
        lines.push(format!("facts     {}: {count}", scope.name()));
    }
    for (grant, state) in &user.grants {
        lines.push(format!(
            "grant     {}  agent {}  {}  {}",
            grant.id,
            grant.agent_id,
            state.as_str(),
            grant.scopes
        ));
    }
    if user.requests > 0 {
        lines.push(format!("waiting   {} agents", user.requests));
    }
    if user.asks {
        lines.push("consent   new agents must ask".to_owned());
    }
    if user.paused_at.is_some() {
        lines.push("access    paused".to_owned());
    }
    lines.join("\n")
}
