//! Tests of group commit: what units of work that share a commit can rely on.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ctxmem_types::{Scope, UserId};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use rusqlite::Connection;
use sqlx::{Connection as _, SqliteConnection};
use tokio::task::JoinHandle;

use super::queue::MAX_WAITING;
use super::{MAX_INTAKE, MAX_UNITS};
use crate::store::statement::statement;
use crate::store::tests::{
    Opened, ada, committed, fact, on_sqlite, on_writer, put, set, stored, unit, until, write,
};
use crate::store::writer_lock::WriterLock;
use crate::store::{Db, Result, StoreError, Tx};

type Outcome = Result<()>;

/// A unit of work that keeps the others waiting until it is released.
struct Gate {
    opened: Arc<AtomicBool>,
    running: JoinHandle<Outcome>,
}

impl Gate {
    /// Answers when the unit runs. Units that are queued from now on wait behind it and share the
    /// next group.
    async fn shut(db: &Db) -> Self {
        let begun: Arc<AtomicBool> = Arc::default();
        let opened: Arc<AtomicBool> = Arc::default();
        let (has_begun, is_opened) = (Arc::clone(&begun), Arc::clone(&opened));
        let db = db.clone();
        let running = tokio::spawn(async move {
            db.write(unit!([begun, opened], |_| {
                begun.store(true, Ordering::SeqCst);
                until(&opened).await;
                // Nothing else fits into its group.
                tokio::time::sleep(MAX_INTAKE).await;
                Ok(())
            }))
            .await
        });
        until(&has_begun).await;
        Self {
            opened: is_opened,
            running,
        }
    }

    async fn open(self) {
        self.opened.store(true, Ordering::SeqCst);
        self.running.await.unwrap().unwrap();
    }
}

/// Runs these units in one group, in this order.
async fn together<T>(db: &Db, units: Vec<BoxFuture<'_, T>>) -> Vec<T> {
    let gate = Gate::shut(db).await;
    let (outcomes, ()) = tokio::join!(join_all(units), gate.open());
    outcomes
}

fn stores<'a>(db: &'a Db, value: &'static str) -> BoxFuture<'a, Outcome> {
    write(db, value).boxed()
}

fn stores_and<'a, F>(
    db: &'a Db,
    value: &'static str,
    and: impl Fn() -> F + Send + Sync + 'static,
) -> BoxFuture<'a, Outcome>
where
    F: Future<Output = Outcome> + Send + 'static,
{
    let unit = db.write(move |tx: &mut Tx| {
        let and = and();
        Box::pin(async move {
            put(tx, value).await?;
            and.await
        })
    });
    unit.boxed()
}

async fn refuses() -> Outcome {
    Err(StoreError::corrupt("refused", "on purpose"))
}

async fn panics() -> Outcome {
    panic!("on purpose")
}

fn is_refusal(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Err(StoreError::Corrupt {
            table: "refused",
            ..
        })
    )
}

/// The number of commits: frames of the log that end a transaction.
fn commits(opened: &Opened) -> usize {
    let log = std::fs::read(opened.folder.path().join("test.db-wal")).unwrap();
    let page = u32::from_be_bytes(log[8..12].try_into().unwrap());
    let frame = 24 + usize::try_from(page).unwrap();
    let ends = |header: &[u8]| header[4..8] != [0; 4];
    log[32..].chunks(frame).filter(|frame| ends(frame)).count()
}

/// How a unit ends that has stored a fact.
#[derive(Clone, Copy, Debug)]
enum Ends {
    Well,
    Refused,
    InPanic,
}

#[tokio::test]
async fn the_neighbours_of_units_that_fail_or_panic_are_committed() {
    use Ends::{InPanic, Refused, Well};
    for units in [
        &[Well, Refused, Well, Refused, Refused, Well][..],
        &[Refused, InPanic, Well],
        &[Well, InPanic, Well],
    ] {
        let Opened { db, .. } = &on_sqlite().await;
        let values = ["one", "two", "three", "four", "five", "six"];
        let units = || values.into_iter().zip(units.iter().copied());
        for round in 0..2 {
            let asked = units().map(|(value, ends)| match ends {
                Well => stores(db, value),
                Refused => stores_and(db, value, refuses),
                InPanic => stores_and(db, value, panics),
            });
            let outcomes = together(db, asked.collect()).await;
            for ((value, ends), outcome) in units().zip(outcomes) {
                let is_right = match ends {
                    Well => outcome.is_ok(),
                    Refused => is_refusal(&outcome),
                    InPanic => matches!(outcome, Err(StoreError::Interrupted)),
                };
                assert!(is_right, "{round}: {value} ends {ends:?}: {outcome:?}");
            }
            let kept = units().filter(|(_, ends)| matches!(ends, Well));
            let kept: Vec<&str> = kept.map(|(value, _)| value).collect();
            assert_eq!(stored(db).await, set(&kept), "{round}");
        }
    }
}

