//! More clients than can be served.

mod answers;
mod holders;
mod paced;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::task::JoinSet;

use self::answers::Answers;
use super::data::user;
use super::inject::BASE;
use super::{Bench, facts};
use crate::baseline;
use crate::load::Wire;
use crate::process::Process;
use crate::request;
use crate::server::Server;

/// Enough clients to keep every core busy.
const BUSY: usize = 64;

/// Three times as many, and as many as the server admits.
const MANY: [usize; 3] = [BUSY * 3, 3_000, 9_000];

/// So many users are spoken of.
const USERS: usize = 1_000;

pub(super) async fn run(bench: &Bench) {
    let server = Arc::new(Server::on_sqlite(&bench.server, &[]));
    let answer = server
        .inject(&mut server.wire().await, &user(0), BASE)
        .await;
    let bare = baseline::start(&["bare", &answer.to_string().len().to_string()]);
    println!("\n### overload: clients that never wait (SQLite)\n");
    answers::print_head();
    // What more clients cost the server that answers them, and what the system gives them.
    more_and_more(bench, "bare warp", &bare, |n| injects(&server, n)).await;
    more_and_more(bench, "inject", &server.process, |n| injects(&server, n)).await;
    more_and_more(bench, "update", &server.process, |n| updates(&server, n)).await;
    holders::run(bench, &server).await;
    paced::run(bench).await;
}

/// What the clients of a process are served, by their number.
async fn more_and_more(
    bench: &Bench,
    name: &str,
    process: &Process,
    requests: impl Fn(usize) -> Vec<Bytes>,
) {
    ask(process, BUSY, bench.plan.turn, &requests).await;
    let best = ask(process, BUSY, bench.plan.turn, &requests).await;
    best.print_line(name, BUSY, &best);
    for clients in MANY {
        let answers = ask(process, clients, bench.plan.turn, &requests).await;
        answers.print_line(name, clients, &best);
    }
}

/// Asks over so many connections for so long. Each client asks its requests in turn.
async fn ask(
    process: &Process,
    clients: usize,
    time: Duration,
    requests: impl Fn(usize) -> Vec<Bytes>,
) -> Answers {
    let mut asking = JoinSet::new();
    let mut wires = Vec::new();
    for _ in 0..clients {
        wires.push(Wire::open(process.address()).await);
    }
    let (used, until) = (process.cpu(), Instant::now() + time);
    for (n, wire) in wires.into_iter().enumerate() {
        asking.spawn(ask_until(until, wire, requests(n)));
    }
    let all = asking.join_all().await;
    Answers::of_all(all, time, process.cpu().saturating_sub(used))
}

async fn ask_until(until: Instant, mut wire: Wire, requests: Vec<Bytes>) -> Answers {
    let mut answers = Answers::default();
    let mut requests = requests.iter().cycle();
    while Instant::now() < until
        && let Some(request) = requests.next()
    {
        answers.ask(&mut wire, request, until).await;
    }
    answers
}

fn injects(server: &Server, client: usize) -> Vec<Bytes> {
    vec![request::inject(&server.key, &user(client % USERS), BASE)]
}

fn updates(server: &Server, client: usize) -> Vec<Bytes> {
    facts::eight(server, &user(client % USERS)).into()
}
