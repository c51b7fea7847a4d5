//! Tests of optimistic updates: what is stored on the strength of a snapshot, whatever happens in
//! between.

use std::sync::Arc;

use ctxmem_types::{Scope, UserId};
use tokio::sync::{Notify, oneshot};

use crate::store::tests::{
    Opened, ada, committed, fact, grant, insert_agent_and_key, on_postgres, outcome, put, query,
    set, stored, update,
};
use crate::store::user_keys::KeyRef;
use crate::store::{
    Db, DeveloperId, Hash, IdempotencyRecord, NewIdempotencyRecord, OptimisticUpdate, StoreError,
    StoredFact, UpdateQuery, UpdateSnapshot,
};

/// A user who grants something to an agent with a key, and of whom one fact is known.
async fn opened() -> Opened {
    let opened = on_postgres().await;
    committed!(&opened.db, |tx| {
        insert_agent_and_key(tx).await?;
        tx.lock_or_add_user(&ada()).await?;
        tx.put_grant(&ada(), &grant("first")).await?;
        put(tx, "one").await
    });
    opened
}

fn one_and_two(user_key: &Hash) -> UpdateQuery<'_> {
    UpdateQuery {
        counted: [Scope::Knowledge].into_iter().collect(),
        ..query(user_key, &["one", "two"])
    }
}

async fn read(db: &Db) -> UpdateSnapshot {
    let snapshots = outcome!(db, autocommit, |tx| {
        let user_key = tx.user_key(&ada());
        tx.update_snapshots(&[one_and_two(&user_key)], 0).await
    });
    snapshots.unwrap().pop().unwrap().unwrap()
}

/// What an update depends on.
#[derive(Clone, Copy)]
struct Seen {
    version: i64,
    key: Option<KeyRef>,
}

async fn seen(db: &Db) -> Seen {
    read(db).await.seen()
}

impl UpdateSnapshot {
    fn seen(&self) -> Seen {
        Seen {
            version: self.version,
            key: self.key,
        }
    }
}

/// Stores another fact if the user still has this version; whether it was stored.
async fn store(db: &Db, seen: Seen) -> bool {
    let stored = outcome!(db, autocommit, |tx| {
        let (user_key, two) = (tx.user_key(&ada()), fact("two"));
        tx.store_updates(&[update(&user_key, seen.key, seen.version, vec![&two])], 7)
            .await
    });
    match stored {
        // After an erasure there is no key to seal with.
        Err(StoreError::KeyReplaced) => false,
        stored => stored.unwrap() == [true],
    }
}

#[tokio::test]
async fn an_update_is_stored_once_on_the_strength_of_a_snapshot() {
    let Opened { db, .. } = &opened().await;
    let snapshot = read(db).await;
    assert!(snapshot.key_is_live && snapshot.grant.is_some());
    assert_eq!(snapshot.facts.len(), 1);
    assert_eq!(snapshot.counts, [(Scope::Knowledge, 1)]);
    assert!(store(db, snapshot.seen()).await);
    assert_eq!(stored(db).await, set(&["one", "two"]));
    // That was a change itself.
    let again = read(db).await;
    assert_eq!(
        (again.version, again.next_position),
        (snapshot.version + 1, 2)
    );
    assert!(!store(db, snapshot.seen()).await);
}

#[tokio::test]
async fn what_was_asked_for_is_kept_with_what_is_stored_and_confirmed() {
    let Opened { db, .. } = &opened().await;
    let seen = seen(db).await;
    let outcome = outcome!(db, autocommit, |tx| {
        let user_key = tx.user_key(&ada());
        let [one, two] = ["one", "two"].map(|value| StoredFact {
            requested: true,
            ..fact(value)
        });
        let mut update = update(&user_key, seen.key, seen.version, vec![&two]);
        update.changes.confirmed = vec![&one];
        tx.store_updates(&[update], 7).await
    });
    assert_eq!(outcome.unwrap(), [true]);
    let mut facts = read(db).await.facts;
    facts.sort_by_key(|fact| fact.first_stored_at);
    let found: Vec<_> = facts
        .iter()
        .map(|fact| (&*fact.value, fact.first_stored_at, fact.requested))
        .collect();
    assert_eq!(found, [("one", 0, true), ("two", 7, true)]);
}

/// Reads, lets something happen, and sees that nothing is stored on the strength of the snapshot.
macro_rules! assert_is_too_late {
    (|$tx:ident| { $($change:expr;)+ }) => {$(
        let Opened { db, .. } = &opened().await;
        let snapshot = read(db).await;
        committed!(db, |$tx| {
            $tx.lock_user(&ada()).await?;
            let _ = $change.await?;
            Ok(())
        });
        let before = stored(db).await;
        assert!(!store(db, snapshot.seen()).await, "{}", stringify!($change));
        assert_eq!(stored(db).await, before, "{}", stringify!($change));
    )+};
}

