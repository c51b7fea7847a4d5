//! The transaction of a unit of work, through which it reads and writes.

use std::sync::Arc;

use rusqlite::Connection;
use sqlx::pool::PoolConnection;
use sqlx::{Postgres, Sqlite, Transaction};

use super::arg::{Arg, bind};
use super::change_set::ChangeSet;
use super::direct::Direct;
use super::keyring::Keyring;
use super::postgres::Pooled;
use super::row::Row;
use super::statement::Statement;
use super::user_keys::{KeyRef, UserCipher};
use super::{Hash, Result, StoreError};

/// The connection of a unit of work. A unit can't commit; the store does.
pub struct Tx {
    inner: Inner,
    /// Whether Citus distributes the database.
    is_distributed: bool,
    pub(super) keys: Keyring,
    /// The cipher of the user whom the unit named last, and whose key it has read.
    pub(super) cipher: Option<(Hash, Arc<UserCipher>)>,
    /// Keys that are no longer needed once the unit is committed.
    pub(super) retired_keys: Vec<KeyRef>,
    /// Whether a statement failed in a way that may not recur when the unit runs again.
    pub(super) worth_retrying: bool,
    /// What the unit has changed so far.
    pub(super) changes: ChangeSet,
    /// The first failure of a statement.
    pub(super) failure: Option<StoreError>,
}

