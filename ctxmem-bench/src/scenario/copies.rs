//! Users in large numbers: copies of the rows of those who are there, under other keys. A million by
//! updates would take hours. Copies have no entries in the table of users' keys, and are not asked for.

use std::ops::Range;

use sqlx::AssertSqlSafe;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;

const TABLES: [&str; 4] = ["users", "grants", "facts", "audit"];

/// The columns of a table of Postgres, and what a copy has there.
const POSTGRES_COLUMNS: &str = "
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum),
           string_agg(CASE attname WHEN 'user_key' THEN 'sha256(t.user_key || int8send(n))'
                      ELSE 't.' || quote_ident(attname) END, ', ' ORDER BY attnum)
    FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped";

const SQLITE_COLUMNS: &str = "
    SELECT group_concat(name, ', '),
           group_concat(CASE name WHEN 'user_key' THEN 'copies.copy' ELSE 't.' || name END, ', ')
    FROM pragma_table_info($1)";

const SQLITE_KEYS: &str = "
    CREATE TEMPORARY TABLE copies AS
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)
    SELECT user_key, randomblob(32) AS copy FROM users CROSS JOIN numbers";

/// Stores copies with these numbers of every user, and does what housekeeping would do sooner or later.
pub(super) async fn on_postgres(connection: &mut PgConnection, numbers: Range<usize>) {
    for table in TABLES {
        let columns = sqlx::query_as(POSTGRES_COLUMNS).bind(table);
        let (names, values): (String, String) = columns.fetch_one(&mut *connection).await.unwrap();
        let copy = format!(
            "INSERT INTO {table} ({names})
             SELECT {values} FROM {table} t, generate_series({}, {}) n",
            numbers.start,
            numbers.end - 1
        );
        let copy = sqlx::query(AssertSqlSafe(copy));
        copy.execute(&mut *connection).await.unwrap();
    }
    let tidy = format!("VACUUM ANALYZE {}", TABLES.join(", "));
    let tidy = sqlx::query(AssertSqlSafe(tidy));
    tidy.execute(connection).await.unwrap();
}

pub(super) async fn on_sqlite(connection: &mut SqliteConnection, copies: i64) {
    let keys = sqlx::query(SQLITE_KEYS).bind(copies);
    keys.execute(&mut *connection).await.unwrap();
    for table in TABLES {
        let columns = sqlx::query_as(SQLITE_COLUMNS).bind(table);
        let (names, values): (String, String) = columns.fetch_one(&mut *connection).await.unwrap();
        let copy = format!(
            "INSERT INTO {table} ({names})
             SELECT {values} FROM copies CROSS JOIN {table} t ON t.user_key = copies.user_key"
        );
        let copy = sqlx::query(AssertSqlSafe(copy));
        copy.execute(&mut *connection).await.unwrap();
    }
}
