//! The tables of the keys, and what is done with them.
//!
//! Every change of keys locks their whole table first. A rotation or a rewrite can then keep all
//! others out, and nobody who waits for it holds a lock that it needs.

use sqlx::{Connection as _, PgConnection};
use zeroize::Zeroizing;

use crate::failpoint;
use crate::store::user_keys::aead::RawKey;
use crate::store::user_keys::key::{FreshKey, IndexKey, KeyRef, MADE_AT_ONCE, REWRAPPED_AT_ONCE};
use crate::store::user_keys::master_key::MasterKey;
use crate::store::user_keys::wrapping::{
    INDEX_SLOT, StoredWrappingKey, WrappingKey, WrappingKeys, check_newest,
};
use crate::store::{OpenError, Result, StoreError};

/// The spare tables are empty but for a moment in each rewrite. Slots come from a sequence that
/// belongs to no table: it stays the same when the tables are rewritten.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS user_keys (
        slot   BIGINT PRIMARY KEY,
        id     BYTEA NOT NULL,
        sealed BYTEA NOT NULL
    );
    CREATE SEQUENCE IF NOT EXISTS user_key_slots;
    CREATE TABLE IF NOT EXISTS wrapping_keys (
        number    BIGINT NOT NULL,
        outgoing  BOOLEAN NOT NULL,
        protected BOOLEAN NOT NULL,
        bytes     BYTEA NOT NULL,
        PRIMARY KEY (number, outgoing)
    );
    CREATE TABLE IF NOT EXISTS user_keys_spare (LIKE user_keys INCLUDING ALL);
    CREATE TABLE IF NOT EXISTS wrapping_keys_spare (LIKE wrapping_keys INCLUDING ALL);
    CREATE TABLE IF NOT EXISTS user_key_notes (
        name TEXT PRIMARY KEY
    )";

/// To plan statements, Postgres keeps values of columns in a table of its own, where they would
/// outlive the keys.
const ARE_VALUES_SAMPLED: &str = "
    SELECT EXISTS (
        SELECT 1 FROM pg_attribute
        WHERE attrelid IN ('user_keys'::regclass, 'user_keys_spare'::regclass,
                           'wrapping_keys'::regclass, 'wrapping_keys_spare'::regclass)
          AND attname IN ('id', 'sealed', 'bytes')
          AND attstattarget IS DISTINCT FROM 0)";
const SAMPLE_NO_VALUES: &str = "
    ALTER TABLE user_keys
        ALTER COLUMN id SET STATISTICS 0, ALTER COLUMN sealed SET STATISTICS 0;
    ALTER TABLE user_keys_spare
        ALTER COLUMN id SET STATISTICS 0, ALTER COLUMN sealed SET STATISTICS 0;
    ALTER TABLE wrapping_keys ALTER COLUMN bytes SET STATISTICS 0;
    ALTER TABLE wrapping_keys_spare ALTER COLUMN bytes SET STATISTICS 0";

/// Locks of ours that belong to no table: who prepares the tables, and who rewrites them.
const LOCK_PREPARATION: &str = "SELECT pg_advisory_xact_lock(7167270164561420033)";
const REWRITER: &str = "SELECT pg_advisory_xact_lock(7167270164561420034)";
const TRY_REWRITER: &str = "SELECT pg_try_advisory_xact_lock(7167270164561420034)";

const LOCK: &str = "LOCK TABLE user_keys IN ROW EXCLUSIVE MODE";
const LOCK_ALONE: &str = "LOCK TABLE user_keys IN SHARE ROW EXCLUSIVE MODE";

const FIND_KEY: &str = "SELECT sealed FROM user_keys WHERE slot = $1 AND id = $2";
const LOOK: &str = "
    SELECT EXISTS (SELECT 1 FROM user_keys WHERE slot = $1 AND id = $2),
           current_setting('transaction_read_only') <> 'off'";
const FIND_INDEX_KEY: &str = "SELECT id, sealed FROM user_keys WHERE slot = $1";
const NEXT_SLOTS: &str = "SELECT nextval('user_key_slots') FROM generate_series(1, $1)";
const PUT_KEYS: &str = "
    INSERT INTO user_keys (slot, id, sealed)
    SELECT * FROM unnest($1::BIGINT[], $2::BYTEA[], $3::BYTEA[])";
const DELETE_KEYS: &str = "
    DELETE FROM user_keys USING unnest($1::BIGINT[], $2::BYTEA[]) AS gone (slot, id)
    WHERE user_keys.slot = gone.slot AND user_keys.id = gone.id";
const KEYS_AFTER: &str =
    "SELECT slot, id, sealed FROM user_keys WHERE slot > $1 ORDER BY slot LIMIT $2";
