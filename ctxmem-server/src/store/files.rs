//! The files of SQLite databases: made for their owner only, and durable by name.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Creates the file and its folder. A file that exists is not even opened: closing it would release
/// the locks that SQLite holds on it in this process.
pub(super) fn create(file: &Path) -> std::io::Result<()> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder)?;
    match for_owner().create_new(true).open(file) {
        Ok(created) => created.sync_all()?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
        Err(error) => return Err(error),
    }
    File::open(folder)?.sync_all()
}

/// Opens the file that processes lock, beside a database.
pub(super) fn lock_file(database: &Path) -> std::io::Result<File> {
    let mut options = for_owner();
    options.create(true).truncate(false);
    options.open(beside(database, ".lock"))
}

/// The file whose name is that of the database and this.
pub(super) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    name.into()
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
