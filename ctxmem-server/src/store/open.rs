//! Opening a database by its URL.

use std::fmt;
use std::sync::Arc;

use sqlx::Connection as _;

use super::arg::Arg;
use super::keyring::Keyring;
use super::metrics::StoreMetrics;
use super::statement::statements;
use super::user_keys::{IndexKey, MasterKey, UserKeys};
use super::{Db, Engine, Hash, OpenError, Result, StoreError, Tx, postgres, sqlite};

statements! {
    // If several processes start at once on an empty database, one of them writes this.
    OFFER_KEYS_CHECK:
        "INSERT INTO meta (name, value) VALUES ('keys_check', $1) ON CONFLICT DO NOTHING";
    FIND_KEYS_CHECK: "SELECT value FROM meta WHERE name = 'keys_check'";
}

/// Where a database is, where its users' keys are, and what protects these.
#[derive(Clone)]
pub struct DbConfig {
    /// `sqlite://path/to/file.db` or `postgres://user:password@host:port/database`, which may name
    /// several hosts.
    pub url: String,
    /// Another Postgres database for the users' keys. Without it they lie beside the file, or in
    /// a table of the same Postgres database.
    pub keys_url: Option<String>,
    /// The key that the users' keys are wrapped by.
    pub master_key: Option<Arc<MasterKey>>,
    /// Whether a database that is not there is created.
    pub create: bool,
    /// Whether one of an older version is migrated.
    pub migrate: bool,
    /// The key of the index of a database that is created, for one that takes over all of another.
    pub index_key: Option<IndexKey>,
}

/// URLs may hold passwords, so nothing is shown.
impl fmt::Debug for DbConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DbConfig").finish_non_exhaustive()
    }
}

impl<U: Into<String>> From<U> for DbConfig {
    /// Only the URL, of a database that is created if it is not there.
    fn from(url: U) -> Self {
        Self {
            url: url.into(),
            keys_url: None,
            master_key: None,
            create: true,
            migrate: true,
            index_key: None,
        }
    }
}

impl Db {
    /// Opens the database at `sqlite://path/to/file.db` or at
    /// `postgres://user:password@host:port/database`, and the key database that belongs to it.
    /// Migrates its schema and creates one that is not there, if the configuration says so.
    pub async fn open(config: impl Into<DbConfig>) -> Result<Self, OpenError> {
        let config = config.into();
        let url = &*config.url;
        let metrics = Arc::new(StoreMetrics::new(url.starts_with("sqlite:")));
        let (engine, keys) = if url.starts_with("sqlite:") {
            if config.keys_url.is_some() {
                return Err(OpenError::KeysUrl);
            }
            let (engine, keys) = sqlite::Engine::open(&config, &metrics).await?;
            (Engine::Sqlite(engine), keys)
        } else if is_postgres(url) {
            let keys_url = config.keys_url.as_deref();
            if keys_url.is_some_and(|keys_url| !is_postgres(keys_url)) {
                return Err(OpenError::KeysUrl);
            }
            let (engine, home) = postgres::Engine::open(url.parse()?, &config, &metrics).await?;
            // They are never distributed: to destroy a key takes one place where its bytes are.
            let master = config.master_key.as_deref();
            let keys = if let Some(keys_url) = keys_url {
                home.1.close().await?;
                UserKeys::open_postgres(keys_url.parse()?, master, config.index_key).await?
            } else {
                UserKeys::open_beside(home, master, config.index_key).await?
            };
            (Engine::Postgres(engine), Keyring::new(keys))
        } else {
            return Err(OpenError::Url);
        };
        let db = Self {
            engine,
            keys,
            metrics,
        };
        let own = db.keys.index_hash([b"keys check"]);
        let known: Vec<u8> = db
            .write(move |tx| Box::pin(async move { keys_check(tx, &own).await }))
            .await?;
        if known == own {
            Ok(db)
        } else {
            Err(OpenError::OtherKeys)
        }
    }

    /// Has Citus distribute the database over the workers that its coordinator knows, or what of it is
    /// not distributed yet. A database that is not there is made. Tells each step before it is taken.
    /// Running it again completes it.
    pub async fn distribute(
        config: &DbConfig,
        tell: &(dyn Fn(&str) + Sync),
    ) -> Result<(), OpenError> {
        if !is_postgres(&config.url) {
            return Err(OpenError::NoCluster(
                "it is not on Postgres; Citus is an extension of Postgres",
            ));
        }
        postgres::Engine::distribute(config.url.parse()?, tell).await
    }

    /// The key under which this database looks users up.
    pub fn index_key(&self) -> &IndexKey {
        self.keys.index_key()
    }

    /// Protects the users' keys by another master key, also while other processes use them. Running it
    /// again completes it.
    pub async fn rotate_master_key(&self, new: &MasterKey) -> Result<()> {
        self.keys.rotate(Some(new)).await
    }
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres:") || url.starts_with("postgresql:")
}

/// By what the database knows its key database: the offered hash if it has none yet.
async fn keys_check(tx: &mut Tx, offered: &Hash) -> Result<Vec<u8>> {
    let mut row = tx.find(FIND_KEYS_CHECK, &[]).await?;
    if row.is_none() {
        tx.run(OFFER_KEYS_CHECK, &[Arg::from(offered)]).await?;
        row = tx.find(FIND_KEYS_CHECK, &[]).await?;
    }
    row.ok_or(StoreError::corrupt("meta", "name").in_row("keys_check"))?
        .bytes("value")
}
