//! Putting restored files in the place of a database: all of it happens, or nothing.
//!
//! Two files can't be renamed at once. So when the new ones are durable beside the old ones, a note is
//! written that says so. From then on the restored database counts: the process that opens the database first completes
//! what the note says.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use super::BackupFiles;
use crate::failpoint;
use crate::store::files::{self, beside};
use crate::store::user_keys::key_file;

/// The restored files wait under these names beside the database.
pub(super) fn waiting(database: &Path) -> BackupFiles {
    let restored = beside(database, ".restored");
    BackupFiles::at(&restored)
}

fn note(database: &Path) -> std::path::PathBuf {
    beside(database, ".restore-note")
}

/// Puts the waiting files in the place of the database, which nobody has open.
pub(super) fn put_in_place(database: &Path) -> io::Result<()> {
    let path = note(database);
    let mut file = File::create(&path)?;
    file.write_all(b"ctxmem-server restore: the files whose names begin like this one are to take the place of the database.\n")?;
    file.sync_all()?;
    files::sync_folder_of(database)?;
    failpoint::reach("restore-noted");
    complete(database)
}

/// Completes a restore that was cut short after its note was written.
pub(in crate::store) fn complete(database: &Path) -> io::Result<()> {
    if !note(database).exists() {
        return Ok(());
    }
    // One process at a time: the second must not remove a log that the first has begun to use.
    let lock = files::lock_file(database)?;
    lock.lock()?;
    if !note(database).exists() {
        return Ok(());
    }
    let (waiting, keys) = (waiting(database), key_file(database));
    // Logs of the former files must not be read with the new ones. They go before the first of these is
    // in place, and never again: by then somebody may have opened it.
    if waiting.keys.exists() {
        for file in [database, &keys] {
            for suffix in ["-wal", "-shm", "-journal"] {
                unless_missing(fs::remove_file(beside(file, suffix)))?;
            }
        }
    }
    failpoint::reach("restore-logs-removed");
    // The database first: while its keys still wait, the note is there.
    unless_missing(fs::rename(&waiting.database, database))?;
    failpoint::reach("restore-between-files");
    unless_missing(fs::rename(&waiting.keys, &keys))?;
    files::sync_folder_of(database)?;
    failpoint::reach("restore-in-place");
    unless_missing(fs::remove_file(note(database)))?;
    files::sync_folder_of(database)
}

/// What is not there need not be moved or removed.
fn unless_missing(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
