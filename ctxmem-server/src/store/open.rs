//! Opening a database by its URL.

use std::sync::Arc;

use super::statement::statements;
use super::{Db, Engine, OpenError, Salt, StoreError, Tx, postgres, sqlite};

statements! {
    // If several processes start at once on an empty database, one of them makes the salt.
    OFFER_SALT: "INSERT INTO meta (name, value) VALUES ('user_salt', $1) ON CONFLICT DO NOTHING";
    FIND_SALT: "SELECT value FROM meta WHERE name = 'user_salt'";
}

impl Db {
    /// Opens the database at `sqlite://path/to/file.db`, which is created if it is missing, or at
    /// `postgres://user:password@host:port/database`. Migrates its schema.
    ///
    /// # Errors
    ///
    /// When the URL is of another form, a newer version of ctxmem has migrated the schema, or the
    /// database can't be reached.
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
        let candidate: Arc<Salt> = Arc::new(rand::random());
        let salt = unsalted
            .write(move |tx| {
                let candidate = Arc::clone(&candidate);
                Box::pin(async move { salt(tx, &candidate).await })
            })
            .await?;
        Ok(Self { salt, ..unsalted })
    }
}

/// The salt of this database: the candidate if it has none yet.
async fn salt(tx: &mut Tx, candidate: &Salt) -> Result<Salt, StoreError> {
    tx.run(OFFER_SALT, &[candidate.into()]).await?;
    let row = tx.find(FIND_SALT, &[]).await?;
    row.ok_or(StoreError::corrupt("meta", "name").in_row("user_salt"))?
        .bytes("value")?
        .try_into()
        .map_err(|_| StoreError::corrupt("meta", "value").in_row("user_salt"))
}