const REWRAP_KEYS: &str = "
    UPDATE user_keys SET sealed = new.sealed
    FROM unnest($1::BIGINT[], $2::BYTEA[], $3::BYTEA[]) AS new (slot, id, sealed)
    WHERE user_keys.slot = new.slot AND user_keys.id = new.id";
const IS_WRAPPED_BY_OTHER: &str =
    "SELECT EXISTS (SELECT 1 FROM user_keys WHERE substring(sealed FOR 8) <> $1)";

const WRAPPING_KEYS: &str = "SELECT number, outgoing, protected, bytes FROM wrapping_keys";
const PUT_WRAPPING_KEY: &str =
    "INSERT INTO wrapping_keys (number, outgoing, protected, bytes) VALUES ($1, $2, $3, $4)";
const RETIRE_OTHERS: &str = "DELETE FROM wrapping_keys WHERE number <> $1";
const RETIRE_OUTGOING: &str = "DELETE FROM wrapping_keys WHERE outgoing";

const NOTE_REWRITE: &str =
    "INSERT INTO user_key_notes (name) VALUES ('rewrite_due') ON CONFLICT DO NOTHING";
const FORGET_REWRITE: &str = "DELETE FROM user_key_notes WHERE name = 'rewrite_due'";

/// For what no request waits for. To read a large table from one end to the other takes long, and
/// so may others who do.
const PATIENT: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '1min'; \
                       SET LOCAL enable_seqscan = on";

/// Limits how long a rewrite waits for its lock: while it waits for a long read, new reads queue
/// behind it.
const SHORT_WAIT: &str = "SET LOCAL lock_timeout = '1s'";

const LOCK_FOR_REWRITE: &str = "LOCK TABLE user_keys, wrapping_keys IN SHARE ROW EXCLUSIVE MODE";

const IS_REWRITE_DUE: &str =
    "SELECT EXISTS (SELECT 1 FROM user_key_notes WHERE name = 'rewrite_due')";
const IS_SPARE_IN_USE: &str = "SELECT EXISTS (SELECT 1 FROM wrapping_keys_spare)";
const EMPTY_SPARE: &str = "TRUNCATE user_keys_spare, wrapping_keys_spare";
const COPY: &str = "
    INSERT INTO user_keys_spare SELECT * FROM user_keys;
    INSERT INTO wrapping_keys_spare SELECT * FROM wrapping_keys";
/// Readers use the old tables until the first of them is renamed.
const SWAP: &str = "
    ALTER TABLE user_keys RENAME TO user_keys_old;
    ALTER TABLE user_keys_spare RENAME TO user_keys;
    ALTER TABLE user_keys_old RENAME TO user_keys_spare;
    ALTER TABLE wrapping_keys RENAME TO wrapping_keys_old;
    ALTER TABLE wrapping_keys_spare RENAME TO wrapping_keys;
    ALTER TABLE wrapping_keys_old RENAME TO wrapping_keys_spare";

/// Creates what is missing, in one transaction: either all is there or nothing. Answers the
/// wrapping keys and the key of the index.
pub(super) async fn prepare(
    connection: &mut PgConnection,
    master: Option<MasterKey>,
    new_index: Option<IndexKey>,
) -> Result<(WrappingKeys, RawKey), OpenError> {
    let mut tx = connection.begin_with("BEGIN").await?;
    be_patient(&mut tx).await?;
    sqlx::query(LOCK_PREPARATION).execute(&mut *tx).await?;
    sqlx::raw_sql(SCHEMA).execute(&mut *tx).await?;
    if is(&mut tx, ARE_VALUES_SAMPLED).await? {
        sqlx::raw_sql(SAMPLE_NO_VALUES).execute(&mut *tx).await?;
    }
    lock(&mut tx).await?;
    let mut stored = wrapping_keys(&mut tx).await?;
    if stored.is_empty() {
        stored = WrappingKey::generate(1, master.as_ref(), master.as_ref())?;
        put_wrapping_keys(&mut tx, &stored).await?;
    }
    let wrapping = WrappingKeys::open(&stored, master)?;
    let index = index_key(&mut tx, &wrapping, &stored, new_index).await?;
    if wrapping.is_former_master_done(&stored) {
        sqlx::query(RETIRE_OUTGOING).execute(&mut *tx).await?;
        note_rewrite(&mut tx).await?;
    }
    tx.commit().await?;
    Ok((wrapping, index))
}