/// A reading connection, on which each statement has a snapshot of its own, or a transaction.
pub(super) enum Inner {
    SqliteRead(PoolConnection<Sqlite>),
    /// Every statement sees the same snapshot.
    SqliteSnapshot(Transaction<'static, Sqlite>),
    /// Used by the writer thread only.
    SqliteWrite(Direct),
    PostgresRead(Pooled),
    /// It writes, or sees one snapshot.
    PostgresTransaction(Transaction<'static, Postgres>),
}

/// Runs one call of sqlx, or on the writer's connection the closure that stands for it.
macro_rules! on {
    ($tx:expr, $statement:expr, $args:expr, $call:ident, $direct:expr) => {
        match &mut $tx.inner {
            Inner::SqliteRead(connection) => bind::<Sqlite>($statement.sqlite, $args)
                .$call(&mut **connection)
                .await
                .map(Into::into)
                .map_err(Failure::from),
            Inner::SqliteSnapshot(connection) => bind::<Sqlite>($statement.sqlite, $args)
                .$call(&mut **connection)
                .await
                .map(Into::into)
                .map_err(Failure::from),
            Inner::SqliteWrite(connection) => $direct(connection).map_err(Failure::from),
            Inner::PostgresRead(connection) => {
                bind::<Postgres>($statement.on_postgres($tx.is_distributed), $args)
                    .$call(&mut **connection)
                    .await
                    .map(Into::into)
                    .map_err(Failure::from)
            }
            Inner::PostgresTransaction(connection) => {
                bind::<Postgres>($statement.on_postgres($tx.is_distributed), $args)
                    .$call(&mut **connection)
                    .await
                    .map(Into::into)
                    .map_err(Failure::from)
            }
        }
    };
}

impl Tx {
    pub(super) fn new(inner: Inner, keys: Keyring) -> Self {
        Self {
            inner,
            is_distributed: false,
            keys,
            cipher: None,
            retired_keys: Vec::new(),
            worth_retrying: false,
            changes: ChangeSet::default(),
            failure: None,
        }
    }

    /// The same on a database that Citus distributes, or not.
    pub(super) fn distributed(mut self, is_distributed: bool) -> Self {
        self.is_distributed = is_distributed;
        self
    }

    /// Runs a statement and answers how many rows it changes.
    pub(super) async fn run(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<u64> {
        let direct = |connection: &mut Direct| connection.execute(statement, args).map(Affected);
        let done: Result<Affected, _> = on!(self, statement, args, execute, direct);
        let rows = done.map_err(|failure| self.note(failure))?.0;
        self.changes.note(statement, rows > 0);
        Ok(rows)
    }

    /// Runs a statement that must change one row, which is named by its id or user key.
    pub(super) async fn run_one<'a>(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
        table: &'static str,
        row: impl Into<Arg<'a>>,
    ) -> Result<()> {
        match self.run(statement, args).await? {
            1 => Ok(()),
            affected => Err(StoreError::RowsAffected {
                table,
                row: row.into().to_string(),
                affected,
            }),
        }
    }

    /// Runs a statement that answers one row or none.
    pub(super) async fn find(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
    ) -> Result<Option<Row>> {
        let direct = |connection: &mut Direct| {
            let rows = connection.rows(statement, args, 1)?;
            Ok::<_, rusqlite::Error>(Found(rows.into_iter().next().map(Row::Direct)))
        };
        let found: Result<Found, _> = on!(self, statement, args, fetch_optional, direct);
        let row = found.map_err(|failure| self.note(failure))?.0;
        self.changes.note(statement, row.is_some());
        Ok(row)
    }

    /// Runs a statement and answers all its rows.
    pub(super) async fn list(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
    ) -> Result<Vec<Row>> {
        let direct = |connection: &mut Direct| {
            let rows = connection.rows(statement, args, usize::MAX)?;
            Ok::<_, rusqlite::Error>(Listed(rows.into_iter().map(Row::Direct).collect()))
        };
        let found: Result<Listed, _> = on!(self, statement, args, fetch_all, direct);
        let rows = found.map_err(|failure| self.note(failure))?.0;
        self.changes.note(statement, !rows.is_empty());
        Ok(rows)
    }

    /// Notes that the unit names a user: it may change something of them.
    pub(super) fn name_user(&mut self, user_key: Hash) {
        if let Inner::SqliteWrite(_) = self.inner {
            self.changes.name(user_key);
        }
    }

    pub(super) fn is_postgres(&self) -> bool {
        matches!(
            self.inner,
            Inner::PostgresRead(_) | Inner::PostgresTransaction(_)
        )
    }

    /// Whether Citus distributes the database.
    pub(super) fn is_distributed(&self) -> bool {
        self.is_distributed
    }

    /// Whether one statement serves many users or agents. On SQLite it is no dearer to go row by row,
    /// and where the database is distributed each row goes to the machine of its user.
    pub(super) fn shares_statements(&self) -> bool {
        self.is_postgres() && !self.is_distributed
    }

    /// The connection of the thread that writes to SQLite.
    pub(super) fn connection(&self) -> Option<&Connection> {
        match &self.inner {
            Inner::SqliteWrite(direct) => Some(direct.connection()),
            _ => None,
        }
    }

    /// Commits a transaction on Postgres.
    pub(super) async fn commit(self) -> Result<(), sqlx::Error> {
        if let Inner::PostgresTransaction(transaction) = self.inner {
            transaction.commit().await?;
        }
        Ok(())
    }

    fn note(&mut self, failure: Failure) -> StoreError {
        self.worth_retrying |= failure.is_worth_retrying;
        self.changes.note_failure();
        self.keys.trouble().note(&failure.error);
        self.failure.get_or_insert_with(|| failure.error.clone());
        failure.error
    }
}

/// Why a statement failed.
struct Failure {
    error: StoreError,
    is_worth_retrying: bool,
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self {
            is_worth_retrying: is_worth_retrying(&error),
            error: error.into(),
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self {
            is_worth_retrying: false,
            error: error.into(),
        }
    }
}

/// Whether the database gave up a transaction that would have succeeded alone, in a serialization
/// failure or a deadlock.
pub(super) fn is_worth_retrying(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code)
        .is_some_and(|code| code == "40001" || code == "40P01")
}

/// How many rows a statement changes, on either engine.
struct Affected(u64);

impl From<sqlx::sqlite::SqliteQueryResult> for Affected {
    fn from(done: sqlx::sqlite::SqliteQueryResult) -> Self {
        Self(done.rows_affected())
    }
}

impl From<sqlx::postgres::PgQueryResult> for Affected {
    fn from(done: sqlx::postgres::PgQueryResult) -> Self {
        Self(done.rows_affected())
    }
}

/// One row or none, of either engine.
struct Found(Option<Row>);

impl From<Option<sqlx::sqlite::SqliteRow>> for Found {
    fn from(row: Option<sqlx::sqlite::SqliteRow>) -> Self {
        Self(row.map(Row::Sqlite))
    }
}

impl From<Option<sqlx::postgres::PgRow>> for Found {
    fn from(row: Option<sqlx::postgres::PgRow>) -> Self {
        Self(row.map(Row::Postgres))
    }
}

/// All rows, of either engine.
struct Listed(Vec<Row>);

impl From<Vec<sqlx::sqlite::SqliteRow>> for Listed {
    fn from(rows: Vec<sqlx::sqlite::SqliteRow>) -> Self {
        Self(rows.into_iter().map(Row::Sqlite).collect())
    }
}

impl From<Vec<sqlx::postgres::PgRow>> for Listed {
    fn from(rows: Vec<sqlx::postgres::PgRow>) -> Self {
        Self(rows.into_iter().map(Row::Postgres).collect())
    }
}
