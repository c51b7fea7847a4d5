//! A connection in the hands of a unit of work.

use sqlx::pool::PoolConnection;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Sqlite, SqliteConnection, Transaction};

use super::statement::{Arg, Row, Statement};
use super::{Salt, StoreError};

/// What a unit of work reads and writes through. It can't commit: the store does.
pub struct Tx {
    pub(super) inner: Inner,
    pub(super) salt: Salt,
}

pub(super) enum Inner {
    /// Single statements on a reading connection, each with a snapshot of its own.
    Read(PoolConnection<Sqlite>),
    /// The one writing transaction.
    Write(Transaction<'static, Sqlite>),
}

impl Tx {
    fn connection(&mut self) -> &mut SqliteConnection {
        match &mut self.inner {
            Inner::Read(connection) => connection,
            Inner::Write(transaction) => transaction,
        }
    }

    /// Runs a statement and answers how many rows it touched.
    pub(super) async fn run(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
    ) -> Result<u64, StoreError> {
        let result = bind(statement, args).execute(self.connection()).await?;
        Ok(result.rows_affected())
    }

    /// Runs a statement that answers one row or none.
    pub(super) async fn find(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
    ) -> Result<Option<Row>, StoreError> {
        let row = bind(statement, args)
            .fetch_optional(self.connection())
            .await?;
        Ok(row.map(Row))
    }

    /// Runs a statement and answers all its rows.
    pub(super) async fn list(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        let rows = bind(statement, args).fetch_all(self.connection()).await?;
        Ok(rows.into_iter().map(Row).collect())
    }
}

fn bind<'a>(
    statement: Statement,
    args: &[Arg<'a>],
) -> sqlx::query::Query<'a, Sqlite, SqliteArguments> {
    args.iter()
        .fold(sqlx::query(statement.sql), |query, arg| match *arg {
            Arg::Text(text) => query.bind(text),
            Arg::Int(number) => query.bind(number),
            Arg::Bytes(bytes) => query.bind(bytes),
        })
}
