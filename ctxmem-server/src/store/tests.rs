//! Tests of the store's guarantees, on real databases of both engines.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ctxmem_test_postgres::{Database, fresh_database};
use ctxmem_types::{Scope, ScopeSet, UserId};
use rusqlite::Connection;
use rusqlite::types::Value;
use sqlx::{Connection as _, Executor as _, PgConnection, SqlSafeStr as _};
use tempfile::TempDir;

use super::arg::args;
use super::statement::statement;
use super::user_keys::KeyRef;
use super::{
    Agent, Db, Developer, DeveloperId, Engine, Erased, FactChanges, GrantRow, GrantedBy, Hash,
    IdempotencyRecord, NewIdempotencyRecord, NewKey, OpenError, OptimisticUpdate, Result,
    StoreError, StoredFact, Tx, UpdateQuery, hash, statements,
};

/// A database that goes with the test.
pub(super) struct Opened {
    pub(super) db: Db,
    pub(super) folder: TempDir,
    postgres: Option<Database>,
}

impl Opened {
    pub(super) fn file(&self) -> PathBuf {
        self.folder.path().join("test.db")
    }

    pub(super) fn url(&self) -> String {
        match &self.postgres {
            None => format!("sqlite://{}", self.file().display()),
            Some(database) => database.url.clone(),
        }
    }
}

pub(super) async fn on_sqlite() -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("test.db").display());
    let db = Db::open(&url).await.unwrap();
    // The first key takes a flush to disk. Tests that time groups of units are spared that.
    let key = db.keys.fresh().await.unwrap();
    db.keys.give_back(key);
    Opened {
        db,
        folder,
        postgres: None,
    }
}

pub(super) async fn on_postgres() -> Opened {
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

pub(super) async fn on_both() -> [Opened; 2] {
    [on_sqlite().await, on_postgres().await]
}

pub(super) fn ada() -> UserId {
    UserId::new("ada").unwrap()
}

pub(super) fn fact(value: &str) -> StoredFact {
    StoredFact::observed(Scope::Knowledge, None, value, 0)
}

pub(super) async fn put(tx: &mut Tx, value: &str) -> Result<()> {
    let key = tx.user_key(&ada());
    // A user who has a key already isn't locked: tests make units meet at the rows of facts.
    if tx.cipher(&key).await?.is_none() {
        tx.lock_or_add_user(&ada()).await?;
    }
    tx.put_fact(&ada(), "agent", &fact(value)).await
}

pub(super) async fn write(db: &Db, value: &'static str) -> Result<()> {
    db.write(move |tx| Box::pin(async move { put(tx, value).await }))
        .await
}

/// A unit of work. What stands in brackets is cloned each time that it runs.
macro_rules! unit {
    ($([$($kept:ident),+],)? |$tx:pat_param| $work:expr) => {
        move |$tx| {
            $($(let $kept = $kept.clone();)+)?
            Box::pin(async move { $work })
        }
    };
}

/// The outcome of a unit of work that this method runs.
macro_rules! outcome {
    ($db:expr, read, |$tx:pat_param| $work:expr) => {{
        let outcome: $crate::store::Result<_> = $db.read(async |$tx| $work).await;
        outcome
    }};
    ($db:expr, $method:ident, $($unit:tt)+) => {{
        let unit = $db.$method($crate::store::tests::unit!($($unit)+));
        let outcome: $crate::store::Result<_> = unit.await;
        outcome
    }};
}

/// What a unit of work answers, which must succeed.
macro_rules! committed {
    ($db:expr, $($unit:tt)+) => {
        $crate::store::tests::outcome!($db, write, $($unit)+).unwrap()
    };
}

/// The same of one that only reads.
macro_rules! found {
    ($db:expr, $($unit:tt)+) => {
        $crate::store::tests::outcome!($db, read, $($unit)+).unwrap()
    };
}

pub(super) use {committed, found, outcome, unit};

pub(super) async fn stored(db: &Db) -> HashSet<String> {
    let facts = found!(db, |tx| tx.facts(&ada(), Scope::Knowledge).await);
    facts.into_iter().map(|fact| fact.value).collect()
}

/// Runs something on the connection that writes to SQLite, in a transaction.
pub(super) async fn on_writer<T: Send + 'static>(
    db: &Db,
    work: impl Fn(&Connection) -> Result<T> + Send + Sync + 'static,
) -> Result<T> {
    let work = Arc::new(work);
    db.write(unit!([work], |tx| work(tx.connection().unwrap())))
        .await
}

