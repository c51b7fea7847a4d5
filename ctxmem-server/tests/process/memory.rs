//! Bounds on the memory that clients can make the server use.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use sqlx::Executor as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::overload::{CLOSE, request};
use crate::process::{Home, ServerProcess, count};

/// What the server may take at any time.
const MOST: u64 = 256 << 10;

const FLAGS: &str = "--rate-limit 0 --log error";

/// Updates with messages of this length, of words of one letter: each word is taken apart.
const MESSAGE_BYTES: usize = 900_000;

#[tokio::test(flavor = "multi_thread")]
async fn many_large_updates_at_once_take_bounded_memory() {
    let home = Home::new();
    let serving = home.serve(FLAGS).await;
    let request = update(&serving, &"a ".repeat(MESSAGE_BYTES / 2));
    let clients = count(300, 1_500);
    let mut statuses = Vec::new();
    for _ in 0..count(1, 5) {
        let asking = (0..clients).map(|_| ask(&serving, &request, Duration::from_secs(30)));
        statuses.extend(join_all(asking).await);
    }
    let [served, refused] = [200, 503].map(|wanted| {
        let answered = statuses.iter().filter(|status| **status == Some(wanted));
        answered.count()
    });
    let what = "large updates at once";
    assert_bounded(
        &serving,
        &format!("{clients} {what}: {served} served, {refused} told to retry"),
    );
    assert!(served > 0, "{statuses:?}");
    assert_eq!(served + refused, statuses.len(), "{statuses:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_give_up_while_nothing_can_be_written_take_bounded_memory() {
    let home = Home::new();
    let serving = home.serve(FLAGS).await;
    let message = format!("I live in Lisbon. {}", "a ".repeat(MESSAGE_BYTES / 2));
    let request = update(&serving, &message);
    let mut other = home.connect().await;
    let clients = count(300, 1_500);
    for _ in 0..3 {
        other.execute("BEGIN IMMEDIATE").await.unwrap();
        let asking = (0..clients).map(|_| ask(&serving, &request, Duration::from_secs(1)));
        join_all(asking).await;
        other.execute("ROLLBACK").await.unwrap();
    }
    assert_bounded(
        &serving,
        &format!("{clients} clients that give up, three times"),
    );
    let last = ask(&serving, &request, Duration::from_secs(30)).await;
    assert_eq!(last, Some(200));
}

/// What a tree of it takes is a hundred times what was sent.
#[tokio::test(flavor = "multi_thread")]
async fn fields_that_nobody_knows_take_no_memory() {
    let home = Home::new();
    let serving = home.serve(FLAGS).await;
    let trees = "[0],".repeat(MESSAGE_BYTES / 4);
    let fields = format!(r#","x":[{trees}0]"#);
    let request = update_with(&serving, "I live in Lisbon.", &fields);
    let clients = count(300, 1_500);
    let asking = (0..clients).map(|_| ask(&serving, &request, Duration::from_secs(30)));
    let answered = join_all(asking).await;
    assert_bounded(
        &serving,
        &format!("{clients} updates with large unknown fields"),
    );
    assert!(answered.contains(&Some(200)), "{answered:?}");
}

/// The largest answer that somebody gets whom nobody knows.
#[tokio::test(flavor = "multi_thread")]
async fn answers_that_nobody_reads_take_bounded_memory() {
    let home = Home::new();
    let serving = home.serve(FLAGS).await;
    let clients = count(300, 1_500);
    let unread = (0..clients).map(|_| async {
        let mut stream = TcpStream::connect(serving.address()).await.unwrap();
        let request = "GET /api/docs HTTP/1.1\r\nhost: x\r\n\r\n";
        stream.write_all(request.as_bytes()).await.unwrap();
        stream.readable().await.unwrap();
        stream
    });
    let unread = join_all(unread).await;
    assert_bounded(
        &serving,
        &format!("{clients} large answers that nobody reads"),
    );
    drop(unread);
}

/// The bytes of an update about a user, with this message.
fn update(serving: &ServerProcess, message: &str) -> Arc<[u8]> {
    update_with(serving, message, "")
}

/// With further fields behind those that every update has.
fn update_with(serving: &ServerProcess, message: &str, fields: &str) -> Arc<[u8]> {
    let body =
        format!(r#"{{"userId":"ada","userMessage":"{message}","agentResponse":"Noted."{fields}}}"#);
    request("update", serving.key(), &body, CLOSE)
        .into_bytes()
        .into()
}

/// The status of the answer; `None` if there was none in this time.
async fn ask(serving: &ServerProcess, request: &[u8], patience: Duration) -> Option<u16> {
    let asking = async {
        let mut stream = TcpStream::connect(serving.address()).await.ok()?;
        stream.write_all(request).await.ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.ok()?;
        answer.get(9..12)?.parse().ok()
    };
    tokio::time::timeout(patience, asking).await.ok().flatten()
}

/// The server has had at most as much memory as it may.
fn assert_bounded(serving: &ServerProcess, after: &str) {
    let status = std::fs::read_to_string(format!("/proc/{}/status", serving.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let figure = line.unwrap().split_whitespace().nth(1).unwrap();
    let peak_kib: u64 = figure.parse().unwrap();
    println!("figure: {after}, at most {} MiB", peak_kib >> 10);
    assert!(peak_kib <= MOST, "{peak_kib} KiB");
}
