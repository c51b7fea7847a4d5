//! Checking a backup: whether the files are whole, of a known version, and belong together, and whether
//! what is sealed in them can be opened.

use std::fmt::Display;
use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::{At as _, Result};
use super::{BackupError, BackupFiles};
use crate::store::user_keys::{CopiedKeys, KeyRef};
use crate::store::{
    Hash, MasterKey, OpenError, compatibility, erasure, facts, full_path, migrations,
};

/// What a backup holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Users of whom something is stored.
    pub users: u64,
    /// Facts of all of them.
    pub facts: u64,
    /// The size of both files.
    pub bytes: u64,
}

const COUNT_USERS: &str = "SELECT COUNT(*) FROM users WHERE key_slot IS NOT NULL";
const COUNT_FACTS: &str = "SELECT COUNT(*) FROM facts";
const SCHEMA_VERSION: &str = "SELECT MAX(version) FROM _sqlx_migrations";
const COMPATIBILITY: &str = "SELECT number FROM compatibility";
/// Users whose key is not in the file of the keys. Those that are noted to be destroyed may be gone.
const USERS_WITHOUT_KEY: &str = "
    SELECT COUNT(*) FROM users u
    WHERE u.key_slot IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM keys.user_keys k
        WHERE k.slot = u.key_slot AND k.id = u.key_id AND k.free = 0)";

const USERS: &str = "
    SELECT user_key, key_slot, key_id, sealed_user_id FROM users WHERE key_slot IS NOT NULL";
const FACTS: &str = "SELECT scope, slot_hash, sealed FROM facts WHERE user_key = ?1";
const FACTS_OF_NOBODY: &str = "
    SELECT COUNT(*) FROM facts f WHERE NOT EXISTS (
        SELECT 1 FROM users u WHERE u.user_key = f.user_key AND u.key_slot IS NOT NULL)";

/// Checks a backup and opens all that it knows of users: the id and the facts of each. A bit that has
/// changed in what is sealed is noticed by this alone. The error says what is wrong with which file, and
/// where it can be told, in which row.
pub fn verify(files: &BackupFiles, master: Option<&MasterKey>) -> Result<Contents> {
    let contents = check(files)?;
    let (file, database) = (&files.database, open(&files.database)?);
    let of_keys = |error| match error {
        OpenError::Store(error) => damaged(&files.keys, error),
        other => other.into(),
    };
    let keys = CopiedKeys::open(open(&files.keys)?, master.cloned()).map_err(of_keys)?;
    let closed = |table: &str, user: &Hash| {
        let user = hex::encode(user);
        let why = format!("what is sealed in {table} of the user {user} can't be opened");
        damaged(file, why)
    };
    let mut users = database.prepare(USERS).at(file)?;
    let mut facts_of = database.prepare(FACTS).at(file)?;
    let mut users = users.query([]).at(file)?;
    while let Some(user) = users.next().at(file)? {
        let user_key: Hash = user.get(0).at(file)?;
        let key = KeyRef {
            slot: user.get(1).at(file)?,
            id: user.get(2).at(file)?,
        };
        let sealed: Vec<u8> = user.get(3).at(file)?;
        let cipher = keys.cipher(key).map_err(|error| of_keys(error.into()))?;
        let cipher = cipher.ok_or_else(|| closed("users", &user_key))?;
        if cipher
            .open(&erasure::id_sealed_for(&user_key), &sealed)
            .is_none()
        {
            return Err(closed("users", &user_key));
        }
        let mut facts_of = facts_of.query([user_key]).at(file)?;
        while let Some(fact) = facts_of.next().at(file)? {
            let slot: Vec<u8> = fact.get(1).at(file)?;
            let sealed: Vec<u8> = fact.get(2).at(file)?;
            let opened = facts::scope_at(fact.get(0).at(file)?)
                .ok()
                .and_then(|scope| {
                    cipher.open(&facts::sealed_for(&user_key, scope, &slot), &sealed)
                });
            if opened.is_none() {
                return Err(closed("facts", &user_key));
            }
        }
    }
    match ask::<i64>(&database, file, FACTS_OF_NOBODY)? {
        0 => Ok(contents),
        number => Err(damaged(
            file,
            format!("{number} rows of facts are nobody's"),
        )),
    }
}

