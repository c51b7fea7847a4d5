//! A row of an answer, in terms that no engine owns.

use ctxmem_types::ScopeSet;
use rusqlite::types::Value;
use secrecy::SecretString;
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

        impl $crate::store::row::FromColumn for $name {
            fn from_column(
                row: &$crate::store::row::Row,
                table: &'static str,
                column: &'static str,
            ) -> $crate::store::Result<Self> {
                let found = Self::from_text(&row.text(column)?);
                found.ok_or($crate::store::StoreError::corrupt(table, column))
            }
        }

        impl From<$name> for $crate::store::arg::Arg<'_> {
            fn from(value: $name) -> Self {
                value.as_str().into()
            }
        }
    };
}

pub(super) use named;

/// What is read from a row.
pub(super) trait FromRow: Sized {
    fn from_row(row: &Row) -> Result<Self>;
}

/// What is read from a column of a table.
pub(super) trait FromColumn: Sized {
    fn from_column(row: &Row, table: &'static str, column: &'static str) -> Result<Self>;
}

/// Reads each of these fields from the column of a table that has its name.
macro_rules! from_row {
    ($name:ident in $table:literal: $($column:ident),+ $(,)?) => {
        impl $crate::store::row::FromRow for $name {
            fn from_row(row: &$crate::store::row::Row) -> $crate::store::Result<Self> {
                use $crate::store::row::FromColumn;
                Ok(Self {
                    $($column: FromColumn::from_column(row, $table, stringify!($column))?,)+
                })
            }
        }
    };
}

/// The same, and what stores them: the arguments for these columns, in this order.
macro_rules! stored {
    ($name:ident in $table:literal: $($column:ident),+ $(,)?) => {
        $crate::store::row::from_row!($name in $table: $($column),+);

        impl $name {
            pub(in $crate::store) fn args(&self) -> Vec<$crate::store::arg::Arg<'_>> {
                vec![$((&self.$column).into()),+]
            }
        }
    };
}

pub(super) use {from_row, stored};

macro_rules! readable {
    ($($type:ty: |$row:ident, $table:pat_param, $column:ident| $read:expr,)+) => {$(
        impl FromColumn for $type {
            fn from_column(
                $row: &Row,
                $table: &'static str,
                $column: &'static str,
            ) -> Result<Self> {
                $read
            }
        }
    )+};
}

readable! {
    String: |row, _, column| row.text(column),
    Option<String>: |row, _, column| row.text_or_null(column),
    SecretString: |row, _, column| Ok(row.text(column)?.into()),
    i64: |row, _, column| row.int(column),
    Option<i64>: |row, _, column| row.int_or_null(column),
    bool: |row, _, column| Ok(row.int(column)? != 0),
    Vec<u8>: |row, _, column| row.bytes(column),
    Hash: |row, table, column| row.hash(table, column),
    ScopeSet: |row, table, column| row.scopes(table, column),
}

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

    pub(super) fn hash(&self, table: &'static str, column: &'static str) -> Result<Hash> {
        let hash = self.bytes(column)?;
        Hash::try_from(hash).map_err(|_| StoreError::corrupt(table, column))
    }

    /// The number of the question that this row answers, of several.
    pub(super) fn number(&self) -> Result<usize> {
        usize::try_from(self.int("n")?).map_err(|_| StoreError::corrupt("asked", "n"))
    }

    pub(super) fn scopes(&self, table: &'static str, column: &'static str) -> Result<ScopeSet> {
        u8::try_from(self.int(column)?)
            .map(ScopeSet::from_bits)
            .map_err(|_| StoreError::corrupt(table, column))
    }
}
