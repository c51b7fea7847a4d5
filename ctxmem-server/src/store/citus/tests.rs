//! A distributed database: how it comes about, and where its statements go. `scripts/citus.sh` runs
//! these tests, where Citus is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use ctxmem_test_postgres::{
    CitusDatabase, empty_citus_database, empty_database, fresh_citus_database,
};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};

use super::SETTINGS;
use super::tables::{self, How, TABLES};
use crate::store::tests::{
    RECORD, ada, committed, fact, found, grant, insert_agent_and_key, outcome, set, stored, write,
};
use crate::store::{
    Db, DbConfig, IdempotencyRecord, NewIdempotencyRecord, OpenError, Result, Statement,
    StoreError, statements,
};

/// What the code does not run where the database is distributed: it goes row by row instead.
const NOT_RUN: [&str; 14] = [
    "BEGIN",
    "COMMIT",
    "FIND_USER_KEYS",
    "INSERT_EVENTS",
    "INSERT_REQUESTS",
    "ADD_ALL_REQUESTS",
    "LOCK_USERS",
    "READ_UPDATE_SNAPSHOT",
    "RELEASE_SAVEPOINT",
    "ROLL_BACK",
    "ROLL_BACK_TO_SAVEPOINT",
    "SAVEPOINT",
    "STORE_UPDATES",
    "USE_GRANTS",
];

/// What asks several machines, and no request of an agent waits for: housekeeping, commands of
/// operators, metrics, pages of developers, and the sessions of a user.
const OF_ALL_MACHINES: [&str; 44] = [
    "COUNT_AUDIT_ENTRIES",
    "COUNT_CONSENT_REQUESTS",
    "COUNT_CONSENT_REQUESTS_OF_AGENT",
    "COUNT_DEVELOPER_SESSIONS",
    "COUNT_IDEMPOTENCY_RECORDS",
    "COUNT_LOGGED_REQUESTS",
    "COUNT_NOTED_KEYS",
    "COUNT_OIDC_SIGN_INS",
    "COUNT_SESSIONS",
    "COUNT_SIGN_IN_LINKS",
    "COUNT_STORED_FACTS",
    "COUNT_STORED_USERS",
    "COUNT_USERS",
    "DROP_EVENTS",
    "DROP_IDEMPOTENCY_CLAIMS",
    "DROP_IDEMPOTENCY_RECORDS",
    "DROP_OLD_CONSENT_REQUESTS",
    "DROP_OLD_DEVELOPER_SESSIONS",
    "DROP_OLD_LINKS",
    "DROP_OLD_OAUTH_CONNECTIONS",
    "DROP_OLD_OIDC_SIGN_INS",
    "DROP_OLD_SESSIONS",
    "DROP_REQUESTS",
    "DROP_REQUEST_DAYS",
    "DROP_USAGE",
    "END_ALL_DEVELOPER_SESSIONS",
    "END_ALL_LINKS",
    "END_ALL_OAUTH_CONNECTIONS",
    "END_ALL_OIDC_SIGN_INS",
    "END_ALL_SESSIONS",
    "END_DEVELOPER_SESSIONS",
    "END_SESSIONS_OF_USER",
    "EXPORT_EVENTS",
    "EXPORT_QUOTA",
    "EXPORT_USAGE",
    "EXPORT_USERS",
    "FIND_OLDEST_EVENT",
    "LIST_DUE",
    "LIST_EVENTS_OF_ALL",
    "LIST_NOTED_KEYS",
    "LIST_SESSIONS_OF_USER",
    "LIST_USAGE_OF_DEVELOPER",
    "NOTE_EXPIRED_GRANTS",
    "SUM_UP_AGENTS",
];

/// Tables that every machine has: what changes one is committed on all of them.
fn everywhere() -> impl Iterator<Item = &'static str> {
    let everywhere = TABLES
        .iter()
        .filter(|table| matches!(table.how, How::Everywhere));
    everywhere.map(|table| table.name)
}

/// Whether a statement changes such a table.
fn changes_everywhere(sql: &str) -> bool {
    let words: Vec<&str> = sql.split_whitespace().take(3).collect();
    let (["INSERT", "INTO", table] | ["DELETE", "FROM", table] | ["UPDATE", table, _]) = words[..]
    else {
        return false;
    };
    everywhere().any(|name| name == table)
}

