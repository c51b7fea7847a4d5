//! Backups beside writers: what they notice of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::data::{Data, user};
use super::{Bench, facts};
use crate::load;
use crate::report::span;
use crate::rounds::Span;
use crate::server::Server;

/// Connections that update.
const WRITERS: usize = 64;

/// Users whom the updates are about.
const USERS: usize = 1_024;

pub(super) async fn run(bench: &Bench) {
    let users = bench.plan.many_users;
    let server = Arc::new(Data { facts: 10, users }.serve(bench, &[]).await);
    println!("\n### backup: {users} users, {WRITERS} connections that update (SQLite)\n");
    let updates = facts::updates(&server, (0..USERS).map(user), WRITERS);
    let turn = bench.plan.erasing / u32::try_from(bench.plan.rounds).unwrap();
    let (mut without, mut with, mut ratio, mut speed) = (vec![], vec![], vec![], vec![]);
    let mut took = Vec::new();
    for round in 0..=bench.plan.rounds {
        let quiet = load::drive(server.process.address(), WRITERS, turn, &updates).await;
        let stop = Arc::new(AtomicBool::new(false));
        let backups = {
            let (server, stop) = (Arc::clone(&server), Arc::clone(&stop));
            tokio::task::spawn_blocking(move || back_up_until(&server, &stop, round))
        };
        let loud = load::drive(server.process.address(), WRITERS, turn, &updates).await;
        stop.store(true, Ordering::Relaxed);
        let backups = backups.await.unwrap();
        // The first round warms up.
        if round > 0 {
            without.push(quiet.percentile(99));
            with.push(loud.percentile(99));
            ratio.push(loud.percentile(99) / quiet.percentile(99));
            speed.push(loud.per_second() / quiet.per_second());
            took.extend(backups);
        }
    }
    println!(
        "| p99 µs | p99 with backups | × | updates/s × | a backup, ms |\n|---|---|---|---|---|"
    );
    println!(
        "| {} | {} | {} | {} | {} |",
        span(Span::of(without), 0),
        span(Span::of(with), 0),
        span(Span::of(ratio), 2),
        span(Span::of(speed), 2),
        span(
            Span::of(took.iter().map(|took| took.as_secs_f64() * 1e3)),
            0
        ),
    );
}

/// Makes one backup after the other, each checked, and answers how long each took.
fn back_up_until(server: &Server, stop: &AtomicBool, round: usize) -> Vec<Duration> {
    let mut took = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let file = format!("backup-{round}-{}.db", took.len());
        let begun = Instant::now();
        server.run(&["backup", &file]);
        took.push(begun.elapsed());
        for name in [file.clone(), format!("{file}-keys")] {
            std::fs::remove_file(server.path(&name)).unwrap();
        }
    }
    took
}