#[tokio::test]
async fn what_is_asked_for_while_a_unit_runs_shares_one_commit() {
    let opened = on_sqlite().await;
    let db = &opened.db;
    write(db, "before").await.unwrap();
    let before = commits(&opened);
    let values = ["one", "two", "three", "four", "five", "six"];
    // The gate itself changes nothing.
    let outcomes = together(db, values.map(|value| stores(db, value)).into()).await;
    assert!(outcomes.iter().all(Result::is_ok));
    assert_eq!(commits(&opened) - before, 1);
    for value in ["seven", "eight"] {
        write(db, value).await.unwrap();
    }
    assert_eq!(commits(&opened) - before, 3);
}

#[tokio::test]
async fn nobody_is_answered_before_the_commit() {
    let opened = on_sqlite().await;
    let db = &opened.db;
    let other = Db::open(&opened.url()).await.unwrap();
    let seen = |value: &'static str, unit: BoxFuture<'static, Outcome>| {
        let other = other.clone();
        async move {
            let outcome = unit.await;
            outcome.is_ok() && stored(&other).await.contains(value)
        }
        .boxed()
    };
    let asked = |value, pause: Duration| {
        let db = db.clone();
        let unit = async move {
            stores_and(&db, value, move || async move {
                tokio::time::sleep(pause).await;
                Ok(())
            })
            .await
        };
        seen(value, unit.boxed())
    };
    // The last one gives an answer that came too early time to be noticed.
    let units = vec![
        asked("one", Duration::ZERO),
        asked("two", Duration::ZERO),
        asked("three", Duration::from_millis(100)),
    ];
    assert_eq!(together(db, units).await, [true; 3]);
    // Nor is one that failed: what it was refused for may not be there yet.
    let refused = async {
        let outcome = stores_and(db, "half", refuses).await;
        is_refusal(&outcome) && stored(&other).await.contains("four")
    };
    let units = vec![
        asked("four", Duration::ZERO),
        refused.boxed(),
        asked("five", Duration::from_millis(100)),
    ];
    assert_eq!(together(db, units).await, [true; 3]);
}

#[tokio::test]
async fn a_lone_write_waits_for_nobody() {
    let Opened { db, .. } = &on_sqlite().await;
    let mut fastest = Duration::MAX;
    for _ in 0..50 {
        let began = Instant::now();
        write(db, "alone").await.unwrap();
        fastest = fastest.min(began.elapsed());
    }
    assert!(fastest < MAX_INTAKE / 2, "{fastest:?}");
}

#[tokio::test]
async fn units_run_in_the_order_in_which_they_were_asked_for() {
    let Opened { db, .. } = &on_sqlite().await;
    let ran = Arc::new(Mutex::new(Vec::new()));
    let units = (0..600).map(|number| {
        let ran = Arc::clone(&ran);
        let unit = move || {
            let ran = Arc::clone(&ran);
            async move {
                ran.lock().unwrap().push(number);
                Ok(())
            }
        };
        stores_and(db, "value", unit)
    });
    let outcomes = together(db, units.collect()).await;
    assert!(outcomes.iter().all(Result::is_ok));
    assert!(ran.lock().unwrap().iter().copied().eq(0..600));
}

#[tokio::test]
async fn a_unit_whose_turn_comes_after_its_caller_left_is_run() {
    let Opened { db, .. } = &on_sqlite().await;
    let gate = Gate::shut(db).await;
    for value in ["one", "two"] {
        assert!(stores(db, value).now_or_never().is_none());
    }
    gate.open().await;
    write(db, "three").await.unwrap();
    assert_eq!(stored(db).await, set(&["one", "two", "three"]));
}

#[tokio::test]
async fn closing_finishes_what_was_asked_for_and_takes_no_more() {
    let opened = on_sqlite().await;
    let db = &opened.db;
    let gate = Gate::shut(db).await;
    let mut asked = join_all(["one", "two", "three"].map(|value| stores(db, value)));
    assert!((&mut asked).now_or_never().is_none());
    let mut closing = Box::pin(db.close());
    assert!((&mut closing).now_or_never().is_none());
    let late = write(db, "late").now_or_never();
    assert!(
        matches!(late, Some(Err(StoreError::Database(_)))),
        "{late:?}"
    );
    let (outcomes, (), ()) = tokio::join!(asked, closing, gate.open());
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    assert!(write(db, "later").await.is_err());
    let again = Db::open(&opened.url()).await.unwrap();
    assert_eq!(stored(&again).await, set(&["one", "two", "three"]));
    // It may be closed by several.
    db.close().await;
}

