//! `backup` and `restore` on SQLite, and what takes their place on Postgres.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ctxmem_client::{Client, ErrorCode, GrantRequest, InjectReason, Scope};
use ctxmem_test_postgres::postgres_program;

use crate::process::{
    Args as _, CommandOutput, Home, REACHED, ServerProcess, assert_has, assert_lacks, count,
    program, tell, user, within,
};

const BASE: &str = "You help.";

pub(crate) async fn learn(client: &Client, name: &str, place: &str) {
    let message = format!("My name is Ada and I live in {place}.");
    tell(client, name, &message).await;
}

pub(crate) async fn prompt(client: &Client, name: &str) -> String {
    let injected = client.inject(&user(name), BASE).await.unwrap();
    injected.prompt().to_owned()
}

/// A command that stops at a point of its work.
pub(crate) async fn until(home: &Home, point: &str, args: &[&str]) -> Child {
    let mut command = home.command();
    home.stop_at(&mut command, point);
    let child = command.args(args).stdout(Stdio::null()).spawn().unwrap();
    let reached = async || home.path(REACHED).exists();
    within(Duration::from_mins(1), point, reached).await;
    child
}

pub(crate) fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_under_load_has_all_that_was_acknowledged_before_it() {
    let home = Home::new();
    let flags = "--rate-limit 0 --erasure-limit 0 --log warn";
    let serving = home.serve(flags).await;
    let key = serving.key().to_owned();
    let client = serving.client(None);
    let stopped = Arc::new(AtomicBool::new(false));
    let acknowledged = Arc::new(AtomicUsize::new(0));
    let writers: Vec<_> = (0..count(8, 64))
        .map(|writer| {
            let (client, stopped, acknowledged) = (
                client.clone(),
                Arc::clone(&stopped),
                Arc::clone(&acknowledged),
            );
            tokio::spawn(async move {
                let mut n = 0;
                while !stopped.load(Ordering::SeqCst) {
                    let name = format!("{writer}-{n}");
                    learn(&client, &name, "Lisbon").await;
                    acknowledged.fetch_add(1, Ordering::SeqCst);
                    if n % 3 == 0 {
                        client.delete_context(&user(&name)).await.unwrap();
                    }
                    n += 1;
                }
            })
        })
        .collect();
    let backups = count(3, 30);
    for n in 0..backups {
        learn(&client, &format!("before-{n}"), "Faro").await;
        learn(&client, &format!("erased-{n}"), "Faro").await;
        let erased = user(&format!("erased-{n}"));
        client.delete_context(&erased).await.unwrap();
        let file = format!("backup-{n}.db");
        tokio::task::block_in_place(|| home.json(&["backup", &file]));
    }
    stopped.store(true, Ordering::SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }
    serving.stop().await;

    for n in 0..backups {
        let file = format!("backup-{n}.db");
        let whole = home.json(&["backup", "--verify", &file]);
        assert!(whole["facts"].as_u64().unwrap() > 0);
        let restored = Home::new();
        let from = home.path(&file);
        restored.json(&["restore", from.to_str().unwrap()]);
        let serving = restored.serve(&["--log", "warn"]).await;
        let client = serving.client(Some(&key));
        let before = prompt(&client, &format!("before-{n}")).await;
        assert_has(&before, &["Faro"]);
        let erased = prompt(&client, &format!("erased-{n}")).await;
        assert_lacks(&erased, &["Faro"]);
        // A user whose key is missing would be named in the log.
        assert_eq!(serving.stop().await, "");
        assert_eq!(restored.integrity().await, "ok");
    }
    println!(
        "figure: backups under load: {backups} backups beside {} updates acknowledged, 0 facts missing, \
         0 erased ones in them",
        acknowledged.load(Ordering::SeqCst)
    );
}

/// What people took away after a backup was made.
struct TakenAway {
    /// The key of the first agent.
    key: String,
    /// A key that was revoked after the backup.
    revoked: String,
}

