//! A row of an answer, in terms that no engine owns.

use ctxmem_types::ScopeSet;
use rusqlite::types::Value;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;

use super::direct::DirectRow;
use super::{Hash, Result, StoreError};

/// One row of an answer.
pub enum Row {
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
                (at, other) => Err(rusqlite::Error::InvalidColumnType(
                    at,
                    $column.to_owned(),
                    other.data_type(),
                ))?,
            },
        }
    };
}

/// Texts that stand for the variants of an enum in the database.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// Every one, in the order of their definition.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// How it is stored, and written in exports.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// The one that is stored like this.
            pub fn from_text(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

pub(super) use named;

impl Row {
    pub(super) fn text(&self, column: &'static str) -> Result<String> {
        get!(self, column, (_, Value::Text(text)) => text.clone())
    }

    pub(super) fn text_or_null(&self, column: &'static str) -> Result<Option<String>> {
        get!(self, column, (_, Value::Text(text)) => Some(text.clone()), (_, Value::Null) => None)
    }

    pub(super) fn int(&self, column: &'static str) -> Result<i64> {
        get!(self, column, (_, Value::Integer(number)) => *number)
    }

    pub(super) fn int_or_null(&self, column: &'static str) -> Result<Option<i64>> {
        get!(self, column, (_, Value::Integer(number)) => Some(*number), (_, Value::Null) => None)
    }

    pub(super) fn bytes(&self, column: &'static str) -> Result<Vec<u8>> {
        get!(self, column, (_, Value::Blob(bytes)) => bytes.clone())
    }

    pub(super) fn bytes_or_null(&self, column: &'static str) -> Result<Option<Vec<u8>>> {
        get!(self, column, (_, Value::Blob(bytes)) => Some(bytes.clone()), (_, Value::Null) => None)
    }

    /// The hash in a column of this table.
    pub(super) fn hash(&self, table: &'static str, column: &'static str) -> Result<Hash> {
        let hash = self.bytes(column)?;
        Hash::try_from(hash).map_err(|_| StoreError::corrupt(table, column))
    }

    /// The number of the question that this row answers, of several.
    pub(super) fn number(&self) -> Result<usize> {
        usize::try_from(self.int("n")?).map_err(|_| StoreError::corrupt("asked", "n"))
    }

    /// The set of scopes in a column of this table.
    pub(super) fn scopes(&self, table: &'static str, column: &'static str) -> Result<ScopeSet> {
        u8::try_from(self.int(column)?)
            .map(ScopeSet::from_bits)
            .map_err(|_| StoreError::corrupt(table, column))
    }
}
