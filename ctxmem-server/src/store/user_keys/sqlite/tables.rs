//! The tables of the key database, and what is done with them.

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};
use zeroize::Zeroizing;

use crate::failpoint;
use crate::store::user_keys::aead::RawKey;
use crate::store::user_keys::key::{FreshKey, IndexKey, KeyRef, MADE_AT_ONCE, REWRAPPED_AT_ONCE};
use crate::store::user_keys::master_key::MasterKey;
use crate::store::user_keys::wrapping::{
    INDEX_SLOT, StoredWrappingKey, WrappingKey, WrappingKeys, check_newest,
};
use crate::store::{OpenError, Result, StoreError};

/// `free` is 0 or 1, both of which SQLite stores in no byte at all, so every row of `user_keys`
/// has the same length. The index holds no bytes of a key.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS user_keys (
        slot   INTEGER PRIMARY KEY,
        free   INTEGER NOT NULL,
        id     BLOB NOT NULL,
        sealed BLOB NOT NULL
    );
    CREATE INDEX IF NOT EXISTS free_slots ON user_keys (slot) WHERE free = 1;
    CREATE TABLE IF NOT EXISTS wrapping_keys (
        number    INTEGER NOT NULL,
        outgoing  INTEGER NOT NULL,
        protected INTEGER NOT NULL,
        bytes     BLOB NOT NULL,
        PRIMARY KEY (number, outgoing)
    );";

const FIND_KEY: &str = "SELECT sealed FROM user_keys WHERE slot = ?1 AND id = ?2 AND free = 0";
pub(super) const FIND_INDEX_KEY: &str = "SELECT id, sealed FROM user_keys WHERE slot = ?1";
const FREE_SLOTS: &str =
    "SELECT slot FROM user_keys INDEXED BY free_slots WHERE free = 1 ORDER BY slot LIMIT ?1";
const LAST_SLOT: &str = "SELECT max(slot) FROM user_keys";
const PUT_KEY: &str = "
    INSERT INTO user_keys (slot, free, id, sealed) VALUES (?1, 0, ?2, ?3)
    ON CONFLICT (slot) DO UPDATE SET free = 0, id = excluded.id, sealed = excluded.sealed";
const DESTROY_KEY: &str = "
    UPDATE user_keys SET free = 1, id = zeroblob(length(id)), sealed = zeroblob(length(sealed))
    WHERE slot = ?1 AND id = ?2 AND free = 0";
const KEYS_AFTER: &str = "
    SELECT slot, id, sealed FROM user_keys WHERE slot > ?1 AND free = 0 ORDER BY slot LIMIT ?2";
const REWRAP_KEY: &str = "UPDATE user_keys SET sealed = ?2 WHERE slot = ?1";
const IS_WRAPPED_BY_OTHER: &str = "
    SELECT EXISTS (SELECT 1 FROM user_keys WHERE free = 0 AND substr(sealed, 1, 8) <> ?1)";

/// Rows that were overwritten stay: a deletion could move others.
const WRAPPING_KEYS: &str = "
    SELECT number, outgoing, protected, bytes FROM wrapping_keys
    WHERE bytes <> zeroblob(length(bytes))";
const PUT_WRAPPING_KEY: &str =
    "INSERT INTO wrapping_keys (number, outgoing, protected, bytes) VALUES (?1, ?2, ?3, ?4)";
const RETIRE_OTHERS: &str =
    "UPDATE wrapping_keys SET bytes = zeroblob(length(bytes)) WHERE number <> ?1";
const RETIRE_OUTGOING: &str =
    "UPDATE wrapping_keys SET bytes = zeroblob(length(bytes)) WHERE outgoing = 1";

/// What there is when the tables are ready.
pub(super) struct Prepared {
    pub(super) wrapping: WrappingKeys,
    pub(super) index: RawKey,
    /// Whether the wrapping key was overwritten that was left for the former master key.
    pub(super) is_former_master_removed: bool,
}

/// Creates what is missing, in one transaction: either all is there or nothing.
pub(super) fn prepare(
    connection: &mut Connection,
    master: Option<MasterKey>,
    new_index: Option<IndexKey>,
) -> Result<Prepared, OpenError> {
    let tx = begin(connection)?;
    tx.execute_batch(SCHEMA).map_err(StoreError::from)?;
    let mut stored = wrapping_keys(&tx)?;
    if stored.is_empty() {
        stored = WrappingKey::generate(1, master.as_ref(), master.as_ref())?;
        put_wrapping_keys(&tx, &stored)?;
    }
    let wrapping = WrappingKeys::open(&stored, master)?;
    let index = index_key(&tx, &wrapping, &stored, new_index)?;
    let is_former_master_removed = wrapping.is_former_master_done(&stored);
    if is_former_master_removed {
        tx.execute(RETIRE_OUTGOING, []).map_err(StoreError::from)?;
    }
    tx.commit().map_err(StoreError::from)?;
    Ok(Prepared {
        wrapping,
        index,
        is_former_master_removed,
    })
}

