//! Disk usage per user, on both engines.

use ctxmem_test_postgres::Cluster;
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;

use super::Bench;
use super::copies;
use super::data::converse;
use crate::report;
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

/// How many users are made by updates.
const USERS: usize = 100_000;

/// So many copies of each make ten times as many.
const COPIES: u8 = 9;

pub(super) async fn run(bench: &Bench) {
    println!(
        "\n### size: users with {} turns each (more than {USERS}: copies)\n",
        MESSAGES.len()
    );
    report::head("users | what | rows | bytes a user | of them indexes");
    let told = |_| MESSAGES.map(str::to_owned);
    let server = Server::on_sqlite(&bench.server, &[]);
    let server = converse(server, USERS, told).await;
    on_sqlite(&server).await;
    drop(server);
    let cluster = Cluster::start(&["synchronous_commit=off", "max_wal_size=4GB"]);
    let url = cluster.url("postgres");
    let server = Server::on(&bench.server, &url, &[]);
    // Its housekeeping would come in between.
    drop(converse(server, USERS, told).await);
    on_postgres(&url).await;
}

/// The files, once the logs are written into them.
async fn on_sqlite(server: &Server) {
    let connect = async |file| {
        let url = format!("sqlite://{}", server.path(file).display());
        SqliteConnection::connect(&url).await.unwrap()
    };
    let print = |name, file, users| {
        let bytes = std::fs::metadata(server.path(file)).unwrap().len();
        println!(
            "| {users} | SQLite: `{name}` | | {} | |",
            each(bytes, users)
        );
    };
    for file in ["ctxmem.db-keys", "ctxmem.db"] {
        let mut connection = connect(file).await;
        let checkpoint = sqlx::query("PRAGMA wal_checkpoint");
        checkpoint.execute(&mut connection).await.unwrap();
        print(file, file, USERS);
    }
    // The server goes on with its own file.
    std::fs::copy(server.path("ctxmem.db"), server.path("copies.db")).unwrap();
    let mut connection = connect("copies.db").await;
    // Each page is written once.
    let settings = "PRAGMA journal_mode = OFF; PRAGMA cache_size = -2000000";
    sqlx::raw_sql(settings)
        .execute(&mut connection)
        .await
        .unwrap();
    copies::on_sqlite(&mut connection, COPIES.into()).await;
    connection.close().await.unwrap();
    print("ctxmem.db", "copies.db", ten_times(USERS));
}

async fn on_postgres(url: &str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let tidy = sqlx::query("VACUUM ANALYZE");
    tidy.execute(&mut connection).await.unwrap();
    print_tables(&mut connection, USERS).await;
    copies::on_postgres(&mut connection, 0..COPIES.into()).await;
    print_tables(&mut connection, ten_times(USERS)).await;
}

fn ten_times(users: usize) -> usize {
    users * (1 + usize::from(COPIES))
}

async fn print_tables(connection: &mut PgConnection, users: usize) {
    let tables: Vec<(String, i64, i64, i64)> =
        sqlx::query_as(TABLES).fetch_all(connection).await.unwrap();
    let mut all = 0;
    for (name, rows, table, indexes) in tables {
        let bytes = u64::try_from(table + indexes).unwrap();
        let indexes = each(u64::try_from(indexes).unwrap(), users);
        println!(
            "| {users} | Postgres: `{name}` | {rows} | {} | {indexes} |",
            each(bytes, users)
        );
        all += bytes;
    }
    println!(
        "| {users} | Postgres: these tables | | {} | |",
        each(all, users)
    );
}

fn each(bytes: u64, users: usize) -> u64 {
    bytes / u64::try_from(users).unwrap()
}
