//! The migrations of both schemas, compiled into the binary.
//!
//! `sqlx::migrate!` would find the files itself, but its macro crate builds both database
//! drivers, SQLite and the TLS library a second time, for the machine that compiles: a
//! quarter of what a cold build takes. So the files are listed here, and a test compares
//! the list with the folders.

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{PgConnection, Row as _, SqlSafeStr as _, SqliteConnection};

use super::OpenError;

/// Name, SQL for SQLite and SQL for Postgres of each migration, oldest first.
macro_rules! migrations {
    ($($name:literal),+ $(,)?) => {
        &[$((
            $name,
            include_str!(concat!("../../migrations/sqlite/", $name, ".sql")),
            include_str!(concat!("../../migrations/postgres/", $name, ".sql")),
        )),+]
    };
}

const MIGRATIONS: &[(&str, &str, &str)] = migrations![
    "0007_baseline",
    "0008_consent",
    "0010_kept_corrections",
    "0011_dashboard",
    "0012_teams",
    "0013_distributed",
    "0015_consent_needs",
    "0016_oauth",
    "0017_auto_delete",
    "0018_verified_website"
];

/// The number of the first migration. Those before it, which were never released, made another
/// schema.
const BASELINE: i64 = 7;

pub(super) fn newest() -> i64 {
    sqlite()
        .iter()
        .map(|migration| migration.version)
        .max()
        .unwrap_or(BASELINE)
}

/// Whether this database on Postgres was ever migrated.
pub(super) async fn are_in_postgres(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    // Nothing is prepared, so this works with poolers in every mode.
    let found = sqlx::raw_sql("SELECT to_regclass('_sqlx_migrations') IS NOT NULL");
    found.fetch_one(connection).await?.try_get(0)
}

const NEWEST_RUN: &str = "SELECT MAX(version) FROM _sqlx_migrations";

/// Fails where a database on SQLite has to be migrated. A new one has not.
pub(super) async fn check_sqlite(
    connection: &mut SqliteConnection,
    place: String,
) -> Result<(), OpenError> {
    let tables = "SELECT COUNT(*) FROM sqlite_master WHERE name = '_sqlx_migrations'";
    let tables: i64 = sqlx::query_scalar(tables)
        .fetch_one(&mut *connection)
        .await?;
    if tables == 0 {
        return Ok(());
    }
    check(
        sqlx::query_scalar(NEWEST_RUN).fetch_one(connection).await?,
        place,
    )
}

/// Fails where a database on Postgres, which is not new, has to be migrated.
pub(super) async fn check_postgres(
    connection: &mut PgConnection,
    place: String,
) -> Result<(), OpenError> {
    // Nothing is prepared, so this works with poolers in every mode.
    let row = sqlx::raw_sql(NEWEST_RUN).fetch_one(connection).await?;
    check(row.try_get(0)?, place)
}

fn check(run: Option<i64>, place: String) -> Result<(), OpenError> {
    match run {
        // The migrator says what is too old, and a creation that was interrupted goes on.
        Some(run) if (BASELINE..newest()).contains(&run) => Err(OpenError::Outdated(place)),
        _ => Ok(()),
    }
}

pub(super) fn sqlite() -> Migrator {
    let migrations = MIGRATIONS.iter();
    migrator(migrations.map(|&(name, sqlite, _)| (name, sqlite)))
}

pub(super) fn postgres() -> Migrator {
    let migrations = MIGRATIONS.iter();
    migrator(migrations.map(|&(name, _, postgres)| (name, postgres)))
}

fn migrator(migrations: impl Iterator<Item = (&'static str, &'static str)>) -> Migrator {
    let migrations = migrations.map(|(name, sql)| {
        // What follows the number, as sqlx writes it: databases in use have it stored.
        let (version, description) = name.split_once('_').unwrap_or((name, name));
        // A test compares the numbers with those that sqlx reads.
        let version = version.parse().unwrap_or(BASELINE);
        Migration::new(
            version,
            description.replace('_', " ").into(),
            MigrationType::Simple,
            sql.into_sql_str(),
            false,
        )
    });
    Migrator::with_migrations(migrations.collect())
}

/// Reports a migration that this binary doesn't know as a schema that is too new.
pub(super) fn migrated(result: Result<(), MigrateError>) -> Result<(), OpenError> {
    result.map_err(|error| match error {
        MigrateError::VersionMissing(found) if found < BASELINE => OpenError::OldSchema,
        MigrateError::VersionMissing(found) => OpenError::NewerSchema(found),
        error => error.into(),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Reads a folder of migrations as `sqlx::migrate!` does.
    async fn in_folder(name: &str) -> Migrator {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        Migrator::new(folder.join(name)).await.unwrap()
    }

    fn list(migrator: &Migrator) -> Vec<(i64, &str, &[u8])> {
        migrator
            .iter()
            .map(|migration| {
                (
                    migration.version,
                    &*migration.description,
                    &*migration.checksum,
                )
            })
            .collect()
    }

    /// Lines that Citus can't send on to other machines: it sends the text that it was given, so a
    /// statement which changes a table that is distributed must come by itself, by `EXECUTE`.
    fn not_by_themselves(sql: &str) -> Vec<&str> {
        let changes = ["ALTER TABLE", "CREATE INDEX", "CREATE UNIQUE INDEX", "DROP"];
        let is_own = |line: &str| {
            // An index names its table behind ON.
            let (_, named) = line.split_once(" ON ").unwrap_or(("", line));
            let at = if named == line { 2 } else { 0 };
            let table = named.split_whitespace().nth(at).unwrap_or_default();
            sql.contains(&format!("CREATE TABLE {table} "))
        };
        let lines = sql.lines();
        lines
            .filter(|line| changes.iter().any(|change| line.starts_with(change)) && !is_own(line))
            .collect()
    }

    #[test]
    fn what_changes_distributed_tables_comes_by_itself() {
        // A database is distributed when these have run.
        const BEFORE: i64 = 13;
        for migration in postgres().iter() {
            if migration.version > BEFORE {
                let found = not_by_themselves(migration.sql.as_str());
                assert!(found.is_empty(), "{}: {found:?}", migration.version);
            }
        }
        let bare = "ALTER TABLE users ADD COLUMN later BIGINT;";
        assert_eq!(not_by_themselves(bare), [bare]);
        assert!(
            not_by_themselves("    EXECUTE 'ALTER TABLE users ADD COLUMN later BIGINT';")
                .is_empty()
        );
        assert!(
            not_by_themselves("CREATE TABLE new (\n);\nALTER TABLE new ADD COLUMN x;").is_empty()
        );
        let index = "CREATE INDEX users_x ON users (x);";
        assert_eq!(not_by_themselves(index), [index]);
        let own = format!("CREATE TABLE new (\n);\n{}", index.replace("users", "new"));
        assert!(not_by_themselves(&own).is_empty());
    }

    #[tokio::test]
    async fn every_file_is_listed_under_its_number() {
        assert_eq!(list(&sqlite()), list(&in_folder("sqlite").await));
        assert_eq!(list(&postgres()), list(&in_folder("postgres").await));
    }
}
