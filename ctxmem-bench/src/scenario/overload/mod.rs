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
use crate::load::Wire;
use crate::request;
use crate::server::{self, Server};

/// Enough clients to keep every core busy.
const BUSY: usize = 64;

/// Three times as many, and as many as the server admits.
const MANY: [usize; 3] = [BUSY * 3, 3_000, 9_000];

/// So many users are spoken of.
const USERS: usize = 1_000;

pub(super) async fn run(bench: &Bench) {
    let server = Arc::new(Server::on_sqlite(&bench.server, &[]));
    println!("\n### overload: clients that never wait (SQLite)\n");
    answers::print_head();
    for (name, call) in [("inject", injects as Call), ("update", updates)] {
        ask(&server, BUSY, bench.plan.turn, call).await;
        let best = ask(&server, BUSY, bench.plan.turn, call).await;
        best.print_line(name, BUSY, &best);
        for clients in MANY {
            let answers = ask(&server, clients, bench.plan.turn, call).await;
            answers.print_line(name, clients, &best);
        }
    }
    holders::run(bench, &server).await;
    paced::run(bench).await;
}

/// What one of the clients asks, in turn.
type Call = fn(&Server, usize) -> Vec<Bytes>;

/// Asks over so many connections for so long.
async fn ask(server: &Server, clients: usize, time: Duration, call: Call) -> Answers {
    let mut asking = JoinSet::new();
    let mut wires = Vec::new();
    for _ in 0..clients {
        wires.push(server.wire().await);
    }
    let (used, until) = (server.process.cpu(), Instant::now() + time);
    for (n, wire) in wires.into_iter().enumerate() {
        asking.spawn(ask_until(until, wire, call(server, n)));
    }
    let all = asking.join_all().await;
    Answers::of_all(all, time, server.process.cpu().saturating_sub(used))
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
    let body = server::inject(&user(client % USERS), BASE);
    vec![request::post("/api/context/inject", &server.key, &body)]
}

fn updates(server: &Server, client: usize) -> Vec<Bytes> {
    facts::eight(server, &user(client % USERS)).into()
}
