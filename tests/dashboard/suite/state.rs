//! All that a database holds, for tests of what must change nothing.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};

use super::support::{ENGINE, Engine, Server};

/// What is noted some seconds after the call that it is about.
const NOTED_LATER: [&str; 4] = ["audit", "usage_days", "request_log", "request_days"];
/// When something was last used is no change.
const LAST_USE: [&str; 2] = ["seen_at", "last_used_at"];

/// The rows of each table, as text.
pub(crate) type State = BTreeMap<String, Vec<String>>;

/// Every row of every table, but for what is noted later.
pub(crate) async fn state(server: &Server) -> State {
    let url = server.store.url();
    let mut state = match *ENGINE {
        Engine::Sqlite => sqlite(&url).await,
        Engine::Postgres | Engine::Citus => postgres(&url).await,
    };
    state.retain(|table, _| !NOTED_LATER.contains(&&**table));
    // Health tries whether a write succeeds.
    if let Some(meta) = state.get_mut("meta") {
        meta.retain(|row| !row.contains("trial"));
    }
    state
}

pub(crate) fn changes(before: &State, after: &State) -> Vec<String> {
    let mut changes = Vec::new();
    for (table, rows) in before {
        let now = &after[table];
        let gone = rows.iter().filter(|row| !now.contains(row));
        changes.extend(gone.map(|row| format!("- {table}: {row}")));
        let new = now.iter().filter(|row| !rows.contains(row));
        changes.extend(new.map(|row| format!("+ {table}: {row}")));
    }
    changes
}

async fn sqlite(url: &str) -> State {
    let mut connection = SqliteConnection::connect(url).await.unwrap();
    let columns = sqlx::query_as(
        "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid",
    );
    let columns = columns.fetch_all(&mut connection).await.unwrap();
    let mut state = State::new();
    for (table, columns) in by_table(columns) {
        let columns = columns.iter();
        let columns = columns.map(|column| format!("'{column}=' || quote({column})"));
        let columns = columns.collect::<Vec<_>>().join(" || ' ' || ");
        let rows = format!("SELECT {columns} FROM {table} ORDER BY 1");
        let rows = sqlx::query_scalar(AssertSqlSafe(rows));
        state.insert(table, rows.fetch_all(&mut connection).await.unwrap());
    }
    state
}

async fn postgres(url: &str) -> State {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let columns = sqlx::query_as(
        "SELECT table_name::text, column_name::text FROM information_schema.columns
         WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position",
    );
    let columns = columns.fetch_all(&mut connection).await.unwrap();
    let mut state = State::new();
    for (table, columns) in by_table(columns) {
        let columns = columns.join(", ");
        let rows = format!(
            "SELECT row_to_json(found)::text FROM (SELECT {columns} FROM {table}) found ORDER BY 1"
        );
        let rows = sqlx::query_scalar(AssertSqlSafe(rows));
        state.insert(table, rows.fetch_all(&mut connection).await.unwrap());
    }
    state
}

fn by_table(columns: Vec<(String, String)>) -> BTreeMap<String, Vec<String>> {
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (table, column) in columns {
        let columns = tables.entry(table).or_default();
        if !LAST_USE.contains(&&*column) {
            columns.push(column);
        }
    }
    tables
}
