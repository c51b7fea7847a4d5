//! The arguments of a statement, in terms that no engine owns.

use std::fmt;

use ctxmem_types::ScopeSet;
use sqlx::query::Query;
use sqlx::{Database, Encode, Postgres, Sqlite, Type};

use super::Hash;

#[derive(Clone, Copy)]
pub(super) enum Arg<'a> {
    Text(Option<&'a str>),
    Int(Option<i64>),
    Bytes(Option<&'a [u8]>),
    /// On Postgres only.
    Column(&'a Column<'a>),
}

/// What can be an argument.
macro_rules! arguments {
    ($($type:ty: |$value:ident| $arg:expr),+ $(,)?) => {$(
        impl<'a> From<$type> for Arg<'a> {
            fn from($value: $type) -> Self {
                $arg
            }
        }
    )+};
}

arguments! {
    &'a str: |text| Self::Text(Some(text)),
    &'a String: |text| Self::Text(Some(text)),
    Option<&'a str>: |text| Self::Text(text),
    &'a Option<String>: |text| Self::Text(text.as_deref()),
    i64: |number| Self::Int(Some(number)),
    &i64: |number| Self::Int(Some(*number)),
    Option<i64>: |number| Self::Int(number),
    &Option<i64>: |number| Self::Int(*number),
    u32: |number| Self::Int(Some(number.into())),
    bool: |is_so| Self::Int(Some(is_so.into())),
    &bool: |is_so| (*is_so).into(),
    ScopeSet: |scopes| Self::Int(Some(scopes.bits().into())),
    &ScopeSet: |scopes| (*scopes).into(),
    &'a [u8]: |bytes| Self::Bytes(Some(bytes)),
    &'a Vec<u8>: |bytes| Self::Bytes(Some(bytes)),
    Option<&'a [u8]>: |bytes| Self::Bytes(bytes),
    Option<&'a Hash>: |hash| Self::Bytes(hash.map(<[u8; 32]>::as_slice)),
    &'a Column<'a>: |column| Self::Column(column),
}

impl<'a, const N: usize> From<&'a [u8; N]> for Arg<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::Bytes(Some(bytes))
    }
}

/// The arguments of a statement, in the order of their numbers.
macro_rules! args {
    ($($arg:expr),* $(,)?) => {
        &[$($crate::store::arg::Arg::from($arg)),*]
    };
}

pub(super) use args;

/// As an error names a row: ids are shown as they are, hashes in hexadecimal.
impl fmt::Display for Arg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(Some(text)) => f.write_str(text),
            Self::Int(Some(number)) => number.fmt(f),
            Self::Bytes(Some(bytes)) => f.write_str(&hex::encode(bytes)),
            Self::Text(None) | Self::Int(None) | Self::Bytes(None) => f.write_str("NULL"),
            Self::Column(_) => f.write_str("many rows"),
        }
    }
}

pub(super) trait Bind: Database {
    fn bind_column<'a>(
        query: Query<'a, Self, <Self as Database>::Arguments>,
        column: &'a Column<'a>,
    ) -> Query<'a, Self, <Self as Database>::Arguments>;
}

impl Bind for Postgres {
    fn bind_column<'a>(
        query: Query<'a, Self, <Self as Database>::Arguments>,
        column: &'a Column<'a>,
    ) -> Query<'a, Self, <Self as Database>::Arguments> {
        match column {
            Column::Ints(values) => query.bind(values),
            Column::Texts(values) => query.bind(values),
            Column::Bytes(values) => query.bind(values),
        }
    }
}

impl Bind for Sqlite {
    /// SQLite has no arrays, and no statement that it runs takes one.
    fn bind_column<'a>(
        query: Query<'a, Self, <Self as Database>::Arguments>,
        _: &'a Column<'a>,
    ) -> Query<'a, Self, <Self as Database>::Arguments> {
        query.bind(None::<i64>)
    }
}

pub(super) fn bind<'a, DB>(
    sql: &'static str,
    args: &[Arg<'a>],
) -> Query<'a, DB, <DB as Database>::Arguments>
where
    DB: Bind,
    Option<&'a str>: Encode<'a, DB> + Type<DB>,
    Option<i64>: Encode<'a, DB> + Type<DB>,
    Option<&'a [u8]>: Encode<'a, DB> + Type<DB>,
{
    args.iter().fold(sqlx::query(sql), |query, arg| match *arg {
        Arg::Text(text) => query.bind(text),
        Arg::Int(number) => query.bind(number),
        Arg::Bytes(bytes) => query.bind(bytes),
        Arg::Column(column) => DB::bind_column(query, column),
    })
}

/// A column of many rows: an array, which Postgres unnests. Arrays go in binary form, which Postgres
/// reads in half the time that it takes for their text.
pub(super) enum Column<'a> {
    Ints(Vec<Option<i64>>),
    Texts(Vec<Option<&'a str>>),
    Bytes(Vec<Option<&'a [u8]>>),
}

/// The types of arguments.
pub(super) const INT: Arg<'static> = Arg::Int(None);
pub(super) const TEXT: Arg<'static> = Arg::Text(None);
pub(super) const BYTES: Arg<'static> = Arg::Bytes(None);

/// The columns of rows, of which there may be none. Each row has arguments of these types.
pub(super) fn columns<'a, const N: usize>(
    rows: &[[Arg<'a>; N]],
    types: [Arg<'_>; N],
) -> [Column<'a>; N] {
    std::array::from_fn(|n| {
        let column = rows.iter().map(|row| row[n]);
        match types[n] {
            Arg::Text(_) => Column::Texts(column.map(Arg::text).collect()),
            Arg::Bytes(_) => Column::Bytes(column.map(Arg::bytes).collect()),
            Arg::Int(_) | Arg::Column(_) => Column::Ints(column.map(Arg::int).collect()),
        }
    })
}

/// What is in an argument of this type.
impl<'a> Arg<'a> {
    fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => text,
            _ => None,
        }
    }

    fn int(self) -> Option<i64> {
        match self {
            Self::Int(number) => number,
            _ => None,
        }
    }

    fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => None,
        }
    }
}
