//! The flags for the database and the key that protects it.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};

use super::CliError;
use crate::config::{DEFAULT_DATABASE_URL, DbConfig, MasterKey};

/// Where the data is.
#[derive(Clone, Debug, Args)]
pub(super) struct DatabaseArgs {
    /// Where the data is stored: `sqlite://path/to/file.db`, created if missing, or `postgres://…`
    #[arg(long, env = "CTXMEM_DATABASE_URL", default_value = DEFAULT_DATABASE_URL, global = true, value_name = "URL")]
    database_url: String,
    /// Another Postgres database for the keys of users, where the log of the first is archived
    /// [default: a table of the first]
    #[arg(
        long,
        env = "CTXMEM_KEYS_DATABASE_URL",
        global = true,
        value_name = "URL"
    )]
    keys_database_url: Option<String>,
    /// A file with 32 bytes in base64 or hexadecimal that protects the keys of users [default: none]
    #[arg(
        long,
        env = "CTXMEM_MASTER_KEY_FILE",
        global = true,
        value_name = "FILE"
    )]
    master_key_file: Option<PathBuf>,
    /// The same 32 bytes, from the environment only
    #[arg(
        long = "master-key",
        env = "CTXMEM_MASTER_KEY",
        hide = true,
        hide_env_values = true,
        global = true,
        conflicts_with = "master_key_file",
        value_name = "KEY"
    )]
    master_key: Option<SecretString>,
}

impl DatabaseArgs {
    pub(super) fn config(&self) -> Result<DbConfig, CliError> {
        let master_key = match (&self.master_key_file, &self.master_key) {
            (Some(file), _) => Some(MasterKey::from_file(file).map_err(|error| {
                CliError::Usage(format!("--master-key-file {}: {error}", file.display()))
            })?),
            (None, Some(text)) => Some(
                MasterKey::parse(text.expose_secret())
                    .map_err(|error| CliError::Usage(format!("CTXMEM_MASTER_KEY: {error}")))?,
            ),
            (None, None) => None,
        };
        Ok(DbConfig {
            url: self.database_url.clone(),
            keys_url: self.keys_database_url.clone(),
            master_key: master_key.map(Arc::new),
        })
    }
}
