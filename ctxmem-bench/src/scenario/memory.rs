//! Memory, and the time to the first answer.

use std::time::Instant;

use super::Bench;
use crate::load::{Wire, float};
use crate::request;
use crate::server::Server;

pub(super) async fn run(bench: &Bench) {
    let server = Server::on_sqlite(&bench.server, &[]);
    let idle = server.process.resident_kib();
    let mut wires = Vec::new();
    let health = request::get("/api/health");
    for _ in 0..bench.plan.idle_connections {
        let mut wire = Wire::open(server.process.address()).await;
        wire.exchange(&health).await;
        wires.push(wire);
    }
    let with = server.process.resident_kib();
    let each = float(usize::try_from(with - idle).unwrap()) / float(wires.len());
    drop(wires);
    println!("\n### memory and start\n");
    println!("| what | measured |\n|---|---|");
    println!(
        "| idle, resident | {:.1} MiB |",
        float(usize::try_from(idle).unwrap()) / 1024.0
    );
    println!(
        "| {} idle keep-alive connections, each | {each:.1} KiB |",
        bench.plan.idle_connections
    );
    let server = {
        let data = super::data::Data {
            facts: 10,
            users: 100_000,
            facts_each: 10,
        };
        data.serve(bench, &[]).await
    };
    let begun = Instant::now();
    server.wire().await.exchange(&health).await;
    println!(
        "| start on a database with 100,000 users: until it listens, and to the first answer | {} ms, {} ms |",
        server.process.started_in.as_millis(),
        (server.process.started_in + begun.elapsed()).as_millis()
    );
}
