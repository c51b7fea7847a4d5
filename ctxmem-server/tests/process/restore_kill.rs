//! kill -9 at any time of a restore and of `reapply-erasures`: a restore has happened or has not, each user
//! is taken from the other database or is as before, and the next run completes it.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use ctxmem_client::InjectReason;

use crate::backup::{is_restored, kill, learn, prompt, two_backups};
use crate::process::{Home, ServerProcess, count, user};

/// How many users another database has erased.
const USERS: usize = 12;

/// Runs a command to its end, and answers how long it took.
fn duration_of(home: &Home, command: &[&str]) -> Duration {
    let began = Instant::now();
    home.json(command);
    began.elapsed()
}

/// Of a few: other processes hold some up.
fn shortest(run: impl Fn() -> Duration) -> Duration {
    (0..5).map(|_| run()).min().unwrap()
}

/// Kills a command when this time has passed, unless it has ended before.
async fn kill_after(home: &Home, command: &[&str], time: Duration) {
    let child = home
        .command()
        .args(command)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    tokio::time::sleep(time).await;
    kill(child);
}

/// When to kill: evenly over the time that a command takes, and twice that, since some take longer.
fn times(kills: usize, whole: Duration) -> impl Iterator<Item = Duration> {
    let step = 2 * whole / u32::try_from(kills).unwrap();
    (1..).map(move |n| step * n).take(kills)
}

async fn serve(home: &Home) -> ServerProcess {
    home.serve(&["--log", "warn", "--demo", "off"]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_has_happened_or_has_not_whenever_it_is_killed() {
    let home = Home::new();
    let serving = serve(&home).await;
    let key = two_backups(&home, serving).await;
    let restore = ["restore", "old.db", "--force"];
    let whole = shortest(|| {
        home.json(&["restore", "new.db", "--force"]);
        duration_of(&home, &restore)
    });
    // The wrong backup was taken, and then the right one: nothing of it is lost.
    home.json(&["restore", "new.db", "--force"]);
    let serving = serve(&home).await;
    let again = prompt(&serving.client(Some(&key)), "later").await;
    assert!(again.contains("Lisbon"), "{again}");
    serving.stop().await;
    let kills = count(6, 200);
    let mut happened = 0;
    for time in times(kills, whole) {
        home.json(&["restore", "new.db", "--force"]);
        kill_after(&home, &restore, time).await;
        let serving = serve(&home).await;
        let restored = is_restored(&home, serving, &key, &format!("{time:?}")).await;
        happened += usize::from(restored);
    }
    println!(
        "figure: kill -9 in a restore: {kills} kills, {happened} had happened, {} had not; 0 in between",
        kills - happened
    );
}

/// Puts a backup in the place of a database, with nothing beside it.
fn put_in_place(backup: &Path, home: &Home) {
    for suffix in ["-wal", "-shm", "-keys-wal", "-keys-shm"] {
        let _ = std::fs::remove_file(home.path(&format!("ctxmem.db{suffix}")));
    }
    for suffix in ["", "-keys"] {
        let mut from = backup.as_os_str().to_owned();
        from.push(suffix);
        std::fs::copy(from, home.path(&format!("ctxmem.db{suffix}"))).unwrap();
    }
}

/// How many users are erased for a server that starts now. The others are whole.
async fn erased_at_start(home: &Home, key: &str) -> usize {
    let serving = serve(home).await;
    let client = serving.client(Some(key));
    let mut erased = 0;
    for n in 0..USERS {
        let name = format!("user-{n}");
        let injected = client.inject(&user(&name), "You help.").await.unwrap();
        match injected.reason() {
            Some(InjectReason::NoGrant) => erased += 1,
            None => assert!(injected.prompt().contains("Lisbon"), "{name}"),
            Some(reason) => panic!("{name}: {reason:?}"),
        }
    }
    serving.stop().await;
    erased
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_erased_is_erased_by_the_next_run_whenever_one_is_killed() {
    let (newer, home) = (Home::new(), Home::new());
    let serving = serve(&newer).await;
    let key = serving.key().to_owned();
    let client = serving.client(None);
    for n in 0..USERS {
        learn(&client, &format!("user-{n}"), "Lisbon").await;
    }
    newer.json(&["backup", "old.db"]);
    let old = newer.path("old.db");
    for n in 0..USERS {
        let erased = client.delete_context(&user(&format!("user-{n}"))).await;
        erased.unwrap();
    }
    serving.stop().await;
    let from = newer.url();
    let reapply = ["reapply-erasures", "--from", &*from];
    let whole = shortest(|| {
        put_in_place(&old, &home);
        duration_of(&home, &reapply)
    });
    let kills = count(4, 100);
    let (mut complete, mut partly) = (0, 0);
    for time in times(kills, whole) {
        put_in_place(&old, &home);
        kill_after(&home, &reapply, time).await;
        let taken = erased_at_start(&home, &key).await;
        complete += usize::from(taken == USERS);
        partly += usize::from((1..USERS).contains(&taken));
        assert_eq!(home.integrity().await, "ok");
        home.json(&reapply);
        assert_eq!(erased_at_start(&home, &key).await, USERS, "{time:?}");
    }
    println!(
        "figure: kill -9 in reapply-erasures: {kills} kills, {complete} after the last user, {partly} between \
         two users, {} before the first; all completed by the next run",
        kills - complete - partly
    );
}
