//! Somebody from outside who reads the key database of SQLite, a backup for example.

use std::time::Duration;

use rusqlite::Connection;

use super::*;
use crate::store::StoreError;

/// Looks at the state of now until it is dropped.
fn reader(place: &Place) -> Connection {
    let outside = Connection::open(place.file()).unwrap();
    outside.execute_batch("BEGIN").unwrap();
    let count = "SELECT count(*) FROM user_keys";
    outside
        .query_row(count, [], |row| row.get::<_, i64>(0))
        .unwrap();
    outside
}

fn log_length(place: &Place) -> u64 {
    let mut log = place.file().into_os_string();
    log.push("-wal");
    std::fs::metadata(log).unwrap().len()
}

#[tokio::test]
async fn a_reader_from_outside_delays_a_destruction_and_nothing_else() {
    let place = Place::on_sqlite();
    let keys = place.open(None).await.unwrap();
    let kept = keys.fresh().await.unwrap();
    let key = keys.fresh().await.unwrap();
    let at = key.at;
    let other = place.open(None).await.unwrap();
    let outside = reader(&place);
    let destruction = {
        let keys = keys.clone();
        tokio::spawn(async move { keys.destroy(&[at]).await })
    };
    // More than are in memory.
    several(&keys, 70).await;
    assert!(opens(&other, kept.at, &sealed(&kept.cipher)).await);
    while other.cipher(at).await.unwrap().is_some() {
        other.shared.ciphers.forget(&[at]);
        // What is found at once would never let the destruction have its turn.
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!destruction.is_finished());
    assert!(log_length(&place) > 0);
    // Others join while it waits.
    let joining = {
        let keys = keys.clone();
        tokio::spawn(async move { keys.destroy(&[kept.at]).await })
    };
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!joining.is_finished());
    drop(outside);
    destruction.await.unwrap().unwrap();
    joining.await.unwrap().unwrap();
    assert_eq!(log_length(&place), 0);
}

#[tokio::test]
async fn a_destruction_that_could_not_be_completed_is_completed_later() {
    let place = Place::on_sqlite();
    let keys = place.open(None).await.unwrap();
    let key = keys.fresh().await.unwrap();
    let outside = reader(&place);
    let destroyed = keys.destroy(&[key.at]).await;
    assert!(matches!(destroyed, Err(StoreError::Busy)));
    assert!(keys.cipher(key.at).await.unwrap().is_none());
    assert!(log_length(&place) > 0);
    drop(outside);
    keys.destroy(&[key.at]).await.unwrap();
    assert_eq!(log_length(&place), 0);
}

#[tokio::test]
async fn reading_from_inside_delays_nothing() {
    let place = Place::on_sqlite();
    let keys = place.open(None).await.unwrap();
    let other = place.open(None).await.unwrap();
    let at = keys.fresh().await.unwrap().at;
    for keys in [&keys, &other] {
        keys.cipher(at).await.unwrap();
    }
    keys.destroy(&[at]).await.unwrap();
    assert_eq!(log_length(&place), 0);
}
