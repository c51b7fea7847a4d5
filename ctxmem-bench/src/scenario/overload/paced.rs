//! Clients that wait, three times as many as can be served.

use std::time::{Duration, Instant};

use bytes::Bytes;
use ctxmem_test_postgres::Cluster;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use super::answers::{self, Answers};
use super::{BUSY, ask, updates};
use crate::load::Wire;
use crate::scenario::Bench;
use crate::server::Server;

/// How often each of them asks.
const PACE: Duration = Duration::from_secs(1);

/// So many times as many as can be served.
const TIMES: usize = 3;

/// On Postgres with a quota, where an update takes so long that not only the processors are short: there
/// three times as many clients fit on one machine beside the server.
pub(super) async fn run(bench: &Bench) {
    let cluster = Cluster::start(&[]);
    let quota = ["--monthly-quota", "2000000000"];
    let server = Server::on(&bench.server, &cluster.url("postgres"), &quota);
    println!("\n### overload: clients that ask once a second (Postgres, with a monthly quota)\n");
    answers::print_head();
    let requests = |n| updates(&server, n);
    ask(&server.process, BUSY, bench.plan.turn, requests).await;
    let best = ask(&server.process, BUSY, 2 * bench.plan.turn, requests).await;
    best.print_line("update, without a pause", BUSY, &best);
    let clients = TIMES * best.served_per_second();
    let answers = ask_in_turn(&server, clients, 10 * PACE).await;
    answers.print_line("update, once a second", clients, &best);
}

/// Asks over so many connections for so long, each in its own moment of the second.
async fn ask_in_turn(server: &Server, clients: usize, time: Duration) -> Answers {
    let mut wires = Vec::new();
    for _ in 0..clients {
        wires.push(server.wire().await);
    }
    let (used, begun) = (server.process.cpu(), Instant::now());
    let mut asking = JoinSet::new();
    for ((n, wire), part) in wires.into_iter().enumerate().zip(0..) {
        let first = begun + PACE * part / u32::try_from(clients).unwrap();
        asking.spawn(ask_each_second(
            first,
            begun + time,
            wire,
            updates(server, n),
        ));
    }
    let all = asking.join_all().await;
    Answers::of_all(all, time, server.process.cpu().saturating_sub(used))
}

async fn ask_each_second(
    first: Instant,
    until: Instant,
    mut wire: Wire,
    requests: Vec<Bytes>,
) -> Answers {
    let mut answers = Answers::default();
    let mut requests = requests.iter().cycle();
    let mut turns = tokio::time::interval_at(first.into(), PACE);
    // A client that is still waiting at its next moment skips it and asks at the one after.
    turns.set_missed_tick_behavior(MissedTickBehavior::Skip);
    while turns.tick().await.into_std() < until
        && let Some(request) = requests.next()
    {
        answers.ask(&mut wire, request, until).await;
    }
    answers
}
