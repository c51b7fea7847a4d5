//! `ctxmem-server backup …`, `restore …` and `reapply-erasures …`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::Utc;
use clap::Args;
use serde_json::{Value, json};

use super::output::Output;
use super::progress::Progress;
use super::{CliError, Common};
use crate::config::DbConfig;
use crate::store::backup::{self, BackupError, BackupFiles, Contents, Decisions, Restore};
use crate::store::{Db, StoreError, full_path};

#[derive(Clone, Debug, Args)]
pub(super) struct BackupArgs {
    /// The file for the copy of the database
    file: PathBuf,
    /// The file for the copy of the users' keys [default: the name of the first with -keys at its end]
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Check a backup that was made before, in place of making one: everything in it is opened, with the
    /// master key where it needs one
    #[arg(long)]
    verify: bool,
}

#[derive(Clone, Debug, Args)]
pub(super) struct RestoreArgs {
    /// The copy of the database
    file: PathBuf,
    /// The copy of the users' keys [default: the name of the first with -keys at its end]
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Replace the database that is there, and destroy what it holds
    #[arg(long)]
    force: bool,
    /// A newer database or backup of the same deployment: what users and developers had taken away
    /// there is taken away again, and nothing is given back [default: the database that is replaced]
    #[arg(long, value_name = "URL")]
    erasures_from: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub(super) struct ReapplyArgs {
    /// The newer database of the same deployment
    #[arg(long, value_name = "URL")]
    from: String,
    /// The database with its users' keys, where that is another one
    #[arg(long, value_name = "URL")]
    from_keys: Option<String>,
}

fn files(file: &Path, keys: Option<PathBuf>) -> BackupFiles {
    let mut files = BackupFiles::at(file);
    if let Some(keys) = keys {
        files.keys = keys;
    }
    files
}

pub(super) async fn back_up(
    common: &Common,
    args: BackupArgs,
    output: &Output,
) -> Result<(), CliError> {
    let to = files(&args.file, args.keys);
    let (database, keys) = (full_path(&to.database), full_path(&to.keys));
    if args.verify {
        let master = common.database.config()?.master_key;
        let verifying = move || backup::verify(&to, master.as_deref());
        let contents = tokio::task::spawn_blocking(verifying).await;
        let contents = contents.map_err(|_| BackupError::from(StoreError::Interrupted))??;
        let text = format!(
            "The backup is whole: {}.\nEach user's key is in {keys}, and every user and fact was opened \
             with it.",
            in_words(contents)
        );
        return output.print(&json_of(contents, &database, &keys), &text);
    }
    let progress = Arc::new(Progress::new(None));
    let shown = Arc::clone(&progress);
    let from = common.database.config()?;
    let made = backup::back_up(&from.url, to, move |pages| {
        shown.set(pages.done, pages.all);
    });
    let contents = made.await;
    progress.clear();
    let contents = contents?;
    let text = format!(
        "Backed up and checked: {}.\n\n  database      {database}\n  users' keys   {keys}\n\n\
         Keep the keys in another place, and for less time: who has both files can read everybody \
         who is in them, also those who are erased later.",
        in_words(contents)
    );
    output.print(&json_of(contents, &database, &keys), &text)
}

fn in_words(contents: Contents) -> String {
    let Contents {
        users,
        facts,
        bytes,
    } = contents;
    format!("{users} users, {facts} facts, {bytes} bytes")
}

fn json_of(contents: Contents, database: &str, keys: &str) -> serde_json::Value {
    json!({
        "database": database,
        "keys": keys,
        "users": contents.users,
        "facts": contents.facts,
        "bytes": contents.bytes,
    })
}

pub(super) async fn restore(
    common: &Common,
    args: RestoreArgs,
    output: &Output,
) -> Result<(), CliError> {
    let to = common.database.config()?;
    let decisions_from = args.erasures_from.map(|url| existing(&to, url, None));
    let restored = backup::restore(Restore {
        from: files(&args.file, args.keys),
        to,
        replaces: args.force,
        decisions_from,
        now: Utc::now().timestamp_millis(),
    });
    let restored = restored.await?;
    let Contents { users, facts, .. } = restored.contents;
    let value = json!({ "users": users, "facts": facts });
    let value = with_decisions(value, restored.decisions);
    let text = match restored.decisions {
        Some(decisions) => format!(
            "Restored {users} users and {facts} facts. {}",
            since(decisions)
        ),
        None => format!(
            "Restored {users} users and {facts} facts.\n\nThere was no newer database to ask what users \
             have taken away since the backup was made. If you have one, or a later backup, run\n\n  \
             ctxmem-server reapply-erasures --from URL"
        ),
    };
    output.print(&value, &text)
}

pub(super) async fn reapply(
    common: &Common,
    args: ReapplyArgs,
    output: &Output,
) -> Result<(), CliError> {
    let restored = common.database.open_existing().await?;
    let newer = existing(&common.database.config()?, args.from, args.from_keys);
    let newer = Db::open(newer).await?;
    let now = Utc::now().timestamp_millis();
    let taken = backup::carry_decisions_over(&newer, &restored, now).await;
    newer.close().await;
    restored.close().await;
    let decisions = taken?;
    output.print(
        &with_decisions(json!({}), Some(decisions)),
        &since(decisions),
    )
}

fn with_decisions(mut value: Value, decisions: Option<Decisions>) -> Value {
    value["erased_again"] = json!(decisions.map(|taken| taken.erased));
    value["facts_removed_again"] = json!(decisions.map(|taken| taken.facts));
    value["grants_restricted_again"] = json!(decisions.map(|taken| taken.grants));
    value["passwords_ended"] = json!(decisions.map(|taken| taken.passwords));
    value["left_erased_since"] = json!(decisions.map(|taken| taken.erased_since));
    value["left_changed_since"] = json!(decisions.map(|taken| taken.changed_since));
    value
}

fn since(decisions: Decisions) -> String {
    let mut text = format!(
        "Applied again what that database says was taken away: users erased: {}, facts deleted or \
         corrected: {}, grants revoked, narrowed or shortened: {}; and keys, agents and members that ended \
         there. Nothing was given back, and everybody has been signed out.",
        decisions.erased, decisions.facts, decisions.grants
    );
    if decisions.passwords > 0 {
        let _ = write!(
            text,
            "\nDevelopers who can't sign in by a password until you set one (`ctxmem-server developer \
             set-password`), because neither database knows which of two passwords or second factors is the \
             former one: {}.",
            decisions.passwords
        );
    }
    for (users, why) in [
        (
            decisions.erased_since,
            "were erased here after that database ends",
        ),
        (
            decisions.changed_since,
            "have a history here that goes on after that database ends",
        ),
    ] {
        if users > 0 {
            let _ = write!(
                text,
                "\nUsers left as they are, because they {why}: {users}."
            );
        }
    }
    text
}

/// A database that must be there, with the same master key.
fn existing(of: &DbConfig, url: String, keys_url: Option<String>) -> DbConfig {
    DbConfig {
        url,
        keys_url,
        create: false,
        migrate: false,
        ..of.clone()
    }
}
