//! What the store promises, on real databases of both engines.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ctxmem_test_postgres::{Database, fresh_database};
use ctxmem_types::{Scope, SourceType, UserId};
use sqlx::{Executor as _, SqlSafeStr as _};
use tempfile::TempDir;

use super::{Db, Engine, OpenError, StoreError, StoredFact, Tx, postgres, sqlite, statements};

/// A database that goes with the test.
struct Opened {
    db: Db,
    folder: TempDir,
    postgres: Option<Database>,
}

async fn on_sqlite() -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("test.db").display());
    Opened {
        db: Db::open(&url).await.unwrap(),
        folder,
        postgres: None,
    }
}

async fn on_postgres() -> Opened {
    let database = fresh_database(|url| async move {
        Db::open(&url).await.unwrap().close().await;
    })
    .await;
    Opened {
        db: Db::open(&database.url).await.unwrap(),
        folder: tempfile::tempdir().unwrap(),
        postgres: Some(database),
    }
}

async fn on_both() -> [Opened; 2] {
    [on_sqlite().await, on_postgres().await]
}

fn ada() -> UserId {
    UserId::new("ada").unwrap()
}

fn fact(value: &str) -> StoredFact {
    StoredFact {
        scope: Scope::Knowledge,
        slot: value.to_owned(),
        name: None,
        value: value.to_owned(),
        source_type: SourceType::Observed,
        position: 0,
        confirmed_at: 0,
    }
}

async fn put(tx: &mut Tx, value: &str) -> Result<(), StoreError> {
    tx.put_fact(&ada(), "agent", &fact(value)).await
}

async fn write(db: &Db, value: &'static str) -> Result<(), StoreError> {
    db.write(move |tx| Box::pin(async move { put(tx, value).await }))
        .await
}

async fn stored(db: &Db) -> HashSet<String> {
    let facts: Result<_, StoreError> = db
        .read(|tx| Box::pin(async move { tx.facts(&ada(), Scope::Knowledge).await }))
        .await;
    facts.unwrap().into_iter().map(|fact| fact.value).collect()
}

fn set(values: &[&str]) -> HashSet<String> {
    values.iter().map(|&value| value.to_owned()).collect()
}

#[tokio::test]
async fn every_statement_prepares_on_both_migrated_databases() {
    let [sqlite, postgres] = on_both().await;
    let (Engine::Sqlite(sqlite), Engine::Postgres(postgres)) =
        (sqlite.db.engine.clone(), postgres.db.engine.clone())
    else {
        panic!("each on its engine");
    };
    let mut names = HashSet::new();
    for statement in statements() {
        let name = statement.name;
        let prepared = sqlite.writer.prepare(statement.sqlite.into_sql_str()).await;
        assert!(prepared.is_ok(), "{name}: {:?}", prepared.err());
        let prepared = postgres
            .writers
            .prepare(statement.postgres.into_sql_str())
            .await;
        assert!(prepared.is_ok(), "{name}: {:?}", prepared.err());
        assert!(names.insert(name), "two statements are called {name}");
    }
    assert!(
        names.len() > 30,
        "only {} statements are listed",
        names.len()
    );
}

#[test]
fn both_engines_have_the_same_migrations() {
    let list = |migrator: &sqlx::migrate::Migrator| -> Vec<(i64, String)> {
        migrator
            .iter()
            .map(|migration| (migration.version, migration.description.to_string()))
            .collect()
    };
    assert_eq!(list(&sqlite::MIGRATIONS), list(&postgres::MIGRATIONS));
}