// A row that its foreign key forbids, which only the commit finds out.
statement!(FORBID_LATE: "PRAGMA defer_foreign_keys = ON");
statement!(
    FORBIDDEN: "INSERT INTO agents (id, developer_id, name, created_at)
     VALUES ('a', 'nobody', 'a', 0)"
);

#[tokio::test]
async fn a_commit_that_fails_is_told_to_all() {
    let opened = on_sqlite().await;
    let db = &opened.db;
    let forbidden = db.write(unit!(|tx| {
        tx.run(FORBID_LATE, &[]).await?;
        tx.run(FORBIDDEN, &[]).await
    }));
    let units = vec![
        stores(db, "one"),
        forbidden.boxed(),
        stores_and(db, "half", refuses),
        stores(db, "two"),
    ];
    let outcomes = together(db, units).await;
    for lost in [0, 1, 3] {
        let error = outcomes[lost].as_ref().unwrap_err().to_string();
        assert!(error.contains("FOREIGN KEY"), "{error}");
    }
    assert!(is_refusal(&outcomes[2]));
    assert!(stored(db).await.is_empty());
    // The lock is free.
    let mut other = SqliteConnection::connect(&opened.url()).await.unwrap();
    let had = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
    had.rollback().await.unwrap();
    write(db, "next").await.unwrap();
    assert_eq!(stored(db).await, set(&["next"]));
}

// A row for which there is no room, which undoes the whole transaction.
statement!(LEAVE_NO_ROOM: "PRAGMA max_page_count = 1");
statement!(LEAVE_ROOM: "PRAGMA max_page_count = 1000000");
statement!(TOO_LARGE: "INSERT INTO meta (name, value) VALUES ('large', zeroblob(1000000))");

async fn fills_the_disk(tx: &mut Tx) -> Outcome {
    tx.find(LEAVE_NO_ROOM, &[]).await?;
    let outcome = tx.run(TOO_LARGE, &[]).await;
    tx.find(LEAVE_ROOM, &[]).await?;
    outcome
}

#[tokio::test]
async fn nobody_is_told_to_have_succeeded_whose_transaction_was_undone() {
    let Opened { db, .. } = &on_sqlite().await;
    // One that makes light of the failure loses what the others did as well.
    for ignores_it in [false, true] {
        let full = || {
            let unit = db.write(unit!(|tx| {
                let outcome = fills_the_disk(tx).await;
                if ignores_it { Ok(()) } else { outcome }
            }));
            unit.boxed()
        };
        let units = vec![stores(db, "one"), full(), stores(db, "two")];
        let outcomes = together(db, units).await;
        for lost in [0, 1] {
            let error = outcomes[lost].as_ref().unwrap_err().to_string();
            assert!(error.contains("full"), "{error}");
        }
        // It came into the next group.
        assert!(outcomes[2].is_ok(), "{outcomes:?}");
        assert_eq!(stored(db).await, set(&["two"]));
        // The same where it is the first, and nobody is told to have failed who did not.
        let outcomes = together(db, vec![full(), stores(db, "two"), stores(db, "three")]).await;
        assert!(outcomes[0].is_err());
        assert!(outcomes[1].is_ok() && outcomes[2].is_ok(), "{outcomes:?}");
        committed!(db, |tx| tx.erase_user(&ada(), 1).await);
    }
}

#[tokio::test]
async fn all_are_told_when_another_process_keeps_the_lock() {
    let opened = on_sqlite().await;
    let db = &opened.db;
    let impatient = |writer: &Connection| Ok(writer.busy_timeout(Duration::from_secs(1))?);
    on_writer(db, impatient).await.unwrap();
    let mut other = SqliteConnection::connect(&opened.url()).await.unwrap();
    let held = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
    // While the thread waits for the first, the others ask.
    let mut first = Box::pin(stores(db, "zero"));
    let waits = tokio::time::timeout(Duration::from_millis(200), &mut first).await;
    assert!(waits.is_err(), "it waits for the lock");
    let began = Instant::now();
    let outcomes = join_all(["one", "two", "three"].map(|value| stores(db, value)));
    let (first, outcomes) = tokio::join!(first, outcomes);
    // They waited side by side: one after the other they would need three seconds more.
    assert!(began.elapsed() < Duration::from_secs(3));
    for outcome in outcomes.into_iter().chain([first]) {
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains("locked"), "{error}");
    }
    held.rollback().await.unwrap();
    write(db, "four").await.unwrap();
    assert_eq!(stored(db).await, set(&["four"]));
}

