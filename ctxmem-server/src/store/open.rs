//! Opening a database by its URL.

use std::sync::Arc;

use sqlx::migrate::MigrateError;

use super::statement::statement;
use super::{Db, Engine, OpenError, Salt, Statement, StoreError, Tx, postgres, sqlite};

pub(super) const STATEMENTS: &[Statement] = &[OFFER_SALT, FIND_SALT];

// Of several processes that start at once on an empty database, one makes the salt.
statement!(
    OFFER_SALT,
    "INSERT INTO meta (name, value) VALUES ('user_salt', $1) ON CONFLICT DO NOTHING"
);
statement!(FIND_SALT, "SELECT value FROM meta WHERE name = 'user_salt'");

impl Db {
    /// Opens the database, creates it where the engine can, and brings its schema up to
    /// date. `sqlite://path/to/file.db` or `postgres://user:password@host:port/database`.
    pub async fn open(url: &str) -> Result<Self, OpenError> {
        let engine = if url.starts_with("sqlite:") {
            Engine::Sqlite(sqlite::Engine::open(url).await?)
        } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            Engine::Postgres(postgres::Engine::open(url).await?)
        } else {
            return Err(OpenError::Url);
        };
        let unsalted = Self {
            engine,
            salt: Salt::default(),
        };
        let fresh: Arc<Salt> = Arc::new(rand::random());
        let salt = unsalted
            .write(move |tx| {
                let fresh = Arc::clone(&fresh);
                Box::pin(async move { salt(tx, &fresh).await })
            })
            .await?;
        Ok(Self { salt, ..unsalted })
    }
}

/// The salt of this database, made at its first opening.
async fn salt(tx: &mut Tx, fresh: &Salt) -> Result<Salt, StoreError> {
    tx.run(OFFER_SALT, &[fresh.into()]).await?;
    let row = tx.find(FIND_SALT, &[]).await?;
    row.ok_or(StoreError::Corrupt("meta"))?
        .bytes("value")?
        .try_into()
        .map_err(|_| StoreError::Corrupt("meta.value"))
}

/// Says of a schema that is newer than this binary just that.
pub(super) fn migrated(result: Result<(), MigrateError>) -> Result<(), OpenError> {
    result.map_err(|error| match error {
        MigrateError::VersionMissing(found) => OpenError::NewerSchema { found },
        error => error.into(),
    })
}
