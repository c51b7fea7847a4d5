//! Statements, their arguments and their rows, in terms that no engine owns.
//!
//! A statement is a constant beside the function that runs it. Placeholders are `$1`, `$2`,
//! …; columns are text, 64-bit integers or bytes. Every statement is listed by its file, so
//! that a test can prepare them all on a migrated database.

use ctxmem_types::ScopeSet;
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;

use super::StoreError;

/// A named SQL text.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// The name under which a test reports it.
    pub name: &'static str,
    /// The text.
    pub sql: &'static str,
}

/// Defines a statement as a constant that carries its own name.
macro_rules! statement {
    ($name:ident, $sql:literal) => {
        const $name: $crate::store::Statement = $crate::store::Statement {
            name: stringify!($name),
            sql: $sql,
        };
    };
}

pub(super) use statement;

/// One argument of a statement.
#[derive(Clone, Copy)]
pub(super) enum Arg<'a> {
    Text(Option<&'a str>),
    Int(Option<i64>),
    Bytes(&'a [u8]),
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
        Self::Bytes(bytes)
    }
}

/// One row of an answer.
pub(super) struct Row(pub(super) SqliteRow);

impl Row {
    pub(super) fn text(&self, column: &'static str) -> Result<String, StoreError> {
        Ok(self.0.try_get(column)?)
    }

    pub(super) fn text_or_null(&self, column: &'static str) -> Result<Option<String>, StoreError> {
        Ok(self.0.try_get(column)?)
    }

    pub(super) fn int(&self, column: &'static str) -> Result<i64, StoreError> {
        Ok(self.0.try_get(column)?)
    }

    pub(super) fn int_or_null(&self, column: &'static str) -> Result<Option<i64>, StoreError> {
        Ok(self.0.try_get(column)?)
    }

    pub(super) fn scopes(&self, column: &'static str) -> Result<ScopeSet, StoreError> {
        u8::try_from(self.int(column)?)
            .map(ScopeSet::from_bits)
            .map_err(|_| StoreError::Corrupt(column))
    }
}
