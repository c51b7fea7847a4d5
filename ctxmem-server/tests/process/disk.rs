//! A disk that fills up and has room again, simulated by a limit on the size of files, and files
//! that are removed while a server uses them.

use std::process::Command;
use std::time::Duration;

use ctxmem_client::{Client, Error, ErrorCode};

use crate::aftermath::FLAGS;
use crate::database_files::DatabaseFolder;
use crate::evidence::Copies;
use crate::process::{Home, ServerProcess, browser, program, user};

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
    for name in [
        "ctxmem.db",
        "ctxmem.db-wal",
        "ctxmem.db-keys",
        "ctxmem.db-keys-wal",
        "ctxmem.db-shm",
        "ctxmem.db-keys-shm",
    ] {
        let home = Home::new();
        let serving = home.serve(&["--log", "error"]).await;
        let client = serving.client(None);
        let ada = user("ada");
        client
            .update(&ada, "I live in Lisbon.", "Noted.")
            .await
            .unwrap();
        std::fs::rename(home.path(name), home.path("elsewhere")).unwrap();
        for place in ["Porto", "Faro", "Braga"] {
            let message = format!("I live in {place}.");
            let refused = client.update(&ada, message, "Noted.").await.unwrap_err();
            assert_eq!(refused.code(), Some(&ErrorCode::PersistenceError), "{name}");
        }
        health_becomes(&serving, 503).await;
        std::fs::rename(home.path("elsewhere"), home.path(name)).unwrap();
        client
            .update(&ada, "I live in Evora.", "Noted.")
            .await
            .unwrap();
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
    let key = first.announced["api_key"].as_str().unwrap().to_owned();
    let ada = user("ada");
    let client = first.client(None);
    let answer = client.update(&ada, "I live in Lisbon.", "Noted.").await;
    answer.unwrap();
    drop(client);
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

/// Whether a command succeeds in little room, and what it says.
fn run_in_little_room(home: &Home, args: &str) -> (bool, String) {
    let ran = in_little_room(home, args).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    (ran.status.success(), said)
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_say_that_the_disk_is_full_and_leave_nothing_half_done() {
    let home = Home::migrated();
    let key = home.json(&["agent", "create", "--name", "writer"]);
    let model = crate::model::model(Duration::ZERO).await;
    let flags = model.flags();
    let mut args = FLAGS.to_vec();
    args.extend(flags.iter().map(String::as_str));
    let serving = home.serve(&args).await;
    let client = serving.client(key["api_key"].as_str());
    for n in 0..700 {
        learn(&client, n).await.unwrap();
    }
    serving.stop().await;
    let done = home.run(&["export", "--file", "whole.ndjson"]);
    assert!(done.status.success(), "{}", done.stderr);

    let (is_done, said) = run_in_little_room(&home, "backup small.db");
    assert!(!is_done && said.contains("small.db"), "{said}");
    assert!(!home.path("small.db").exists());
    let (is_done, said) = run_in_little_room(&home, "export --file small.ndjson");
    assert!(!is_done && said.contains("small.ndjson"), "{said}");
    assert!(!home.path("small.ndjson").exists());

    let other = Home::migrated();
    let file = home.path("whole.ndjson");
    let import = format!("import {} --facts-per-list 0", file.display());
    let (is_done, said) = run_in_little_room(&other, &import);
    assert!(!is_done && said.contains("were not stored"), "{said}");
    // With room it is completed.
    other.json(&["import", file.to_str().unwrap(), "--facts-per-list", "0"]);
    let done = other.run(&["export", "--file", "again.ndjson"]);
    assert!(done.status.success(), "{}", done.stderr);
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
    let waiting = async {
        while browser.get(&health).send().await.unwrap().status() != status {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), waiting)
        .await
        .unwrap_or_else(|_| panic!("the health never was {status}"));
}

async fn learn(client: &Client, n: usize) -> Result<(), Error> {
    let message = format!("I am good at fact:skill-{n}.");
    client
        .update(&user("ada"), message, "Noted.")
        .await
        .map(drop)
}

async fn serve_in_little_room(home: &Home) -> ServerProcess {
    let model = crate::model::model(Duration::ZERO).await;
    let mut flags = model.flags().join(" ");
    flags.push_str(" --listen 127.0.0.1:0 --json --rate-limit 0 --facts-per-list 0 --log error");
    // The model must live as long as the server asks it.
    std::mem::forget(model);
    home.start(in_little_room(home, &flags)).await
}