#[tokio::test]
async fn a_group_waits_for_its_turn_among_processes() {
    let opened = on_sqlite().await;
    let db = &opened.db;
    let lock = std::fs::File::open(opened.folder.path().join("test.db.lock")).unwrap();
    let other = WriterLock(lock);
    let held = other.acquire().await;
    let mut asked = stores(db, "one");
    let early = tokio::time::timeout(Duration::from_millis(200), &mut asked).await;
    assert!(early.is_err(), "it did not wait");
    drop(held);
    asked.await.unwrap();
    // The turn is over once the lock is had.
    let gate = Gate::shut(db).await;
    let held = other.acquire().now_or_never();
    assert!(held.is_some());
    gate.open().await;
    // A process that stopped in its turn does not stop the others.
    write(db, "two").await.unwrap();
    assert_eq!(stored(db).await, set(&["one", "two"]));
}

#[tokio::test]
async fn beyond_the_bound_of_the_queue_work_is_refused_at_once_and_the_rest_is_done() {
    const TOO_MANY: usize = MAX_WAITING + 2 * MAX_UNITS;
    let Opened { db, .. } = &on_sqlite().await;
    let gate = Gate::shut(db).await;
    let mut outcomes = Vec::new();
    let mut waiting = Vec::new();
    for _ in 0..TOO_MANY {
        let mut unit = Box::pin(db.write(unit!(|_| Ok::<_, StoreError>(()))));
        // It is queued, or refused, when it is first asked.
        match (&mut unit).now_or_never() {
            Some(outcome) => outcomes.push(outcome),
            None => waiting.push(unit),
        }
    }
    gate.open().await;
    outcomes.extend(join_all(waiting).await);
    let done = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let is_refused = |outcome: &&Outcome| matches!(outcome, Err(StoreError::Overloaded));
    let refused = outcomes.iter().filter(is_refused).count();
    assert_eq!((done, refused), (MAX_WAITING, TOO_MANY - MAX_WAITING));
    write(db, "more").await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_that_write_at_once_the_rows_are_of_those_that_were_told_so() {
    const WRITERS: usize = 200;
    let Opened { db, .. } = &on_sqlite().await;
    let writers = (0..WRITERS).map(|writer| {
        let db = db.clone();
        tokio::spawn(async move {
            let mut kept = Vec::new();
            for round in 0..5 {
                let value: &'static str = format!("{writer} {round}").leak();
                let outcome = match rand::random_range(0..10) {
                    0..3 => stores_and(&db, value, refuses).await,
                    3 if round == 0 => stores_and(&db, value, panics).await,
                    _ => stores(&db, value).await,
                };
                if outcome.is_ok() {
                    kept.push(value);
                }
            }
            kept
        })
    });
    let kept: Vec<_> = join_all(writers).await;
    let kept: Vec<_> = kept.into_iter().flat_map(Result::unwrap).collect();
    assert!(kept.len() > WRITERS);
    assert_eq!(stored(db).await, set(&kept));
}

#[tokio::test]
async fn what_is_undone_in_a_group_does_not_count_as_changed() {
    let Opened { db, .. } = &on_sqlite().await;
    let bob = UserId::new("bob").unwrap();
    let stamps = || [ada(), bob.clone()].map(|user_id| db.stamp(&db.user_key(&user_id)).unwrap());
    let refused = || {
        let bob = bob.clone();
        let unit = db.write(unit!([bob], |tx| {
            tx.lock_or_add_user(&bob).await?;
            tx.put_fact(&bob, "agent", &fact("half")).await?;
            tx.revoke_key("key", 1).await?;
            refuses().await
        }));
        unit.boxed()
    };
    let before = stamps();
    // It is sure to write.
    let removes = || {
        let unit = db.write(unit!(|tx| {
            put(tx, "one").await?;
            tx.remove_fact(&ada(), Scope::Knowledge, "one").await
        }));
        unit.boxed()
    };
    let units = vec![removes(), refused(), stores(db, "two")];
    let outcomes = together(db, units).await;
    assert!(outcomes[0].is_ok() && is_refusal(&outcomes[1]) && outcomes[2].is_ok());
    let after = stamps();
    assert_ne!(after[0], before[0]);
    assert_eq!(after[1], before[1]);
    // Where nothing else is committed with it either.
    let outcomes = together(db, vec![refused(), refused()]).await;
    assert!(outcomes.iter().all(is_refusal));
    assert_eq!(stamps(), after);
    // Nor with what is committed next.
    removes().await.unwrap();
    assert_eq!(stamps()[1], after[1]);
}