pub(super) fn set(values: &[&str]) -> HashSet<String> {
    values.iter().map(|&value| value.to_owned()).collect()
}

#[tokio::test]
async fn every_statement_prepares_on_both_migrated_databases() {
    let [sqlite, postgres] = on_both().await;
    let Engine::Postgres(postgres) = postgres.db.engine.clone() else {
        panic!("Postgres");
    };
    let mut names = HashSet::new();
    for statement in statements() {
        let name = statement.name;
        // What came behind it would never be run.
        assert!(!statement.sqlite.contains(';'), "{name} is several");
        let ask = move |writer: &Connection| Ok(writer.prepare(statement.sqlite).map(drop)?);
        let prepared = on_writer(&sqlite.db, ask).await;
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

pub(super) async fn insert_agent_and_key(tx: &mut Tx) -> Result<()> {
    let developer = Developer::alone("dev", "dev@example.com");
    tx.insert_developer(&developer, 1).await?;
    tx.insert_agent(&agent("agent"), 1).await?;
    tx.insert_key(&key("key"), 1).await
}

pub(super) fn agent(id: &str) -> Agent {
    Agent {
        id: id.to_owned(),
        developer_id: DeveloperId::new("dev"),
        name: id.to_owned(),
    }
}

pub(super) fn key(id: &str) -> NewKey {
    NewKey {
        id: id.to_owned(),
        agent_id: "agent".to_owned(),
        hash: hash(id),
        prefix: "ctx".to_owned(),
        scopes: ScopeSet::ALL,
        name: None,
        expires_at: None,
    }
}

/// What the agent of [`insert_agent_and_key`] asks of facts about what the user knows.
pub(super) fn query<'a>(user_key: &'a Hash, slots: &[&str]) -> UpdateQuery<'a> {
    let slots = slots
        .iter()
        .map(|&slot| (Scope::Knowledge, slot.to_owned()));
    UpdateQuery {
        key_id: "key",
        agent_id: "agent",
        user_key,
        idempotency_key: None,
        fact_keys: slots.collect(),
        counted: ScopeSet::EMPTY,
    }
}

/// How this agent stores facts if the user still has this version.
pub(super) fn update<'a>(
    user_key: &'a Hash,
    key: Option<KeyRef>,
    version: i64,
    put: Vec<&'a StoredFact>,
) -> OptimisticUpdate<'a> {
    OptimisticUpdate {
        changes: FactChanges {
            user_key,
            key,
            agent_id: "agent",
            put,
            confirmed: Vec::new(),
            removed: Vec::new(),
            next_position: 2,
        },
        key_id: "key",
        version,
        event: None,
        record: None,
    }
}

/// Stores and confirms as updates do, in a transaction.
async fn learn(db: &Db, put: Option<StoredFact>, confirmed: Option<StoredFact>) {
    committed!(db, [put, confirmed], |tx| {
        tx.lock_or_add_user(&ada()).await?;
        let user_key = tx.user_key(&ada());
        let query = query(&user_key, &[]);
        let snapshot = tx.lock_update_snapshot(&query, 0).await?.unwrap();
        let put = put.iter().collect();
        let mut update = update(&user_key, snapshot.key, snapshot.version, put);
        update.changes.confirmed = confirmed.iter().collect();
        tx.store_locked_update(&update, 7).await
    });
}

