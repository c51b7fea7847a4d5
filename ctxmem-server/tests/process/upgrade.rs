//! From one release to the next: the databases of every release are kept in `tests/releases`, and this build opens
//! them; two processes, one of the release before, serve one Postgres side by side.
//!
//! `scripts/release.sh` makes the databases of a release by [`the_databases_of_a_release_are_made`], and gives
//! [`a_rolling_upgrade_loses_nothing_and_serves_nothing_stale`] the binary before.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use ctxmem_client::{Client, UserId};
use ctxmem_test_postgres::postgres_program;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Executor as _, PgConnection};

use crate::process::{
    Args as _, CommandOutput, Home, ServerProcess, assert_has, assert_lacks, tell, user,
};

const BASE: &str = "You help.";

/// What Ada says to the server of a release.
const SAID: [&str; 4] = [
    "Hi, my name is Ada and I live in Lisbon.",
    "I am allergic to penicillin. Please answer briefly.",
    "I work as a nurse and love long-distance running.",
    "Remember that my sister Lena visits on Sundays.",
];

/// What a release left: its databases, the key of its agent, and what it answered.
struct Kept {
    folder: PathBuf,
    answers: Value,
}

impl Kept {
    fn all() -> Vec<Self> {
        let releases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/releases");
        let folders = std::fs::read_dir(releases).unwrap();
        let all: Vec<Self> = folders
            .map(|folder| {
                let folder = folder.unwrap().path();
                let answers = std::fs::read_to_string(folder.join("answers.json")).unwrap();
                let answers = serde_json::from_str(&answers).unwrap();
                Self { folder, answers }
            })
            .collect();
        assert!(!all.is_empty());
        all
    }

    fn text(&self, name: &str) -> &str {
        self.answers[name].as_str().unwrap()
    }

    /// A copy of its SQLite database.
    fn on_sqlite(&self) -> Home {
        Home::holding(&self.folder.join("ctxmem.db"))
    }

    /// A copy of its Postgres database.
    async fn on_postgres(&self) -> Home {
        let home = Home::on_postgres().await;
        let loaded = Command::new(postgres_program("psql"))
            .args("--quiet --no-psqlrc --set ON_ERROR_STOP=1 --file".list())
            .arg(self.folder.join("postgres.sql"))
            .arg(home.url())
            .output();
        let loaded = CommandOutput::of(loaded.unwrap());
        assert!(loaded.status.success(), "{}", loaded.stderr);
        home
    }
}

/// What this server knows of Ada: the block, every fact with its id, and what her agents may.
async fn answers(home: &Home, serving: &ServerProcess, key: &str) -> Value {
    let (client, ada) = (serving.client(Some(key)), user("ada"));
    let facts = client.facts(&ada).await.unwrap();
    let cookie = serving.sign_in(home, "ada").await;
    let export = crate::process::browser()
        .get(format!("{}/account/export.json", serving.url()))
        .header("cookie", cookie);
    let export: Value = export.send().await.unwrap().json().await.unwrap();
    json!({
        "key": key,
        "prompt": client.inject(&ada, BASE).await.unwrap().prompt(),
        "facts": facts.iter().map(|fact| &fact.id).collect::<Vec<_>>(),
        "grants": export["grants"],
    })
}