/// The key of the index. When it is missing, it is the given one or a random one.
fn index_key(
    tx: &Transaction<'_>,
    wrapping: &WrappingKeys,
    stored: &[StoredWrappingKey],
    new: Option<IndexKey>,
) -> Result<RawKey> {
    let found = tx.query_row(FIND_INDEX_KEY, [INDEX_SLOT], |row| {
        let (slot, id) = (INDEX_SLOT, row.get(0)?);
        Ok((KeyRef { slot, id }, row.get(1)?))
    });
    let (at, wrapped) = if let Some(found) = found.optional()? {
        found
    } else {
        let (at, wrapped) = wrapping.newest(stored)?.new_index_key(new)?;
        tx.execute(PUT_KEY, (at.slot, at.id, &wrapped))?;
        (at, wrapped)
    };
    let key = wrapping.unwrap(at, &wrapped)?;
    key.ok_or(StoreError::MasterKeyReplaced)
}

pub(super) fn wrapping_keys(connection: &Connection) -> Result<Vec<StoredWrappingKey>> {
    let mut statement = connection.prepare_cached(WRAPPING_KEYS)?;
    let stored = statement.query_map([], |row| {
        Ok(StoredWrappingKey {
            number: row.get(0)?,
            is_outgoing: row.get(1)?,
            is_protected: row.get(2)?,
            bytes: Zeroizing::new(row.get(3)?),
        })
    })?;
    Ok(stored.collect::<Result<_, _>>()?)
}

fn put_wrapping_keys(tx: &Transaction<'_>, stored: &[StoredWrappingKey]) -> Result<()> {
    for key in stored {
        let row = (
            key.number,
            key.is_outgoing,
            key.is_protected,
            key.bytes.as_slice(),
        );
        tx.execute(PUT_WRAPPING_KEY, row)?;
    }
    Ok(())
}

pub(super) fn find(connection: &Connection, at: KeyRef) -> Result<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached(FIND_KEY)?;
    let found = statement.query_row((at.slot, at.id), |row| row.get(0));
    Ok(found.optional()?)
}

/// Makes keys for new users. They take the places of destroyed keys first.
pub(super) fn make(connection: &mut Connection, wrapping: &WrappingKeys) -> Result<Vec<FreshKey>> {
    let tx = begin(connection)?;
    let wrapping = wrapping.newest(&wrapping_keys(&tx)?)?;
    let mut slots: Vec<i64> = tx
        .prepare_cached(FREE_SLOTS)?
        .query_map([MADE_AT_ONCE], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let last: i64 = tx.query_row(LAST_SLOT, [], |row| row.get(0))?;
    let wanted = usize::try_from(MADE_AT_ONCE).unwrap_or_default();
    let missing = wanted.saturating_sub(slots.len());
    slots.extend((last + 1..).take(missing));
    let mut made = Vec::with_capacity(slots.len());
    for slot in slots {
        let (key, wrapped) = wrapping.new_user_key(slot)?;
        let row = (key.at.slot, key.at.id, &wrapped);
        tx.prepare_cached(PUT_KEY)?.execute(row)?;
        made.push(key);
    }
    tx.commit()?;
    Ok(made)
}

/// Overwrites these keys. Those that are gone, and others in their slots, are left alone.
pub(super) fn destroy(connection: &mut Connection, keys: &[KeyRef]) -> Result<()> {
    let tx = begin(connection)?;
    for at in keys {
        tx.prepare_cached(DESTROY_KEY)?.execute((at.slot, at.id))?;
    }
    failpoint::reach("before-destruction-is-committed");
    Ok(tx.commit()?)
}

pub(super) fn add_wrapping_key(
    connection: &mut Connection,
    wrapping: &WrappingKeys,
    new: Option<&MasterKey>,
) -> Result<i64> {
    let tx = begin(connection)?;
    let number = wrapping.newest(&wrapping_keys(&tx)?)?.number + 1;
    let added = WrappingKey::generate(number, wrapping.master(), new)?;
    put_wrapping_keys(&tx, &added)?;
    tx.commit()?;
    wrapping.learn(&added);
    Ok(number)
}

pub(super) fn rewrap(
    connection: &mut Connection,
    wrapping: &WrappingKeys,
    number: i64,
    after: i64,
) -> Result<Option<i64>> {
    let tx = begin(connection)?;
    let stored = wrapping_keys(&tx)?;
    check_newest(&stored, number)?;
    let by = wrapping.newest(&stored)?;
    let mut last = None;
    let keys: Vec<(i64, [u8; 8], Vec<u8>)> = tx
        .prepare_cached(KEYS_AFTER)?
        .query_map([after, REWRAPPED_AT_ONCE], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?
        .collect::<Result<_, _>>()?;
    for (slot, id, wrapped) in keys {
        if let Some(wrapped) = wrapping.rewrap(KeyRef { slot, id }, &wrapped, &by)? {
            tx.prepare_cached(REWRAP_KEY)?.execute((slot, wrapped))?;
        }
        last = Some(slot);
    }
    tx.commit()?;
    Ok(last)
}

pub(super) fn retire_others(connection: &mut Connection, number: i64) -> Result<bool> {
    let tx = begin(connection)?;
    check_newest(&wrapping_keys(&tx)?, number)?;
    let number_bytes = number.to_be_bytes();
    if tx.query_row(IS_WRAPPED_BY_OTHER, [number_bytes], |row| row.get(0))? {
        return Ok(false);
    }
    tx.execute(RETIRE_OTHERS, [number])?;
    tx.commit()?;
    Ok(true)
}

/// A transaction that writes from its beginning. It is undone unless it is committed.
fn begin(connection: &mut Connection) -> Result<Transaction<'_>> {
    Ok(connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
}