#[tokio::test]
async fn what_was_asked_for_is_kept_with_the_fact_on_both() {
    let asked = |value, requested| StoredFact {
        requested,
        ..fact(value)
    };
    for opened in on_both().await {
        let db = &opened.db;
        let requested = || async {
            let facts = found!(db, |tx| tx.facts(&ada(), Scope::Knowledge).await);
            facts.iter().map(|fact| fact.requested).collect::<Vec<_>>()
        };
        committed!(db, |tx| insert_agent_and_key(tx).await);
        learn(db, Some(asked("one", true)), None).await;
        assert_eq!(requested().await, [true]);
        // A new value in its slot counts by itself.
        learn(db, Some(asked("one", false)), None).await;
        assert_eq!(requested().await, [false]);
        learn(db, None, Some(asked("one", true))).await;
        assert_eq!(requested().await, [true]);
        committed!(db, |tx| {
            let two = StoredFact {
                requested: true,
                position: 1,
                ..fact("two")
            };
            tx.put_fact(&ada(), "", &two).await
        });
        assert_eq!(requested().await, [true, true]);
    }
}

#[tokio::test]
async fn a_newer_schema_is_refused_on_both() {
    for opened in on_both().await {
        let insert = "INSERT INTO _sqlx_migrations
                (version, description, success, checksum, execution_time)
             VALUES (9999, 'from the future', TRUE, '', 0)";
        match &opened.db.engine {
            Engine::Sqlite(_) => {
                let inserts = |writer: &Connection| Ok(writer.execute(insert, [])?);
                on_writer(&opened.db, inserts).await.unwrap();
            }
            Engine::Postgres(engine) => {
                sqlx::query(insert).execute(&engine.writers).await.unwrap();
            }
        }
        let refused = Db::open(opened.url()).await.err();
        assert!(
            matches!(refused, Some(OpenError::NewerSchema(9999))),
            "{refused:?}"
        );
    }
}

