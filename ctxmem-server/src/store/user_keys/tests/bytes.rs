//! Traces of destroyed keys in files: no byte of them is left.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ctxmem_test_postgres::Cluster;
use rusqlite::Connection;
use sqlx::{Connection as _, PgConnection};

use super::*;

/// Pieces of this length are searched for: what remains of a key need not be all of it.
const PIECE: usize = 15;

/// Stored bytes without the number that many begin with, and without what fills a plain wrapping
/// key up.
fn pieces(stored: &[u8]) -> impl Iterator<Item = &[u8]> {
    let pieces = stored[8..].chunks_exact(PIECE);
    pieces.filter(|piece| piece.iter().any(|byte| *byte != 0))
}

/// Those of these stored bytes of which a piece is in a file of the folder. The files are read by
/// another process: closing a file here would release the locks that SQLite holds on it.
fn found(folder: &Path, stored: &[Vec<u8>]) -> HashSet<usize> {
    let copy = tempfile::tempdir().unwrap();
    let copied = Command::new("cp")
        .arg("-r")
        .args([folder, copy.path()])
        .status();
    assert!(copied.unwrap().success());
    let numbered = stored.iter().enumerate();
    let searched: HashMap<&[u8], usize> = numbered
        .flat_map(|(number, stored)| pieces(stored).map(move |piece| (piece, number)))
        .collect();
    let mut found = HashSet::new();
    for file in files(copy.path()) {
        let bytes = std::fs::read(file).unwrap();
        let windows = bytes.windows(PIECE);
        found.extend(windows.filter_map(|window| searched.get(window)));
    }
    found
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

fn folder(place: &Place) -> PathBuf {
    place.file().parent().unwrap().to_owned()
}

fn stored(place: &Place, keys: &[KeyRef]) -> Vec<Vec<u8>> {
    let outside = Connection::open(place.file()).unwrap();
    let one = |at: &KeyRef| {
        let sql = "SELECT sealed FROM user_keys WHERE slot = ?1 AND id = ?2";
        outside.query_row(sql, (at.slot, at.id), |row| row.get(0))
    };
    keys.iter().map(|at| one(at).unwrap()).collect()
}

fn stored_wrapping_keys(place: &Place) -> Vec<Vec<u8>> {
    let outside = Connection::open(place.file()).unwrap();
    let mut statement = outside.prepare("SELECT bytes FROM wrapping_keys").unwrap();
    let all = statement.query_map([], |row| row.get(0)).unwrap();
    all.map(Result::unwrap).collect()
}

async fn refs(keys: &UserKeys, count: usize) -> Vec<KeyRef> {
    let several = several(keys, count).await;
    several.iter().map(|key| key.at).collect()
}

#[tokio::test]
async fn no_file_holds_a_piece_of_a_destroyed_key() {
    let place = Place::on_sqlite();
    let keys = place.open(None).await.unwrap();
    let at = refs(&keys, 200).await;
    let stored = stored(&place, &at);
    assert_eq!(found(&folder(&place), &stored).len(), 200);
    let is_destroyed = |number: usize| number % 4 == 1;
    let numbered = || at.iter().enumerate();
    let destroyed: Vec<_> = numbered()
        .filter_map(|(number, at)| is_destroyed(number).then_some(*at))
        .collect();
    assert_eq!(destroyed.len(), 50);
    keys.destroy(&destroyed).await.unwrap();
    let kept: HashSet<usize> = (0..200).filter(|number| !is_destroyed(*number)).collect();
    assert_eq!(found(&folder(&place), &stored), kept);
    // Nor do they come back when their places are used again.
    refs(&keys, 200).await;
    assert_eq!(found(&folder(&place), &stored), kept);
    keys.close().await;
    assert_eq!(found(&folder(&place), &stored), kept);
}

#[tokio::test]
async fn keys_that_were_made_and_destroyed_many_times_leave_nothing() {
    let place = Place::on_sqlite();
    let keys = place.open(None).await.unwrap();
    let (mut gone, mut kept) = (Vec::new(), Vec::new());
    for round in 0..10 {
        let at = refs(&keys, 150).await;
        let (some, others) = at.split_at(10 + round * 14);
        kept.extend(stored(&place, others));
        gone.extend(stored(&place, some));
        keys.destroy(some).await.unwrap();
    }
    assert_eq!(found(&folder(&place), &gone), HashSet::new());
    assert_eq!(found(&folder(&place), &kept).len(), kept.len());
}

#[tokio::test]
async fn every_row_has_the_same_length() {
    let place = Place::on_sqlite();
    let keys = place.open(None).await.unwrap();
    let at = refs(&keys, 200).await;
    keys.destroy(&at[..50]).await.unwrap();
    refs(&keys, 20).await;
    keys.rotate(Some(&master('1'))).await.unwrap();
    let outside = Connection::open(place.file()).unwrap();
    let lengths = "SELECT count(*), count(DISTINCT free), count(DISTINCT length(id)),
                       count(DISTINCT length(sealed)) FROM user_keys
                   WHERE free IN (0, 1) AND typeof(id) = 'blob' AND typeof(sealed) = 'blob'";
    let lengths: (i64, i64, i64, i64) = outside
        .query_row(lengths, [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .unwrap();
    let all: i64 = outside
        .query_row("SELECT count(*) FROM user_keys", [], |row| row.get(0))
        .unwrap();
    assert_eq!(lengths, (all, 2, 1, 1));
    assert!(all > 200);
    // A file of another format would store the numbers 0 and 1 in a byte each.
    let bytes = std::fs::read(place.file()).unwrap();
    assert_eq!(bytes[44..48], [0, 0, 0, 4]);
}

#[tokio::test]
async fn a_rotation_leaves_nothing_of_the_former_wrapping_key() {
    let place = Place::on_sqlite();
    let keys = place.open(None).await.unwrap();
    let at = refs(&keys, 100).await;
    let before = [stored(&place, &at), stored_wrapping_keys(&place)].concat();
    assert_eq!(found(&folder(&place), &before).len(), 101);
    let master = master('1');
    keys.rotate(Some(&master)).await.unwrap();
    assert_eq!(found(&folder(&place), &before), HashSet::new());
    // For processes without the master key the new wrapping key lies there in plain.
    let after = stored_wrapping_keys(&place);
    let live: Vec<_> = after
        .into_iter()
        .filter(|bytes| bytes.iter().any(|byte| *byte != 0))
        .collect();
    assert_eq!(live.len(), 2);
    let protected = place.open(Some(&master)).await.unwrap();
    let outgoing = found(&folder(&place), &live);
    assert_eq!(outgoing.len(), 1);
    assert!(protected.cipher(at[0]).await.unwrap().is_some());
}

/// A server of its own, whose files the test may read.
fn cluster() -> Cluster {
    Cluster::start(&["autovacuum=off"])
}

async fn heap(cluster: &Cluster, connection: &mut PgConnection) -> PathBuf {
    sqlx::raw_sql("CHECKPOINT")
        .execute(&mut *connection)
        .await
        .unwrap();
    let folder = "SELECT 'data/base/' || oid FROM pg_database WHERE datname = current_database()";
    let folder: String = sqlx::query_scalar(folder)
        .fetch_one(connection)
        .await
        .unwrap();
    cluster.path(&folder)
}

async fn stored_on_postgres(connection: &mut PgConnection, keys: &[KeyRef]) -> Vec<Vec<u8>> {
    let mut stored = Vec::new();
    for at in keys {
        let sealed = sqlx::query_scalar("SELECT sealed FROM user_keys WHERE slot = $1")
            .bind(at.slot)
            .fetch_one(&mut *connection)
            .await;
        stored.push(sealed.unwrap());
    }
    stored
}

#[tokio::test]
async fn a_rewrite_on_postgres_removes_what_was_destroyed() {
    let cluster = cluster();
    let url = cluster.url("postgres");
    let mut outside = PgConnection::connect(&url).await.unwrap();
    let keys = UserKeys::open_postgres(url.parse().unwrap(), None, None)
        .await
        .unwrap();
    let at = refs(&keys, 100).await;
    let stored = stored_on_postgres(&mut outside, &at).await;
    keys.destroy(&at[..30]).await.unwrap();
    // Without a rewrite they are still there: the search works.
    let heap_files = heap(&cluster, &mut outside).await;
    assert_eq!(found(&heap_files, &stored).len(), 100);
    keys.rewrite_if_due().await.unwrap();
    let heap_files = heap(&cluster, &mut outside).await;
    assert_eq!(found(&heap_files, &stored), (30..100).collect());
    // Nothing is due now, so the table stays.
    let file = "SELECT pg_relation_filepath('user_keys')";
    let mut file = async || -> String {
        let file = sqlx::query_scalar(file).fetch_one(&mut outside).await;
        file.unwrap()
    };
    let rewritten = file().await;
    keys.rewrite_if_due().await.unwrap();
    keys.destroy(&at[..30]).await.unwrap();
    keys.rewrite_if_due().await.unwrap();
    assert_eq!(file().await, rewritten);
    keys.destroy(&at[30..31]).await.unwrap();
    keys.rewrite_if_due().await.unwrap();
    assert_ne!(file().await, rewritten);
    // A rotation leaves nothing of the former wrapping key.
    let all = [stored_on_postgres(&mut outside, &at[31..]).await];
    keys.rotate(Some(&master('1'))).await.unwrap();
    let heap_files = heap(&cluster, &mut outside).await;
    assert_eq!(found(&heap_files, &all.concat()), HashSet::new());
    keys.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_on_postgres_see_all_keys_during_rewrites() {
    let database = empty_database().await;
    let open = || async {
        UserKeys::open_postgres(database.url.parse().unwrap(), None, None)
            .await
            .unwrap()
    };
    let keys = open().await;
    let at: Arc<Vec<_>> = Arc::new(refs(&keys, 200).await);
    let is_over = Arc::new(AtomicBool::new(false));
    let mut readers = Vec::new();
    for _ in 0..3 {
        let (at, is_over) = (Arc::clone(&at), Arc::clone(&is_over));
        // Of another process, so nothing is in memory.
        let keys = open().await;
        readers.push(tokio::spawn(async move {
            let mut read = 0_u32;
            while !is_over.load(Ordering::Relaxed) {
                for at in at.iter() {
                    keys.shared.ciphers.forget(&[*at]);
                    assert!(keys.cipher(*at).await.unwrap().is_some());
                    read += 1;
                }
            }
            read
        }));
    }
    let writer = {
        let (keys, is_over) = (open().await, Arc::clone(&is_over));
        tokio::spawn(async move {
            let mut made = 0_u32;
            while !is_over.load(Ordering::Relaxed) {
                let key = keys.fresh().await.unwrap();
                keys.destroy(&[key.at]).await.unwrap();
                assert!(keys.cipher(key.at).await.unwrap().is_none());
                // Two processes may rewrite, in turns.
                keys.rewrite_if_due().await.unwrap();
                made += 1;
            }
            made
        })
    };
    let mut rewrites = 0;
    while rewrites < 30 {
        keys.destroy(&[keys.fresh().await.unwrap().at])
            .await
            .unwrap();
        keys.rewrite_if_due().await.unwrap();
        rewrites += 1;
    }
    is_over.store(true, Ordering::Relaxed);
    for reader in readers {
        assert!(reader.await.unwrap() > 0);
    }
    assert!(writer.await.unwrap() > 0);
    let keys = open().await;
    for at in at.iter() {
        assert!(keys.cipher(*at).await.unwrap().is_some());
    }
}