/// The key of the index. When it is missing, it is the given one or a random one.
async fn index_key(
    connection: &mut PgConnection,
    wrapping: &WrappingKeys,
    stored: &[StoredWrappingKey],
    new: Option<IndexKey>,
) -> Result<RawKey> {
    let found: Option<([u8; 8], Vec<u8>)> = sqlx::query_as(FIND_INDEX_KEY)
        .bind(INDEX_SLOT)
        .fetch_optional(&mut *connection)
        .await?;
    let (at, wrapped) = if let Some((id, wrapped)) = found {
        let slot = INDEX_SLOT;
        (KeyRef { slot, id }, wrapped)
    } else {
        let made = wrapping.newest(stored)?.new_index_key(new)?;
        put_keys(connection, std::slice::from_ref(&made)).await?;
        made
    };
    let key = wrapping.unwrap(at, &wrapped)?;
    key.ok_or(StoreError::MasterKeyReplaced)
}

/// Keeps out who changes keys alone.
pub(super) async fn lock(connection: &mut PgConnection) -> Result<()> {
    sqlx::query(LOCK).execute(connection).await?;
    Ok(())
}

/// Keeps out everybody who changes keys.
pub(super) async fn lock_alone(connection: &mut PgConnection) -> Result<()> {
    be_patient(connection).await?;
    sqlx::query(LOCK_ALONE).execute(connection).await?;
    Ok(())
}

async fn be_patient(connection: &mut PgConnection) -> Result<()> {
    sqlx::raw_sql(PATIENT).execute(connection).await?;
    Ok(())
}

pub(super) async fn wrapping_keys(connection: &mut PgConnection) -> Result<Vec<StoredWrappingKey>> {
    let rows: Vec<(i64, bool, bool, Vec<u8>)> =
        sqlx::query_as(WRAPPING_KEYS).fetch_all(connection).await?;
    let stored = |(number, is_outgoing, is_protected, bytes)| StoredWrappingKey {
        number,
        is_outgoing,
        is_protected,
        bytes: Zeroizing::new(bytes),
    };
    Ok(rows.into_iter().map(stored).collect())
}

