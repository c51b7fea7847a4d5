//! Backups while users' keys change hands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ctxmem_types::UserId;

use super::copy::finish;
use super::{BackupError, BackupFiles, back_up, check, verify};
use crate::store::Db;
use crate::store::tests::{committed, fact, on_sqlite};

const USERS: usize = 20;

fn named(n: usize) -> UserId {
    UserId::new(format!("user-{n}")).unwrap()
}

async fn put(db: &Db, user_id: UserId, value: &str) {
    let fact = fact(value);
    committed!(db, [user_id, fact], |tx| {
        tx.lock_or_add_user(&user_id).await?;
        tx.put_fact(&user_id, "agent", &fact).await
    });
}

async fn replace_key(db: &Db, user_id: UserId) {
    committed!(db, [user_id], |tx| {
        tx.lock_user(&user_id).await?;
        tx.replace_key(&user_id).await
    });
}

/// A user who deletes a fact gets another key. A copy of the database from before and of the keys
/// from after would hold nothing of this user that can be read.
#[tokio::test(flavor = "multi_thread")]
async fn the_copies_of_database_and_keys_are_of_one_moment() {
    // So that somebody could change a key there, if anybody could.
    fail::cfg("backup-between-snapshots", "sleep(20)").unwrap();
    let opened = on_sqlite().await;
    for n in 0..USERS {
        put(&opened.db, named(n), "Rust").await;
    }
    let (done, replaced) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let replacing: Vec<_> = (0..2)
        .map(|task| {
            let (db, done, replaced) =
                (opened.db.clone(), Arc::clone(&done), Arc::clone(&replaced));
            tokio::spawn(async move {
                let mut n = task;
                while !done.load(Ordering::SeqCst) {
                    replace_key(&db, named(n % USERS)).await;
                    replaced.fetch_add(1, Ordering::SeqCst);
                    n += 2;
                }
            })
        })
        .collect();
    let url = opened.url();
    for n in 0..20 {
        let to = BackupFiles::at(&opened.folder.path().join(format!("backup-{n}.db")));
        // It fails if a user has no key.
        let contents = back_up(&url, to.clone(), |_| {}).await.unwrap();
        assert_eq!((contents.users, contents.facts), (20, 20));
        let copy = format!("sqlite://{}", to.database.display());
        let copy = Db::open(&copy).await.unwrap();
        let users = copy.user_records(None, 100).await.unwrap();
        let facts = users.iter().flat_map(|user| &user.facts);
        assert!(facts.map(|fact| &*fact.value).eq(["Rust"; USERS]));
        copy.close().await;
    }
    done.store(true, Ordering::SeqCst);
    for task in replacing {
        task.await.unwrap();
    }
    assert!(
        replaced.load(Ordering::SeqCst) > 20,
        "nothing happened meanwhile"
    );
}

#[tokio::test]
async fn keys_of_another_moment_are_noticed() {
    let opened = on_sqlite().await;
    put(&opened.db, named(0), "Rust").await;
    let url = opened.url();
    let [before, after] =
        ["before.db", "after.db"].map(|name| BackupFiles::at(&opened.folder.path().join(name)));
    back_up(&url, before.clone(), |_| {}).await.unwrap();
    replace_key(&opened.db, named(0)).await;
    back_up(&url, after.clone(), |_| {}).await.unwrap();
    // What destroyed the key is in the keys of later.
    let mixed = BackupFiles {
        database: before.database,
        keys: after.keys.clone(),
    };
    let refused = check(&mixed);
    assert!(matches!(
        refused,
        Err(BackupError::OtherKeys { users: 1, .. })
    ));
    check(&after).unwrap();
}

#[tokio::test]
async fn where_the_name_is_taken_meanwhile_no_keys_are_left() {
    let opened = on_sqlite().await;
    put(&opened.db, named(0), "Rust").await;
    let at = |name: &str| BackupFiles::at(&opened.folder.path().join(name));
    let (made, to) = (at("made.db"), at("to.db"));
    let url = opened.url();
    for taken in [&to.database, &to.keys] {
        back_up(&url, made.clone(), |_| {}).await.unwrap();
        std::fs::write(taken, "another's").unwrap();
        let refused = finish(&made, &to);
        assert!(matches!(refused, Err(BackupError::Exists { .. })));
        assert_eq!(std::fs::read(taken).unwrap(), b"another's");
        std::fs::remove_file(taken).unwrap();
        assert!(!to.database.exists() && !to.keys.exists());
        for file in [&made.database, &made.keys] {
            let _ = std::fs::remove_file(file);
        }
    }
}

#[tokio::test]
async fn facts_of_nobody_are_noticed() {
    let opened = on_sqlite().await;
    put(&opened.db, named(0), "Rust").await;
    let url = opened.url();
    let backup = BackupFiles::at(&opened.folder.path().join("backup.db"));
    back_up(&url, backup.clone(), |_| {}).await.unwrap();
    verify(&backup, None).unwrap();
    let connection = rusqlite::Connection::open(&backup.database).unwrap();
    let moved = "UPDATE facts SET user_key = zeroblob(32)";
    assert_eq!(connection.execute(moved, []).unwrap(), 1);
    drop(connection);
    let refused = verify(&backup, None).unwrap_err();
    assert!(refused.to_string().contains("1 rows of facts are nobody's"));
}