#[tokio::test]
async fn whatever_was_changed_after_the_look_wins() {
    assert_is_too_late!(|tx| {
        tx.erase_user(&ada(), 2);
        tx.revoke_grant(&ada(), "first", 2);
        tx.put_grant(&ada(), &grant("second"));
        tx.drop_grants(&ada());
        tx.touch_user(&ada(), 2, 1);
        tx.revoke_key("key", 2);
        tx.delete_agent("agent", &DeveloperId::new("dev"), 2);
    });
}

#[tokio::test]
async fn nobody_waits_for_whoever_holds_a_user_and_neighbours_are_stored() {
    let Opened { db, .. } = &opened().await;
    let seen = seen(db).await;
    let (held, is_held) = oneshot::channel();
    let release = Arc::new(Notify::new());
    let (held, until) = (
        Arc::new(std::sync::Mutex::new(Some(held))),
        Arc::clone(&release),
    );
    let holding = async {
        committed!(db, [held, until], |tx| {
            tx.lock_user(&ada()).await?;
            let held = held.lock().unwrap().take();
            held.unwrap().send(()).unwrap();
            until.notified().await;
            Ok(())
        });
    };
    let trying = async {
        is_held.await.unwrap();
        let bob = UserId::new("bob").unwrap();
        let outcome = outcome!(db, autocommit, |tx| {
            let keys = [tx.user_key(&ada()), tx.user_key(&bob)];
            let two = fact("two");
            let versions = [seen.version, 0];
            let updates = [0, 1].map(|n| update(&keys[n], seen.key, versions[n], vec![&two]));
            tx.store_updates(&updates, 7).await
        });
        release.notify_one();
        outcome.unwrap()
    };
    committed!(db, |tx| {
        let bob = UserId::new("bob").unwrap();
        tx.lock_or_add_user(&bob).await.map(drop)
    });
    let ((), outcome) = tokio::join!(holding, trying);
    assert_eq!(outcome, [false, true]);
    assert_eq!(stored(db).await, set(&["one"]));
}

#[tokio::test]
async fn an_answer_is_recorded_once_and_without_it_nothing_is_stored() {
    let Opened { db, .. } = &opened().await;
    for (value, is_first) in [("two", true), ("three", false)] {
        let seen = seen(db).await;
        let outcome = outcome!(db, autocommit, |tx| {
            let (user_key, fact) = (tx.user_key(&ada()), fact(value));
            let update = OptimisticUpdate {
                record: Some(NewIdempotencyRecord {
                    agent_id: "agent",
                    key: &[1; 32],
                    about: &user_key,
                    user_id: Some(&ada()),
                    request: &[2; 32],
                    answer: value,
                }),
                ..update(&user_key, seen.key, seen.version, vec![&fact])
            };
            tx.store_updates(&[update], 7).await
        });
        assert_eq!(outcome.is_ok(), is_first, "{value}");
    }
    assert_eq!(stored(db).await, set(&["one", "two"]));
    let record = outcome!(db, autocommit, |tx| {
        let about = tx.user_key(&ada());
        tx.idempotency_record("agent", &[1; 32], &about, 0).await
    });
    let answer = Some(IdempotencyRecord::Answered {
        request: [2; 32],
        answer: "two".to_owned(),
    });
    assert!(record.unwrap() == answer);
}

#[tokio::test]
async fn what_is_removed_goes_with_what_is_put() {
    let Opened { db, .. } = &opened().await;
    let seen = seen(db).await;
    let outcome = outcome!(db, autocommit, |tx| {
        let (user_key, one, two) = (tx.user_key(&ada()), fact("one"), fact("two"));
        let mut update = update(&user_key, seen.key, seen.version, vec![&two]);
        update.changes.removed = vec![&one];
        tx.store_updates(&[update], 7).await
    });
    assert_eq!(outcome.unwrap(), [true]);
    assert_eq!(stored(db).await, set(&["two"]));
    // Another version: neither is.
    assert!(!store(db, seen).await);
}

#[tokio::test]
async fn a_key_that_is_revoked_before_its_locked_update_is_stored_has_the_unit_run_again() {
    let Opened { db, .. } = &opened().await;
    let revoking = db.clone();
    let is_live = committed!(db, [revoking], |tx| {
        let (user_key, two) = (tx.user_key(&ada()), fact("two"));
        let query = one_and_two(&user_key);
        let snapshot = tx.lock_update_snapshot(&query, 0).await?.unwrap();
        if snapshot.key_is_live {
            committed!(revoking, |tx| tx.revoke_key("key", 2).await.map(drop));
            let update = update(&user_key, snapshot.key, snapshot.version, vec![&two]);
            tx.store_locked_update(&update, 7).await?;
        }
        Ok(snapshot.key_is_live)
    });
    assert!(!is_live);
    assert_eq!(stored(db).await, set(&["one"]));
}
