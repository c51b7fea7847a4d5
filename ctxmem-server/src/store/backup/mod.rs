//! Backups of SQLite databases: a copy while a server uses the database, its check, and putting one in
//! the place of a database.
//!
//! The users' keys are copied into a file of their own. Whoever has a copy of the database and of the
//! keys can read everybody who was there when the copy was made, erased or not, so the two belong in
//! different places, and the keys are kept for less time.

mod check;
mod copy;
mod error;
pub(super) mod last;
mod place;
mod restore;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use check::{Contents, check, verify};
pub use copy::{Progress, back_up};
pub use error::BackupError;
pub(super) use place::complete;
pub use restore::{Decisions, Restore, Restored, carry_decisions_over, restore};

use super::files::beside;

/// The two files of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupFiles {
    /// The copy of the database.
    pub database: PathBuf,
    /// The copy of the users' keys.
    pub keys: PathBuf,
}

impl BackupFiles {
    /// Beside each other, as a backup is made: the keys' name ends in `-keys`.
    pub fn at(database: &Path) -> Self {
        Self {
            database: database.to_owned(),
            keys: beside(database, "-keys"),
        }
    }
}
