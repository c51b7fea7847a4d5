//! What is stored upon a look, whatever comes in between.

use std::sync::Arc;

use ctxmem_types::{Scope, ScopeSet, UserId};
use tokio::sync::{Notify, oneshot};

use crate::store::tests::{Opened, ada, fact, on_postgres, put, set, stored};
use crate::store::{
    Agent, Db, Developer, DeveloperId, GrantRow, Hash, KeyRecord, LessonAsked, LessonSeen,
    LessonStored, LessonUnchanged, MadeBy, NewKey, NewKeyRecord, StoreError, StoredFact, Tx, Unit,
};

/// A user who grants something to an agent with a key, and of whom one fact is known.
async fn opened() -> Opened {
    let opened = on_postgres().await;
    write(&opened.db, |tx| {
        Box::pin(async move {
            let developer = Developer {
                id: DeveloperId::new("dev"),
                email: "dev@example.com".to_owned(),
            };
            tx.insert_developer(&developer, 1).await?;
            let agent = Agent {
                id: "agent".to_owned(),
                developer_id: developer.id,
                name: "Agent".to_owned(),
            };
            tx.insert_agent(&agent, 1).await?;
            let key = NewKey {
                id: "key".to_owned(),
                agent_id: "agent".to_owned(),
                hash: [1; 32],
                prefix: "ctx".to_owned(),
                scopes: ScopeSet::ALL,
            };
            tx.insert_key(&key, 1).await?;
            tx.lock_or_add_user(&ada()).await?;
            tx.put_grant(&ada(), &grant("first")).await?;
            put(tx, "one").await
        })
    })
    .await;
    opened
}

fn grant(id: &str) -> GrantRow {
    GrantRow {
        id: id.to_owned(),
        agent_id: "agent".to_owned(),
        scopes: ScopeSet::ALL,
        made_by: MadeBy::Agent,
        created_at: 1,
        expires_at: None,
        expires_text: None,
        revoked_at: None,
    }
}

async fn write<T, F>(db: &Db, unit: F) -> T
where
    F: for<'t> Fn(&'t mut Tx) -> Unit<'t, T, StoreError> + Send + Sync + 'static,
    T: Send + 'static,
{
    db.write(unit).await.unwrap()
}

async fn look(db: &Db) -> LessonSeen {
    let seen: Result<_, StoreError> = db
        .apart(|tx| {
            Box::pin(async move {
                let user_key = tx.user_key(&ada());
                let asked = LessonAsked {
                    key_id: "key",
                    agent_id: "agent",
                    user_key: &user_key,
                    once: None,
                    places: vec![
                        (Scope::Knowledge, "one".to_owned()),
                        (Scope::Knowledge, "two".to_owned()),
                    ],
                    counted: [Scope::Knowledge].into_iter().collect(),
                };
                tx.look_at_lessons(&[asked], 0).await
            })
        })
        .await;
    seen.unwrap().pop().unwrap().unwrap()
}

/// What stores a fact as of that version.
fn lesson<'a>(user_key: &'a Hash, fact: &'a StoredFact, version: i64) -> LessonUnchanged<'a> {
    LessonUnchanged {
        stored: LessonStored {
            user_key,
            agent_id: "agent",
            put: vec![fact],
            confirmed: Vec::new(),
            removed: Vec::new(),
            next_position: 2,
        },
        key_id: "key",
        version,
        noted: None,
        record: None,
    }
}

/// Stores another fact as of that version; whether it was stored.
async fn store(db: &Db, version: i64) -> bool {
    let stored: Result<_, StoreError> = db
        .apart(move |tx| {
            Box::pin(async move {
                let (user_key, two) = (tx.user_key(&ada()), fact("two"));
                tx.store_unchanged(&[lesson(&user_key, &two, version)], 7)
                    .await
            })
        })
        .await;
    stored.unwrap() == [true]
}

#[tokio::test]
async fn what_is_as_it_was_seen_is_stored_upon_once() {
    let Opened { db, .. } = &opened().await;
    let seen = look(db).await;
    assert!(seen.key_is_live && seen.grant.is_some());
    assert_eq!(seen.facts.len(), 1);
    assert_eq!(seen.counts, [(Scope::Knowledge, 1)]);
    assert!(store(db, seen.version).await);
    assert_eq!(stored(db).await, set(&["one", "two"]));
    // That was a change itself.
    let again = look(db).await;
    assert_eq!((again.version, again.next_position), (seen.version + 1, 2));
    assert!(!store(db, seen.version).await);
}

#[tokio::test]
async fn what_was_asked_for_is_kept_with_what_is_stored_and_confirmed() {
    let Opened { db, .. } = &opened().await;
    let version = look(db).await.version;
    let outcome: Result<_, StoreError> = db
        .apart(move |tx| {
            Box::pin(async move {
                let user_key = tx.user_key(&ada());
                let [one, two] = ["one", "two"].map(|value| StoredFact {
                    requested: true,
                    ..fact(value)
                });
                let mut lesson = lesson(&user_key, &two, version);
                lesson.stored.confirmed = vec![&one];
                tx.store_unchanged(&[lesson], 7).await
            })
        })
        .await;
    assert_eq!(outcome.unwrap(), [true]);
    let mut facts = look(db).await.facts;
    facts.sort_by_key(|fact| fact.first_stored_at);
    let told: Vec<_> = facts
        .iter()
        .map(|fact| (&*fact.value, fact.first_stored_at, fact.requested))
        .collect();
    assert_eq!(told, [("one", 0, true), ("two", 7, true)]);
}

