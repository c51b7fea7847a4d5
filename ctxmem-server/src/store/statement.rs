//! Statements, their arguments and their rows, in terms that no engine owns.
//!
//! A statement is a constant beside the function that runs it, written once where both
//! engines understand it and as a pair where they don't. Placeholders are `$1`, `$2`, …;
//! columns are text, 64-bit integers or bytes. Every statement is listed by its file, so
//! that a test can prepare them all on both migrated databases.

use ctxmem_types::ScopeSet;
use rusqlite::types::Value;
use sqlx::postgres::PgRow;
use sqlx::query::Query;
use sqlx::sqlite::SqliteRow;
use sqlx::{Database, Encode, Row as _, Type};

use super::StoreError;
use super::direct::DirectRow;

/// A named SQL text, in the dialect of each engine.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// The name under which a test reports it.
    pub name: &'static str,
    /// What SQLite runs; empty where it never does.
    pub sqlite: &'static str,
    /// What Postgres runs.
    pub postgres: &'static str,
    /// What it changes of what requests of agents depend on.
    pub(super) changes: Changes,
}

impl Statement {
    /// Whether it writes to tables.
    pub(super) fn writes(&self) -> bool {
        let verbs = ["INSERT", "UPDATE", "DELETE"];
        verbs.iter().any(|verb| self.sqlite.starts_with(verb))
    }
}

/// What a statement changes, as far as requests of agents depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Changes {
    /// Nothing that they depend on.
    Nothing,
    /// What is remembered of the users whom the unit of work names.
    Facts,
    /// What these users grant, or their epoch.
    Access,
    /// Anything else.
    All,
}

impl Changes {
    /// What is taken of a statement that does not say: to say so saves work, to forget it
    /// costs some.
    pub(super) const fn by_default(sql: &str) -> Self {
        match sql.as_bytes() {
            [b'S', b'E', b'L', b'E', b'C', b'T', ..] => Self::Nothing,
            _ => Self::All,
        }
    }
}

/// Defines a statement as a constant that carries its own name. What it changes stands
/// between, unless it is a `SELECT` or changes all.
macro_rules! statement {
    ($name:ident, $changes:ident, postgres: $postgres:literal) => {
        statement!($name, $changes, sqlite: "", postgres: $postgres);
    };
    ($name:ident, $($changes:ident,)? $sql:literal) => {
        statement!($name, $($changes,)? sqlite: $sql, postgres: $sql);
    };
    ($name:ident, sqlite: $sqlite:literal, postgres: $postgres:literal) => {
        const $name: $crate::store::Statement = $crate::store::Statement {
            name: stringify!($name),
            sqlite: $sqlite,
            postgres: $postgres,
            changes: $crate::store::statement::Changes::by_default($sqlite),
        };
    };
    ($name:ident, $changes:ident, sqlite: $sqlite:literal, postgres: $postgres:literal) => {
        const $name: $crate::store::Statement = $crate::store::Statement {
            name: stringify!($name),
            sqlite: $sqlite,
            postgres: $postgres,
            changes: $crate::store::statement::Changes::$changes,
        };
    };
}

pub(super) use statement;

/// One argument of a statement.
#[derive(Clone, Copy)]
pub(super) enum Arg<'a> {
    Text(Option<&'a str>),
    Int(Option<i64>),
    Bytes(Option<&'a [u8]>),
}

impl<'a> From<&'a str> for Arg<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Some(text))
    }
}

impl<'a> From<&'a String> for Arg<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Some(text))
    }
}

impl<'a> From<Option<&'a str>> for Arg<'a> {
    fn from(text: Option<&'a str>) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Arg<'_> {
    fn from(number: i64) -> Self {
        Self::Int(Some(number))
    }
}

impl From<Option<i64>> for Arg<'_> {
    fn from(number: Option<i64>) -> Self {
        Self::Int(number)
    }
}

impl<'a> From<&'a [u8; 32]> for Arg<'a> {
    fn from(bytes: &'a [u8; 32]) -> Self {
        Self::Bytes(Some(bytes))
    }
}

impl<'a> From<Option<&'a [u8; 32]>> for Arg<'a> {
    fn from(bytes: Option<&'a [u8; 32]>) -> Self {
        Self::Bytes(bytes.map(<[u8; 32]>::as_slice))
    }
}

/// A statement with its arguments, for either engine.
pub(super) fn bind<'a, DB>(
    sql: &'static str,
    args: &[Arg<'a>],
) -> Query<'a, DB, <DB as Database>::Arguments>
where
    DB: Database,
    Option<&'a str>: Encode<'a, DB> + Type<DB>,
    Option<i64>: Encode<'a, DB> + Type<DB>,
    Option<&'a [u8]>: Encode<'a, DB> + Type<DB>,
{
    args.iter().fold(sqlx::query(sql), |query, arg| match *arg {
        Arg::Text(text) => query.bind(text),
        Arg::Int(number) => query.bind(number),
        Arg::Bytes(bytes) => query.bind(bytes),
    })
}

/// One row of an answer.
pub(super) enum Row {
    Sqlite(SqliteRow),
    Direct(DirectRow),
    Postgres(PgRow),
}

/// The value of a column, from the row of either engine.
macro_rules! get {
    ($row:expr, $column:expr, $($value:pat => $read:expr),+) => {
        match $row {
            Row::Sqlite(row) => Ok(row.try_get($column)?),
            Row::Postgres(row) => Ok(row.try_get($column)?),
            Row::Direct(row) => match row.get($column)? {
                $($value => Ok($read),)+
                _ => Err(StoreError::Corrupt($column)),
            },
        }
    };
}

impl Row {
    pub(super) fn text(&self, column: &'static str) -> Result<String, StoreError> {
        get!(self, column, Value::Text(text) => text.clone())
    }

    pub(super) fn text_or_null(&self, column: &'static str) -> Result<Option<String>, StoreError> {
        get!(self, column, Value::Text(text) => Some(text.clone()), Value::Null => None)
    }

    pub(super) fn int(&self, column: &'static str) -> Result<i64, StoreError> {
        get!(self, column, Value::Integer(number) => *number)
    }

    pub(super) fn int_or_null(&self, column: &'static str) -> Result<Option<i64>, StoreError> {
        get!(self, column, Value::Integer(number) => Some(*number), Value::Null => None)
    }

    pub(super) fn bytes(&self, column: &'static str) -> Result<Vec<u8>, StoreError> {
        get!(self, column, Value::Blob(bytes) => bytes.clone())
    }

    pub(super) fn bytes_or_null(
        &self,
        column: &'static str,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        get!(self, column, Value::Blob(bytes) => Some(bytes.clone()), Value::Null => None)
    }

    pub(super) fn scopes(&self, column: &'static str) -> Result<ScopeSet, StoreError> {
        u8::try_from(self.int(column)?)
            .map(ScopeSet::from_bits)
            .map_err(|_| StoreError::Corrupt(column))
    }
}