/// Makes a backup, and has people take things away. The database is left as it is afterwards.
async fn take_away(home: &Home, backup: impl FnOnce()) -> TakenAway {
    let serving = home.serve(&["--log", "warn"]).await;
    let key = serving.key().to_owned();
    let agent = serving.agent().to_owned();
    let client = serving.client(None);
    for name in ["stays", "erased", "revoked"] {
        learn(&client, name, "Lisbon").await;
    }
    let other = home.json(&["key", "create", "--agent", &agent]);
    tokio::task::block_in_place(backup);
    client.delete_context(&user("erased")).await.unwrap();
    let signed_in = serving.user_client(home, "revoked").await;
    // Narrowed to nothing, which needs no id to revoke.
    let none: [Scope; 0] = [];
    let request = GrantRequest::new(user("revoked"), &agent, none);
    signed_in.create_grant(&request).await.unwrap();
    home.json(&["key", "revoke", other["key_id"].as_str().unwrap()]);
    learn(&client, "later", "Lisbon").await;
    serving.stop().await;
    TakenAway {
        key,
        revoked: other["api_key"].as_str().unwrap().to_owned(),
    }
}

/// The backup is there, and nothing that was taken away.
async fn assert_restored(home: &Home, taken: &TakenAway) {
    let serving = home.serve(&["--log", "warn", "--demo", "off"]).await;
    let client = serving.client(Some(&taken.key));
    assert!(prompt(&client, "stays").await.contains("Lisbon"));
    let erased = client.inject(&user("erased"), BASE).await.unwrap();
    assert_eq!(erased.prompt(), BASE);
    assert_eq!(erased.reason(), Some(&InjectReason::NoGrant));
    let revoked = client.inject(&user("revoked"), BASE).await.unwrap();
    assert_eq!(revoked.prompt(), BASE);
    let rejected = serving.client(Some(&taken.revoked));
    let rejected = rejected.inject(&user("stays"), BASE).await.unwrap_err();
    assert_eq!(rejected.code(), Some(&ErrorCode::Unauthorized));
    // What came after the backup is lost, as it is with every backup.
    assert!(!prompt(&client, "later").await.contains("Lisbon"));
    // The Postgres of tests is not durable, and the server says so.
    let said = serving.stop().await;
    let mut lines = said.lines();
    let other = lines.find(|line| !line.contains("Postgres has this off"));
    assert_eq!(other, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_taken_away_after_a_backup_stays_away_when_it_is_restored() {
    let home = Home::new();
    let taken = take_away(&home, || drop(home.json(&["backup", "old.db"]))).await;
    let restored = home.json(&["restore", "old.db", "--force"]);
    assert_eq!(restored["erased_again"], 1);
    assert_restored(&home, &taken).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_backup_knows_what_was_taken_away_where_the_database_is_lost() {
    let home = Home::new();
    let taken = take_away(&home, || drop(home.json(&["backup", "old.db"]))).await;
    home.json(&["backup", "later.db"]);
    for name in ["ctxmem.db", "ctxmem.db-keys"] {
        std::fs::remove_file(home.path(name)).unwrap();
    }
    let restored = home.json(&["restore", "old.db", "--erasures-from", "sqlite://later.db"]);
    assert_eq!(restored["erased_again"], 1);
    assert_restored(&home, &taken).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_postgres_what_was_taken_away_is_taken_over_after_pg_restore() {
    let [home, restored] = [Home::on_postgres().await, Home::on_postgres().await];
    let [before, after] = [home.url(), restored.url()];
    let [dump, keys] = ["ctxmem.dump", "ctxmem-keys.dump"].map(|name| home.path(name));
    let taken = take_away(&home, || {
        // As docs/operating/backup.md says: the database without the keys, then the keys.
        let without_keys = "--format=custom --exclude-table-data=user_key* \
                            --exclude-table-data=wrapping_keys* --file";
        postgres("pg_dump", without_keys, &dump, &before);
        let only_keys =
            "--format=custom --data-only --table=user_key* --table=wrapping_keys* --file";
        postgres("pg_dump", only_keys, &keys, &before);
    })
    .await;
    for dump in [dump, keys] {
        let into = "--no-owner --exit-on-error --single-transaction --dbname";
        let (url, dump) = (Path::new(&after), dump.to_str().unwrap());
        postgres("pg_restore", into, url, dump);
    }
    let decisions = restored.json(&["reapply-erasures", "--from", &before]);
    assert_eq!(decisions["erased_again"], 1);
    assert_restored(&restored, &taken).await;
}

/// Runs a program of Postgres.
fn postgres(program: &str, flags: &str, place: &Path, last: &str) {
    let mut command = Command::new(postgres_program(program));
    let done = command.args(flags.list()).arg(place).arg(last).output();
    let done = CommandOutput::of(done.unwrap());
    assert!(done.status.success(), "{}", done.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_deployment_has_nothing_to_say_about_a_backup() {
    let (home, other) = (Home::migrated(), Home::migrated());
    home.json(&["backup", "old.db"]);
    let restore = format!("restore old.db --force --erasures-from {}", other.url());
    home.refused(&restore, 1, "does not know the same users");
    // On Postgres likewise.
    let elsewhere = Home::migrated_on_postgres().await;
    let url = elsewhere.url();
    let reapply = ["reapply-erasures", "--from", &*url];
    home.refused(&reapply, 1, "does not know the same users");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_is_killed_is_whole_or_not_there() {
    let home = Home::new();
    let serving = home.serve(&["--log", "warn"]).await;
    learn(&serving.client(None), "ada", "Lisbon").await;
    for (n, point) in ["backup-step", "backup-before-names"].iter().enumerate() {
        let file = format!("killed-{n}.db");
        kill(until(&home, point, &["backup", &file]).await);
        assert!(!home.path(&file).exists(), "{point}");
        // Nobody is held up by it, and the next one succeeds.
        learn(&serving.client(None), "ada", "Porto").await;
        home.json(&["backup", &file]);
        home.json(&["backup", "--verify", &file]);
        assert!(!home.path(&format!("{file}.part")).exists(), "{point}");
    }
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_that_is_killed_has_happened_or_has_not() {
    let home = Home::new();
    let serving = home.serve(&["--log", "warn"]).await;
    let key = two_backups(&home, serving).await;
    for (point, has_happened) in [
        ("restore-copied", false),
        ("restore-noted", true),
        ("restore-logs-removed", true),
        ("restore-between-files", true),
        ("restore-in-place", true),
    ] {
        home.json(&["restore", "new.db", "--force"]);
        kill(until(&home, point, &["restore", "old.db", "--force"]).await);
        let serving = home.serve(&["--log", "warn"]).await;
        let restored = is_restored(&home, serving, &key, point).await;
        assert_eq!(restored, has_happened, "{point}");
    }
}

/// Makes two backups, before and after the agent learns of somebody else. Answers the agent's key.
pub(crate) async fn two_backups(home: &Home, serving: ServerProcess) -> String {
    let key = serving.key().to_owned();
    let client = serving.client(None);
    learn(&client, "ada", "Lisbon").await;
    home.json(&["backup", "old.db"]);
    learn(&client, "later", "Lisbon").await;
    serving.stop().await;
    home.json(&["backup", "new.db"]);
    key
}

/// Whether a server that was started after a kill has the older backup. It is whole either way.
pub(crate) async fn is_restored(
    home: &Home,
    serving: ServerProcess,
    key: &str,
    when: &str,
) -> bool {
    let client = serving.client(Some(key));
    assert!(prompt(&client, "ada").await.contains("Lisbon"), "{when}");
    let later = prompt(&client, "later").await;
    assert_eq!(serving.stop().await, "", "{when}");
    assert_eq!(home.integrity().await, "ok");
    assert!(!home.path("ctxmem.db.restore-note").exists(), "{when}");
    !later.contains("Lisbon")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_in_use_or_not_to_be_replaced_stays() {
    let home = Home::new();
    let serving = home.serve(&["--log", "warn"]).await;
    let client = serving.client(None);
    learn(&client, "ada", "Lisbon").await;
    home.json(&["backup", "old.db"]);
    let in_use = "stop the server before you restore";
    home.refused("restore old.db --force", 1, in_use);
    learn(&client, "ada", "Porto").await;
    serving.stop().await;
    home.refused("restore old.db", 1, "with --force");
    home.refused("backup old.db", 1, "backups never overwrite");
}

#[test]
fn files_that_are_no_backup_are_refused_with_what_is_wrong() {
    let home = Home::migrated();
    home.json(&["agent", "create", "--name", "a"]);
    home.json(&["backup", "whole.db"]);
    let path = |name: &str| home.path(name);
    let copy = |name: &str| {
        std::fs::copy(path("whole.db"), path(name)).unwrap();
        std::fs::copy(path("whole.db-keys"), path(&format!("{name}-keys"))).unwrap();
    };
    copy("cut.db");
    let cut = |name: &str, length: u64| {
        let file = std::fs::File::options().write(true).open(path(name));
        file.unwrap().set_len(length).unwrap();
    };
    cut(
        "cut.db",
        std::fs::metadata(path("cut.db")).unwrap().len() / 2,
    );
    copy("cut-keys.db");
    cut("cut-keys.db-keys", 5_000);
    let text = "this is no database, and it is long enough ".repeat(40);
    std::fs::write(path("text.db"), text).unwrap();
    std::fs::copy(path("whole.db"), path("alone.db")).unwrap();
    copy("newer.db");
    let change = |name: &str, statement: &str| {
        let connection = rusqlite::Connection::open(path(name)).unwrap();
        connection.execute(statement, []).unwrap();
        connection.close().unwrap();
    };
    change("newer.db", "UPDATE compatibility SET number = 1000");
    copy("foreign.db");
    std::fs::remove_file(path("foreign.db")).unwrap();
    change("foreign.db", "CREATE TABLE songs (name TEXT)");

    for (name, said) in [
        ("cut.db", " is damaged"),
        ("cut-keys.db", "-keys is damaged"),
        (
            "text.db",
            " is not a backup of ctxmem: it is no SQLite database",
        ),
        (
            "alone.db",
            "-keys, in which the users' keys of this backup should be",
        ),
        ("newer.db", " was made by a newer version of ctxmem-server"),
        (
            "foreign.db",
            " is not a backup of ctxmem: it has other tables",
        ),
        ("absent.db", ""),
    ] {
        let said = format!("{name}{said}");
        home.refused(&["backup", "--verify", name], 1, &said);
        home.refused(&["restore", name, "--force"], 1, &said);
    }
    // The database is as it was.
    let agents = home.json("agent list");
    assert_eq!(agents["agents"].as_array().unwrap().len(), 1);
}

#[test]
fn where_there_is_not_enough_room_nothing_is_left_behind() {
    let home = Home::migrated();
    let limited = |args: &[&str]| {
        // A limit on the size of files stands for a full disk.
        let script = "trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", script, &program()]).args(args);
        let output = command.current_dir(home.path(".")).output();
        CommandOutput::of(output.unwrap())
    };
    let failed = limited(&["backup", "backup.db"]);
    assert!(!failed.status.success());
    assert_has(&failed.stderr, &["backup.db.part can't be used"]);
    let names = std::fs::read_dir(home.path(".")).unwrap();
    let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.find(|name| name.starts_with("backup")), None);
    home.json(&["backup", "backup.db"]);
    let failed = limited(&["restore", "backup.db", "--force"]);
    assert!(!failed.status.success());
    home.json(&["agent", "list"]);
    assert!(!home.path("ctxmem.db.restored").exists());
}
