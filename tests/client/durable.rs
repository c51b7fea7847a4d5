//! A durable queue: what was accepted survives a crash of the process.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use ctxmem_client::updates::{DurableError, RejectReason, UpdateResult, UpdatesBuilder};
use ctxmem_client::{Client, Interaction, Updates, UserId};
use serde_json::{Value, json};
use wiremock::{MockServer, Request};

use crate::support::{answering, builder, header, ok, requests, user};

const LONG: Duration = Duration::from_mins(1);
/// The file of the process that is killed.
const FILE: &str = "CTXMEM_TEST_DURABLE_FILE";
const COUNT: usize = 40;

fn queue(url: &str, file: &Path) -> UpdatesBuilder {
    let builder = Updates::builder(builder(url).build().unwrap());
    builder.durable(file).unwrap()
}

async fn service() -> MockServer {
    answering(ok(&json!({"updated": true, "delta": {}}))).await
}

/// What was said and under which key, in the order in which it arrived.
async fn arrived(server: &MockServer) -> Vec<(String, String)> {
    let arrived = |request: &Request| {
        let body: Value = request.body_json().unwrap();
        let said = body["userMessage"].as_str().unwrap().to_owned();
        (said, header(request, "idempotency-key"))
    };
    requests(server).await.iter().map(arrived).collect()
}

fn interaction(n: usize) -> Interaction {
    Interaction::new(user(), format!("message {n}"), "Noted.")
        .with_idempotency_key(format!("m-{n}"))
        .unwrap()
}

/// What the process does that is killed: it accepts, and reaches nobody.
#[tokio::test]
#[ignore = "is run by another test, in a process of its own"]
async fn a_process_that_only_accepts() {
    let file = std::env::var_os(FILE).unwrap();
    let updates = queue("http://127.0.0.1:1", Path::new(&file)).start();
    for n in 0..COUNT {
        updates.send(interaction(n)).unwrap();
    }
    println!("\naccepted");
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn what_was_accepted_survives_kill_9() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pending.db");
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["durable::a_process_that_only_accepts", "--exact"])
        .args(["--ignored", "--nocapture"])
        .env(FILE, &file)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let said = lines.map(Result::unwrap).find(|line| line == "accepted");
    assert!(said.is_some(), "it accepted nothing");
    // On Unix this is SIGKILL: nothing of it goes on running.
    process.kill().unwrap();
    process.wait().unwrap();

    let server = service().await;
    let updates = queue(&server.uri(), &file).start();
    assert_eq!(updates.flush(LONG).await, 0);
    let expected: Vec<_> = (0..COUNT)
        .map(|n| (format!("message {n}"), format!("m-{n}")))
        .collect();
    assert_eq!(arrived(&server).await, expected, "each once, in order");
    let stats = updates.shutdown(LONG).await;
    assert_eq!((stats.accepted, stats.sent), (COUNT, COUNT));
    drop(updates);

    // And it is not sent again.
    let next = reopen(&server.uri(), &file).await.start();
    assert_eq!(next.stats().accepted, 0);
}

/// Opens the file once the workers of an earlier queue have let go of it.
async fn reopen(url: &str, file: &Path) -> UpdatesBuilder {
    let client = builder(url).build().unwrap();
    for _ in 0..200 {
        match Updates::builder(client.clone()).durable(file) {
            Err(DurableError::InUse) => tokio::time::sleep(Duration::from_millis(25)).await,
            opened => return opened.unwrap(),
        }
    }
    panic!("the file stays in use");
}

#[tokio::test]
async fn what_a_shutdown_drops_is_sent_the_next_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pending.db");
    let (heard, told) = std::sync::mpsc::channel();
    let updates = queue("http://127.0.0.1:1", &file).on_result(move |update| {
        let is_kept = matches!(update.result, UpdateResult::Kept) && !update.is_lost();
        heard.send(is_kept).unwrap();
    });
    let updates = updates.start();
    for n in 0..3 {
        updates.send(interaction(n)).unwrap();
    }
    let stats = updates.shutdown(Duration::from_millis(300)).await;
    assert_eq!((stats.accepted, stats.dropped), (3, 3));
    assert_eq!(told.try_iter().collect::<Vec<_>>(), [true; 3]);
    drop(updates);

    let server = service().await;
    let updates = reopen(&server.uri(), &file).await.start();
    assert_eq!(updates.flush(LONG).await, 0);
    assert_eq!(arrived(&server).await.len(), 3);
}

#[tokio::test]
async fn its_file_is_private_bounded_and_for_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pending.db");
    std::fs::write(&file, "").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let updates = queue("http://127.0.0.1:1", &file).max_items(2).start();
    updates.send(interaction(0)).unwrap();
    updates.send(interaction(1)).unwrap();
    let rejected = updates.send(interaction(2)).unwrap_err();
    assert_eq!(rejected.reason, RejectReason::Full);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{:?}", entry.path());
    }

    let client = Client::builder().base_url("http://127.0.0.1:1").build();
    let other = Updates::builder(client.unwrap()).durable(&file);
    assert!(matches!(other, Err(DurableError::InUse)));
}

#[tokio::test]
async fn a_file_that_is_none_of_a_queue_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "canary ".repeat(1_000)).unwrap();
    let client = Client::builder().base_url("http://127.0.0.1:1").build();
    let error = Updates::builder(client.unwrap()).durable(&file);
    let error = error.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("canary"));
    let client = Client::builder().base_url("http://x").build();
    let absent = folder.path().join("absent/pending.db");
    assert!(Updates::builder(client.unwrap()).durable(absent).is_err());
}

#[tokio::test]
async fn what_has_ended_is_overwritten_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pending.db");
    let server = service().await;
    let updates = queue(&server.uri(), &file).start();
    let id = UserId::new("canary-user").unwrap();
    let said = "canary-message ".repeat(100);
    updates.send(Interaction::new(id, said, "Noted.")).unwrap();
    assert_eq!(updates.flush(LONG).await, 0);
    updates.shutdown(LONG).await;
    drop(updates);
    // The last one to close the file tidies up behind itself.
    drop(reopen(&server.uri(), &file).await);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"canary"));
    }
}

#[tokio::test]
async fn when_it_was_is_kept_over_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pending.db");
    let updates = queue("http://127.0.0.1:1", &file).start();
    let at = "2026-03-01T09:30:00.5+02:00";
    let late = interaction(0).with_time(at.parse().unwrap());
    updates.send(late).unwrap();
    updates.send(interaction(1)).unwrap();
    updates.shutdown(Duration::ZERO).await;
    drop(updates);

    let server = service().await;
    let updates = reopen(&server.uri(), &file).await.start();
    assert_eq!(updates.flush(LONG).await, 0);
    let at_of = |request: &Request| request.body_json::<Value>().unwrap()["at"].clone();
    let sent: Vec<Value> = requests(&server).await.iter().map(at_of).collect();
    // The other one ended just now.
    assert_eq!(sent, [json!(at), Value::Null]);
}
