//! Statements on a connection to SQLite that the calling thread has for itself: nothing is
//! handed to another thread, and nothing is waited for but the file.

use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection};

use super::StoreError;
use super::statement::Arg;

/// One row of an answer.
pub(super) struct DirectRow {
    columns: Arc<[String]>,
    values: Vec<Value>,
}

impl DirectRow {
    /// The value of a column, which the statement is sure to have.
    pub(super) fn get(&self, column: &'static str) -> Result<&Value, StoreError> {
        let mut all = self.columns.iter().zip(&self.values);
        let found = all.find(|(name, _)| *name == column);
        found
            .map(|(_, value)| value)
            .ok_or(StoreError::Corrupt(column))
    }
}

/// Runs a statement and answers how many rows it changed.
pub(super) fn execute(
    connection: &Connection,
    sql: &str,
    args: &[Arg<'_>],
) -> Result<u64, rusqlite::Error> {
    let mut statement = bound(connection, sql, args)?;
    let mut rows = statement.raw_query();
    while rows.next()?.is_some() {}
    drop(rows);
    // After one that only reads, SQLite answers what the last one changed that wrote.
    let is_read = statement.readonly();
    Ok(if is_read { 0 } else { connection.changes() })
}

/// Runs a statement and answers its rows, up to so many.
pub(super) fn rows(
    connection: &Connection,
    sql: &str,
    args: &[Arg<'_>],
    most: usize,
) -> Result<Vec<DirectRow>, rusqlite::Error> {
    let mut statement = bound(connection, sql, args)?;
    let columns: Arc<[String]> = statement
        .column_names()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let mut rows = statement.raw_query();
    let mut found = Vec::new();
    while found.len() < most
        && let Some(row) = rows.next()?
    {
        found.push(DirectRow {
            columns: Arc::clone(&columns),
            values: (0..columns.len())
                .map(|column| row.get(column))
                .collect::<Result<_, _>>()?,
        });
    }
    Ok(found)
}

/// A statement with its arguments. SQLite counts placeholders as they come; ours say themselves
/// which argument they stand for.
fn bound<'c>(
    connection: &'c Connection,
    sql: &str,
    args: &[Arg<'_>],
) -> Result<CachedStatement<'c>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(sql)?;
    for at in 1..=statement.parameter_count() {
        let name = statement.parameter_name(at);
        let number: Option<usize> = name.and_then(|name| name.get(1..)?.parse().ok());
        let arg = number.and_then(|number| args.get(number.checked_sub(1)?));
        match *arg.ok_or(rusqlite::Error::InvalidParameterCount(args.len(), at))? {
            Arg::Text(text) => statement.raw_bind_parameter(at, text)?,
            Arg::Int(number) => statement.raw_bind_parameter(at, number)?,
            Arg::Bytes(bytes) => statement.raw_bind_parameter(at, bytes)?,
        }
    }
    Ok(statement)
}
