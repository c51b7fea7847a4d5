//! The transaction of a unit of work, through which it reads and writes.

use std::sync::Arc;

use rusqlite::Connection;
use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres, Sqlite, SqliteConnection, Transaction};

use super::arg::{Arg, bind, columns};
use super::change_set::ChangeSet;
use super::direct::Direct;
use super::keyring::Keyring;
use super::postgres::Pooled;
use super::row::{FromRow, Row};
use super::statement::Statement;
use super::user_keys::{KeyRef, UserCipher};
use super::{Hash, Result, StoreError};

/// The connection of a unit of work. A unit can't commit; the store does.
pub struct Tx {
    inner: Inner,
    is_distributed: bool,
    pub(super) keys: Keyring,
    /// The cipher of the user whom the unit named last, and whose key it has read.
    pub(super) cipher: Option<(Hash, Arc<UserCipher>)>,
    /// Keys that are no longer needed once the unit is committed.
    pub(super) retired_keys: Vec<KeyRef>,
    /// Whether a statement failed in a way that may not recur when the unit runs again.
    pub(super) worth_retrying: bool,
    pub(super) changes: ChangeSet,
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

/// The connection, by the library that runs its statements.
enum Connected<'c> {
    Sqlite(&'c mut SqliteConnection),
    Direct(&'c mut Direct),
    /// With whether Citus distributes the database.
    Postgres(&'c mut PgConnection, bool),
}

impl Connected<'_> {
    async fn execute(self, statement: Statement, args: &[Arg<'_>]) -> Result<u64> {
        Ok(match self {
            Self::Sqlite(connection) => {
                let bound = bind::<Sqlite>(statement.sqlite, args);
                bound.execute(connection).await?.rows_affected()
            }
            Self::Direct(direct) => direct.execute(statement, args)?,
            Self::Postgres(connection, is_distributed) => {
                let bound = bind::<Postgres>(statement.on_postgres(is_distributed), args);
                bound.execute(connection).await?.rows_affected()
            }
        })
    }

    async fn row(self, statement: Statement, args: &[Arg<'_>]) -> Result<Option<Row>> {
        Ok(match self {
            Self::Sqlite(connection) => {
                let bound = bind::<Sqlite>(statement.sqlite, args);
                bound.fetch_optional(connection).await?.map(Row::Sqlite)
            }
            Self::Direct(direct) => direct.rows(statement, args, 1)?.pop().map(Row::Direct),
            Self::Postgres(connection, is_distributed) => {
                let bound = bind::<Postgres>(statement.on_postgres(is_distributed), args);
                bound.fetch_optional(connection).await?.map(Row::Postgres)
            }
        })
    }

    async fn rows(self, statement: Statement, args: &[Arg<'_>]) -> Result<Vec<Row>> {
        Ok(match self {
            Self::Sqlite(connection) => {
                let rows = bind::<Sqlite>(statement.sqlite, args).fetch_all(connection);
                rows.await?.into_iter().map(Row::Sqlite).collect()
            }
            Self::Direct(direct) => {
                let rows = direct.rows(statement, args, usize::MAX)?;
                rows.into_iter().map(Row::Direct).collect()
            }
            Self::Postgres(connection, is_distributed) => {
                let bound = bind::<Postgres>(statement.on_postgres(is_distributed), args);
                let rows = bound.fetch_all(connection).await?;
                rows.into_iter().map(Row::Postgres).collect()
            }
        })
    }
}

impl Tx {
    pub(super) fn new(inner: Inner, keys: Keyring, is_distributed: bool) -> Self {
        Self {
            inner,
            is_distributed,
            keys,
            cipher: None,
            retired_keys: Vec::new(),
            worth_retrying: false,
            changes: ChangeSet::default(),
            failure: None,
        }
    }

    fn connected(&mut self) -> Connected<'_> {
        match &mut self.inner {
            Inner::SqliteRead(connection) => Connected::Sqlite(connection),
            Inner::SqliteSnapshot(connection) => Connected::Sqlite(connection),
            Inner::SqliteWrite(direct) => Connected::Direct(direct),
            Inner::PostgresRead(Pooled(connection)) => {
                Connected::Postgres(connection, self.is_distributed)
            }
            Inner::PostgresTransaction(connection) => {
                Connected::Postgres(connection, self.is_distributed)
            }
        }
    }

    /// Runs a statement that may change any number of rows.
    pub(super) async fn run(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<()> {
        self.execute(statement, args).await.map(drop)
    }

    /// Runs a statement and answers how many rows it changes.
    pub(super) async fn execute(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<u64> {
        let changed = self.connected().execute(statement, args).await;
        self.noted(statement, changed, |changed| *changed > 0)
    }

    /// Runs a statement that must change one row, which is named by its id or user key.
    pub(super) async fn run_one<'a>(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
        table: &'static str,
        row: impl Into<Arg<'a>>,
    ) -> Result<()> {
        match self.execute(statement, args).await? {
            1 => Ok(()),
            affected => Err(StoreError::RowsAffected {
                table,
                row: row.into().to_string(),
                affected,
            }),
        }
    }

    /// Runs a statement for each of these rows: on Postgres another one for all of them, whose
    /// arguments are the columns.
    pub(super) async fn run_each<const N: usize>(
        &mut self,
        [one, all]: [Statement; 2],
        rows: &[[Arg<'_>; N]],
    ) -> Result<()> {
        if !self.shares_statements() {
            for row in rows {
                self.run(one, row).await?;
            }
        } else if let Some(first) = rows.first() {
            let columns = columns(rows, *first);
            self.run(all, &columns.each_ref().map(Arg::from)).await?;
        }
        Ok(())
    }

    /// Runs a statement that answers one row or none.
    pub(super) async fn find(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
    ) -> Result<Option<Row>> {
        let found = self.connected().row(statement, args).await;
        self.noted(statement, found, Option::is_some)
    }

    /// Like [`Tx::find`], with what the row says.
    pub(super) async fn find_as<T: FromRow>(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
    ) -> Result<Option<T>> {
        self.find_with(statement, args, T::from_row).await
    }

    /// Like [`Tx::find`], with what is made of the row.
    pub(super) async fn find_with<T>(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
        read: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<Option<T>> {
        let row = self.find(statement, args).await?;
        row.as_ref().map(read).transpose()
    }

    /// Runs a statement and answers all its rows.
    pub(super) async fn list(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
    ) -> Result<Vec<Row>> {
        let found = self.connected().rows(statement, args).await;
        self.noted(statement, found, |rows: &Vec<Row>| !rows.is_empty())
    }

    /// Runs a statement on Postgres whose arguments are the columns of these rows, each of a type, and
    /// answers all its rows.
    pub(super) async fn list_of<const N: usize>(
        &mut self,
        statement: Statement,
        asked: &[[Arg<'_>; N]],
        types: [Arg<'_>; N],
    ) -> Result<Vec<Row>> {
        let columns = columns(asked, types);
        self.list(statement, &columns.each_ref().map(Arg::from))
            .await
    }

    /// Like [`Tx::list`], with what each row says.
    pub(super) async fn list_as<T: FromRow>(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
    ) -> Result<Vec<T>> {
        self.list_with(statement, args, T::from_row).await
    }

    /// Like [`Tx::list`], with what is made of each row.
    pub(super) async fn list_with<T>(
        &mut self,
        statement: Statement,
        args: &[Arg<'_>],
        read: impl FnMut(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let rows = self.list(statement, args).await?;
        rows.iter().map(read).collect()
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

    pub(super) async fn commit(self) -> Result<(), sqlx::Error> {
        if let Inner::PostgresTransaction(transaction) = self.inner {
            transaction.commit().await?;
        }
        Ok(())
    }

    /// Notes of a statement whether it found a row, or why it failed.
    fn noted<T>(
        &mut self,
        statement: Statement,
        outcome: Result<T>,
        has_found: impl FnOnce(&T) -> bool,
    ) -> Result<T> {
        match &outcome {
            Ok(found) => self.changes.note(statement, has_found(found)),
            Err(failure) => {
                self.worth_retrying |= failure.is_worth_retrying();
                self.changes.note_failure();
                self.keys.trouble().note(failure);
                self.failure.get_or_insert_with(|| failure.clone());
            }
        }
        outcome
    }
}