/// That this build serves what was kept, adds to it and erases it.
async fn is_served(kept: &Kept, home: &Home) {
    let serving = home.serve("").await;
    let key = kept.text("key");
    let now = answers(home, &serving, key).await;
    let release = kept.folder.display();
    assert_eq!(now["prompt"], kept.answers["prompt"], "{release}");
    assert_eq!(now["facts"], kept.answers["facts"]);
    // What was granted, but for when it was last used.
    let (grant, before) = (&now["grants"][0], &kept.answers["grants"][0]);
    for part in ["id", "scopes", "state"] {
        assert_eq!(grant[part], before[part], "{part}");
    }
    let (client, ada) = (serving.client(Some(key)), user("ada"));
    let learned = tell(&client, "ada", "I have moved to Vienna.").await;
    assert!(learned.updated);
    let injected = client.inject(&ada, BASE).await.unwrap();
    assert_has(injected.prompt(), &["Vienna"]);
    assert_lacks(injected.prompt(), &["Lisbon"]);
    client.delete_context(&ada).await.unwrap();
    assert!(client.facts(&ada).await.is_err());
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_of_every_release_is_served() {
    for kept in Kept::all() {
        is_served(&kept, &kept.on_sqlite()).await;
        is_served(&kept, &kept.on_postgres().await).await;
    }
}

#[tokio::test]
async fn a_backup_before_an_upgrade_changes_nothing() {
    for kept in Kept::all() {
        let home = kept.on_sqlite();
        home.json(&["backup", "copy.db"]);
        let same = |name: &str| {
            let there = std::fs::read(home.path(name)).unwrap();
            there == std::fs::read(kept.folder.join(name)).unwrap()
        };
        assert!(same("ctxmem.db") && same("ctxmem.db-keys"));
        // The copy is of the release, and as good as the database.
        std::fs::rename(home.path("copy.db"), home.path("ctxmem.db")).unwrap();
        std::fs::rename(home.path("copy.db-keys"), home.path("ctxmem.db-keys")).unwrap();
        is_served(&kept, &home).await;
    }
}

/// Takes the last migration back, as if the release before had left this.
async fn take_back_migration(home: &Home) {
    let statements = [
        "ALTER TABLE agent_profiles DROP COLUMN verified_at",
        "DELETE FROM _sqlx_migrations WHERE version = 18",
    ];
    for statement in statements {
        if home.url().starts_with("postgres") {
            let mut postgres = PgConnection::connect(&home.url()).await.unwrap();
            postgres.execute(statement).await.unwrap();
        } else {
            home.connect().await.execute(statement).await.unwrap();
        }
    }
}

/// The number of the last migration of a database on SQLite.
async fn schema(file: &Path) -> i64 {
    let options = SqliteConnectOptions::new().filename(file);
    let mut sqlite = options.connect().await.unwrap();
    let newest = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations");
    newest.fetch_one(&mut sqlite).await.unwrap()
}

/// Commands that open a database, and none of them migrates it.
async fn asks_for_a_migration(kept: &Kept, home: &Home, exported: &str) {
    for command in [
        "agent list",
        "key list",
        "user list",
        "developer list",
        "audit",
        "export",
    ] {
        let words = "of an older version of ctxmem; back it up, then start the server on it";
        home.refused(command, 1, words);
    }
    home.refused(&["import", exported], 1, "of an older version");
    home.json(&["migrate"]);
    home.json(&["agent", "list"]);
    is_served(kept, home).await;
}

#[tokio::test]
async fn what_a_restore_replaces_stays_of_its_version_until_it_is_replaced() {
    let home = Kept::all().remove(0).on_sqlite();
    take_back_migration(&home).await;
    home.json(&["backup", "copy.db"]);
    let other = Home::new();
    other.json(&["migrate"]);
    other.json(&["backup", "copy.db"]);
    let backup = other.path("copy.db");
    let restore = ["restore", backup.to_str().unwrap(), "--force"];
    home.refused(&restore, 1, "does not know the same users");
    assert_eq!(schema(&home.database()).await, 17);
    // Its decisions are taken over nevertheless.
    let restored = home.json(&["restore", "copy.db", "--force"]);
    assert_eq!(restored["erased_again"], 0, "{restored}");
    assert_eq!(schema(&home.database()).await, 18);
    let left = std::fs::read_dir(home.path(".")).unwrap();
    let left: Vec<_> = left.map(|file| file.unwrap().file_name()).collect();
    let is_copy = |name: &OsString| name.to_str().unwrap().contains(".replaced");
    assert!(!left.iter().any(is_copy), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_server_and_the_command_for_it_migrate() {
    let kept = Kept::all().remove(0);
    let home = kept.on_sqlite();
    let exported = home.write("all.ndjson", home.run(&["export"]).stdout);
    take_back_migration(&home).await;
    home.json(&["backup", "copy.db"]);
    for file in ["ctxmem.db", "copy.db"] {
        assert_eq!(schema(&home.path(file)).await, 17, "{file}");
    }
    asks_for_a_migration(&kept, &home, &exported).await;
    // The copy is of the version before, and the server brings it up to date.
    let copied = Home::holding(&home.path("copy.db"));
    assert!(!copied.run(&["agent", "list"]).status.success());
    is_served(&kept, &copied).await;

    let home = kept.on_postgres().await;
    take_back_migration(&home).await;
    asks_for_a_migration(&kept, &home, &exported).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "`scripts/release.sh databases` makes what a release leaves by it"]
async fn the_databases_of_a_release_are_made() {
    let folder = PathBuf::from(std::env::var("CTXMEM_RELEASE_FOLDER").unwrap());
    std::fs::create_dir_all(&folder).unwrap();
    let home = Home::new();
    let serving = home.serve(&["--demo", "off"]).await;
    let key = serving.key().to_owned();
    let client = serving.client(None);
    for said in SAID {
        tell(&client, "ada", said).await;
    }
    tell(&client, "bob", SAID[0]).await;
    client.delete_context(&user("bob")).await.unwrap();
    let answers = answers(&home, &serving, &key).await;
    let text = serde_json::to_string_pretty(&answers).unwrap();
    std::fs::write(folder.join("answers.json"), text + "\n").unwrap();
    serving.stop().await;
    for name in ["ctxmem.db", "ctxmem.db-keys"] {
        std::fs::copy(home.path(name), folder.join(name)).unwrap();
    }

    // The same on Postgres, by an export, which keeps the keys of agents.
    let moved = Home::on_postgres().await;
    let file = home.write("all.ndjson", home.printed("export"));
    moved.json(&["import", &file]);
    let dumped = Command::new(postgres_program("pg_dump"))
        .args(["--no-owner", "--no-privileges", "--inserts", "--file"])
        .arg(folder.join("postgres.sql"))
        .arg(moved.url())
        .status();
    assert!(dumped.unwrap().success());
}

/// Servers of one database: those at which clients ask now.
struct Fleet(RwLock<Vec<Client>>);

impl Fleet {
    /// One of them, another each time.
    fn any(&self, turn: usize) -> Client {
        let servers = self.0.read().unwrap();
        servers[turn % servers.len()].clone()
    }
}

/// One user's turns, each at another server, until the fleet is told to stop: answers how many there were.
async fn live(fleet: Arc<Fleet>, user: UserId, stopped: Arc<AtomicUsize>) -> usize {
    let mut turn = 0;
    while stopped.load(Ordering::Relaxed) == 0 {
        let place = ["Lisbon", "Vienna", "Oslo", "Quito", "Tunis"][turn % 5];
        let said = format!("I live in {place}.");
        fleet.any(turn).update(&user, said, "Noted.").await.unwrap();
        turn += 1;
        let read = fleet.any(turn).inject(&user, BASE).await.unwrap();
        assert!(read.prompt().contains(place), "stale: {}", read.prompt());
        // What was erased is known to no server any more.
        if turn % 7 == 0 {
            fleet.any(turn).delete_context(&user).await.unwrap();
            let read = fleet.any(turn + 1).inject(&user, BASE).await.unwrap();
            assert!(!read.prompt().contains(place), "stale: {}", read.prompt());
            return turn + live_again(&fleet, &user, turn).await;
        }
    }
    turn
}

/// After its erasure the agent waits for the user, at every server.
async fn live_again(fleet: &Fleet, user: &UserId, turn: usize) -> usize {
    for turn in turn..turn + 4 {
        let read = fleet.any(turn).inject(user, BASE).await.unwrap();
        assert_eq!(read.reason().unwrap().as_str(), "no_grant");
    }
    4
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "`scripts/release.sh upgrade` gives it the binary before"]
async fn a_rolling_upgrade_loses_nothing_and_serves_nothing_stale() {
    let before = std::env::var("CTXMEM_SERVER_BEFORE").unwrap();
    let home = Home::on_postgres().await;
    let flags = ["--rate-limit", "0", "--erasure-limit", "0", "--demo", "off"];
    let mut command = Command::new(&before);
    command
        .current_dir(home.path("."))
        .env_clear()
        .env("CTXMEM_DATABASE_URL", home.url())
        .args(["--listen", "127.0.0.1:0", "--json"])
        .args(flags);
    let old = home.start(command).await;
    let key = old.key().to_owned();
    let fleet = Arc::new(Fleet(RwLock::new(vec![old.client(None)])));
    let (stopped, turns) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let users: Vec<_> = (0..8)
        .map(|number| {
            let (fleet, stopped) = (Arc::clone(&fleet), Arc::clone(&stopped));
            let turns = Arc::clone(&turns);
            tokio::spawn(async move {
                let mut life = 0;
                while stopped.load(Ordering::Relaxed) == 0 {
                    let user = user(&format!("u-{number}-{life}"));
                    let had = live(Arc::clone(&fleet), user, Arc::clone(&stopped)).await;
                    turns.fetch_add(had, Ordering::Relaxed);
                    life += 1;
                }
            })
        })
        .collect();
    let while_it_goes_on = || tokio::time::sleep(Duration::from_secs(3));
    while_it_goes_on().await;
    let new = home.serve(&flags).await;
    fleet.0.write().unwrap().push(new.client(Some(&key)));
    while_it_goes_on().await;
    fleet.0.write().unwrap().remove(0);
    // What was sent before is still answered.
    old.stop().await;
    while_it_goes_on().await;
    stopped.store(1, Ordering::Relaxed);
    for user in users {
        user.await.unwrap();
    }
    let turns = turns.load(Ordering::Relaxed);
    println!("figure: a rolling upgrade: {turns} turns, 0 failed, 0 stale");
    assert!(turns > 100, "{turns}");
    new.stop().await;
}
