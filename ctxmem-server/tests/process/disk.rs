//! A disk that fills up and has room again, simulated by a limit on the size of files, and files
//! that are removed while a server uses them.

use std::process::Command;
use std::time::Duration;

use ctxmem_client::{Client, Error, ErrorCode};

use crate::aftermath::FLAGS;
use crate::database_files::DatabaseFolder;
use crate::evidence::Copies;
use crate::process::{
    CommandOutput, Home, ServerProcess, assert_has, browser, program, tell, until, user,
};

/// Kibibytes: above what an empty database takes, below what the writes need.
const ROOM: u32 = 400;

#[tokio::test]
async fn writing_goes_on_when_a_full_disk_has_room_again() {
    let home = Home::migrated();
    let key = home.json(&["agent", "create", "--name", "writer"]);
    let serving = serve_in_little_room(&home).await;
    let client = serving.client(key["api_key"].as_str());

    let mut written = 0;
    let refused = loop {
        match learn(&client, written).await {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 2_000, "the disk was never full");
    };
    assert_eq!(refused.code(), Some(&ErrorCode::PersistenceError));
    for _ in 0..20 {
        let again = learn(&client, written).await.unwrap_err();
        assert_eq!(again.code(), Some(&ErrorCode::PersistenceError));
    }
    let held = client.context(&user("ada")).await.unwrap();
    assert_eq!(
        held.domain_expertise.len(),
        written,
        "reading goes on, nothing is lost"
    );

    health_becomes(&serving, 503).await;

    let lifted = Command::new("prlimit")
        .args(["--pid", &serving.id().to_string(), "--fsize=unlimited"])
        .status()
        .expect("prlimit is needed: apt-get install util-linux");
    assert!(lifted.success());
    learn(&client, written).await.unwrap();
    let held = client.context(&user("ada")).await.unwrap();
    let lost = (written + 1).saturating_sub(held.domain_expertise.len());
    println!("figure: a full disk: {written} updates acknowledged before and 1 after, {lost} lost");
    assert_eq!(held.domain_expertise.len(), written + 1);
    health_becomes(&serving, 200).await;
}

#[tokio::test]
async fn nothing_is_acknowledged_that_goes_to_a_file_which_was_removed() {
    for suffix in ["", "-wal", "-keys", "-keys-wal", "-shm", "-keys-shm"] {
        let name = &format!("ctxmem.db{suffix}");
        let home = Home::new();
        let serving = home.serve(&["--log", "error"]).await;
        let client = serving.client(None);
        let ada = user("ada");
        tell(&client, "ada", "I live in Lisbon.").await;
        std::fs::rename(home.path(name), home.path("elsewhere")).unwrap();
        for place in ["Porto", "Faro", "Braga"] {
            let message = format!("I live in {place}.");
            let refused = client.update(&ada, message, "Noted.").await.unwrap_err();
            assert_eq!(refused.code(), Some(&ErrorCode::PersistenceError), "{name}");
        }
        health_becomes(&serving, 503).await;
        std::fs::rename(home.path("elsewhere"), home.path(name)).unwrap();
        tell(&client, "ada", "I live in Evora.").await;
        health_becomes(&serving, 200).await;
    }
}

/// Longer than the server waits between two rounds of completing erasures.
const ROUND: Duration = Duration::from_secs(12);

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_is_confirmed_only_when_the_key_is_gone_from_the_file_that_is_put_back() {
    let folder = DatabaseFolder::new();
    let home = Home::on(&folder.url());
    let first = home.serve(&["--log", "off"]).await;
    let key = first.key().to_owned();
    let ada = user("ada");
    tell(&first.client(None), "ada", "I live in Lisbon.").await;
    // Nothing is left in a log.
    first.stop().await;
    let before = Copies::of_sqlite(&folder);
    assert_eq!(before.names().len(), 1);

    let mut serving = home.serve(&["--log", "off"]).await;
    let client = serving.client(Some(&key));
    let keys = folder.path().join("ctxmem.db-keys");
    let copy = home.path("copy");
    std::fs::copy(&keys, &copy).unwrap();
    std::fs::remove_file(&keys).unwrap();
    let refused = client.delete_context(&ada).await.unwrap_err();
    assert_eq!(refused.code(), Some(&ErrorCode::PersistenceError));
    tokio::time::sleep(ROUND).await;
    std::fs::copy(&copy, &keys).unwrap();
    serving.kill();

    let serving = home.serve(&["--log", "off"]).await;
    let client = serving.client(Some(&key));
    client.delete_context(&ada).await.unwrap();
    let files = folder.files().into_values();
    assert!(before.readable_with(files).is_empty());
}

/// The binary with so little room for each file.
fn in_little_room(home: &Home, args: &str) -> Command {
    let server = program();
    let script = format!("trap '' XFSZ; ulimit -S -f {ROOM}; exec '{server}' {args}");
    let mut command = Command::new("bash");
    command.args(["-c", &script]).current_dir(home.path("."));
    command
}

/// A command fails in little room, and says this.
#[track_caller]
fn finds_no_room(home: &Home, args: &str, expected: &str) {
    let ran = CommandOutput::of(in_little_room(home, args).output().unwrap());
    assert!(!ran.status.success(), "{args}");
    assert_has(&ran.stderr, &[expected]);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_say_that_the_disk_is_full_and_leave_nothing_half_done() {
    let home = Home::migrated();
    let key = home.json(&["agent", "create", "--name", "writer"]);
    let model = crate::model::model(Duration::ZERO).await;
    let serving = home.serve(&format!("{} {FLAGS}", model.flags())).await;
    let client = serving.client(key["api_key"].as_str());
    for n in 0..700 {
        learn(&client, n).await.unwrap();
    }
    serving.stop().await;
    home.printed("export --file whole.ndjson");

    for (command, file) in [("backup", "small.db"), ("export --file", "small.ndjson")] {
        finds_no_room(&home, &format!("{command} {file}"), file);
        assert!(!home.path(file).exists());
    }

    let other = Home::migrated();
    let file = home.path("whole.ndjson");
    let import = format!("import {} --facts-per-list 0", file.display());
    finds_no_room(&other, &import, "were not stored");
    // With room it is completed.
    other.json(&import);
    other.printed("export --file again.ndjson");
    let facts = |home: &Home, name: &str| {
        let text = std::fs::read_to_string(home.path(name)).unwrap();
        text.matches("skill-").count()
    };
    assert_eq!(facts(&other, "again.ndjson"), facts(&home, "whole.ndjson"));
    assert_eq!(facts(&other, "again.ndjson"), 700);
}

/// Waits until the health is answered with this status: a result is kept for some seconds.
pub(crate) async fn health_becomes(serving: &ServerProcess, status: u16) {
    let health = format!("{}/api/health", serving.url());
    let browser = browser();
    let is_so = async || browser.get(&health).send().await.unwrap().status() == status;
    until(&format!("the health is {status}"), is_so).await;
}

async fn learn(client: &Client, n: usize) -> Result<(), Error> {
    let message = format!("I am good at fact:skill-{n}.");
    let answer = client.update(&user("ada"), message, "Noted.").await;
    answer.map(drop)
}

async fn serve_in_little_room(home: &Home) -> ServerProcess {
    let model = crate::model::model(Duration::ZERO).await;
    let flags = format!("{} {FLAGS} --listen 127.0.0.1:0 --json", model.flags());
    // The model must live as long as the server asks it.
    std::mem::forget(model);
    home.start(in_little_room(home, &flags)).await
}
