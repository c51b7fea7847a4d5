//! Statements on a connection to SQLite that the calling thread has for itself: nothing is
//! handed to another thread, and nothing is waited for but the file.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection};

use super::StoreError;
use super::statement::{Arg, Statement};

/// A connection in the hands of one thread.
pub(super) struct Direct {
    connection: Connection,
    /// By the name of the statement.
    shapes: HashMap<&'static str, Arc<Shape>>,
}

/// What SQLite makes of a statement, which takes longer to ask than to run it.
struct Shape {
    /// The argument that each placeholder stands for. SQLite counts placeholders as they come;
    /// ours say themselves which argument they mean.
    args: Vec<usize>,
    columns: Vec<String>,
}

/// One row of an answer.
pub(super) struct DirectRow {
    shape: Arc<Shape>,
    values: Vec<Value>,
}

impl DirectRow {
    /// The value of a column, which the statement is sure to have.
    pub(super) fn get(&self, column: &'static str) -> Result<&Value, StoreError> {
        let mut all = self.shape.columns.iter().zip(&self.values);
        let found = all.find(|(name, _)| *name == column);
        found
            .map(|(_, value)| value)
            .ok_or(StoreError::Corrupt(column))
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

    /// Runs a statement that writes and answers how many rows it changed.
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

    /// Runs a statement and answers its rows, up to so many.
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

    /// A statement with its arguments.
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
                None => return Err(rusqlite::Error::InvalidParameterCount(args.len(), at)),
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
            // One without a number gets no argument, and fails when it is run.
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
