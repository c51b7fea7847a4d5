//! More clients than the server can serve, none of which waits before it asks again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::model;
use crate::process::{Home, ServerProcess, allow_many_sockets};

/// Enough clients to keep every core busy.
const BUSY: usize = 64;

/// More than may be under way. How well more of them are served is measured in the benchmarks.
const MANY: usize = 1_500;

const SECOND: Duration = Duration::from_secs(1);

/// What clients were answered in a while.
#[derive(Default)]
struct Answers {
    served: usize,
    refused: usize,
    slowest_refusal: Duration,
}

#[tokio::test(flavor = "multi_thread")]
async fn beyond_its_capacity_the_server_refuses_and_goes_on_serving() {
    allow_many_sockets();
    let home = Home::new();
    let serving = home.serve("--rate-limit 0 --log error").await;
    for call in [inject, update] {
        let best = ask_for(&serving, BUSY, SECOND, call).await;
        let beside = ask_for(&serving, MANY, SECOND, call).await;
        assert!(best.served > 0 && best.refused == 0);
        assert!(beside.served > 0);
        println!(
            "figure: {MANY} clients that never wait: {} served a second, {} % of what {BUSY} get; \
             {} refused a second, the slowest of them after {:.0?}",
            beside.served,
            beside.served * 100 / best.served,
            beside.refused,
            beside.slowest_refusal,
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn more_updates_than_can_begin_soon_are_refused() {
    const CLIENTS: usize = 1_100;
    allow_many_sockets();
    let home = Home::new();
    // While the model thinks, nothing that has begun ends.
    let model = model::model(Duration::from_secs(5)).await;
    let flags = format!("{} --rate-limit 0 --log error", model.flags());
    let serving = home.serve(&flags).await;
    let answers = ask_for(&serving, CLIENTS, Duration::from_millis(1), update).await;
    assert_eq!(answers.served + answers.refused, CLIENTS);
    assert!(answers.served >= 1_024, "{}", answers.served);
    assert!(answers.refused > 0, "none was refused");
}

/// Asks over this many connections for this long. An answer is a success, or it says when to retry.
async fn ask_for(
    serving: &ServerProcess,
    clients: usize,
    time: Duration,
    call: fn(&str, usize) -> String,
) -> Answers {
    let (address, key) = (serving.address(), serving.key());
    let streams = join_all((0..clients).map(|_| TcpStream::connect(address))).await;
    let until = Instant::now() + time;
    let clients = streams.into_iter().enumerate().map(|(n, stream)| {
        let request: Arc<str> = call(key, n).into();
        tokio::spawn(async move { ask_again_and_again(stream.unwrap(), &request, until).await })
    });
    let mut all = Answers::default();
    for answers in join_all(clients).await {
        let answers = answers.unwrap();
        all.served += answers.served;
        all.refused += answers.refused;
        all.slowest_refusal = all.slowest_refusal.max(answers.slowest_refusal);
    }
    all
}

async fn ask_again_and_again(mut stream: TcpStream, request: &str, until: Instant) -> Answers {
    let mut answers = Answers::default();
    let mut buffer = vec![0; 4 << 10];
    // Once at least.
    loop {
        let asked = Instant::now();
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = read_answer(&mut stream, &mut buffer).await;
        if answer.starts_with("HTTP/1.1 200 ") {
            answers.served += 1;
        } else {
            assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
            assert!(answer.contains("\r\nretry-after: "), "{answer}");
            answers.refused += 1;
            answers.slowest_refusal = answers.slowest_refusal.max(asked.elapsed());
        }
        if Instant::now() >= until {
            return answers;
        }
    }
}

/// One whole answer as text.
async fn read_answer<'b>(stream: &mut TcpStream, buffer: &'b mut [u8]) -> &'b str {
    let mut filled = 0;
    loop {
        let read = stream.read(&mut buffer[filled..]).await.unwrap();
        assert!(read > 0, "the server closed a connection");
        filled += read;
        let text = str::from_utf8(&buffer[..filled]).unwrap();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.split_once("content-length: ").unwrap().1;
            let length = length.split("\r\n").next().unwrap();
            if body.len() >= length.parse().unwrap() {
                return str::from_utf8(&buffer[..filled]).unwrap();
            }
        }
    }
}

fn inject(key: &str, client: usize) -> String {
    let body = format!(
        r#"{{"userId":"user-{}","basePrompt":"Be brief."}}"#,
        client % 1_000
    );
    request("inject", key, &body, "")
}

fn update(key: &str, client: usize) -> String {
    let body = format!(
        r#"{{"userId":"user-{}","userMessage":"I live in Lisbon.","agentResponse":"Noted."}}"#,
        client % 1_000
    );
    request("update", key, &body, "")
}

/// The bytes of a request, with further lines in its head.
pub(crate) fn request(call: &str, key: &str, body: &str, lines: &str) -> String {
    format!(
        "POST /api/context/{call} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\n\
         content-type: application/json\r\n{lines}content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// After the one answer the connection is closed.
pub(crate) const CLOSE: &str = "connection: close\r\n";