#[tokio::test]
async fn a_newer_schema_is_refused_on_both() {
    for opened in on_both().await {
        let insert = "INSERT INTO _sqlx_migrations
                (version, description, success, checksum, execution_time)
             VALUES (9999, 'from the future', TRUE, '', 0)";
        let again = match &opened.db.engine {
            Engine::Sqlite(engine) => {
                sqlx::query(insert).execute(&engine.writer).await.unwrap();
                format!(
                    "sqlite://{}",
                    opened.folder.path().join("test.db").display()
                )
            }
            Engine::Postgres(engine) => {
                sqlx::query(insert).execute(&engine.writers).await.unwrap();
                opened.postgres.as_ref().unwrap().url.clone()
            }
        };
        let refused = Db::open(&again).await.err();
        assert!(
            matches!(refused, Some(OpenError::NewerSchema { found: 9999 })),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn sqlite_commits_are_durable_and_deleted_content_is_overwritten() {
    let opened = on_sqlite().await;
    let Engine::Sqlite(engine) = &opened.db.engine else {
        panic!("SQLite");
    };
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode")
        .fetch_one(&engine.writer)
        .await
        .unwrap();
    assert_eq!(mode, "wal");
    for (pragma, expected) in [
        ("PRAGMA synchronous", 2),
        ("PRAGMA secure_delete", 1),
        ("PRAGMA foreign_keys", 1),
    ] {
        let value: i64 = sqlx::query_scalar(pragma)
            .fetch_one(&engine.writer)
            .await
            .unwrap();
        assert_eq!(value, expected, "{pragma}");
    }
}

#[tokio::test]
async fn a_unit_that_fails_leaves_nothing_behind() {
    for Opened { db, .. } in &on_both().await {
        let failed: Result<(), StoreError> = db
            .write(|tx| {
                Box::pin(async move {
                    put(tx, "half").await?;
                    Err(StoreError::Corrupt("on purpose"))
                })
            })
            .await;
        assert!(failed.is_err());
        assert!(stored(db).await.is_empty());
    }
}

#[tokio::test]
async fn a_unit_that_panics_leaves_nothing_behind_and_the_next_one_works() {
    for Opened { db, .. } in &on_both().await {
        let failed: Result<(), StoreError> = db
            .write(|tx| {
                Box::pin(async move {
                    put(tx, "half").await?;
                    panic!("on purpose")
                })
            })
            .await;
        assert!(matches!(failed, Err(StoreError::Interrupted)));
        write(db, "whole").await.unwrap();
        assert_eq!(stored(db).await, set(&["whole"]));
    }
}

#[tokio::test]
async fn a_unit_ends_in_its_commit_even_when_nobody_waits_for_it() {
    for Opened { db, .. } in &on_both().await {
        let begun = Arc::new(AtomicBool::new(false));
        let ended = Arc::new(AtomicBool::new(false));
        let (has_begun, has_ended) = (Arc::clone(&begun), Arc::clone(&ended));
        let work = db.write(move |tx| {
            let (begun, ended) = (Arc::clone(&begun), Arc::clone(&ended));
            Box::pin(async move {
                put(tx, "kept").await?;
                begun.store(true, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(50)).await;
                ended.store(true, Ordering::SeqCst);
                Ok::<_, StoreError>(())
            })
        });
        tokio::select! {
            _ = work => panic!("it takes longer than its announcement"),
            () = until(&has_begun) => {}
        }
        until(&has_ended).await;
        write(db, "next").await.unwrap();
        assert_eq!(stored(db).await, set(&["kept", "next"]));
    }
}

async fn until(flag: &AtomicBool) {
    while !flag.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_unit_that_was_given_up_for_another_is_run_again() {
    let opened = on_postgres().await;
    write(&opened.db, "first").await.unwrap();
    // Two units that lock two rows in opposite order: Postgres gives one of them up.
    let pair = |mine: &'static str, other: &'static str| {
        let db = opened.db.clone();
        async move {
            db.write(move |tx| {
                Box::pin(async move {
                    put(tx, mine).await?;
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    put(tx, other).await
                })
            })
            .await
        }
    };
    write(&opened.db, "second").await.unwrap();
    let (one, two) = tokio::join!(pair("first", "second"), pair("second", "first"));
    let (one, two): (Result<(), StoreError>, Result<(), StoreError>) = (one, two);
    one.unwrap();
    two.unwrap();
}

#[tokio::test]
async fn after_an_erasure_and_a_purge_no_file_holds_the_facts() {
    let opened = on_sqlite().await;
    write(&opened.db, "canary-in-a-fact").await.unwrap();
    assert!(
        holds(&opened.folder, "canary-in-a-fact"),
        "it is there before"
    );
    let erased: Result<(), StoreError> = opened
        .db
        .write(|tx| Box::pin(async move { tx.erase_user(&ada(), 1).await }))
        .await;
    erased.unwrap();
    opened.db.purge().await.unwrap();
    assert!(!holds(&opened.folder, "canary-in-a-fact"));
}

fn holds(folder: &TempDir, text: &str) -> bool {
    std::fs::read_dir(folder.path()).unwrap().any(|file| {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    })
}
