//! Backups beside writers: what they notice of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::data::{Data, user};
use super::{Bench, facts};
use crate::load;
use crate::report::{self, span};
use crate::rounds::{self, Pair, Span};
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
    let update = async |time| load::drive(server.process.address(), WRITERS, time, &updates).await;
    let back_up = async |time| {
        let server = Arc::clone(&server);
        let backups = tokio::task::spawn_blocking(move || back_up_for(&server, time));
        backups.await.unwrap()
    };
    let pairs = rounds::pairs(bench.plan, update, back_up).await;
    let of = |figure: fn(&Pair<Vec<Duration>>) -> f64| Span::of(pairs.iter().map(figure));
    let took = pairs.iter().flat_map(|pair| &pair.beside);
    report::head("p99 µs | p99 with backups | × | updates/s × | a backup, ms");
    println!(
        "| {} | {} | {} | {} | {} |",
        span(of(|pair| pair.alone.percentile(99)), 0),
        span(of(|pair| pair.loaded.percentile(99)), 0),
        span(of(Pair::p99_ratio), 2),
        span(
            of(|pair| pair.loaded.per_second() / pair.alone.per_second()),
            2
        ),
        span(Span::of(took.map(|took| took.as_secs_f64() * 1e3)), 0),
    );
}

/// Makes one backup after the other, each checked, and answers how long each took.
fn back_up_for(server: &Server, time: Duration) -> Vec<Duration> {
    let mut took = Vec::new();
    let first = Instant::now();
    while first.elapsed() < time {
        took.push(server.back_up());
    }
    took
}