async fn distribute(url: String) {
    let config = DbConfig::from(url);
    Db::distribute(&config, &|_| {}).await.unwrap();
    Db::open(config).await.unwrap().close().await;
}

async fn connect(url: &str) -> PgConnection {
    PgConnection::connect(url).await.unwrap()
}

async fn run(connection: &mut PgConnection, sql: &str) {
    let run = sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(connection);
    run.await.unwrap();
}

/// A value of a type, as SQL.
fn sample(type_name: &str) -> &'static str {
    match type_name {
        "bigint" | "integer" => "1",
        "text" => "'x'",
        "bytea" => "'\\x01'",
        "bigint[]" => "ARRAY[1]::bigint[]",
        "text[]" => "ARRAY['x']",
        "bytea[]" => "ARRAY['\\x01'::bytea]",
        other => panic!("no value of type {other}"),
    }
}

/// How many tasks a plan has, over all of its steps; those of a step that has none to tell count as
/// many.
fn tasks(plan: &Value) -> u64 {
    match plan {
        Value::Object(fields) => {
            let own = match fields.get("Custom Plan Provider").and_then(Value::as_str) {
                None | Some("Citus Adaptive") => 0,
                // It brings rows to this machine and sends them on.
                Some(_) => 1_000,
            };
            let below = fields.iter().map(|(name, value)| match name.as_str() {
                "Task Count" => value.as_u64().unwrap_or(0),
                _ => tasks(value),
            });
            own + below.sum::<u64>()
        }
        Value::Array(parts) => parts.iter().map(tasks).sum(),
        _ => 0,
    }
}

/// How many tasks Citus makes of a statement, or why it can't be planned.
async fn tasks_of(connection: &mut PgConnection, statement: &Statement) -> Result<u64, String> {
    let prepare = format!("PREPARE asked AS {}", statement.on_postgres(true));
    let prepared = sqlx::raw_sql(AssertSqlSafe(prepare))
        .execute(&mut *connection)
        .await;
    prepared.map_err(|error| error.to_string())?;
    let types = "SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'asked'";
    let types: Vec<String> = sqlx::query_scalar(types)
        .fetch_one(&mut *connection)
        .await
        .unwrap();
    let values: Vec<&str> = types.iter().map(|name| sample(name)).collect();
    let values = if values.is_empty() {
        String::new()
    } else {
        format!("({})", values.join(", "))
    };
    let explain = format!("EXPLAIN (FORMAT JSON) EXECUTE asked{values}");
    let explained = sqlx::raw_sql(AssertSqlSafe(explain))
        .fetch_one(&mut *connection)
        .await;
    run(connection, "DEALLOCATE asked").await;
    let explained = explained.map_err(|error| error.to_string())?;
    let plan: String = explained.try_get_unchecked(0).unwrap();
    Ok(tasks(&serde_json::from_str(&plan).unwrap()))
}

