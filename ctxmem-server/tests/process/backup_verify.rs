//! `backup --verify`: the damage that it detects, and that a failed backup leaves nothing behind.

use std::os::unix::fs::symlink;
use std::path::Path;

use rusqlite::Connection;

use crate::process::{Home, assert_has, assert_lacks, tell};

/// A server's database of three users, with `flags` in front of every command.
async fn three_users(home: &Home, flags: &[&str]) {
    let serving = home.serve(&[flags, &["--log", "warn"]].concat()).await;
    let client = serving.client(None);
    for name in ["ada", "bob", "cyd"] {
        tell(&client, name, "My name is Quokka and I live in Lisbon.").await;
    }
    serving.stop().await;
}

/// Flips one bit of a value, wherever that stands in the column.
fn flip(file: &Path, table: &str, column: &str, of: &str, byte: usize) {
    let connection = Connection::open(file).unwrap();
    // So that nothing is left beside the file.
    let settings = "PRAGMA journal_mode = DELETE";
    connection.query_row(settings, [], |_| Ok(())).unwrap();
    let query = format!("SELECT {column} FROM {table} WHERE {of} LIMIT 1");
    let before: Vec<u8> = connection.query_row(&query, [], |row| row.get(0)).unwrap();
    let mut after = before.clone();
    let byte = byte % after.len();
    after[byte] ^= 1;
    let change = format!("UPDATE {table} SET {column} = ?1 WHERE {column} = ?2");
    assert!(connection.execute(&change, (after, before)).unwrap() > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_flipped_bit_in_what_is_sealed_is_noticed() {
    let home = Home::new();
    three_users(&home, &[]).await;
    home.json(&["backup", "whole.db"]);
    let [database, keys] = ["broken.db", "broken.db-keys"].map(|name| home.path(name));
    let of_a_user = Connection::open(home.database())
        .unwrap()
        .query_row("SELECT MIN(key_slot) FROM users", [], |row| row.get(0))
        .map(|slot: i64| format!("slot = {slot}"))
        .unwrap();
    let of_database = [
        ("facts", "sealed", "in facts of the user "),
        ("facts", "slot_hash", "in facts of the user "),
        ("users", "sealed_user_id", "in users of the user "),
        ("users", "user_key", "in users of the user "),
        ("facts", "user_key", "rows of facts are nobody's"),
    ];
    let of_database =
        of_database.map(|(table, column, said)| (&database, table, column, "TRUE", said));
    let of_keys = [
        ("slot = 0", "user_keys.sealed (row 0)"),
        (&of_a_user, "user_keys.sealed (row "),
    ];
    let of_keys = of_keys.map(|(of, said)| (&keys, "user_keys", "sealed", of, said));
    for (file, table, column, of, said) in of_database.into_iter().chain(of_keys) {
        for byte in [9, 20, 27] {
            for (from, to) in [("whole.db", &database), ("whole.db-keys", &keys)] {
                std::fs::copy(home.path(from), to).unwrap();
            }
            home.json(&["backup", "--verify", "broken.db"]);
            flip(file, table, column, of, byte);
            let refused = home.run("backup --verify broken.db");
            let what = format!("{table}.{column}, byte {byte}: {}", refused.stderr);
            assert_eq!(refused.status.code(), Some(1), "{what}");
            assert_has(&what, &["broken.db", said]);
            assert_lacks(&refused.stderr, &["Quokka", "Lisbon", "ada"]);
        }
    }
    let whole = home.printed("backup --verify whole.db");
    assert_has(&whole, &["every user and fact was opened"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_says_which_master_key_it_needs() {
    let home = Home::new();
    for (name, digit) in [("former", "1"), ("new", "2")] {
        home.write(name, digit.repeat(64));
    }
    let by = |key: &'static str| ["--master-key-file", key];
    three_users(&home, &by("former")).await;
    let run = |flags: &[&str], command: &[&str]| home.run(&[flags, command].concat());
    assert!(run(&by("former"), &["backup", "old.db"]).status.success());

    let rotate = ["master-key", "rotate", "--new-master-key-file", "new"];
    let rotated = run(&by("former"), &rotate);
    assert!(rotated.status.success(), "{}", rotated.stderr);
    let said = ["until a server has started", "a backup from before"];
    assert_has(&rotated.stdout, &said);
    // As it says.
    assert!(run(&by("former"), &["user", "list"]).status.success());
    home.serve(&by("new")).await.stop().await;
    assert!(!run(&by("former"), &["user", "list"]).status.success());
    assert!(run(&by("new"), &["backup", "new.db"]).status.success());

    let other = Some("by another master key than the one given");
    let none = Some("by a master key, and none was given");
    for (flags, file, refused) in [
        (&by("former")[..], "old.db", None),
        (&by("new"), "new.db", None),
        (&by("new"), "old.db", other),
        (&by("former"), "new.db", other),
        (&[], "old.db", none),
    ] {
        let verified = run(flags, &["backup", "--verify", file]);
        let what = format!("{flags:?} {file}: {}{}", verified.stdout, verified.stderr);
        assert_eq!(verified.status.success(), refused.is_none(), "{what}");
        if let Some(said) = refused {
            assert!(verified.stderr.contains(said), "{what}");
            assert!(!verified.stdout.contains("whole"), "{what}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_fails_leaves_nothing_behind() {
    let home = Home::new();
    three_users(&home, &[]).await;
    for name in ["l.db", "l.db-keys"] {
        let folder = home.path(&format!("out-{name}"));
        std::fs::create_dir(&folder).unwrap();
        symlink("/nonexistent", folder.join(name)).unwrap();
        let target = folder.join("l.db");
        let backup = ["backup", target.to_str().unwrap()];
        home.refused(&backup, 1, "exists already");
        let left = std::fs::read_dir(&folder).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, [name], "only the link is left");
    }
    // A link where the copy is made at first is none of ours to follow.
    symlink(home.path("elsewhere"), home.path("m.db.part")).unwrap();
    home.json(&["backup", "m.db"]);
    assert!(!home.path("elsewhere").exists());
    home.json(&["backup", "--verify", "m.db"]);
}
