//! The flags for the database and the key that protects it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};

use super::CliError;
use super::printed::quoted;
use crate::config::{DEFAULT_DATABASE_URL, DbConfig, MasterKey};
use crate::store::{Db, OpenError, full_path};

/// Where the data is.
#[derive(Clone, Debug, Args)]
pub(super) struct DatabaseArgs {
    /// Where the data is stored: `sqlite://path/to/file.db`, which the server creates in a folder that
    /// exists, or `postgres://…`
    #[arg(long, env = "CTXMEM_DATABASE_URL", default_value = DEFAULT_DATABASE_URL, global = true, value_name = "URL")]
    database_url: String,
    /// Another Postgres database for the keys of users, for where the log of the first is archived;
    /// otherwise they lie in a table of the first
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
    /// The database, which is created if it is not there.
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
            create: true,
            migrate: true,
            index_key: None,
        })
    }

    /// The flags that name the same database from any folder, beside the configuration file. A password
    /// is not printed, because what is printed may be kept: the environment or the file has it, or
    /// whoever gave it as a flag fills it in.
    pub(super) fn flags(&self, config: Option<&Path>) -> Vec<String> {
        let mut flags = Vec::new();
        if let Some(file) = config {
            flags.extend(["--config".to_owned(), quoted(&full_path(file))]);
        }
        match self.database_url.strip_prefix("sqlite:") {
            Some(rest) => {
                let rest = rest.strip_prefix("//").unwrap_or(rest);
                let (file, parameters) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
                let url = format!("sqlite://{}{parameters}", full_path(Path::new(file)));
                flags.extend(["--database-url".to_owned(), quoted(&url)]);
            }
            None => flags.extend(on_postgres(
                "--database-url",
                "CTXMEM_DATABASE_URL",
                &self.database_url,
                config,
            )),
        }
        if let Some(url) = &self.keys_database_url {
            let flag = "--keys-database-url";
            flags.extend(on_postgres(flag, "CTXMEM_KEYS_DATABASE_URL", url, config));
        }
        if let Some(file) = &self.master_key_file {
            flags.extend(["--master-key-file".to_owned(), quoted(&full_path(file))]);
        }
        flags
    }

    /// Opens the database for a command that needs one: a mistyped name must not create another, and a
    /// look must not take away the way back to an older version.
    pub(super) async fn open_existing(&self) -> Result<Db, CliError> {
        let config = DbConfig {
            create: false,
            migrate: false,
            ..self.config()?
        };
        Db::open(config).await.map_err(|error| match error {
            OpenError::Missing { .. } => CliError::Usage(format!(
                "{error}; name yours by --database-url or CTXMEM_DATABASE_URL (only the server, \
                 `migrate`, `import` and `restore` create one)"
            )),
            other => other.into(),
        })
    }
}

fn on_postgres(flag: &str, variable: &str, url: &str, config: Option<&Path>) -> Vec<String> {
    let value = if !holds_password(url) {
        quoted(url)
    } else if std::env::var_os(variable).is_some() {
        format!("\"${variable}\"")
    } else if config.is_some() || std::env::var_os(format!("{variable}_FILE")).is_some() {
        // It is read from there again.
        return Vec::new();
    } else {
        "'postgres://USER:PASSWORD@HOST/DATABASE'".to_owned()
    };
    vec![flag.to_owned(), value]
}

/// Whether there is a password in the URL of a Postgres database, which may name several hosts.
fn holds_password(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    let in_front = authority
        .rsplit_once('@')
        .is_some_and(|(user, _)| user.contains(':'));
    in_front || rest.contains("password=")
}

#[cfg(test)]
mod tests {
    use super::holds_password;

    #[test]
    fn a_password_is_found_wherever_it_stands() {
        for (url, expected) in [
            ("postgres://localhost/ctxmem", false),
            ("postgres://ann@db:5432/ctxmem", false),
            ("postgres://ann:secret@db/ctxmem", true),
            ("postgres://ann:secret@db1:5432,db2:5432/ctxmem", true),
            (
                "postgresql://db1:5432,db2:5432/ctxmem?target_session_attrs=read-write",
                false,
            ),
            (
                "postgres:///ctxmem?host=/run&user=ann&password=secret",
                true,
            ),
        ] {
            assert_eq!(holds_password(url), expected, "{url}");
        }
    }
}
