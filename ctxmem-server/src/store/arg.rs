//! The arguments of a statement, in terms that no engine owns.

use std::fmt;

use ctxmem_types::ScopeSet;
use sqlx::query::Query;
use sqlx::{Database, Encode, Postgres, Sqlite, Type};

use super::Hash;

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

/// Collects plain values and optional ones into a column.
macro_rules! collect {
    ($($value:ty, $variant:ident;)+) => {$(
        impl<'a> FromIterator<$value> for Column<'a> {
            fn from_iter<I: IntoIterator<Item = $value>>(values: I) -> Self {
                Self::$variant(values.into_iter().map(Into::into).collect())
            }
        }
    )+};
}

collect! {
    i64, Ints;
    Option<i64>, Ints;
    &'a str, Texts;
    Option<&'a str>, Texts;
    Option<&'a [u8]>, Bytes;
}

/// Of arguments of one type. There is at least one, which says of which.
impl<'a> FromIterator<Arg<'a>> for Column<'a> {
    fn from_iter<I: IntoIterator<Item = Arg<'a>>>(args: I) -> Self {
        let (mut ints, mut texts, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        for arg in args {
            match arg {
                Arg::Int(number) => ints.push(number),
                Arg::Text(text) => texts.push(text),
                Arg::Bytes(some) => bytes.push(some),
                Arg::Column(_) => {}
            }
        }
        if !ints.is_empty() {
            Self::Ints(ints)
        } else if !texts.is_empty() {
            Self::Texts(texts)
        } else {
            Self::Bytes(bytes)
        }
    }
}

impl<'a> FromIterator<&'a Hash> for Column<'a> {
    fn from_iter<I: IntoIterator<Item = &'a Hash>>(values: I) -> Self {
        values.into_iter().map(Some).collect()
    }
}

impl<'a> FromIterator<Option<&'a Hash>> for Column<'a> {
    fn from_iter<I: IntoIterator<Item = Option<&'a Hash>>>(values: I) -> Self {
        let values = values.into_iter();
        values
            .map(|value| value.map(<[u8; 32]>::as_slice))
            .collect()
    }
}
