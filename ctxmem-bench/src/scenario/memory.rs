//! Memory, and the time to the first answer.

use std::time::{Duration, Instant};

use super::Bench;
use super::data::{Data, converse, user};
use super::facts;
use super::inject::BASE;
use crate::load::{Wire, float};
use crate::report::{self, span};
use crate::request;
use crate::rounds::Span;
use crate::server::Server;

/// How many users there are already when a server starts.
const USERS: usize = 100_000;

const STARTS: usize = 11;

/// Until what the start needed has been given back.
const SETTLED: Duration = Duration::from_secs(15);

/// For how long nobody asks anything after the load.
const REST: Duration = Duration::from_mins(2);

pub(super) async fn run(bench: &Bench) {
    println!("\n### memory and start (SQLite)\n");
    report::head("what | measured");
    idle(bench).await;
    start(bench).await;
}

async fn idle(bench: &Bench) {
    let server = Server::on_sqlite(&bench.server, &[]);
    tokio::time::sleep(SETTLED).await;
    let idle = server.process.resident_kib();
    println!("| idle, resident | {:.1} MiB |", idle / 1024.0);
    let count = bench.plan.idle_connections;
    let health = request::get("/api/health");
    let mut wires = Vec::with_capacity(count);
    for _ in 0..count {
        let mut wire = Wire::open(server.process.address()).await;
        wire.exchange(&health).await;
        wires.push(wire);
    }
    let each = (server.process.resident_kib() - idle) / float(count);
    println!("| {count} idle keep-alive connections, each | {each:.1} KiB |");
    // Connections that were closed meanwhile took no memory.
    for wire in &mut wires {
        wire.exchange(&health).await;
    }
}

/// The file lies in the memory of the system, as after a restart of the server alone.
async fn start(bench: &Bench) {
    let data = Data {
        facts: 10,
        users: USERS,
    };
    let mut server = data.serve(bench, &[]).await;
    let (mut listening, mut answered) = (Vec::new(), Vec::new());
    for n in 0..STARTS {
        server = server.restart(&[]);
        let begun = Instant::now();
        server.agent().await.inject(&user(n), BASE, None).await;
        let started = server.process.started_in;
        listening.push(started.as_secs_f64() * 1e3);
        answered.push((started + begun.elapsed()).as_secs_f64() * 1e3);
    }
    println!(
        "| start with {USERS} users until it listens | {} ms |",
        span(Span::of(listening), 1)
    );
    println!(
        "| … until the first inject is answered | {} ms |",
        span(Span::of(answered), 1)
    );
}

/// Each of many users comes with two turns and never again, and then nobody asks anything.
pub(super) async fn after_load(bench: &Bench) {
    println!("\n### memory after load (SQLite)\n");
    report::head("what | measured");
    let server = Server::on_sqlite(&bench.server, &[]);
    let told = |n| [n, n + 1].map(facts::message);
    let server = converse(server, USERS, told).await;
    let loaded = server.process.resident_kib() / 1024.0;
    tokio::time::sleep(REST).await;
    let rested = server.process.resident_kib() / 1024.0;
    println!("| after two turns each of {USERS} users, resident | {loaded:.1} MiB |");
    println!("| … two minutes later | {rested:.1} MiB |");
}
