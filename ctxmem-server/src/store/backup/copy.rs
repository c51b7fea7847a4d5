//! Copying a database that is in use.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::error::{At as _, Result};
use super::{BackupError, BackupFiles, Contents, check, last};
use crate::failpoint;
use crate::store::files::{self, beside};
use crate::store::user_keys::key_file;
use crate::store::writer_lock::WriterLock;
use crate::store::{OpenError, full_path, sqlite};

/// How many pages are copied before writers get a chance at the disk: 1 MiB.
const PAGES: i32 = 256;

/// How long the copy waits then.
const PAUSE: Duration = Duration::from_micros(500);

const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// How far a copy is, in pages.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// How many have been copied.
    pub done: u64,
    /// How many there are.
    pub all: u64,
}

/// Copies the database at this URL and its keys, also while servers use it, checks the copies and puts
/// them at their places. Until they are whole they have other names.
///
/// Both are of the same moment: nobody writes while the keys are copied, which takes some
/// milliseconds, and a tenth of a second with a million users. The database itself is read from a
/// snapshot of that moment while others write.
pub async fn back_up(
    url: &str,
    to: BackupFiles,
    progress: impl Fn(Progress) + Send + 'static,
) -> Result<Contents> {
    let from = sqlite::file(url)?.ok_or(BackupError::Postgres)?;
    if !from.exists() {
        let place = full_path(&from);
        return Err(OpenError::Missing(place).into());
    }
    for file in [&to.database, &to.keys] {
        is_free(file)?;
    }
    let parts = BackupFiles {
        database: beside(&to.database, ".part"),
        keys: beside(&to.keys, ".part"),
    };
    let copied = copy(&from, &parts, progress).await;
    let finished = copied.and_then(|()| finish(&parts, &to));
    if finished.is_err() {
        // What there is of them is of no use.
        for part in [&parts.database, &parts.keys] {
            let _ = fs::remove_file(part);
        }
    }
    if finished.is_ok() {
        last::note(&from);
    }
    finished
}

/// Copies the database in this file and its keys into new files, as [`back_up`] does.
pub(super) async fn copy(
    from: &Path,
    to: &BackupFiles,
    progress: impl Fn(Progress) + Send + 'static,
) -> Result<()> {
    for part in [&to.database, &to.keys] {
        // What an earlier attempt left that was killed.
        if is_there(part) {
            fs::remove_file(part).at(part)?;
        }
        files::create(part)?;
    }
    let lock = WriterLock(files::lock_file(from).at(from)?);
    let turn = lock.acquire().await;
    let (source, to) = (from.to_owned(), to.clone());
    let snapshot = in_background(move || {
        let snapshot = snapshot(&source, &to.keys)?;
        Ok((snapshot, source, to))
    });
    let (snapshot, source, to) = snapshot.await?;
    drop(turn);
    in_background(move || copy_pages(&snapshot, &source, &to.database, &progress)).await
}

async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| crate::store::StoreError::Interrupted)?
}

/// A connection to the database that stays at this moment's state. Copies the keys of that moment.
fn snapshot(from: &Path, keys: &Path) -> Result<Connection> {
    let writer = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_WRITE).at(from)?;
    writer.busy_timeout(BUSY_TIMEOUT).at(from)?;
    // Nobody else commits until it is rolled back, so no user's key changes hands.
    writer.execute_batch("BEGIN IMMEDIATE").at(from)?;
    let reader = read_only(from)?;
    reader
        .execute_batch("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
        .at(from)?;
    let source = key_file(from);
    failpoint::reach("backup-between-snapshots");
    copy_keys(&source, keys)?;
    writer.execute_batch("ROLLBACK").at(from)?;
    Ok(reader)
}

/// Copies the keys in one step, so that who destroys a key is held up as briefly as possible.
fn copy_keys(from: &Path, to: &Path) -> Result<()> {
    if !from.exists() {
        return Err(OpenError::KeysMissing.into());
    }
    let source = read_only(from)?;
    let mut target = target(to)?;
    let backup = Backup::new(&source, &mut target).at(to)?;
    loop {
        match backup.step(-1).at(to)? {
            StepResult::Done => return Ok(()),
            _ => std::thread::sleep(PAUSE),
        }
    }
}

fn copy_pages(
    source: &Connection,
    from: &Path,
    to: &Path,
    progress: &impl Fn(Progress),
) -> Result<()> {
    let mut target = target(to)?;
    let backup = Backup::new(source, &mut target).at(to)?;
    loop {
        let step = backup.step(PAGES).at(to)?;
        let pages = backup.progress();
        let count = |pages: i32| u64::try_from(pages).unwrap_or(0);
        progress(Progress {
            done: count(pages.pagecount - pages.remaining),
            all: count(pages.pagecount),
        });
        failpoint::reach("backup-step");
        if step == StepResult::Done {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    drop(backup);
    source.execute_batch("ROLLBACK").at(from)
}

fn read_only(file: &Path) -> Result<Connection> {
    let connection =
        Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).at(file)?;
    connection.busy_timeout(BUSY_TIMEOUT).at(file)?;
    Ok(connection)
}

/// A file that is flushed when it is whole needs no journal.
fn target(file: &Path) -> Result<Connection> {
    let connection =
        Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).at(file)?;
    connection
        .execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        .at(file)?;
    Ok(connection)
}

/// Checks the copies, makes them durable and gives them their names, the database last: where it is,
/// the backup is whole.
pub(super) fn finish(parts: &BackupFiles, to: &BackupFiles) -> Result<Contents> {
    let contents = check(parts)?;
    for part in [&parts.database, &parts.keys] {
        File::open(part).and_then(|file| file.sync_all()).at(part)?;
    }
    failpoint::reach("backup-before-names");
    rename_new(&parts.keys, &to.keys)?;
    // The keys of all users alone are of no use, and would lie where nobody looks for them.
    let undone = |file: &Path| drop(fs::remove_file(file));
    rename_new(&parts.database, &to.database).inspect_err(|_| undone(&to.keys))?;
    let synced = files::sync_folder_of(&to.database).at(&to.database);
    synced.inspect_err(|_| {
        undone(&to.database);
        undone(&to.keys);
    })?;
    Ok(contents)
}

/// Whether something has this name, also a link to what is not there.
fn is_there(file: &Path) -> bool {
    fs::symlink_metadata(file).is_ok()
}

fn is_free(file: &Path) -> Result<()> {
    if is_there(file) {
        return Err(BackupError::Exists(full_path(file)));
    }
    Ok(())
}

/// Gives a file a name that nothing has, also when another backup is being made with the same name.
fn rename_new(from: &Path, to: &Path) -> Result<()> {
    if fs::hard_link(from, to).is_ok() {
        let removed = fs::remove_file(from).at(from);
        return removed.inspect_err(|_| drop(fs::remove_file(to)));
    }
    is_free(to)?;
    // Not every file system has links.
    fs::rename(from, to).at(to)
}
