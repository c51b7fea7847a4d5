//! Tests of the guarantees of the users' keys, on real databases of both engines.

mod bytes;
mod outside;
mod rotation;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use ctxmem_test_postgres::{Database, empty_database};
use futures_util::future::join_all;
use tempfile::TempDir;

use super::key::MADE_AT_ONCE;
use super::{FreshKey, KeyRef, MasterKey, UserCipher, UserKeys};
use crate::store::{OpenError, StoreError};

/// Where keys are kept.
enum Place {
    Sqlite(TempDir),
    Postgres(Database),
}

impl Place {
    fn on_sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    async fn on_both() -> [Self; 2] {
        [Self::on_sqlite(), Self::Postgres(empty_database().await)]
    }

    fn file(&self) -> PathBuf {
        let Self::Sqlite(folder) = self else {
            panic!("not on SQLite");
        };
        folder.path().join("test.db-keys")
    }

    async fn open(&self, master: Option<&MasterKey>) -> Result<UserKeys, OpenError> {
        match self {
            Self::Sqlite(folder) => {
                UserKeys::open_sqlite(&folder.path().join("test.db"), master, None).await
            }
            Self::Postgres(database) => {
                UserKeys::open_postgres(database.url.parse().unwrap(), master, None).await
            }
        }
    }
}

fn master(digit: char) -> MasterKey {
    MasterKey::parse(&String::from(digit).repeat(64)).unwrap()
}

/// What a user is stored by.
fn sealed(cipher: &UserCipher) -> Vec<u8> {
    cipher.seal(b"row", b"likes tea").unwrap()
}

/// Whether this key is there and opens what was sealed under it.
async fn opens(keys: &UserKeys, at: KeyRef, sealed: &[u8]) -> bool {
    match keys.cipher(at).await.unwrap() {
        Some(cipher) => {
            assert_eq!(*cipher.open(b"row", sealed).unwrap(), b"likes tea");
            true
        }
        None => false,
    }
}

async fn several(keys: &UserKeys, count: usize) -> Vec<FreshKey> {
    let mut several = Vec::new();
    for _ in 0..count {
        several.push(keys.fresh().await.unwrap());
    }
    several
}

#[tokio::test]
async fn a_key_is_the_same_in_another_process() {
    for place in Place::on_both().await {
        let keys = place.open(None).await.unwrap();
        let key = keys.fresh().await.unwrap();
        let sealed = sealed(&key.cipher);
        let hash = keys.index_hash([b"ada"]);
        let other = place.open(None).await.unwrap();
        assert!(other.cached(key.at).is_none());
        assert!(opens(&other, key.at, &sealed).await);
        assert!(other.cached(key.at).is_some());
        assert_eq!(other.index_hash([&b"a"[..], b"da"]), hash);
        keys.close().await;
        other.close().await;
        let reopened = place.open(None).await.unwrap();
        assert!(opens(&reopened, key.at, &sealed).await);
        assert_eq!(reopened.index_hash([b"ada"]), hash);
    }
}

#[tokio::test]
async fn another_deployment_has_other_hashes() {
    let [one, other] = Place::on_both().await;
    let [one, other] = [
        one.open(None).await.unwrap(),
        other.open(None).await.unwrap(),
    ];
    assert_ne!(one.index_hash([b"ada"]), other.index_hash([b"ada"]));
    assert_ne!(one.index_hash([b"ada"]), one.index_hash([b"eve"]));
}

#[tokio::test]
async fn a_destroyed_key_is_gone_and_the_others_stay() {
    for place in Place::on_both().await {
        let keys = place.open(None).await.unwrap();
        let several = several(&keys, 3).await;
        let sealed: Vec<_> = several.iter().map(|key| sealed(&key.cipher)).collect();
        let at: Vec<_> = several.iter().map(|key| key.at).collect();
        // A second time does nothing.
        for _ in 0..2 {
            keys.destroy(&at[..2]).await.unwrap();
            assert!(keys.cached(at[0]).is_none());
            assert!(!opens(&keys, at[0], &sealed[0]).await);
            assert!(!opens(&keys, at[1], &sealed[1]).await);
            assert!(opens(&keys, at[2], &sealed[2]).await);
        }
        keys.destroy(&[]).await.unwrap();
        let other = place.open(None).await.unwrap();
        assert!(!opens(&other, at[0], &sealed[0]).await);
        assert!(opens(&other, at[2], &sealed[2]).await);
    }
}