/// Checks that both files are whole, were made by this version or an older one, and belong together.
/// Nothing is opened that is sealed, so no master key is needed.
pub fn check(files: &BackupFiles) -> Result<Contents> {
    let (file, keys) = (&files.database, &files.keys);
    if !file.exists() {
        return Err(BackupError::Missing(full_path(file)));
    }
    let database = open(file)?;
    is_ours(&database, file, "users")?;
    is_whole(&database, file)?;
    if !keys.exists() {
        return Err(BackupError::KeysMissing(full_path(keys)));
    }
    let keys_database = open(keys)?;
    is_ours(&keys_database, keys, "user_keys")?;
    is_whole(&keys_database, keys)?;
    drop(keys_database);
    let version: i64 = ask(&database, file, SCHEMA_VERSION)?;
    let number: i64 = ask(&database, file, COMPATIBILITY)?;
    if version > migrations::newest() || number > compatibility::KNOWN {
        return Err(BackupError::Newer(full_path(file)));
    }
    database
        .execute("ATTACH ?1 AS keys", [immutable(keys)])
        .at(keys)?;
    let without: i64 = ask(&database, file, USERS_WITHOUT_KEY)?;
    if without > 0 {
        return Err(BackupError::OtherKeys {
            file: full_path(file),
            keys: full_path(keys),
            users: without.unsigned_abs(),
        });
    }
    let count = |sql| ask::<i64>(&database, file, sql).map(i64::unsigned_abs);
    Ok(Contents {
        users: count(COUNT_USERS)?,
        facts: count(COUNT_FACTS)?,
        bytes: file.metadata().at(file)?.len() + keys.metadata().at(keys)?.len(),
    })
}

/// Opens a file that nobody changes, so that no other file is made beside it.
fn open(file: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(immutable(file), flags).at(file)
}

fn immutable(file: &Path) -> String {
    let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let path = path.to_string_lossy();
    let path = percent_encoding::utf8_percent_encode(&path, &PATH);
    format!("file:{path}?immutable=1")
}

/// What has a meaning in the URI of a file.
const PATH: percent_encoding::AsciiSet = percent_encoding::CONTROLS
    .add(b'%')
    .add(b'?')
    .add(b'#')
    .add(b' ');

/// Whether it is a database with this table.
fn is_ours(database: &Connection, file: &Path, table: &str) -> Result<()> {
    let found = database.query_row(
        "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1",
        [table],
        |row| row.get::<_, i64>(0),
    );
    let why = match found {
        Ok(1) => return Ok(()),
        Ok(_) => "it has other tables".to_owned(),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            "it is no SQLite database".to_owned()
        }
        Err(error) => return Err(damaged(file, error)),
    };
    Err(BackupError::NotABackup {
        file: full_path(file),
        why,
    })
}

fn is_whole(database: &Connection, file: &Path) -> Result<()> {
    let found = database.query_row("PRAGMA integrity_check(1)", [], |row| {
        row.get::<_, String>(0)
    });
    let why = match found {
        Ok(answer) if answer == "ok" => return Ok(()),
        Ok(answer) => answer.lines().last().unwrap_or_default().to_owned(),
        Err(error) => error.to_string(),
    };
    Err(damaged(file, why))
}

fn ask<T: rusqlite::types::FromSql>(database: &Connection, file: &Path, sql: &str) -> Result<T> {
    let answer = database.query_row(sql, [], |row| row.get(0));
    answer.map_err(|error| damaged(file, error))
}

fn damaged(file: &Path, why: impl Display) -> BackupError {
    BackupError::Damaged {
        file: full_path(file),
        why: why.to_string(),
    }
}
