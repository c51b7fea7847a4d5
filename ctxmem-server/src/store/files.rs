//! The files of SQLite databases: made for their owner only, and durable by name.

use std::fs::{File, Metadata, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::full_path;
use super::{OpenError, Result, StoreError};

/// Creates the file, in a folder that exists. A file that exists is not even opened: closing it would release
/// the locks that SQLite holds on it in this process.
pub(super) fn create(file: &Path) -> Result<(), OpenError> {
    let folder = folder_of(file);
    if !folder.exists() {
        return Err(OpenError::NoFolder(full_path(folder)));
    }
    match for_owner().create_new(true).open(file) {
        Ok(created) => created.sync_all()?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    sync_folder_of(file)?;
    Ok(())
}

pub(super) fn sync_folder_of(file: &Path) -> std::io::Result<()> {
    File::open(folder_of(file))?.sync_all()
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Opens the file that processes lock, beside a database.
pub(super) fn lock_file(database: &Path) -> std::io::Result<File> {
    let mut options = for_owner();
    options.create(true).truncate(false);
    options.open(beside(database, ".lock"))
}

pub(super) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The files of a database that is open. One that is removed or replaced goes on working for the
/// process that has it open, and all that it writes is lost when it ends.
pub(super) struct OpenFiles(Vec<(PathBuf, FileId)>);

impl OpenFiles {
    /// Notes the files of these databases, which are in use: each with its log and the log's index.
    /// They stay as long as a connection is open.
    pub(super) fn of(databases: &[&Path]) -> std::io::Result<Self> {
        let files = databases.iter().flat_map(|database| {
            let beside = ["-wal", "-shm"].map(|suffix| beside(database, suffix));
            std::iter::once(database.to_path_buf()).chain(beside)
        });
        Self::note(files)
    }

    fn note(files: impl IntoIterator<Item = PathBuf>) -> std::io::Result<Self> {
        let noted = files.into_iter().map(|path| {
            let id = FileId::of(&path.metadata()?);
            Ok((path, id))
        });
        noted.collect::<Result<_, _>>().map(Self)
    }

    /// Fails if another file, or none, is at one of the paths. It takes a microsecond a file.
    pub(super) fn check(&self) -> Result<()> {
        let in_place = self.0.iter().all(|(path, id)| {
            let found = path.metadata();
            found.is_ok_and(|found| FileId::of(&found) == *id)
        });
        if in_place {
            Ok(())
        } else {
            Err(StoreError::FilesReplaced)
        }
    }
}

/// How many bytes the user that runs the server can still write to the disk of this file; `None` where the
/// system doesn't say.
#[cfg(unix)]
pub(super) fn free_bytes(file: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(file).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

#[cfg(not(unix))]
pub(super) fn free_bytes(_: &Path) -> Option<u64> {
    None
}

/// What tells a file from another one that has its name.
#[derive(PartialEq, Eq)]
struct FileId(#[cfg(unix)] (u64, u64));

impl FileId {
    #[cfg(unix)]
    fn of(file: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self((file.dev(), file.ino()))
    }

    #[cfg(not(unix))]
    fn of(_file: &Metadata) -> Self {
        Self()
    }
}

fn for_owner() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_removed_or_replaced_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ctxmem.db");
        create(&file).unwrap();
        let files = OpenFiles::note([file.clone()]).unwrap();
        std::fs::write(&file, "more").unwrap();
        assert!(files.check().is_ok());
        let elsewhere = folder.path().join("elsewhere");
        std::fs::rename(&file, &elsewhere).unwrap();
        assert!(matches!(files.check(), Err(StoreError::FilesReplaced)));
        std::fs::copy(&elsewhere, &file).unwrap();
        assert!(matches!(files.check(), Err(StoreError::FilesReplaced)));
        std::fs::rename(&elsewhere, &file).unwrap();
        assert!(files.check().is_ok());
    }
}
