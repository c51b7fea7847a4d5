//! The compatibility check: which versions of ctxmem may use a database.
//!
//! The schema carries a compatibility number. A migration that processes of the version before can't
//! live with raises it. From then on no older process starts, and those that run stop writing: on
//! SQLite each transaction looks first; on Postgres a connection looks when it is opened, and the
//! migration ends those that are open (`raise_compatibility` in the schema).

use sqlx::{PgConnection, SqlitePool};

use super::statement::statements;
use super::{Result, StoreError, Tx};

/// The number that this version knows.
pub(super) const KNOWN: i64 = 2;

statements! {
    FIND_COMPATIBILITY: "SELECT number FROM compatibility";
}

impl Tx {
    /// Fails if a newer version has migrated the database.
    pub(super) async fn check_compatibility(&mut self) -> Result<()> {
        let row = self.find(FIND_COMPATIBILITY, &[]).await?;
        let row = row.ok_or(StoreError::corrupt("compatibility", "number"))?;
        check(row.int("number")?)
    }
}

pub(super) async fn check_sqlite(readers: &SqlitePool) -> Result<()> {
    let found = sqlx::query_scalar(FIND_COMPATIBILITY.sqlite);
    check(found.fetch_one(readers).await?)
}

pub(super) async fn check_postgres(connection: &mut PgConnection) -> Result<()> {
    let found = sqlx::query_scalar(FIND_COMPATIBILITY.postgres);
    check(found.fetch_one(connection).await?)
}

fn check(found: i64) -> Result<()> {
    if found > KNOWN {
        return Err(StoreError::Incompatible);
    }
    Ok(())
}
