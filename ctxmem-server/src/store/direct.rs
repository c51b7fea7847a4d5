//! Runs statements on the SQLite connection of the writer thread, in that thread.
//!
//! This exists for speed only. sqlx runs each SQLite statement on another thread and sends each row
//! back, which takes several times as long as a small statement itself (decision 009).

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection};

use super::arg::Arg;
use super::statement::Statement;

/// A connection that one thread uses alone.
pub(super) struct Direct {
    connection: Connection,
    /// By the name of the statement.
    shapes: HashMap<&'static str, Arc<Shape>>,
}

/// The arguments and columns of a prepared statement. To ask SQLite for them takes longer than to
/// run the statement.
struct Shape {
    /// The argument that each placeholder stands for. SQLite numbers placeholders in the order of
    /// their appearance; ours are named after the number of their argument.
    args: Vec<usize>,
    columns: Vec<String>,
}

/// One row of an answer.
pub struct DirectRow {
    shape: Arc<Shape>,
    values: Vec<Value>,
}

impl DirectRow {
    /// The value of a column, and the column's number.
    pub(super) fn get(&self, column: &str) -> Result<(usize, &Value), rusqlite::Error> {
        let mut all = self.shape.columns.iter().zip(&self.values).enumerate();
        let found = all.find(|(_, (name, _))| *name == column);
        found
            .map(|(at, (_, value))| (at, value))
            .ok_or_else(|| rusqlite::Error::InvalidColumnName(column.to_owned()))
    }
}

impl Direct {
    pub(super) fn new(connection: Connection) -> Self {
        Self {
            connection,
            shapes: HashMap::new(),
        }
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Runs a statement that writes, and answers how many rows it changed.
    pub(super) fn execute(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
    ) -> Result<u64, rusqlite::Error> {
        let (mut prepared, _) = self.bound(statement, args)?;
        let mut rows = prepared.raw_query();
        while rows.next()?.is_some() {}
        drop(rows);
        drop(prepared);
        Ok(self.connection.changes())
    }

    /// Runs a statement and answers at most this many of its rows.
    pub(super) fn rows(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
        most: usize,
    ) -> Result<Vec<DirectRow>, rusqlite::Error> {
        let (mut prepared, shape) = self.bound(statement, args)?;
        let mut rows = prepared.raw_query();
        let mut found = Vec::new();
        while found.len() < most
            && let Some(row) = rows.next()?
        {
            found.push(DirectRow {
                values: (0..shape.columns.len())
                    .map(|column| row.get(column))
                    .collect::<Result<_, _>>()?,
                shape: Arc::clone(&shape),
            });
        }
        Ok(found)
    }

    fn bound(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
    ) -> Result<(CachedStatement<'_>, Arc<Shape>), rusqlite::Error> {
        let mut prepared = self.connection.prepare_cached(statement.sqlite)?;
        let shape = self
            .shapes
            .entry(statement.name)
            .or_insert_with(|| Arc::new(Shape::of(&prepared)));
        for (at, arg) in (1..).zip(&shape.args) {
            match args.get(*arg) {
                Some(Arg::Text(text)) => prepared.raw_bind_parameter(at, text)?,
                Some(Arg::Int(number)) => prepared.raw_bind_parameter(at, number)?,
                Some(Arg::Bytes(bytes)) => prepared.raw_bind_parameter(at, bytes)?,
                Some(Arg::Column(_)) | None => {
                    return Err(rusqlite::Error::InvalidParameterCount(args.len(), at));
                }
            }
        }
        Ok((prepared, Arc::clone(shape)))
    }
}

impl Shape {
    fn of(prepared: &rusqlite::Statement<'_>) -> Self {
        let arg = |at| {
            let number: Option<usize> = prepared.parameter_name(at)?.get(1..)?.parse().ok();
            number?.checked_sub(1)
        };
        Self {
            // A placeholder without a number gets no argument: running the statement fails.
            args: (1..=prepared.parameter_count())
                .map(|at| arg(at).unwrap_or(usize::MAX))
                .collect(),
            columns: prepared
                .column_names()
                .into_iter()
                .map(str::to_owned)
                .collect(),
        }
    }
}