#[tokio::test]
#[ignore = "it takes Citus: run scripts/citus.sh"]
async fn every_statement_goes_to_one_machine_unless_it_is_listed() {
    let database = fresh_citus_database(distribute).await;
    let mut connection = connect(&database.urls[0]).await;
    run(&mut connection, crate::store::postgres::SETTINGS).await;
    run(&mut connection, super::SETTINGS).await;
    run(&mut connection, "SET client_min_messages = 'error'").await;
    let mut found: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for statement in statements() {
        if NOT_RUN.contains(&statement.name) {
            continue;
        }
        match tasks_of(&mut connection, &statement).await {
            Ok(tasks) => {
                let sql = statement.on_postgres(true);
                found.insert(statement.name, (tasks, changes_everywhere(sql)));
            }
            Err(error) => wrong.push(format!("{}: {error}", statement.name)),
        }
    }
    for (name, (tasks, is_everywhere)) in &found {
        let everywhere = if *is_everywhere { " everywhere" } else { "" };
        println!("statement: {name} {tasks}{everywhere}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let far: BTreeSet<&str> = found
        .iter()
        .filter(|(_, (tasks, _))| *tasks > 1)
        .map(|(name, _)| *name)
        .collect();
    let listed = BTreeSet::from(OF_ALL_MACHINES);
    assert_eq!(far, listed, "statements that go to several machines");
    assert!(found.len() > 150, "only {} statements", found.len());
}

/// What a run of the command does, step by step.
async fn steps(config: &DbConfig) -> Vec<String> {
    let steps = Mutex::new(Vec::new());
    let tell = |step: &str| steps.lock().unwrap().push(step.to_owned());
    Db::distribute(config, &tell).await.unwrap();
    steps.into_inner().unwrap()
}

async fn open_at(database: &CitusDatabase, node: usize) -> Db {
    Db::open(&database.urls[node]).await.unwrap()
}

async fn record(db: &Db) -> bool {
    committed!(db, |tx| {
        tx.lock_or_add_user(&ada()).await?;
        let about = tx.user_key(&ada());
        let record = NewIdempotencyRecord {
            about: &about,
            user_id: Some(&ada()),
            ..RECORD
        };
        tx.put_idempotency_record(&record, 5, 0).await
    })
}

#[tokio::test]
#[ignore = "it takes Citus: run scripts/citus.sh"]
async fn a_filled_database_keeps_what_it_holds_and_an_interrupted_run_is_completed() {
    let database = empty_citus_database().await;
    let config = DbConfig::from(&database.urls[0]);
    let db = open_at(&database, 0).await;
    assert!(!db.is_distributed());
    write(&db, "one").await.unwrap();
    committed!(db, |tx| insert_agent_and_key(tx).await);
    assert!(record(&db).await);
    db.close().await;

    // As far as a run came that was interrupted.
    let (first, rest) = TABLES.split_at(12);
    let mut connection = connect(&database.urls[0]).await;
    for table in first {
        tables::distribute(&mut connection, table).await.unwrap();
    }
    let told = steps(&config).await;
    let is_begun = |name: &str| {
        told.iter().any(|step| {
            step.starts_with(&format!("{name}: by")) || step == &format!("{name}: to every machine")
        })
    };
    assert!(first.iter().all(|table| !is_begun(table.name)), "{told:?}");
    assert!(rest.iter().all(|table| is_begun(table.name)), "{told:?}");
    assert!(steps(&config).await.is_empty(), "a second run does nothing");
    for table in TABLES {
        let size: i64 = sqlx::query_scalar("SELECT pg_relation_size($1::regclass)")
            .bind(table.name)
            .fetch_one(&mut connection)
            .await
            .unwrap();
        assert_eq!(size, 0, "the coordinator has rows of {} left", table.name);
    }

    for node in 0..database.urls.len() {
        let db = open_at(&database, node).await;
        assert!(db.is_distributed());
        assert_eq!(stored(&db).await, set(&["one"]));
        let found = found!(db, |tx| {
            let about = tx.user_key(&ada());
            tx.idempotency_record("agent", &[1; 32], &about, 0).await
        });
        assert!(matches!(found, Some(IdempotencyRecord::Answered { .. })));
        // The key is ada's, and nobody else's.
        for (about, is_allowed) in [(db.user_key(&ada()), true), ([9; 32], false)] {
            let claimed = db
                .claim_idempotency_key("agent", &[1; 32], &about, Some(6), 0)
                .await;
            assert_eq!(claimed.unwrap(), is_allowed);
        }
        db.close().await;
    }
}

#[tokio::test]
#[ignore = "it takes Citus: run scripts/citus.sh"]
async fn what_is_missing_is_said() {
    let refused = async |url: &str| {
        let refused = Db::distribute(&DbConfig::from(url), &|_| {}).await;
        refused.unwrap_err().to_string()
    };
    assert!(
        refused("sqlite://x.db")
            .await
            .contains("it is not on Postgres")
    );
    let plain = empty_database().await;
    let error = refused(&plain.url).await;
    assert!(error.contains("it has no extension Citus"), "{error}");
    // An open of it asks nothing of Citus.
    assert!(!Db::open(&plain.url).await.unwrap().is_distributed());

    let database = empty_citus_database().await;
    let mut connection = connect(&database.urls[0]).await;
    let forget =
        "SELECT citus_remove_node(nodename, nodeport) FROM pg_dist_node WHERE groupid <> 0";
    run(&mut connection, forget).await;
    let error = refused(&database.urls[0]).await;
    assert!(error.contains("its coordinator knows no worker"), "{error}");
    // A cluster without workers is a Postgres like any other.
    let db = open_at(&database, 0).await;
    write(&db, "one").await.unwrap();
    assert_eq!(stored(&db).await, set(&["one"]));
}

#[tokio::test]
#[ignore = "it takes Citus: run scripts/citus.sh"]
async fn a_later_migration_reaches_every_machine_and_its_tables_are_distributed() {
    let database = fresh_citus_database(distribute).await;
    let mut connection = connect(&database.urls[0]).await;
    // A migration is sent as a whole, and Citus sends on what it is given: each statement that changes
    // a table of before has to be one by itself.
    let migration = "BEGIN;
        DO $$ BEGIN
            EXECUTE 'ALTER TABLE users ADD COLUMN later BIGINT NOT NULL DEFAULT 7';
            EXECUTE 'CREATE INDEX facts_later ON facts (user_key, confirmed_at)';
        END $$;
        COMMIT";
    run(&mut connection, migration).await;
    let bare = "CREATE INDEX bare ON facts (user_key, position); SELECT 1";
    let refused = sqlx::raw_sql(bare).execute(&mut connection).await;
    assert!(refused.is_err(), "the rule is not needed any more");
    // As a table is that a migration has just made.
    for table in ["usage_days", "agent_profiles"] {
        run(
            &mut connection,
            &format!("SELECT undistribute_table('{table}')"),
        )
        .await;
    }
    // The next process that opens the database distributes it, also from a worker.
    let db = open_at(&database, 1).await;
    assert!(steps(&DbConfig::from(&database.urls[0])).await.is_empty());
    write(&db, "one").await.unwrap();
    let mut worker = connect(&database.urls[2]).await;
    let later: i64 = sqlx::query_scalar("SELECT later FROM users")
        .fetch_one(&mut worker)
        .await
        .unwrap();
    assert_eq!(later, 7);
    let kinds = "SELECT logicalrelid::text || ' ' || partmethod::text FROM pg_dist_partition
                 WHERE logicalrelid IN ('usage_days'::regclass, 'agent_profiles'::regclass)
                 ORDER BY 1";
    let kinds: Vec<String> = sqlx::query_scalar(kinds)
        .fetch_all(&mut worker)
        .await
        .unwrap();
    assert_eq!(kinds, ["agent_profiles n", "usage_days h"]);
}

#[tokio::test]
#[ignore = "it takes Citus: run scripts/citus.sh"]
async fn processes_at_every_machine_stop_writing_when_a_newer_one_has_migrated() {
    let database = fresh_citus_database(distribute).await;
    let mut opened = Vec::new();
    for node in 0..database.urls.len() {
        let db = open_at(&database, node).await;
        write(&db, "one").await.unwrap();
        opened.push(db);
    }
    let mut newer = connect(&database.urls[0]).await;
    run(&mut newer, "SELECT raise_compatibility(1000)").await;
    for (node, db) in opened.iter().enumerate() {
        let written = write(db, "two").await;
        assert!(written.is_err(), "node {node}");
        let read = outcome!(db, read, |tx| tx.facts_with_provenance(&ada()).await);
        assert!(read.is_err(), "node {node}");
        let refused = Db::open(&database.urls[node]).await.err();
        assert!(
            matches!(refused, Some(OpenError::Store(StoreError::Incompatible))),
            "{refused:?}"
        );
    }
}

#[tokio::test]
#[ignore = "it takes Citus: run scripts/citus.sh"]
async fn a_process_that_knows_the_database_undistributed_gets_no_connection_any_more() {
    let database = empty_citus_database().await;
    let db = open_at(&database, 0).await;
    write(&db, "one").await.unwrap();
    distribute(database.urls[0].clone()).await;
    // It no longer gets a connection, and a process that is started anew does.
    for _ in 0..3 {
        assert!(write(&db, "two").await.is_err());
    }
    assert!(!db.is_healthy().await);
    let again = open_at(&database, 0).await;
    write(&again, "three").await.unwrap();
    assert_eq!(stored(&again).await, set(&["one", "three"]));
}

/// Whether two units of work that take the same lock, at two machines, run one after the other.
#[tokio::test]
#[ignore = "it takes Citus: run scripts/citus.sh"]
async fn a_lock_on_all_accounts_holds_at_every_machine() {
    let database = fresh_citus_database(distribute).await;
    let (one, two) = (open_at(&database, 1).await, open_at(&database, 2).await);
    let order = std::sync::Arc::new(Mutex::new(Vec::new()));
    let unit = |db: Db, name: &'static str| {
        let order = std::sync::Arc::clone(&order);
        async move {
            committed!(db, [order], |tx| {
                tx.lock_accounts().await?;
                order.lock().unwrap().push(name);
                tokio::time::sleep(Duration::from_millis(200)).await;
                order.lock().unwrap().push(name);
                Ok(())
            });
        }
    };
    tokio::join!(unit(one, "one"), unit(two, "two"));
    let order = order.lock().unwrap().clone();
    assert!(order[0] == order[1] && order[2] == order[3], "{order:?}");
}

/// Citus 13.2 keeps 25 KB for each run of a plan that is used again on a shard of its own machine.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it takes Citus: run scripts/citus.sh"]
async fn a_connection_keeps_nothing_of_the_users_it_was_used_for() {
    let database = fresh_citus_database(distribute).await;
    for url in &database.urls[1..] {
        let mut connection = connect(url).await;
        run(&mut connection, SETTINGS).await;
        for n in 0..500_i64 {
            // Nobody has this key, so the function comes as far as its first statement.
            let user_key = [n.to_be_bytes(); 4].concat();
            let store = format!(
                "SELECT ctxmem_store_update_1($1, 1, 'a', 'k', 0, 0, 0{})",
                ", NULL".repeat(21)
            );
            for sql in [&*store, "UPDATE users SET version = 0 WHERE user_key = $1"] {
                let run = sqlx::query(AssertSqlSafe(sql.to_owned())).bind(&user_key);
                run.execute(&mut connection).await.unwrap();
            }
        }
        let kept: i64 = sqlx::query_scalar(
            "SELECT COALESCE(SUM(total_bytes), 0)::bigint FROM pg_backend_memory_contexts
             WHERE name = 'CachedPlan'",
        )
        .fetch_one(&mut connection)
        .await
        .unwrap();
        assert!(kept < 1 << 20, "{kept} bytes");
    }
}

/// How many commits in two phases the machines have noted. Nobody clears the notes in this test.
async fn two_phase_commits(database: &CitusDatabase) -> i64 {
    let mut commits = 0;
    for url in &database.urls {
        let mut connection = connect(url).await;
        let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM pg_dist_transaction")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        commits += count;
    }
    commits
}

#[tokio::test]
#[ignore = "it takes Citus: run scripts/citus.sh"]
async fn what_concerns_one_user_is_committed_on_one_machine() {
    let database = fresh_citus_database(distribute).await;
    for node in 0..database.urls.len() {
        let db = open_at(&database, node).await;
        let before = two_phase_commits(&database).await;
        for n in 0..20 {
            let user = ctxmem_types::UserId::new(format!("user-{node}-{n}")).unwrap();
            committed!(&db, [user], |tx| {
                tx.lock_or_add_user(&user).await?;
                tx.put_fact(&user, "agent", &fact("one")).await?;
                tx.put_grant(&user, &grant("g")).await?;
                tx.touch_user(&user, 1, 1).await?;
                tx.erase_user(&user, 2).await
            });
        }
        let after = two_phase_commits(&database).await;
        assert_eq!(after, before, "node {node} committed in two phases");
        // What all machines have is committed on all of them.
        let name = format!("dev-{node}");
        committed!(&db, [name], |tx| {
            let email = format!("{name}@example.com");
            let developer = crate::store::Developer::alone(&name, &email);
            tx.insert_developer(&developer, 1).await
        });
        assert!(
            two_phase_commits(&database).await > after,
            "nothing is counted"
        );
    }
}
