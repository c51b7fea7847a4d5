//! What the store promises, on a real database file.

use std::time::Duration;

use ctxmem_types::{Scope, SourceType, UserId};
use sqlx::{Executor as _, SqlSafeStr as _};
use tempfile::TempDir;

use super::{Db, StoreError, StoredFact, Tx, statements};

async fn open() -> (TempDir, Db) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("test.db").display());
    let db = Db::open(&url).await.unwrap();
    (folder, db)
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

async fn stored(db: &Db) -> Vec<String> {
    let facts = db.read(|tx| Box::pin(async move { tx.facts(&ada(), Scope::Knowledge).await }));
    let facts: Result<_, StoreError> = facts.await;
    facts.unwrap().into_iter().map(|fact| fact.value).collect()
}

#[tokio::test]
async fn every_statement_prepares_on_a_migrated_database() {
    let (_folder, db) = open().await;
    let mut names = Vec::new();
    for statement in statements() {
        let mut connection = db.writer.acquire().await.unwrap();
        let prepared = connection.prepare(statement.sql.into_sql_str()).await;
        assert!(prepared.is_ok(), "{}: {:?}", statement.name, prepared.err());
        names.push(statement.name);
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "every statement has a name of its own");
}

#[tokio::test]
async fn commits_are_durable_and_deleted_content_is_overwritten() {
    let (_folder, db) = open().await;
    for (pragma, expected) in [
        ("PRAGMA journal_mode", "wal"),
        ("PRAGMA synchronous", "2"),
        ("PRAGMA secure_delete", "1"),
        ("PRAGMA foreign_keys", "1"),
    ] {
        let value: String = sqlx::query_scalar(pragma)
            .fetch_one(&db.writer)
            .await
            .or_else(|_| Ok::<_, sqlx::Error>(String::new()))
            .unwrap();
        let number: Option<i64> = sqlx::query_scalar(pragma).fetch_one(&db.writer).await.ok();
        let found = number.map_or(value, |number| number.to_string());
        assert_eq!(found, expected, "{pragma}");
    }
}

#[tokio::test]
async fn a_unit_that_fails_leaves_nothing_behind() {
    let (_folder, db) = open().await;
    let failed: Result<(), StoreError> = db
        .write(|tx| {
            Box::pin(async move {
                put(tx, "half").await?;
                Err(StoreError::Corrupt("on purpose"))
            })
        })
        .await;
    assert!(failed.is_err());
    assert!(stored(&db).await.is_empty());
}

#[tokio::test]
async fn a_unit_that_panics_leaves_nothing_behind_and_the_next_one_works() {
    let (_folder, db) = open().await;
    let failed: Result<(), StoreError> = db
        .write(|tx| {
            Box::pin(async move {
                put(tx, "half").await?;
                panic!("on purpose")
            })
        })
        .await;
    assert!(matches!(failed, Err(StoreError::Interrupted)));
    let next: Result<(), StoreError> = db
        .write(|tx| Box::pin(async move { put(tx, "whole").await }))
        .await;
    next.unwrap();
    assert_eq!(stored(&db).await, ["whole"]);
}

#[tokio::test]
async fn a_unit_ends_in_its_commit_even_when_nobody_waits_for_it() {
    let (_folder, db) = open().await;
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let begun = std::sync::Mutex::new(Some(begun));
    let work = db.write(move |tx| {
        let begun = begun.lock().unwrap().take();
        Box::pin(async move {
            put(tx, "kept").await?;
            if let Some(begun) = begun {
                let _ = begun.send(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
            Ok::<_, StoreError>(())
        })
    });
    tokio::select! {
        _ = work => unreachable!("it takes longer than its announcement"),
        _ = has_begun => {}
    }
    // The writer is one connection: this waits for the unit that nobody waits for.
    let next: Result<(), StoreError> = db
        .write(|tx| Box::pin(async move { put(tx, "next").await }))
        .await;
    next.unwrap();
    assert_eq!(stored(&db).await, ["kept", "next"]);
}

#[tokio::test]
async fn after_an_erasure_and_a_purge_no_file_holds_the_facts() {
    let (folder, db) = open().await;
    let secret = "canary-in-a-fact";
    let written: Result<(), StoreError> = db
        .write(move |tx| Box::pin(async move { put(tx, secret).await }))
        .await;
    written.unwrap();
    assert!(holds(&folder, secret), "it is there before");
    let erased: Result<(), StoreError> = db
        .write(|tx| Box::pin(async move { tx.erase_user(&ada(), 1).await }))
        .await;
    erased.unwrap();
    db.purge().await.unwrap();
    assert!(!holds(&folder, secret));
}

fn holds(folder: &TempDir, text: &str) -> bool {
    std::fs::read_dir(folder.path()).unwrap().any(|file| {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    })
}
