//! More clients than can be served.

mod answers;
mod holders;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use ctxmem_test_postgres::Cluster;
use tokio::task::JoinSet;
use tokio::time::{Interval, MissedTickBehavior, interval_at};

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

/// How often a client asks that waits.
const PACE: Duration = Duration::from_secs(1);

/// So many times as many clients as can be served ask at that pace.
const TIMES: usize = 3;

/// So many users are spoken of.
const USERS: usize = 1_000;

pub(super) async fn run(bench: &Bench) {
    let server = Arc::new(Server::on_sqlite(&bench.server, &[]));
    let bytes = server.agent().await.size_of_inject(&user(0), BASE).await;
    let bare = baseline::start(&["bare", &bytes.to_string()]);
    println!("\n### overload: clients that never wait (SQLite)\n");
    answers::print_head();
    // What more clients cost the server that answers them, and what the system gives them.
    more_and_more(bench, "bare warp", &bare, |n| injects(&server, n)).await;
    more_and_more(bench, "inject", &server.process, |n| injects(&server, n)).await;
    more_and_more(bench, "update", &server.process, |n| updates(&server, n)).await;
    holders::run(bench, &server).await;
    paced(bench).await;
}

/// What the clients of a process are served, by their number.
async fn more_and_more(
    bench: &Bench,
    name: &str,
    process: &Process,
    requests: impl Fn(usize) -> Vec<Bytes>,
) {
    ask(process, BUSY, bench.plan.turn, None, &requests).await;
    let best = ask(process, BUSY, bench.plan.turn, None, &requests).await;
    best.print_line(name, BUSY, &best);
    for clients in MANY {
        let answers = ask(process, clients, bench.plan.turn, None, &requests).await;
        answers.print_line(name, clients, &best);
    }
}

/// Clients that wait, three times as many as can be served. On Postgres with a quota, where an update takes so long that
/// not only the processors are short: there three times as many clients fit on one machine beside the server.
async fn paced(bench: &Bench) {
    let cluster = Cluster::start(&[]);
    let quota = ["--monthly-quota", "2000000000"];
    let server = Server::on(&bench.server, &cluster.url("postgres"), &quota);
    println!("\n### overload: clients that ask once a second (Postgres, with a monthly quota)\n");
    answers::print_head();
    let requests = |n| updates(&server, n);
    ask(&server.process, BUSY, bench.plan.turn, None, requests).await;
    let best = ask(&server.process, BUSY, 2 * bench.plan.turn, None, requests).await;
    best.print_line("update, without a pause", BUSY, &best);
    let clients = TIMES * best.served_per_second();
    let answers = ask(&server.process, clients, 10 * PACE, Some(PACE), requests).await;
    answers.print_line("update, once a second", clients, &best);
}

/// Asks over so many connections for so long. Each client asks its requests in turn, without a pause or each time
/// that the pace has passed, beginning in a moment of its own.
async fn ask(
    process: &Process,
    clients: usize,
    time: Duration,
    pace: Option<Duration>,
    requests: impl Fn(usize) -> Vec<Bytes>,
) -> Answers {
    let mut asking = JoinSet::new();
    let mut wires = Vec::new();
    for _ in 0..clients {
        wires.push(Wire::open(process.address()).await);
    }
    let (used, begun) = (process.cpu(), Instant::now());
    for ((n, wire), part) in wires.into_iter().enumerate().zip(0..) {
        let turns = pace.map(|pace| {
            let first = begun + pace * part / u32::try_from(clients).unwrap();
            let mut turns = interval_at(first.into(), pace);
            // A client that is still waiting at its next moment skips it and asks at the one after.
            turns.set_missed_tick_behavior(MissedTickBehavior::Skip);
            turns
        });
        asking.spawn(ask_until(begun + time, turns, wire, requests(n)));
    }
    let all = asking.join_all().await;
    Answers::of_all(all, time, process.cpu().saturating_sub(used))
}

async fn ask_until(
    until: Instant,
    mut turns: Option<Interval>,
    mut wire: Wire,
    requests: Vec<Bytes>,
) -> Answers {
    let mut answers = Answers::default();
    for request in requests.iter().cycle() {
        let now = match &mut turns {
            Some(turns) => turns.tick().await.into_std(),
            None => Instant::now(),
        };
        if now >= until {
            break;
        }
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
