//! Tests of what statements declare that they change.

use super::*;
use crate::store::statements;

/// What requests of agents depend on.
const TABLES: [&str; 6] = [
    "facts",
    "users",
    "grants",
    "api_keys",
    "agents",
    "developers",
];

/// They write when something was last used, on which no request depends.
const USE_ONLY: [&str; 3] = ["USE_GRANT", "USE_GRANTS", "USE_KEY"];

/// The words of a text without what stands between and around them.
fn words(sql: &str) -> Vec<&str> {
    let words = sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).collect()
}

fn written(sql: &str) -> Vec<&str> {
    let words = words(sql);
    let pairs = words.windows(2).enumerate();
    let tables = pairs.filter_map(|(at, pair)| match *pair {
        ["INTO" | "UPDATE", table] => Some(table),
        ["DELETE", "FROM"] => words.get(at + 2).copied(),
        _ => None,
    });
    // The end of an upsert, and the lock of a row.
    tables
        .filter(|table| !["SET", "SKIP", "OF"].contains(table))
        .collect()
}

#[test]
fn a_text_is_known_by_the_tables_to_which_it_writes() {
    for (sql, tables) in [
        ("SELECT a FROM facts WHERE b = $1 FOR UPDATE", &[][..]),
        ("INSERT INTO facts (a) VALUES ($1)", &["facts"]),
        (
            "INSERT INTO meta (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = 1",
            &["meta"],
        ),
        ("DELETE FROM users WHERE a = $1", &["users"]),
        (
            "WITH a AS (UPDATE users SET b = 1) INSERT INTO audit SELECT 1; DELETE FROM facts",
            &["users", "audit", "facts"],
        ),
    ] {
        assert_eq!(written(sql), tables, "{sql}");
    }
}

#[test]
fn whatever_requests_depend_on_is_not_written_in_silence() {
    let mut found = 0;
    for statement in statements() {
        let tables = [written(statement.sqlite), written(statement.postgres)].concat();
        let matters = tables.iter().any(|table| TABLES.contains(table));
        if matters && !USE_ONLY.contains(&statement.name) {
            found += 1;
            let name = statement.name;
            assert_ne!(
                statement.changes,
                Changes::Nothing,
                "{name} changes {tables:?}"
            );
        }
    }
    assert!(found > 20, "only {found} statements write");
}

#[test]
fn what_belongs_to_no_single_user_changes_all() {
    for statement in statements() {
        let tables = written(statement.sqlite);
        let mut of_all = tables.iter().filter(|table| TABLES[3..].contains(table));
        if !USE_ONLY.contains(&statement.name)
            && let Some(table) = of_all.next()
        {
            assert_eq!(
                statement.changes,
                Changes::All,
                "{} writes {table}",
                statement.name
            );
        }
    }
}

#[test]
fn what_a_grant_or_an_epoch_depends_on_is_more_than_facts() {
    for statement in statements() {
        let tables = written(statement.sqlite);
        let epoch = tables.contains(&"users") && words(statement.sqlite).contains(&"epoch");
        if !USE_ONLY.contains(&statement.name) && (epoch || tables.contains(&"grants")) {
            assert_ne!(statement.changes, Changes::Facts, "{}", statement.name);
        }
    }
}
