//! How many bytes a user takes on disk, on both engines.

use ctxmem_test_postgres::Cluster;
use sqlx::postgres::PgPool;
use sqlx::sqlite::SqlitePool;

use super::Bench;
use super::data::converse;
use crate::server::Server;

/// What each user says, turn by turn.
const MESSAGES: [&str; 3] = [
    "My name is Ada. I live in Lisbon. My time zone is Europe/Lisbon.",
    "I use Helix as my editor. I prefer Rust over Go. Please keep your answers short.",
    "I'm working on a parser for invoices. My manager is called Grace.",
];

/// Tables and their indexes, of which a user has rows or bytes worth speaking of.
const TABLES: &str = "
    SELECT relname::text, reltuples::bigint, pg_table_size(oid), pg_indexes_size(oid)
    FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    ORDER BY pg_total_relation_size(oid) DESC LIMIT 6";

pub(super) async fn run(bench: &Bench) {
    let users = bench.plan.stored_users;
    println!(
        "\n### size: {users} users with {} turns each\n",
        MESSAGES.len()
    );
    println!("| what | rows | bytes a user | of them indexes |\n|---|---|---|---|");
    let told = |_| MESSAGES.map(str::to_owned);
    let server = Server::on_sqlite(&bench.server, &[]);
    let server = converse(server, users, told).await;
    on_sqlite(&server, users).await;
    drop(server);
    let cluster = Cluster::start(&["synchronous_commit=off", "max_wal_size=4GB"]);
    let url = cluster.url("postgres");
    let server = Server::on_postgres(&bench.server, &url, &[]);
    converse(server, users, told).await;
    on_postgres(&url, users).await;
}

/// The files, once the logs are written into them.
async fn on_sqlite(server: &Server, users: usize) {
    for file in ["ctxmem.db", "ctxmem.db-keys"] {
        let url = format!("sqlite://{}", server.path(file).display());
        let pool = SqlitePool::connect(&url).await.unwrap();
        sqlx::query("PRAGMA wal_checkpoint")
            .execute(&pool)
            .await
            .unwrap();
        pool.close().await;
        let bytes = std::fs::metadata(server.path(file)).unwrap().len();
        println!("| SQLite: `{file}` | | {} | |", each(bytes, users));
    }
}

async fn on_postgres(url: &str, users: usize) {
    let pool = PgPool::connect(url).await.unwrap();
    sqlx::query("VACUUM ANALYZE").execute(&pool).await.unwrap();
    let tables: Vec<(String, i64, i64, i64)> =
        sqlx::query_as(TABLES).fetch_all(&pool).await.unwrap();
    let mut all = 0;
    for (name, rows, table, indexes) in tables {
        let bytes = u64::try_from(table + indexes).unwrap();
        let indexes = each(u64::try_from(indexes).unwrap(), users);
        println!(
            "| Postgres: `{name}` | {rows} | {} | {indexes} |",
            each(bytes, users)
        );
        all += bytes;
    }
    println!("| Postgres: these tables | | {} | |", each(all, users));
}

fn each(bytes: u64, users: usize) -> u64 {
    bytes / u64::try_from(users).unwrap()
}
