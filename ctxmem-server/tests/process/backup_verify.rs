//! `backup --verify`: the damage that it detects, and that a failed backup leaves nothing behind.

use std::os::unix::fs::symlink;
use std::path::Path;

use rusqlite::Connection;

use crate::process::{Home, user};

/// A server's database of three users, with `flags` in front of every command.
async fn three_users(home: &Home, flags: &[&str]) {
    let serving = home.serve(&[flags, &["--log", "warn"]].concat()).await;
    let client = serving.client(None);
    for name in ["ada", "bob", "cyd"] {
        let message = "My name is Quokka and I live in Lisbon.";
        client.update(&user(name), message, "Noted.").await.unwrap();
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
    for (file, table, column, of, said) in [
        (
            &database,
            "facts",
            "sealed",
            "TRUE",
            "in facts of the user ",
        ),
        (
            &database,
            "facts",
            "slot_hash",
            "TRUE",
            "in facts of the user ",
        ),
        (
            &database,
            "users",
            "sealed_user_id",
            "TRUE",
            "in users of the user ",
        ),
        (
            &database,
            "users",
            "user_key",
            "TRUE",
            "in users of the user ",
        ),
        (
            &database,
            "facts",
            "user_key",
            "TRUE",
            "rows of facts are nobody's",
        ),
        (
            &keys,
            "user_keys",
            "sealed",
            "slot = 0",
            "user_keys.sealed (row 0)",
        ),
        (
            &keys,
            "user_keys",
            "sealed",
            &of_a_user,
            "user_keys.sealed (row ",
        ),
    ] {
        for byte in [9, 20, 27] {
            for (from, to) in [("whole.db", &database), ("whole.db-keys", &keys)] {
                std::fs::copy(home.path(from), to).unwrap();
            }
            home.json(&["backup", "--verify", "broken.db"]);
            flip(file, table, column, of, byte);
            let refused = home.run(&["backup", "--verify", "broken.db"]);
            let what = format!("{table}.{column}, byte {byte}: {}", refused.stderr);
            assert_eq!(refused.status.code(), Some(1), "{what}");
            assert!(refused.stderr.contains("broken.db"), "{what}");
            assert!(refused.stderr.contains(said), "{what}");
            for canary in ["Quokka", "Lisbon", "ada"] {
                assert!(!refused.stderr.contains(canary), "{what}");
            }
        }
    }
    let whole = home.run(&["backup", "--verify", "whole.db"]);
    assert!(
        whole.stdout.contains("every user and fact was opened"),
        "{}",
        whole.stdout
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_says_which_master_key_it_needs() {
    let home = Home::new();
    for (name, digit) in [("former", "1"), ("new", "2")] {
        std::fs::write(home.path(name), digit.repeat(64)).unwrap();
    }
    let by = |key: &'static str| ["--master-key-file", key];
    three_users(&home, &by("former")).await;
    let run = |flags: &[&str], command: &[&str]| home.run(&[flags, command].concat());
    assert!(run(&by("former"), &["backup", "old.db"]).status.success());

    let rotate = ["master-key", "rotate", "--new-master-key-file", "new"];
    let rotated = run(&by("former"), &rotate);
    assert!(rotated.status.success(), "{}", rotated.stderr);
    for said in ["until a server has started", "a backup from before"] {
        assert!(rotated.stdout.contains(said), "{}", rotated.stdout);
    }
    // As it says.
    assert!(run(&by("former"), &["user", "list"]).status.success());
    home.serve(&by("new")).await.stop().await;
    assert!(!run(&by("former"), &["user", "list"]).status.success());
    assert!(run(&by("new"), &["backup", "new.db"]).status.success());

    let none: &[&str] = &[];
    for (flags, file, refused) in [
        (&by("former")[..], "old.db", None),
        (&by("new"), "new.db", None),
        (
            &by("new"),
            "old.db",
            Some("by another master key than the one given"),
        ),
        (
            &by("former"),
            "new.db",
            Some("by another master key than the one given"),
        ),
        (none, "old.db", Some("by a master key, and none was given")),
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
        let refused = home.run(&["backup", target.to_str().unwrap()]);
        assert_eq!(refused.status.code(), Some(1), "{name}");
        assert!(
            refused.stderr.contains("exists already"),
            "{name}: {}",
            refused.stderr
        );
        let left: Vec<_> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, [name], "only the link is left");
    }
    // A link where the copy is made at first is none of ours to follow.
    symlink(home.path("elsewhere"), home.path("m.db.part")).unwrap();
    home.json(&["backup", "m.db"]);
    assert!(!home.path("elsewhere").exists());
    home.json(&["backup", "--verify", "m.db"]);
}
