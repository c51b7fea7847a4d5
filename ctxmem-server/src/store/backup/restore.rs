//! Putting a backup in the place of a database.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;

use super::copy::copy;
use super::error::{At as _, Result};
use super::{BackupError, BackupFiles, Contents, check, place};
use crate::failpoint;
use crate::store::files::{self, beside};
use crate::store::user_keys::key_file;
use crate::store::{
    AccountLog, Db, DbConfig, Older, OpenError, Record, StoreError, TakenDecisions, UserKey,
    UserRecord, full_path, sqlite,
};

/// How many users are read at once.
const PAGE: u32 = 500;

/// What to restore, and where.
#[derive(Debug)]
pub struct Restore {
    /// The backup.
    pub from: BackupFiles,
    /// The database in whose place it is put. The master key is that of the backup.
    pub to: DbConfig,
    /// Whether a database that is there is replaced.
    pub replaces: bool,
    /// A newer database of the same deployment, from which users' decisions are taken over. Without one
    /// it is the database that is replaced, if it can be read.
    pub decisions_from: Option<DbConfig>,
    /// The present, in milliseconds since 1970.
    pub now: i64,
}

/// What was restored.
#[derive(Clone, Copy, Debug)]
pub struct Restored {
    /// What the backup held.
    pub contents: Contents,
    /// What of it users had taken away since; `None` where there was no newer database to ask.
    pub decisions: Option<Decisions>,
}

/// What was taken from another database, so that a restored one gives nobody what was taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// How many users were erased again.
    pub erased: u64,
    /// How many facts were deleted or corrected again.
    pub facts: u64,
    /// How many grants were revoked, narrowed or shortened again.
    pub grants: u64,
    /// How many developers can no longer sign in by a password: neither database knows which of two passwords or second
    /// factors is the former one.
    pub passwords: u64,
    /// Of how many users nothing was taken, because they were erased here and not there.
    pub erased_since: u64,
    /// Of how many users nothing was taken, because more is known of them here.
    pub changed_since: u64,
}

impl Decisions {
    fn count(&mut self, taken: TakenDecisions) {
        self.erased += u64::from(taken.erased);
        self.facts += taken.facts;
        self.grants += taken.grants;
        match taken.left {
            Some(Older::ErasedSince) => self.erased_since += 1,
            Some(Older::ChangedSince) => self.changed_since += 1,
            None => {}
        }
    }
}

/// Restores a backup. The database is replaced when everything is ready, and then as a whole: where this
/// fails, it is as it was.
pub async fn restore(restore: Restore) -> Result<Restored> {
    let file = sqlite::file(&restore.to.url)?.ok_or(BackupError::Postgres)?;
    let contents = check(&restore.from)?;
    place::complete(&file).at(&file)?;
    let is_there = file.exists() || key_file(&file).exists();
    if is_there && !restore.replaces {
        return Err(BackupError::InPlace(full_path(&file)));
    }
    if file.exists() {
        refuse_if_in_use(&file)?;
    }
    let waiting = place::waiting(&file);
    let prepared = prepare(&restore, &file, &waiting).await;
    let decisions = match prepared {
        Ok(decisions) => decisions,
        Err(error) => {
            clear(&waiting);
            return Err(error);
        }
    };
    place::put_in_place(&file).at(&file)?;
    clear(&waiting);
    Ok(Restored {
        contents,
        decisions,
    })
}

/// Fails while a server has the database open: one that goes on with the former files would lose what
/// it stores.
fn refuse_if_in_use(file: &Path) -> Result<()> {
    let Ok(connection) = Connection::open(file) else {
        return Ok(());
    };
    // SQLite gives up the log only when nobody else has the database open.
    let mode = connection.query_row("PRAGMA journal_mode = DELETE", [], |row| {
        row.get::<_, String>(0)
    });
    let is_in_use = match mode {
        Ok(mode) => mode == "wal",
        // Whatever else is wrong with it, it is to be replaced.
        Err(error) => error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy),
    };
    if is_in_use {
        return Err(BackupError::InUse(full_path(file)));
    }
    Ok(())
}

/// Makes the restored files, beside the database: with the schema of this version, and without what
/// users have taken away since.
async fn prepare(
    restore: &Restore,
    file: &Path,
    waiting: &BackupFiles,
) -> Result<Option<Decisions>> {
    clear(waiting);
    for (from, to) in [
        (&restore.from.database, &waiting.database),
        (&restore.from.keys, &waiting.keys),
    ] {
        files::create(to)?;
        fs::copy(from, to).at(to)?;
        failpoint::reach("restore-copied");
    }
    let restored = Db::open(in_copy(restore, &waiting.database)).await?;
    let decided = decide(restore, file, &restored).await;
    let completed = restored.complete_erasures().await;
    restored.close().await;
    let decisions = decided?;
    completed?;
    for file in [&waiting.database, &waiting.keys] {
        // Closing has emptied the logs: what is in them would be left behind.
        let log = beside(file, "-wal");
        if log.metadata().is_ok_and(|log| log.len() > 0) {
            return Err(BackupError::InUse(full_path(file)));
        }
        File::open(file).and_then(|file| file.sync_all()).at(file)?;
    }
    files::sync_folder_of(file).at(file)?;
    Ok(decisions)
}