/// Raises the compatibility number, as a migration of a later version would.
async fn raise_compatibility(opened: &Opened) {
    match &opened.postgres {
        None => {
            let newer = Connection::open(opened.file()).unwrap();
            newer
                .execute("UPDATE compatibility SET number = number + 1", [])
                .unwrap();
        }
        Some(database) => {
            let mut newer = PgConnection::connect(&database.url).await.unwrap();
            let raise = "SELECT raise_compatibility(number + 1) FROM compatibility";
            sqlx::query(raise).execute(&mut newer).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_process_stops_writing_when_a_newer_one_has_migrated() {
    for opened in on_both().await {
        let db = &opened.db;
        assert!(db.is_healthy().await);
        raise_compatibility(&opened).await;
        let written = outcome!(db, write, |tx| tx.lock_or_add_user(&ada()).await);
        assert!(written.is_err(), "{written:?}");
        let autocommit = outcome!(db, autocommit, |tx| tx.lock_or_add_user(&ada()).await);
        assert!(autocommit.is_err(), "{autocommit:?}");
        assert!(!db.is_healthy().await);
        let refused = Db::open(opened.url()).await.err();
        assert!(
            matches!(refused, Some(OpenError::Store(StoreError::Incompatible))),
            "{refused:?}"
        );
    }
}

/// What a restored database brings back that is older than an erasure: the rows without the key.
#[tokio::test]
async fn a_user_whose_key_is_gone_is_erased_again() {
    for opened in on_both().await {
        let db = &opened.db;
        write(db, "one").await.unwrap();
        let at = found!(db, |tx| {
            let user_key = tx.user_key(&ada());
            tx.key_ref_of(&user_key).await
        });
        db.keys.destroy(&[at.unwrap()]).await.unwrap();

        let shown = found!(db, |tx| tx.facts_with_provenance(&ada()).await);
        assert!(shown.is_empty());
        let found = committed!(db, |tx| {
            let user_key = tx.user_key(&ada());
            let query = query(&user_key, &["one"]);
            assert!(tx.lock_update_snapshot(&query, 0).await?.is_none());
            tx.lock_user(&ada()).await
        });
        let user = found.unwrap();
        assert!(!user.has_key && user.epoch == 1, "{user:?}");
        write(db, "two").await.unwrap();
        assert_eq!(stored(db).await, set(&["two"]));
    }
}

#[tokio::test]
async fn sqlite_commits_are_durable_and_temporary_data_is_kept_in_no_file() {
    let opened = on_sqlite().await;
    let asks = |writer: &Connection| {
        let ask = |pragma| writer.pragma_query_value(None, pragma, |row| row.get::<_, Value>(0));
        let pragmas = ["journal_mode", "synchronous", "foreign_keys", "temp_store"];
        Ok(pragmas.map(|pragma| ask(pragma).unwrap()))
    };
    let settings = on_writer(&opened.db, asks).await.unwrap();
    let (full, on, in_memory) = (Value::Integer(2), Value::Integer(1), Value::Integer(2));
    assert_eq!(settings, ["wal".to_owned().into(), full, on, in_memory]);
    let Engine::Sqlite(engine) = &opened.db.engine else {
        unreachable!()
    };
    let reads: i64 = sqlx::query_scalar("PRAGMA temp_store")
        .fetch_one(&engine.readers)
        .await
        .unwrap();
    assert_eq!(reads, 2);
}

#[tokio::test]
async fn a_log_that_has_grown_is_copied_into_the_file() {
    const LARGE: u64 = 40_000_000;
    let opened = on_sqlite().await;
    let large = |writer: &Connection| {
        let sql = "INSERT INTO meta (name, value) VALUES ('large', zeroblob($1))";
        Ok(writer.execute(sql, [i64::try_from(LARGE).unwrap()])?)
    };
    let size = || opened.file().metadata().unwrap().len();
    write(&opened.db, "small").await.unwrap();
    assert!(size() < LARGE);
    on_writer(&opened.db, large).await.unwrap();
    assert!(size() > LARGE);
}

#[tokio::test]
async fn a_unit_that_fails_or_panics_leaves_nothing_behind_and_the_next_one_works() {
    for Opened { db, .. } in &on_both().await {
        let failed: Result<()> = outcome!(db, write, |tx| {
            put(tx, "half").await?;
            Err(StoreError::Busy)
        });
        assert!(failed.is_err());
        assert!(stored(db).await.is_empty());
        let failed: Result<()> = outcome!(db, write, |tx| {
            put(tx, "half").await?;
            panic!("on purpose")
        });
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
        let work = db.write(unit!([begun, ended], |tx| {
            put(tx, "kept").await?;
            begun.store(true, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(50)).await;
            ended.store(true, Ordering::SeqCst);
            Ok::<_, StoreError>(())
        }));
        tokio::select! {
            _ = work => panic!("it takes longer than its announcement"),
            () = until(&has_begun) => {}
        }
        until(&has_ended).await;
        write(db, "next").await.unwrap();
        assert_eq!(stored(db).await, set(&["kept", "next"]));
    }
}

pub(super) async fn until(flag: &AtomicBool) {
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
            db.write(unit!(|tx| {
                put(tx, mine).await?;
                tokio::time::sleep(Duration::from_millis(200)).await;
                put(tx, other).await
            }))
            .await
        }
    };
    write(&opened.db, "second").await.unwrap();
    let (one, two) = tokio::join!(pair("first", "second"), pair("second", "first"));
    let (one, two): (Result<()>, Result<()>) = (one, two);
    one.unwrap();
    two.unwrap();
}

#[tokio::test]
async fn no_file_ever_holds_a_fact_in_the_clear() {
    let opened = on_sqlite().await;
    committed!(opened.db, |tx| insert_agent_and_key(tx).await);
    write(&opened.db, "canary-in-a-fact").await.unwrap();
    assert!(holds(&opened.folder, "dev@example.com"), "the search finds");
    assert!(!holds(&opened.folder, "canary-in-a-fact"));
}

#[tokio::test]
async fn an_update_of_a_row_that_must_be_there_says_which_is_missing() {
    for Opened { db, .. } in &on_both().await {
        let key: String = db
            .user_key(&ada())
            .map(|byte| format!("{byte:02x}"))
            .concat();
        let touched: Result<()> = outcome!(db, write, |tx| tx.touch_user(&ada(), 1, 1).await);
        assert_eq!(
            touched.unwrap_err().to_string(),
            format!("0 rows of users were changed instead of one (row {key})")
        );
        let revoked: Result<()> = outcome!(db, write, |tx| {
            tx.lock_or_add_user(&ada()).await?;
            tx.revoke_grant(&ada(), "g", 1).await
        });
        assert_eq!(
            revoked.unwrap_err().to_string(),
            "0 rows of grants were changed instead of one (row g)"
        );
        // With its row there, it is changed.
        committed!(db, |tx| {
            tx.lock_or_add_user(&ada()).await?;
            tx.touch_user(&ada(), 1, 1).await
        });
    }
}

/// A grant of everything to the agent "agent", without an end.
pub(super) fn grant(id: &str) -> GrantRow {
    GrantRow {
        id: id.to_owned(),
        ..GrantRow::new("agent", ScopeSet::ALL, GrantedBy::Agent, 1)
    }
}

statement!(
    SPOIL_GRANT: "UPDATE grants SET made_by = 'nobody' WHERE id = $1"
);
statement!(
    SPOIL_SCOPES: "UPDATE grants SET scopes = 256 WHERE id = $1"
);

#[tokio::test]
async fn a_value_that_nobody_writes_is_named_by_table_column_and_row() {
    for Opened { db, .. } in &on_both().await {
        for (spoil, column) in [(SPOIL_GRANT, "made_by"), (SPOIL_SCOPES, "scopes")] {
            committed!(db, |tx| {
                tx.lock_or_add_user(&ada()).await?;
                tx.put_grant(&ada(), &grant(column)).await?;
                tx.run(spoil, args![column]).await
            });
            let read = outcome!(db, read, |tx| tx.grant(&ada(), column).await);
            assert_eq!(
                read.unwrap_err().to_string(),
                format!("the database holds an unexpected value in grants.{column} (row {column})")
            );
        }
    }
}

#[tokio::test]
async fn an_erasure_answers_what_it_took_and_takes_it_of_one_user_only() {
    let bob = || UserId::new("bob").unwrap();
    let grant = |id: &str, agent: &str| GrantRow {
        agent_id: agent.to_owned(),
        ..grant(id)
    };
    for Opened { db, .. } in &on_both().await {
        let erased = committed!(db, |tx| {
            tx.lock_or_add_user(&ada()).await?;
            tx.lock_or_add_user(&bob()).await?;
            put(tx, "one").await?;
            put(tx, "two").await?;
            let goal = StoredFact {
                scope: Scope::Goals,
                ..fact("three")
            };
            tx.put_fact(&ada(), "agent", &goal).await?;
            tx.put_fact(&bob(), "agent", &fact("four")).await?;
            // The first is replaced by the second, and the fourth revoked before.
            for (id, agent) in [("a", "x"), ("b", "x"), ("c", "y"), ("d", "z")] {
                tx.put_grant(&ada(), &grant(id, agent)).await?;
            }
            tx.put_grant(&bob(), &grant("a", "x")).await?;
            tx.revoke_grant(&ada(), "d", 1).await?;
            let first = tx.erase_user(&ada(), 2).await?;
            let second = tx.erase_user(&ada(), 3).await?;
            let left = tx.erase_user(&bob(), 3).await?;
            Ok([first, second, left])
        });
        let took = |facts, scopes: &[Scope], grants| Erased {
            facts,
            scopes: scopes.iter().copied().collect(),
            grants,
        };
        assert_eq!(
            erased,
            [
                took(3, &[Scope::Knowledge, Scope::Goals], 2),
                took(0, &[], 0),
                took(1, &[Scope::Knowledge], 1),
            ]
        );
    }
}

/// The answer to a request.
pub(super) const RECORD: NewIdempotencyRecord<'static> = NewIdempotencyRecord {
    agent_id: "agent",
    key: &[1; 32],
    about: &[0; 32],
    user_id: None,
    request: &[7; 32],
    answer: "{}",
};

