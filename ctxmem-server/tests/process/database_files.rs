//! The files of a SQLite database in a folder of its own: what they name, and whether they are
//! sound. What they are called is not known here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tempfile::TempDir;

use crate::history::MARK;

/// What a file of a SQLite database begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Contents by name.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A folder with nothing in it but a database's files.
pub(crate) struct DatabaseFolder(TempDir);

impl DatabaseFolder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder that holds these files.
    pub(crate) fn holding(files: &Files) -> Self {
        let folder = Self::new();
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn url(&self) -> String {
        format!("sqlite://{}", self.path().join("ctxmem.db").display())
    }

    /// Everything in it, but the index of a log, which SQLite makes anew after a power cut.
    pub(crate) fn files(&self) -> Files {
        let mut files = Files::new();
        for entry in std::fs::read_dir(self.path()).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if !is_index(&name) {
                files.insert(name, std::fs::read(entry.path()).unwrap());
            }
        }
        files
    }

    /// The names of users (`History::name`) that any of the files holds.
    pub(crate) fn users_named(&self) -> BTreeSet<String> {
        self.files().into_values().flat_map(users_named).collect()
    }

    /// What SQLite finds wrong with the databases. Nobody else may use them meanwhile.
    pub(crate) fn damage(&self) -> Vec<String> {
        let mut damage = Vec::new();
        for (name, bytes) in self.files() {
            if !bytes.starts_with(MAGIC) {
                continue;
            }
            let found = integrity(&self.path().join(&name));
            let found = found.unwrap_or_else(|error| error.to_string());
            if found != "ok" {
                damage.push(format!("{name}: {found}"));
            }
        }
        damage
    }

    /// Leaves it on the disk for somebody to look at.
    pub(crate) fn keep(self) -> std::path::PathBuf {
        self.0.keep()
    }
}

pub(crate) fn is_index(name: &str) -> bool {
    name.ends_with("-shm")
}

fn integrity(file: &Path) -> rusqlite::Result<String> {
    let connection = rusqlite::Connection::open(file)?;
    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))
}

fn users_named(mut bytes: Vec<u8>) -> BTreeSet<String> {
    bytes.make_ascii_lowercase();
    let text = String::from_utf8_lossy(&bytes);
    let named = text.match_indices(MARK).filter_map(|(at, _)| {
        let rest = &text[at..];
        let (end, _) = rest.match_indices('-').nth(3)?;
        Some(rest[..=end].to_owned())
    });
    named.collect()
}

#[test]
fn a_name_is_found_in_any_file() {
    let names = ["quokka-r1-c2-u3-", "quokka-r1-c2-u33-"];
    let bytes = format!("\0\u{1}{}n0-a\0QUOKKA-R1-C2-U33-idquokka-r1", names[0]);
    let found = users_named(bytes.into_bytes());
    assert_eq!(found, names.map(str::to_owned).into());
}

#[test]
fn a_damaged_database_is_noticed() {
    let folder = DatabaseFolder::new();
    let file = folder.path().join("any");
    let connection = rusqlite::Connection::open(&file).unwrap();
    let rows = "CREATE TABLE t (a TEXT); CREATE INDEX i ON t (a); INSERT INTO t VALUES ('a')";
    connection.execute_batch(rows).unwrap();
    drop(connection);
    assert_eq!(folder.damage(), Vec::<String>::new());
    let mut bytes = std::fs::read(&file).unwrap();
    let end = bytes.len();
    bytes[end - 4096..].fill(7);
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(folder.damage().len(), 1);
}
