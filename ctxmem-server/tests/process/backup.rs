//! `backup` and `restore` on SQLite, and what takes their place on Postgres.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ctxmem_client::{Client, ErrorCode, InjectReason};
use ctxmem_test_postgres::empty_database;

use crate::process::{Home, count, fresh_postgres, program, user};

const BASE: &str = "You help.";

pub(crate) async fn learn(client: &Client, name: &str, place: &str) {
    let message = format!("My name is Ada and I live in {place}.");
    client.update(&user(name), message, "Noted.").await.unwrap();
}

pub(crate) async fn prompt(client: &Client, name: &str) -> String {
    let injected = client.inject(&user(name), BASE).await.unwrap();
    injected.prompt().to_owned()
}

/// A command that stops at a point of its work.
pub(crate) fn until(home: &Home, point: &str, args: &[&str]) -> Child {
    let reached = home.path("reached");
    let _ = std::fs::remove_file(&reached);
    let child = home
        .command()
        .args(args)
        .env(
            "FAILPOINTS",
            format!("{point}=return({})", reached.display()),
        )
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while !reached.exists() {
        assert!(
            began.elapsed() < Duration::from_mins(1),
            "{point} was not reached"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

pub(crate) fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_under_load_has_all_that_was_acknowledged_before_it() {
    let home = Home::new();
    let serving = home
        .serve(&["--rate-limit", "0", "--erasure-limit", "0", "--log", "warn"])
        .await;
    let key = serving.announced["api_key"].as_str().unwrap().to_owned();
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
        client
            .delete_context(&user(&format!("erased-{n}")))
            .await
            .unwrap();
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
        assert!(
            prompt(&client, &format!("before-{n}"))
                .await
                .contains("Faro")
        );
        assert!(
            !prompt(&client, &format!("erased-{n}"))
                .await
                .contains("Faro")
        );
        // A user whose key is missing would be named in the log.
        assert_eq!(serving.stderr(), "");
        serving.stop().await;
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
    let key = serving.announced["api_key"].as_str().unwrap().to_owned();
    let agent = serving.announced["agent_id"].as_str().unwrap().to_owned();
    let client = serving.client(None);
    for name in ["stays", "erased", "revoked"] {
        learn(&client, name, "Lisbon").await;
    }
    let other = home.json(&["key", "create", "--agent", &agent]);
    tokio::task::block_in_place(backup);
    client.delete_context(&user("erased")).await.unwrap();
    let session = serving.sign_in(home, "revoked").await;
    let signed_in = Client::builder()
        .base_url(serving.url())
        .build_user(session)
        .unwrap();
    let none: [ctxmem_client::Scope; 0] = [];
    let request = ctxmem_client::GrantRequest::new(user("revoked"), &agent, none);
    // Narrowed to nothing, which needs no id to revoke.
    let narrowed = signed_in.create_grant(&request).await;
    if narrowed.is_err() {
        let general = [ctxmem_client::Scope::Goals];
        let request = ctxmem_client::GrantRequest::new(user("revoked"), &agent, general);
        let grant = signed_in.create_grant(&request).await.unwrap();
        signed_in.revoke_grant(&grant.id).await.unwrap();
    }
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
    let said = serving.stderr();
    let mut lines = said
        .lines()
        .filter(|line| !line.contains("Postgres has this off"));
    assert_eq!(lines.next(), None);
    serving.stop().await;
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
    let [before, after] = [empty_database().await, empty_database().await];
    let home = Home::on(&before.url);
    let [dump, keys] = ["ctxmem.dump", "ctxmem-keys.dump"].map(|name| home.path(name));
    let taken = take_away(&home, || {
        // As docs/operating/backup.md says: the database without the keys, then the keys.
        let without_keys = [
            "--format=custom",
            "--exclude-table-data=user_key*",
            "--exclude-table-data=wrapping_keys*",
            "--file",
        ];
        postgres("pg_dump", &without_keys, &dump, &before.url);
        let only_keys = [
            "--format=custom",
            "--data-only",
            "--table=user_key*",
            "--table=wrapping_keys*",
            "--file",
        ];
        postgres("pg_dump", &only_keys, &keys, &before.url);
    })
    .await;
    for dump in [dump, keys] {
        let into = [
            "--no-owner",
            "--exit-on-error",
            "--single-transaction",
            "--dbname",
        ];
        postgres(
            "pg_restore",
            &into,
            Path::new(&after.url),
            dump.to_str().unwrap(),
        );
    }
    let restored = Home::on(&after.url);
    let decisions = restored.json(&["reapply-erasures", "--from", &before.url]);
    assert_eq!(decisions["erased_again"], 1);
    assert_restored(&restored, &taken).await;
}

/// Runs a program of Postgres, which Debian keeps out of PATH.
fn postgres(program: &str, flags: &[&str], place: &Path, last: &str) {
    let found = std::fs::read_dir("/usr/lib/postgresql").ok();
    let found = found.into_iter().flatten().flatten();
    let mut candidates: Vec<_> = found
        .map(|version| version.path().join("bin").join(program))
        .filter(|path| path.exists())
        .collect();
    candidates.sort();
    let path = candidates.pop().unwrap_or_else(|| program.into());
    let done = Command::new(path)
        .args(flags)
        .arg(place)
        .arg(last)
        .output()
        .unwrap_or_else(|_| panic!("{program} is needed: apt-get install postgresql"));
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn another_deployment_has_nothing_to_say_about_a_backup() {
    let (home, other) = (Home::migrated(), Home::migrated());
    home.json(&["backup", "old.db"]);
    let url = format!("sqlite://{}", other.database().display());
    let refused = home.run(&["restore", "old.db", "--force", "--erasures-from", &url]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        refused.stderr.contains("does not know the same users"),
        "{}",
        refused.stderr
    );
    // On Postgres likewise.
    let database = fresh_postgres().await;
    let refused = home.run(&["reapply-erasures", "--from", &database.url]);
    assert!(
        refused.stderr.contains("does not know the same users"),
        "{}",
        refused.stderr
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_is_killed_is_whole_or_not_there() {
    let home = Home::new();
    let serving = home.serve(&["--log", "warn"]).await;
    learn(&serving.client(None), "ada", "Lisbon").await;
    for (n, point) in ["backup-step", "backup-before-names"].iter().enumerate() {
        let file = format!("killed-{n}.db");
        kill(until(&home, point, &["backup", &file]));
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
    let key = serving.announced["api_key"].as_str().unwrap().to_owned();
    let client = serving.client(None);
    learn(&client, "ada", "Lisbon").await;
    home.json(&["backup", "old.db"]);
    learn(&client, "later", "Lisbon").await;
    serving.stop().await;
    home.json(&["backup", "new.db"]);
    for (point, has_happened) in [
        ("restore-copied", false),
        ("restore-noted", true),
        ("restore-logs-removed", true),
        ("restore-between-files", true),
        ("restore-in-place", true),
    ] {
        home.json(&["restore", "new.db", "--force"]);
        kill(until(&home, point, &["restore", "old.db", "--force"]));
        let serving = home.serve(&["--log", "warn"]).await;
        let client = serving.client(Some(&key));
        assert!(prompt(&client, "ada").await.contains("Lisbon"), "{point}");
        let later = prompt(&client, "later").await;
        assert_eq!(later.contains("Lisbon"), !has_happened, "{point}");
        assert_eq!(serving.stderr(), "", "{point}");
        serving.stop().await;
        assert_eq!(home.integrity().await, "ok");
        assert!(!home.path("ctxmem.db.restore-note").exists(), "{point}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_in_use_or_not_to_be_replaced_stays() {
    let home = Home::new();
    let serving = home.serve(&["--log", "warn"]).await;
    let client = serving.client(None);
    learn(&client, "ada", "Lisbon").await;
    home.json(&["backup", "old.db"]);
    let refused = home.run(&["restore", "old.db", "--force"]);
    assert!(
        refused
            .stderr
            .contains("stop the server before you restore"),
        "{}",
        refused.stderr
    );
    learn(&client, "ada", "Porto").await;
    serving.stop().await;
    let refused = home.run(&["restore", "old.db"]);
    assert!(
        refused.stderr.contains("with --force"),
        "{}",
        refused.stderr
    );
    let refused = home.run(&["backup", "old.db"]);
    assert!(
        refused.stderr.contains("backups never overwrite"),
        "{}",
        refused.stderr
    );
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
    let half = std::fs::metadata(path("cut.db")).unwrap().len() / 2;
    let cut = std::fs::File::options().write(true).open(path("cut.db"));
    cut.unwrap().set_len(half).unwrap();
    copy("cut-keys.db");
    let cut = std::fs::File::options()
        .write(true)
        .open(path("cut-keys.db-keys"));
    cut.unwrap().set_len(5_000).unwrap();
    std::fs::write(
        path("text.db"),
        "this is no database, and it is long enough ".repeat(40),
    )
    .unwrap();
    std::fs::copy(path("whole.db"), path("alone.db")).unwrap();
    copy("newer.db");
    let newer = rusqlite::Connection::open(path("newer.db")).unwrap();
    newer
        .execute("UPDATE compatibility SET number = 1000", [])
        .unwrap();
    newer.close().unwrap();
    copy("foreign.db");
    std::fs::remove_file(path("foreign.db")).unwrap();
    let foreign = rusqlite::Connection::open(path("foreign.db")).unwrap();
    foreign
        .execute("CREATE TABLE songs (name TEXT)", [])
        .unwrap();
    foreign.close().unwrap();

    for (name, said) in [
        ("cut.db", "cut.db is damaged"),
        ("cut-keys.db", "cut-keys.db-keys is damaged"),
        (
            "text.db",
            "text.db is not a backup of ctxmem: it is no SQLite database",
        ),
        (
            "alone.db",
            "alone.db-keys, in which the users' keys of this backup should be",
        ),
        (
            "newer.db",
            "newer.db was made by a newer version of ctxmem-server",
        ),
        (
            "foreign.db",
            "foreign.db is not a backup of ctxmem: it has other tables",
        ),
        ("absent.db", "absent.db"),
    ] {
        for command in [
            &["backup", "--verify", name][..],
            &["restore", name, "--force"],
        ] {
            let refused = home.run(command);
            assert_eq!(refused.status.code(), Some(1), "{command:?}");
            assert!(
                refused.stderr.contains(said),
                "{command:?}: {}",
                refused.stderr
            );
        }
    }
    // The database is as it was.
    assert_eq!(
        home.json(&["agent", "list"])["agents"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn where_there_is_not_enough_room_nothing_is_left_behind() {
    let home = Home::migrated();
    let limited = |args: &[&str]| {
        // A limit on the size of files stands for a full disk.
        let program = program();
        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                "trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\"",
                &program,
            ])
            .args(args)
            .current_dir(home.path("."));
        command.output().unwrap()
    };
    let failed = limited(&["backup", "backup.db"]);
    let said = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(!failed.status.success());
    assert!(said.contains("backup.db.part can't be used"), "{said}");
    let names: Vec<_> = std::fs::read_dir(home.path("."))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("backup"))
        .collect();
    assert!(names.is_empty(), "{names:?}");
    home.json(&["backup", "backup.db"]);
    let failed = limited(&["restore", "backup.db", "--force"]);
    assert!(!failed.status.success());
    home.json(&["agent", "list"]);
    assert!(!home.path("ctxmem.db.restored").exists());
}