/// Records an answer to a request under a key of an agent.
async fn record(
    tx: &mut Tx,
    key: u8,
    user_id: Option<&UserId>,
    now: i64,
    over: i64,
) -> Result<bool> {
    if let Some(user_id) = user_id {
        tx.lock_or_add_user(user_id).await?;
    }
    let record = NewIdempotencyRecord {
        key: &[key; 32],
        user_id,
        ..RECORD
    };
    tx.put_idempotency_record(&record, now, over).await
}

async fn recorded(db: &Db, key: u8, over: i64) -> Option<IdempotencyRecord> {
    found!(db, |tx| {
        let (key, about) = ([key; 32], [0; 32]);
        tx.idempotency_record("agent", &key, &about, over).await
    })
}

#[tokio::test]
async fn of_two_records_of_a_key_the_first_is_kept_until_it_is_over() {
    for Opened { db, .. } in &on_both().await {
        // The second waits for the end of the first, though they lock different users.
        let begun = Arc::new(AtomicBool::new(false));
        let has_begun = Arc::clone(&begun);
        let first = db.write(unit!([begun], |tx| {
            let put = record(tx, 1, Some(&ada()), 100, 0).await;
            begun.store(true, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(100)).await;
            put
        }));
        let second = async {
            until(&has_begun).await;
            db.write(unit!(|tx| record(tx, 1, None, 101, 0).await))
                .await
        };
        let (first, second): (Result<_>, Result<_>) = tokio::join!(first, second);
        assert!(first.unwrap());
        assert!(!second.unwrap());
        // At the instant at which it is over it counts no more, and is replaced.
        assert!(recorded(db, 1, 99).await.is_some());
        assert!(recorded(db, 1, 100).await.is_none());
        let late = committed!(db, |tx| record(tx, 1, None, 200, 100).await);
        assert!(late);
        assert!(recorded(db, 1, 199).await.is_some());
    }
}

