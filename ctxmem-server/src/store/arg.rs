//! The arguments of a statement, in terms that no engine owns.

use std::fmt;

use ctxmem_types::ScopeSet;
use sqlx::query::Query;
use sqlx::{Database, Encode, Postgres, Sqlite, Type};

/// One argument of a statement.
#[derive(Clone, Copy)]
pub(super) enum Arg<'a> {
    Text(Option<&'a str>),
    Int(Option<i64>),
    Bytes(Option<&'a [u8]>),
    /// On Postgres only.
    Column(&'a Column<'a>),
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

impl From<u32> for Arg<'_> {
    fn from(number: u32) -> Self {
        Self::Int(Some(number.into()))
    }
}

impl From<bool> for Arg<'_> {
    fn from(is_so: bool) -> Self {
        Self::Int(Some(is_so.into()))
    }
}

impl From<ScopeSet> for Arg<'_> {
    fn from(scopes: ScopeSet) -> Self {
        Self::Int(Some(scopes.bits().into()))
    }
}

impl<'a> From<&'a [u8]> for Arg<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(Some(bytes))
    }
}

impl<'a> From<&'a Vec<u8>> for Arg<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self::Bytes(Some(bytes))
    }
}

impl<'a> From<Option<&'a [u8; 32]>> for Arg<'a> {
    fn from(bytes: Option<&'a [u8; 32]>) -> Self {
        Self::Bytes(bytes.map(<[u8; 32]>::as_slice))
    }
}

impl<'a> From<&'a Column<'a>> for Arg<'a> {
    fn from(column: &'a Column<'a>) -> Self {
        Self::Column(column)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Arg<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::Bytes(Some(bytes))
    }
}

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

/// An engine that statements are bound for.
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

/// A statement with its arguments, for either engine.
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
        if let Self::Text(text) = self {
            text
        } else {
            None
        }
    }

    fn int(self) -> Option<i64> {
        if let Self::Int(number) = self {
            number
        } else {
            None
        }
    }

    fn bytes(self) -> Option<&'a [u8]> {
        if let Self::Bytes(bytes) = self {
            bytes
        } else {
            None
        }
    }
}
