//! The master key: who gets in with it, and how it is replaced.

use super::*;
use crate::store::StoreError;
use crate::store::user_keys::BEFORE_ALL;

/// More than one step takes, each with what is sealed under the key.
async fn several_users(keys: &UserKeys) -> Vec<(KeyRef, Vec<u8>)> {
    let several = several(keys, 600).await.into_iter();
    several.map(|key| (key.at, sealed(&key.cipher))).collect()
}

async fn refused(place: &Place, master: Option<&MasterKey>) -> OpenError {
    place.open(master).await.err().unwrap()
}

#[tokio::test]
async fn protected_keys_open_with_their_master_key_only() {
    for place in Place::on_both().await {
        let keys = place.open(Some(&master('1'))).await.unwrap();
        let key = keys.fresh().await.unwrap();
        let sealed = sealed(&key.cipher);
        keys.close().await;
        assert!(matches!(
            refused(&place, None).await,
            OpenError::MasterKeyMissing
        ));
        assert!(matches!(
            refused(&place, Some(&master('2'))).await,
            OpenError::MasterKeyWrong
        ));
        let keys = place.open(Some(&master('1'))).await.unwrap();
        assert!(opens(&keys, key.at, &sealed).await);
    }
}

#[tokio::test]
async fn a_master_key_for_keys_without_one_is_refused_with_the_way_out() {
    for place in Place::on_both().await {
        place.open(None).await.unwrap().close().await;
        let error = refused(&place, Some(&master('1'))).await;
        assert!(matches!(error, OpenError::NotProtected));
        assert!(error.to_string().contains("master-key rotate"), "{error}");
        place.open(None).await.unwrap();
    }
}

#[tokio::test]
async fn servers_go_on_while_the_master_key_is_replaced() {
    for place in Place::on_both().await {
        let [one, two] = [Some(master('1')), Some(master('2'))];
        // Protected for the first time, under another master key, under the same one, and
        // unprotected.
        let rotations = [(&None, &one), (&one, &two), (&two, &two), (&two, &None)];
        let mut users = Vec::new();
        let mut hash = None;
        for (before, after) in rotations {
            let server = place.open(before.as_ref()).await.unwrap();
            users.extend(several_users(&server).await);
            let rotating = place.open(before.as_ref()).await.unwrap();
            let rotation = async {
                rotating.rotate(after.as_ref()).await.unwrap();
                rotating.close().await;
            };
            let serving = async {
                let mut made = Vec::new();
                for (at, sealed) in users.iter().rev().step_by(7) {
                    server.shared.ciphers.forget(&[*at]);
                    assert!(opens(&server, *at, sealed).await);
                    let key = server.fresh().await.unwrap();
                    made.push((key.at, super::sealed(&key.cipher)));
                }
                made
            };
            let ((), made) = tokio::join!(rotation, serving);
            users.extend(made);
            // The server goes on, and may even be started again, until another starts with the new
            // master key.
            let restarted = place.open(before.as_ref()).await.unwrap();
            for keys in [&server, &restarted] {
                let (at, sealed) = users.first().unwrap();
                keys.shared.ciphers.forget(&[*at]);
                assert!(opens(keys, *at, sealed).await);
            }
            let new = place.open(after.as_ref()).await.unwrap();
            for (at, sealed) in &users {
                assert!(opens(&new, *at, sealed).await);
            }
            let now = new.index_hash([b"ada"]);
            assert_eq!(*hash.get_or_insert(now), now);
            let is_same = match (before, after) {
                (Some(before), Some(after)) => before.is_same(after).unwrap(),
                _ => false,
            };
            assert_eq!(place.open(before.as_ref()).await.is_ok(), is_same);
        }
    }
}

/// As far as a rotation comes that is cut short.
async fn begin_rotation(keys: &UserKeys, new: &MasterKey) -> i64 {
    let number = keys.engine.add_wrapping_key(Some(new)).await.unwrap();
    keys.engine.rewrap(number, BEFORE_ALL).await.unwrap();
    number
}

#[tokio::test]
async fn a_wrapping_key_that_is_in_use_is_kept() {
    for place in Place::on_both().await {
        let keys = place.open(Some(&master('1'))).await.unwrap();
        let users = several_users(&keys).await;
        let number = begin_rotation(&keys, &master('2')).await;
        assert!(!keys.engine.retire_others(number).await.unwrap());
        let other = place.open(Some(&master('1'))).await.unwrap();
        for (at, sealed) in &users {
            assert!(opens(&other, *at, sealed).await);
        }
    }
}

#[tokio::test]
async fn a_rotation_that_was_cut_short_is_completed_by_another() {
    for place in Place::on_both().await {
        let [one, two] = [master('1'), master('2')];
        let keys = place.open(Some(&one)).await.unwrap();
        let users = several_users(&keys).await;
        begin_rotation(&keys, &two).await;
        keys.close().await;
        let error = refused(&place, Some(&two)).await;
        assert!(matches!(error, OpenError::RotationUnfinished));
        assert!(error.to_string().contains("master-key rotate"), "{error}");
        let keys = place.open(Some(&one)).await.unwrap();
        keys.rotate(Some(&two)).await.unwrap();
        keys.close().await;
        let keys = place.open(Some(&two)).await.unwrap();
        for (at, sealed) in &users {
            assert!(opens(&keys, *at, sealed).await);
        }
        assert!(matches!(
            refused(&place, Some(&one)).await,
            OpenError::MasterKeyWrong
        ));
    }
}

#[tokio::test]
async fn a_rotation_ends_when_another_begins() {
    for place in Place::on_both().await {
        let keys = place.open(Some(&master('1'))).await.unwrap();
        let key = keys.fresh().await.unwrap();
        let first = begin_rotation(&keys, &master('2')).await;
        let other = place.open(Some(&master('1'))).await.unwrap();
        let second = begin_rotation(&other, &master('3')).await;
        assert!(second > first);
        let rewrapped = keys.engine.rewrap(first, BEFORE_ALL).await;
        assert!(matches!(rewrapped, Err(StoreError::RotationSuperseded)));
        let retired = keys.engine.retire_others(first).await;
        assert!(matches!(retired, Err(StoreError::RotationSuperseded)));
        other.rotate(Some(&master('3'))).await.unwrap();
        let new = place.open(Some(&master('3'))).await.unwrap();
        assert!(opens(&new, key.at, &sealed(&key.cipher)).await);
    }
}

#[tokio::test]
async fn a_server_that_missed_a_rotation_says_so() {
    for place in Place::on_both().await {
        let late = place.open(Some(&master('1'))).await.unwrap();
        let key = late.fresh().await.unwrap();
        let keys = place.open(Some(&master('1'))).await.unwrap();
        keys.rotate(Some(&master('2'))).await.unwrap();
        place.open(Some(&master('2'))).await.unwrap();
        late.shared.ciphers.forget(&[key.at]);
        let error = late.cipher(key.at).await.err().unwrap();
        assert!(matches!(error, StoreError::MasterKeyReplaced));
        // What is in memory needs no wrapping key.
        for _ in 1..MADE_AT_ONCE {
            late.fresh().await.unwrap();
        }
        assert!(matches!(
            late.fresh().await.err().unwrap(),
            StoreError::MasterKeyReplaced
        ));
    }
}