#[tokio::test]
async fn records_are_forgotten_oldest_first_and_a_few_at_a_time() {
    for Opened { db, .. } in &on_both().await {
        committed!(db, |tx| {
            for key in 1..=5 {
                record(tx, key, None, key.into(), 0).await?;
            }
            Ok(())
        });
        for (dropped, oldest) in [(2, 3), (2, 5), (0, 5)] {
            let forgotten = committed!(db, |tx| tx.drop_idempotency_records(4, 2).await);
            assert_eq!(forgotten, dropped);
            for key in 1..=5 {
                assert_eq!(recorded(db, key, 0).await.is_some(), key >= oldest);
            }
        }
    }
}

#[tokio::test]
async fn an_erasure_leaves_of_a_record_that_there_was_one() {
    for Opened { db, .. } in &on_both().await {
        committed!(db, |tx| {
            record(tx, 1, Some(&ada()), 1, 0).await?;
            record(tx, 2, Some(&UserId::new("bob").unwrap()), 1, 0).await?;
            record(tx, 3, None, 1, 0).await?;
            tx.erase_user(&ada(), 2).await
        });
        assert!(matches!(
            recorded(db, 1, 0).await,
            Some(IdempotencyRecord::Erased)
        ));
        for kept in [2, 3] {
            let record = recorded(db, kept, 0).await;
            assert!(matches!(record, Some(IdempotencyRecord::Answered { .. })));
        }
        let left = "SELECT COUNT(*) FROM idempotency_keys
                    WHERE user_key IS NULL AND reply IS NULL";
        let left: i64 = match &db.engine {
            Engine::Sqlite(engine) => sqlx::query_scalar(left).fetch_one(&engine.readers).await,
            Engine::Postgres(engine) => sqlx::query_scalar(left).fetch_one(&engine.readers).await,
        }
        .unwrap();
        assert_eq!(left, 1);
    }
}

#[tokio::test]
async fn keyed_hashes_differ_by_database_order_and_bounds_and_from_the_keys_of_users() {
    let [one, other] = on_both().await;
    let hashes = [
        one.db.keyed_hash(&[Some("a"), Some("b")]),
        other.db.keyed_hash(&[Some("a"), Some("b")]),
        one.db.keyed_hash(&[Some("b"), Some("a")]),
        one.db.keyed_hash(&[Some("ab")]),
        one.db.keyed_hash(&[Some("ab"), None]),
        one.db.keyed_hash(&[Some("ab"), Some("")]),
        one.db.keyed_hash(&[Some("ada")]),
        one.db.keyed_hash(&[]),
    ];
    assert_eq!(hashes.iter().collect::<HashSet<_>>().len(), hashes.len());
    assert_eq!(hashes[0], one.db.keyed_hash(&[Some("a"), Some("b")]));
    let user_key = found!(&one.db, |tx| Ok(tx.user_key(&ada())));
    assert!(!hashes.contains(&user_key));
}

fn holds(folder: &TempDir, text: &str) -> bool {
    std::fs::read_dir(folder.path()).unwrap().any(|file| {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    })
}
