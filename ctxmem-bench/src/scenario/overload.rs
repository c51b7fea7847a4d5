//! More clients than can be served, none of which waits before it asks again; and clients that hold
//! connections without reading.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, Interest};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::Bench;
use super::data::user;
use super::facts::message;
use super::inject::BASE;
use crate::load::{Wire, float};
use crate::request;
use crate::server::{self, Server};

/// Enough clients to keep every core busy.
const BUSY: usize = 64;

/// Three times as many, and as many as the server admits.
const MANY: [usize; 3] = [BUSY * 3, 3_000, 9_000];

/// So many users are spoken of.
const USERS: usize = 1_000;

/// Of each kind.
const HOLDERS: usize = 2_000;

const UNREAD: &str = "GET /style.css HTTP/1.1\r\nhost: x\r\n\r\n";

/// So many requests are answered with more than fits between the two sides.
const MORE_THAN_FITS: usize = 1_000;

const HALF_A_HEAD: &str = "GET /api/health HTTP/1.1\r\nhost: ";

/// What some clients were answered.
#[derive(Default)]
struct Answers {
    served: usize,
    refused: usize,
    micros: Vec<u128>,
    slowest_refusal: Duration,
}

pub(super) async fn run(bench: &Bench) {
    let server = Arc::new(Server::on_sqlite(&bench.server, &[]));
    println!("\n### overload: clients that never wait (SQLite)\n");
    println!(
        "| call | clients | served a second | × | p99 ms | refused a second | slowest refusal ms |\n\
         |---|---|---|---|---|---|---|"
    );
    for (name, call) in [("inject", injects as Call), ("update", updates)] {
        ask(&server, BUSY, bench.plan.turn, call).await;
        let best = ask(&server, BUSY, bench.plan.turn, call).await;
        print_line(name, BUSY, &best, &best, bench.plan.turn);
        for clients in MANY {
            let answers = ask(&server, clients, bench.plan.turn, call).await;
            print_line(name, clients, &answers, &best, bench.plan.turn);
        }
    }
    println!(
        "\n### overload: beside {HOLDERS} clients that don't read and {HOLDERS} that don't finish a \
         head (SQLite)\n"
    );
    println!(
        "| they send | the last is cut off after s | others' p99 before ms | beside them | × |\n\
         |---|---|---|---|---|"
    );
    for unread in [Unread::AtOnce, Unread::WithoutEnd] {
        beside_holders(bench, &server, unread).await;
    }
}

/// How much somebody sends who doesn't read.
#[derive(Clone, Copy)]
enum Unread {
    /// What fills everything between the two sides, and then nothing more.
    AtOnce,
    /// As much as the connection takes, which keeps the processors busy on the clients' side too.
    WithoutEnd,
}

type Call = fn(&str, usize) -> Bytes;

fn print_line(name: &str, clients: usize, answers: &Answers, best: &Answers, turn: Duration) {
    println!(
        "| {name} | {clients} | {:.0} | {:.2} | {:.0} | {:.0} | {} |",
        float(answers.served) / turn.as_secs_f64(),
        float(answers.served) / float(best.served),
        answers.p99() / 1e3,
        float(answers.refused) / turn.as_secs_f64(),
        answers.slowest_refusal.as_millis(),
    );
}

/// The health, which others ask for beside clients that don't read or don't finish their heads.
async fn beside_holders(bench: &Bench, server: &Arc<Server>, unread: Unread) {
    let before = ask_apart(server, bench.plan.turn).await;
    let mut holders = JoinSet::new();
    for _ in 0..HOLDERS {
        let address = server.process.address();
        holders.spawn(do_not_read(address.to_owned(), unread));
        holders.spawn(do_not_finish(address.to_owned()));
    }
    let beside = ask_apart(server, Duration::from_secs(8)).await;
    let longest = holders.join_all().await.into_iter().max().unwrap();
    let sent = match unread {
        Unread::AtOnce => format!("{MORE_THAN_FITS} requests at once"),
        Unread::WithoutEnd => "requests without end".to_owned(),
    };
    println!(
        "| {sent} | {:.1} | {:.1} | {:.1} | {:.2} |",
        longest.as_secs_f64(),
        before.p99() / 1e3,
        beside.p99() / 1e3,
        beside.p99() / before.p99(),
    );
}

/// Sends requests and reads no answer. Answers how long the server held on.
async fn do_not_read(address: String, unread: Unread) -> Duration {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let begun = Instant::now();
    match unread {
        Unread::AtOnce => {
            let _ = stream
                .write_all(UNREAD.repeat(MORE_THAN_FITS).as_bytes())
                .await;
            // What was answered makes it readable all the time.
            let _ = stream.ready(Interest::ERROR).await;
        }
        Unread::WithoutEnd => while stream.write_all(UNREAD.as_bytes()).await.is_ok() {},
    }
    begun.elapsed()
}

/// Sends the beginning of a head. Answers how long the server held on.
async fn do_not_finish(address: String) -> Duration {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let begun = Instant::now();
    let _ = stream.write_all(HALF_A_HEAD.as_bytes()).await;
    let mut nothing = [0; 64];
    while stream.read(&mut nothing).await.is_ok_and(|read| read > 0) {}
    begun.elapsed()
}

/// Asks for the health on a thread that no other client is on.
async fn ask_apart(server: &Arc<Server>, time: Duration) -> Answers {
    let server = Arc::clone(server);
    let asking = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(ask(&server, 1, time, healths))
    });
    asking.await.unwrap()
}

/// Asks over so many connections for so long.
async fn ask(server: &Server, clients: usize, time: Duration, call: Call) -> Answers {
    let mut asking = JoinSet::new();
    let mut wires = Vec::new();
    for _ in 0..clients {
        wires.push(server.wire().await);
    }
    let until = Instant::now() + time;
    for (n, wire) in wires.into_iter().enumerate() {
        asking.spawn(ask_until(until, wire, call(&server.key, n)));
    }
    let mut all = Answers::default();
    for answers in asking.join_all().await {
        all.served += answers.served;
        all.refused += answers.refused;
        all.micros.extend(answers.micros);
        all.slowest_refusal = all.slowest_refusal.max(answers.slowest_refusal);
    }
    all.micros.sort_unstable();
    all
}

async fn ask_until(until: Instant, mut wire: Wire, request: Bytes) -> Answers {
    let mut answers = Answers::default();
    while Instant::now() < until {
        let asked = Instant::now();
        let (status, _) = wire.exchange_any(&request).await;
        match status {
            "200" => answers.served += 1,
            "503" => {
                answers.refused += 1;
                answers.slowest_refusal = answers.slowest_refusal.max(asked.elapsed());
                continue;
            }
            other => panic!("answered {other}"),
        }
        answers.micros.push(asked.elapsed().as_micros());
    }
    answers
}

impl Answers {
    /// Of what was served, in microseconds.
    fn p99(&self) -> f64 {
        let at = self.micros.len().saturating_sub(1) * 99 / 100;
        let micros = self.micros.get(at).copied().unwrap_or_default();
        u32::try_from(micros).map_or(f64::INFINITY, f64::from)
    }
}

fn injects(key: &str, client: usize) -> Bytes {
    let body = server::inject(&user(client % USERS), BASE);
    request::post("/api/context/inject", key, &body)
}

fn updates(key: &str, client: usize) -> Bytes {
    let body = server::update(&user(client % USERS), &message(client));
    request::post("/api/context/update", key, &body)
}

fn healths(_key: &str, _client: usize) -> Bytes {
    request::get("/api/health")
}