/// Takes over what users have decided since.
async fn decide(restore: &Restore, file: &Path, restored: &Db) -> Result<Option<Decisions>> {
    let migrated = BackupFiles::at(&beside(file, ".replaced"));
    let newer = match &restore.decisions_from {
        Some(config) => Ok(Db::open(config.clone()).await?),
        None if !file.exists() => return sign_out_only(restored).await,
        None => open_replaced(restore, file, &migrated).await,
    };
    let decisions = match newer {
        Ok(newer) => {
            let decisions = carry_decisions_over(&newer, restored, restore.now).await;
            newer.close().await;
            decisions.map(Some)
        }
        Err(error) => {
            tracing::warn!(%error, "the database that is replaced can't be read");
            sign_out_only(restored).await
        }
    };
    clear(&migrated);
    decisions
}

/// Opens the database that is replaced. It stays as it is in case the restore fails, so if its schema is of an older
/// version, a copy is migrated and opened instead.
async fn open_replaced(restore: &Restore, file: &Path, migrated: &BackupFiles) -> Result<Db> {
    let as_it_is = DbConfig {
        create: false,
        migrate: false,
        ..restore.to.clone()
    };
    match Db::open(as_it_is).await {
        Err(OpenError::Outdated { .. }) => {}
        opened => return Ok(opened?),
    }
    clear(migrated);
    copy(file, migrated, |_| {}).await?;
    Ok(Db::open(in_copy(restore, &migrated.database)).await?)
}

async fn sign_out_only(restored: &Db) -> Result<Option<Decisions>> {
    sign_everybody_out(restored).await?;
    Ok(None)
}

/// Takes what users and developers have decided from another database of the same deployment: erasures,
/// deleted and corrected facts, ended grants and keys, members who left. Takes the audit log as well, and
/// signs everybody out. What either of the two denies is denied afterwards. A server may use both: each
/// user is taken in a unit of work of its own, and once taken, the same again changes nothing.
pub async fn carry_decisions_over(source: &Db, restored: &Db, now: i64) -> Result<Decisions> {
    if !source.knows_users_like(restored) {
        return Err(BackupError::OtherDeployment);
    }
    let ended = source
        .read(async |tx| {
            let accounts = tx.account_records().await?;
            Ok::<_, StoreError>((accounts, tx.account_log().await?))
        })
        .await?;
    let ended: Arc<(Vec<Record>, AccountLog)> = Arc::new(ended);
    let since: Result<Option<i64>, StoreError> =
        restored.read(async |tx| tx.oldest_event().await).await;
    let since = since?;
    let passwords = restored
        .write(move |tx| {
            let ended = Arc::clone(&ended);
            Box::pin(async move { tx.take_endings(&ended.0, &ended.1).await })
        })
        .await?;
    sign_everybody_out(restored).await?;
    failpoint::reach("reapply-endings-taken");
    let mut decisions = Decisions {
        passwords,
        ..Decisions::default()
    };
    let mut after: Option<UserKey> = None;
    loop {
        let users = source.user_records(after, PAGE).await?;
        let Some(last) = users.last() else {
            return Ok(decisions);
        };
        after = Some(last.user_key);
        for user in users {
            decisions.count(carry_user_over(source, restored, user, since, now).await?);
            failpoint::reach("reapply-user-taken");
        }
    }
}

async fn carry_user_over(
    source: &Db,
    restored: &Db,
    user: UserRecord,
    since: Option<i64>,
    now: i64,
) -> Result<TakenDecisions, StoreError> {
    let user_key = user.user_key.to_bytes();
    let log = source.read(async |tx| tx.log_of(&user_key).await).await?;
    let taken = Arc::new((user, log));
    restored
        .write(move |tx| {
            let taken = Arc::clone(&taken);
            Box::pin(async move { tx.take_decisions(&taken.0, &taken.1, since, now).await })
        })
        .await
}

/// Nobody knows who signed out since a backup was made, or which link was used.
async fn sign_everybody_out(restored: &Db) -> Result<(), StoreError> {
    restored.write(|tx| Box::pin(tx.sign_everybody_out())).await
}

/// Removes what an earlier attempt left, and the files beside it.
fn clear(waiting: &BackupFiles) {
    for file in [&waiting.database, &waiting.keys] {
        for suffix in ["", "-wal", "-shm", ".lock"] {
            let _ = fs::remove_file(beside(file, suffix));
        }
    }
}

/// The database in this file, like the one in whose place it is put.
fn in_copy(restore: &Restore, file: &Path) -> DbConfig {
    DbConfig {
        url: format!("sqlite://{}", file.display()),
        create: false,
        ..restore.to.clone()
    }
}