#[tokio::test]
async fn nothing_is_destroyed_in_a_file_that_was_removed() {
    for suffix in ["", "-wal", "-shm"] {
        let place = Place::on_sqlite();
        let keys = place.open(None).await.unwrap();
        let key = keys.fresh().await.unwrap();
        let sealed = sealed(&key.cipher);
        let mut file = place.file().into_os_string();
        file.push(suffix);
        let elsewhere = place.file().with_extension("elsewhere");
        std::fs::rename(&file, &elsewhere).unwrap();
        let refused = keys.destroy(&[key.at]).await;
        assert!(matches!(refused, Err(StoreError::FilesReplaced)));
        std::fs::rename(&elsewhere, &file).unwrap();
        let other = place.open(None).await.unwrap();
        assert!(opens(&other, key.at, &sealed).await);
        keys.destroy(&[key.at]).await.unwrap();
        let other = place.open(None).await.unwrap();
        assert!(!opens(&other, key.at, &sealed).await);
    }
}

#[tokio::test]
async fn a_key_with_another_id_is_left_alone() {
    for place in Place::on_both().await {
        let keys = place.open(None).await.unwrap();
        let key = keys.fresh().await.unwrap();
        let sealed = sealed(&key.cipher);
        let stale = KeyRef {
            slot: key.at.slot,
            id: [7; 8],
        };
        keys.destroy(&[stale]).await.unwrap();
        // Where nothing is in memory.
        let other = place.open(None).await.unwrap();
        assert!(other.cipher(stale).await.unwrap().is_none());
        assert!(opens(&other, key.at, &sealed).await);
    }
}