async fn put_wrapping_keys(
    connection: &mut PgConnection,
    stored: &[StoredWrappingKey],
) -> Result<()> {
    for key in stored {
        sqlx::query(PUT_WRAPPING_KEY)
            .bind(key.number)
            .bind(key.is_outgoing)
            .bind(key.is_protected)
            .bind(key.bytes.as_slice())
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

pub(super) async fn find(connection: &mut PgConnection, at: KeyRef) -> Result<Option<Vec<u8>>> {
    let found = sqlx::query_scalar(FIND_KEY)
        .bind(at.slot)
        .bind(at.id)
        .fetch_optional(connection)
        .await?;
    Ok(found)
}

/// Whether a key is there, and whether the host takes no writes.
pub(super) async fn look(connection: &mut PgConnection, at: KeyRef) -> Result<(bool, bool)> {
    let found = sqlx::query_as(LOOK).bind(at.slot).bind(at.id);
    Ok(found.fetch_one(connection).await?)
}

pub(super) async fn make(
    connection: &mut PgConnection,
    wrapping: &WrappingKeys,
) -> Result<Vec<FreshKey>> {
    let wrapping = wrapping.newest(&wrapping_keys(connection).await?)?;
    let slots: Vec<i64> = sqlx::query_scalar(NEXT_SLOTS)
        .bind(MADE_AT_ONCE)
        .fetch_all(&mut *connection)
        .await?;
    let (mut made, mut rows) = (Vec::new(), Vec::new());
    for slot in slots {
        let (key, wrapped) = wrapping.new_user_key(slot)?;
        rows.push((key.at, wrapped));
        made.push(key);
    }
    put_keys(connection, &rows).await?;
    Ok(made)
}

async fn put_keys(connection: &mut PgConnection, rows: &[(KeyRef, Vec<u8>)]) -> Result<()> {
    run_with_keys(connection, PUT_KEYS, rows).await
}

/// Runs a statement that takes slots, ids and wrapped keys.
async fn run_with_keys(
    connection: &mut PgConnection,
    statement: &'static str,
    rows: &[(KeyRef, Vec<u8>)],
) -> Result<()> {
    let (slots, ids) = columns(rows.iter().map(|(at, _)| at));
    let wrapped: Vec<&[u8]> = rows.iter().map(|(_, wrapped)| wrapped.as_slice()).collect();
    sqlx::query(statement)
        .bind(slots)
        .bind(ids)
        .bind(wrapped)
        .execute(connection)
        .await?;
    Ok(())
}

fn columns<'a>(keys: impl Iterator<Item = &'a KeyRef>) -> (Vec<i64>, Vec<&'a [u8]>) {
    keys.map(|at| (at.slot, at.id.as_slice())).unzip()
}

pub(super) async fn delete(connection: &mut PgConnection, keys: &[KeyRef]) -> Result<u64> {
    // Two that delete the same keys would wait for each other, if their orders differed.
    let mut keys = keys.to_vec();
    keys.sort_unstable_by_key(|at| at.slot);
    let (slots, ids) = columns(keys.iter());
    let deleted = sqlx::query(DELETE_KEYS)
        .bind(slots)
        .bind(ids)
        .execute(connection)
        .await?;
    Ok(deleted.rows_affected())
}

pub(super) async fn add_wrapping_key(
    connection: &mut PgConnection,
    wrapping: &WrappingKeys,
    new: Option<&MasterKey>,
) -> Result<(i64, Vec<StoredWrappingKey>)> {
    let stored = wrapping_keys(connection).await?;
    let number = wrapping.newest(&stored)?.number + 1;
    let keys = WrappingKey::generate(number, wrapping.master(), new)?;
    put_wrapping_keys(connection, &keys).await?;
    Ok((number, keys))
}

pub(super) async fn rewrap(
    connection: &mut PgConnection,
    wrapping: &WrappingKeys,
    number: i64,
    after: i64,
) -> Result<Option<i64>> {
    let stored = wrapping_keys(connection).await?;
    check_newest(&stored, number)?;
    let by = wrapping.newest(&stored)?;
    let keys: Vec<(i64, [u8; 8], Vec<u8>)> = sqlx::query_as(KEYS_AFTER)
        .bind(after)
        .bind(REWRAPPED_AT_ONCE)
        .fetch_all(&mut *connection)
        .await?;
    let last = keys.last().map(|(slot, ..)| *slot);
    let mut rewrapped = Vec::new();
    for (slot, id, wrapped) in keys {
        let at = KeyRef { slot, id };
        if let Some(wrapped) = wrapping.rewrap(at, &wrapped, &by)? {
            rewrapped.push((at, wrapped));
        }
    }
    run_with_keys(connection, REWRAP_KEYS, &rewrapped).await?;
    Ok(last)
}

pub(super) async fn retire_others(connection: &mut PgConnection, number: i64) -> Result<bool> {
    check_newest(&wrapping_keys(connection).await?, number)?;
    let is_in_use: bool = sqlx::query_scalar(IS_WRAPPED_BY_OTHER)
        .bind(number.to_be_bytes())
        .fetch_one(&mut *connection)
        .await?;
    if is_in_use {
        return Ok(false);
    }
    sqlx::query(RETIRE_OTHERS)
        .bind(number)
        .execute(&mut *connection)
        .await?;
    note_rewrite(connection).await?;
    Ok(true)
}

/// Notes that something was deleted whose bytes are still in a file.
pub(super) async fn note_rewrite(connection: &mut PgConnection) -> Result<()> {
    sqlx::query(NOTE_REWRITE).execute(connection).await?;
    Ok(())
}

/// Empties the spare tables if something is in them or in the tables that has to go, unless another
/// process does it already. Answers whether it did.
pub(super) async fn begin_rewrite(connection: &mut PgConnection) -> Result<bool> {
    let is_wanted = is(connection, TRY_REWRITER).await?
        && (is(connection, IS_REWRITE_DUE).await? || is(connection, IS_SPARE_IN_USE).await?);
    if is_wanted {
        empty_spare(connection).await?;
    }
    Ok(is_wanted)
}

/// Copies the tables to the spare ones, and lets these take their places. Answers `false` if that
/// is no longer wanted.
pub(super) async fn swap(connection: &mut PgConnection) -> Result<bool> {
    let is_wanted = is(connection, TRY_REWRITER).await?
        && is(connection, IS_REWRITE_DUE).await?
        && !is(connection, IS_SPARE_IN_USE).await?;
    if !is_wanted {
        return Ok(false);
    }
    be_patient(connection).await?;
    sqlx::raw_sql(SHORT_WAIT).execute(&mut *connection).await?;
    // Under this lock, every deletion has been committed.
    for statement in [LOCK_FOR_REWRITE, FORGET_REWRITE] {
        sqlx::query(statement).execute(&mut *connection).await?;
    }
    sqlx::raw_sql(COPY).execute(&mut *connection).await?;
    failpoint::reach("before-swap");
    sqlx::raw_sql(SWAP).execute(&mut *connection).await?;
    failpoint::reach("before-swap-is-committed");
    Ok(true)
}

/// Removes the files of the tables that were replaced.
pub(super) async fn end_rewrite(connection: &mut PgConnection) -> Result<()> {
    failpoint::reach("after-swap");
    sqlx::query(REWRITER).execute(&mut *connection).await?;
    empty_spare(connection).await
}

async fn empty_spare(connection: &mut PgConnection) -> Result<()> {
    be_patient(connection).await?;
    sqlx::raw_sql(SHORT_WAIT).execute(&mut *connection).await?;
    sqlx::query(EMPTY_SPARE).execute(connection).await?;
    Ok(())
}

async fn is(connection: &mut PgConnection, question: &'static str) -> Result<bool> {
    Ok(sqlx::query_scalar(question).fetch_one(connection).await?)
}