/// Looks, lets something happen, and sees that nothing is stored upon the look.
macro_rules! assert_is_too_late {
    ($($change:expr),+ $(,)?) => {$(
        let Opened { db, .. } = &opened().await;
        let seen = look(db).await;
        write(db, |tx| Box::pin(async move {
            tx.lock_user(&ada()).await?;
            let change: for<'t> fn(&'t mut Tx) -> Unit<'t, (), StoreError> = $change;
            change(tx).await
        }))
        .await;
        let before = stored(db).await;
        assert!(!store(db, seen.version).await, "{}", stringify!($change));
        assert_eq!(stored(db).await, before, "{}", stringify!($change));
    )+};
}

#[tokio::test]
async fn whatever_was_changed_after_the_look_wins() {
    assert_is_too_late!(
        |tx| Box::pin(async move { tx.erase_user(&ada(), 2).await.map(drop) }),
        |tx| Box::pin(async move { tx.revoke_grant(&ada(), "first", 2).await.map(drop) }),
        |tx| Box::pin(async move { tx.put_grant(&ada(), &grant("second")).await }),
        |tx| Box::pin(async move { tx.drop_grants(&ada()).await }),
        |tx| Box::pin(async move { tx.touch_user(&ada(), 2, 1).await }),
        |tx| Box::pin(async move { tx.revoke_key("key", 2).await.map(drop) }),
        |tx| {
            Box::pin(async move {
                let developer = DeveloperId::new("dev");
                tx.delete_agent("agent", &developer, 2).await.map(drop)
            })
        },
    );
}

#[tokio::test]
async fn nobody_waits_for_whoever_holds_a_user_and_neighbours_are_stored() {
    let Opened { db, .. } = &opened().await;
    let version = look(db).await.version;
    let (held, is_held) = oneshot::channel();
    let release = Arc::new(Notify::new());
    let (held, until) = (std::sync::Mutex::new(Some(held)), Arc::clone(&release));
    let holding = write(db, move |tx| {
        let (held, until) = (held.lock().unwrap().take(), Arc::clone(&until));
        Box::pin(async move {
            tx.lock_user(&ada()).await?;
            held.unwrap().send(()).unwrap();
            until.notified().await;
            Ok(())
        })
    });
    let trying = async {
        is_held.await.unwrap();
        let bob = UserId::new("bob").unwrap();
        let outcome: Result<_, StoreError> = db
            .apart(move |tx| {
                Box::pin(async move {
                    let keys = [tx.user_key(&ada()), tx.user_key(&bob)];
                    let two = fact("two");
                    let lessons = keys.each_ref().map(|user_key| LessonUnchanged {
                        stored: LessonStored {
                            user_key,
                            agent_id: "agent",
                            put: vec![&two],
                            confirmed: Vec::new(),
                            removed: Vec::new(),
                            next_position: 2,
                        },
                        key_id: "key",
                        version: if *user_key == keys[0] { version } else { 0 },
                        noted: None,
                        record: None,
                    });
                    tx.store_unchanged(&lessons, 7).await
                })
            })
            .await;
        release.notify_one();
        outcome.unwrap()
    };
    write(db, |tx| {
        Box::pin(async move {
            let bob = UserId::new("bob").unwrap();
            tx.lock_or_add_user(&bob).await.map(drop)
        })
    })
    .await;
    let ((), outcome) = tokio::join!(holding, trying);
    assert_eq!(outcome, [false, true]);
    assert_eq!(stored(db).await, set(&["one"]));
}

#[tokio::test]
async fn an_answer_is_recorded_once_and_without_it_nothing_is_stored() {
    let Opened { db, .. } = &opened().await;
    for (value, is_first) in [("two", true), ("three", false)] {
        let version = look(db).await.version;
        let outcome: Result<_, StoreError> = db
            .apart(move |tx| {
                Box::pin(async move {
                    let (user_key, fact) = (tx.user_key(&ada()), fact(value));
                    let lesson = LessonUnchanged {
                        record: Some(NewKeyRecord {
                            agent_id: "agent",
                            key: &[1; 32],
                            user_id: Some(&ada()),
                            request: &[2; 32],
                            answer: value,
                        }),
                        ..lesson(&user_key, &fact, version)
                    };
                    tx.store_unchanged(&[lesson], 7).await
                })
            })
            .await;
        assert_eq!(outcome.is_ok(), is_first, "{value}");
    }
    assert_eq!(stored(db).await, set(&["one", "two"]));
    let record: Result<_, StoreError> = db
        .apart(|tx| Box::pin(async move { tx.key_record("agent", &[1; 32], 0).await }))
        .await;
    let answer = Some(KeyRecord::Answered {
        request: [2; 32],
        answer: "two".to_owned(),
    });
    assert!(record.unwrap() == answer);
}