#[tokio::test]
async fn the_place_of_a_destroyed_key_is_used_again() {
    let place = Place::on_sqlite();
    let keys = place.open(None).await.unwrap();
    let old: Vec<_> = several(&keys, 10).await.iter().map(|key| key.at).collect();
    keys.destroy(&old).await.unwrap();
    // The rest of those that were made with them, and all that are made next.
    let new = several(&keys, 2 * usize::try_from(MADE_AT_ONCE).unwrap()).await;
    let reused = |at: &KeyRef| new.iter().find(|key| key.at.slot == at.slot);
    let reused: Vec<_> = old.iter().filter_map(reused).collect();
    assert_eq!(reused.len(), old.len());
    let sealed: Vec<_> = reused.iter().map(|key| sealed(&key.cipher)).collect();
    keys.destroy(&old).await.unwrap();
    let other = place.open(None).await.unwrap();
    for (key, sealed) in reused.iter().zip(&sealed) {
        assert!(opens(&other, key.at, sealed).await);
    }
    for at in old {
        assert!(other.cipher(at).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn every_user_gets_another_key() {
    for place in Place::on_both().await {
        let one = place.open(None).await.unwrap();
        let other = place.open(None).await.unwrap();
        let all = join_all((0..400).map(|number| {
            let keys = if number % 2 == 0 { &one } else { &other };
            keys.fresh()
        }));
        let slots: HashSet<i64> = all
            .await
            .into_iter()
            .map(|key| key.unwrap().at.slot)
            .collect();
        assert_eq!(slots.len(), 400);
        assert!(slots.iter().all(|slot| *slot > 0));
    }
}

#[tokio::test]
async fn a_key_that_was_not_used_is_given_to_another_user() {
    for place in Place::on_both().await {
        let keys = place.open(None).await.unwrap();
        let key = keys.fresh().await.unwrap();
        let at = key.at;
        keys.give_back(key);
        assert_eq!(keys.fresh().await.unwrap().at, at);
    }
}

#[tokio::test]
async fn a_closed_process_leaves_no_keys_that_nobody_has() {
    for place in Place::on_both().await {
        let keys = place.open(None).await.unwrap();
        let key = keys.fresh().await.unwrap();
        let unused = keys.fresh().await.unwrap();
        let unused_at = unused.at;
        keys.give_back(unused);
        keys.close().await;
        assert!(keys.fresh().await.is_err());
        assert!(keys.destroy(&[key.at]).await.is_err());
        let reopened = place.open(None).await.unwrap();
        assert!(reopened.cipher(unused_at).await.unwrap().is_none());
        assert!(reopened.cipher(key.at).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn many_processes_can_start_at_once() {
    for place in Place::on_both().await {
        let opened = join_all((0..8).map(|_| place.open(None))).await;
        let opened: Vec<_> = opened.into_iter().map(Result::unwrap).collect();
        let hashes: HashSet<_> = opened
            .iter()
            .map(|keys| keys.index_hash([b"ada"]))
            .collect();
        assert_eq!(hashes.len(), 1);
        let key = opened[0].fresh().await.unwrap();
        for keys in &opened {
            assert!(opens(keys, key.at, &sealed(&key.cipher)).await);
        }
    }
}

#[tokio::test]
async fn destructions_at_the_same_time_are_all_carried_out() {
    for place in Place::on_both().await {
        let keys = place.open(None).await.unwrap();
        let at: Vec<_> = several(&keys, 100).await.iter().map(|key| key.at).collect();
        let all = join_all(at.chunks(2).map(|pair| keys.destroy(pair))).await;
        assert!(all.into_iter().all(|destroyed| destroyed.is_ok()));
        for at in at {
            assert!(keys.cipher(at).await.unwrap().is_none());
        }
    }
}

#[tokio::test]
async fn a_destruction_goes_on_without_its_caller() {
    for place in Place::on_both().await {
        let keys = place.open(None).await.unwrap();
        // On a busy machine one may be over before anybody looks; then another is begun.
        let left = loop {
            let at = keys.fresh().await.unwrap().at;
            let mut destruction = Box::pin(keys.destroy(std::slice::from_ref(&at)));
            if futures_util::poll!(&mut destruction).is_pending() {
                break at;
            }
        };
        while keys.cipher(left).await.unwrap().is_some() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn a_wrapped_key_opens_in_its_own_row_only() {
    let place = Place::on_sqlite();
    let keys = place.open(None).await.unwrap();
    let [one, other] = [keys.fresh().await.unwrap(), keys.fresh().await.unwrap()];
    let outside = rusqlite::Connection::open(place.file()).unwrap();
    let swap = "UPDATE user_keys SET sealed = (SELECT sealed FROM user_keys WHERE slot = ?1)
                WHERE slot = ?2";
    outside.execute(swap, [one.at.slot, other.at.slot]).unwrap();
    let reopened = place.open(None).await.unwrap();
    assert!(reopened.cipher(one.at).await.is_ok());
    let error = reopened.cipher(other.at).await.err().unwrap().to_string();
    assert!(error.contains("user_keys.sealed"), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_reads_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::on_sqlite();
    let _keys = place.open(None).await.unwrap();
    let mode = place.file().metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[cfg(unix)]
#[tokio::test]
async fn the_keys_of_a_linked_database_lie_beside_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let [real, link] = ["real.db", "link.db"].map(|name| folder.path().join(name));
    std::fs::write(&real, "").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let [one, other] = [
        UserKeys::open_sqlite(&real, None, None).await.unwrap(),
        UserKeys::open_sqlite(&link, None, None).await.unwrap(),
    ];
    assert_eq!(one.index_hash([b"ada"]), other.index_hash([b"ada"]));
    assert!(folder.path().join("real.db-keys").exists());
    assert!(!folder.path().join("link.db-keys").exists());
    one.destroy(&[]).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn the_keys_may_lie_in_another_folder() {
    let place = Place::on_sqlite();
    let other = tempfile::tempdir().unwrap();
    let file = other.path().join("elsewhere");
    std::fs::write(&file, "").unwrap();
    std::os::unix::fs::symlink(&file, place.file()).unwrap();
    let keys = place.open(None).await.unwrap();
    let key = keys.fresh().await.unwrap();
    keys.destroy(&[key.at]).await.unwrap();
    assert!(file.metadata().unwrap().len() > 0);
}

/// A future that holds a key may move between threads.
#[test]
fn keys_can_be_shared() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<UserKeys>();
    is_shared::<Arc<UserCipher>>();
}
