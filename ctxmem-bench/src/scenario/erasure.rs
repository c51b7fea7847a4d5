//! Erasures in a file of many users: what one costs, and what others notice of fifty a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use super::data::{Data, user};
use super::inject::BASE;
use super::{Bench, facts};
use crate::load::{self, Requests, float, percentile};
use crate::report::{self, span};
use crate::request;
use crate::rounds::{self, Pair, Span};
use crate::server::Server;

/// Erasures that are measured one by one.
const ALONE: usize = 200;

const PER_SECOND: u32 = 50;

/// Erasures that may be under way at once; more than the rate needs.
const AT_ONCE: usize = 8;

/// Connections that update or inject meanwhile: so few that the processor isn't the limit.
const CONNECTIONS: usize = 2;

/// Users whom the updates and injects are about. They are never erased.
const KEPT: usize = 1_000;

pub(super) async fn run(bench: &Bench) {
    let users = bench.plan.many_users;
    let server = Data { facts: 10, users }.serve(bench, &[]).await;
    println!("\n### erasure: {users} users (SQLite)\n");
    let bytes = server.stored_bytes();
    println!("Before: files of {:.2} GB.\n", mebibytes(bytes) / 953.674);
    // From the end, so that those who are kept come first.
    let erased = AtomicUsize::new(0);
    let next = || users - 1 - erased.fetch_add(1, Ordering::Relaxed);
    report::head("what | measured");
    alone(&server, "one erasure", || user(next())).await;
    alone(&server, "one erasure of an unknown user", || {
        format!("nobody {}", next())
    })
    .await;

    let updates = facts::updates(&server, (0..KEPT).map(user), CONNECTIONS);
    let injects: Requests = {
        let requests: Vec<Bytes> = (0..KEPT)
            .map(|n| request::inject(&server.key, &user(n), BASE))
            .collect();
        Arc::new(move |_, n| requests[n % KEPT].clone())
    };
    println!();
    report::head(&format!(
        "others, {CONNECTIONS} connections | p50 µs | p99 µs | p99 with {PER_SECOND} erasures a second | × \
         | erasures p99 ms | max ms"
    ));
    beside(bench, &server, "updates", &updates, &next).await;
    beside(bench, &server, "injects", &injects, &next).await;
    let grown = mebibytes(server.stored_bytes()) - mebibytes(bytes);
    println!("\nAfter: the files have grown by {grown:.1} MiB.");
}

/// One after the other, with nothing beside.
async fn alone(server: &Server, what: &str, mut user: impl FnMut() -> String) {
    let mut wire = server.wire().await;
    let mut millis = Vec::with_capacity(ALONE);
    let before = server.process.written_bytes();
    for _ in 0..ALONE {
        let request = erase(server, &user());
        let sent = Instant::now();
        wire.exchange_any(&request).await;
        millis.push(sent.elapsed().as_secs_f64() * 1e3);
    }
    let written = mebibytes(server.process.written_bytes() - before) * 1024.0 / float(ALONE);
    println!("| {what} | {} ms |", span(Span::of(millis), 2));
    println!("| … written to the file system | {written:.1} KiB |");
}

/// A load without and with erasures beside it.
async fn beside(
    bench: &Bench,
    server: &Server,
    what: &str,
    requests: &Requests,
    next: &impl Fn() -> usize,
) {
    let drive = async |time| {
        let address = server.process.address();
        load::drive(address, CONNECTIONS, time, requests).await
    };
    let erase = async |time| erase_beside(server, time, next).await;
    let pairs = rounds::pairs(bench.plan, drive, erase).await;
    let of = |figure: fn(&Pair<Vec<Duration>>) -> f64| Span::of(pairs.iter().map(figure));
    let erasures = pairs.iter().flat_map(|pair| pair.beside.iter().copied());
    let mut erasures: Vec<Duration> = erasures.collect();
    erasures.sort_unstable();
    let at = |share| percentile(&erasures, share).unwrap().as_secs_f64() * 1e3;
    println!(
        "| {what} | {} | {} | {} | {} | {:.1} ({} erasures) | {:.1} |",
        span(of(|pair| pair.alone.percentile(50)), 0),
        span(of(|pair| pair.alone.percentile(99)), 0),
        span(of(|pair| pair.loaded.percentile(99)), 0),
        span(of(Pair::p99_ratio), 2),
        at(99),
        erasures.len(),
        at(100),
    );
}

/// Erases users at a steady rate, and answers how long each took from the moment when it was due.
async fn erase_beside(server: &Server, time: Duration, next: &impl Fn() -> usize) -> Vec<Duration> {
    let (send, due) = tokio::sync::mpsc::unbounded_channel::<(Instant, Bytes)>();
    let due = Arc::new(tokio::sync::Mutex::new(due));
    let mut erasing = JoinSet::new();
    for _ in 0..AT_ONCE {
        let mut wire = server.wire().await;
        let due = Arc::clone(&due);
        erasing.spawn(async move {
            let mut took = Vec::new();
            loop {
                let Some((at, request)) = due.lock().await.recv().await else {
                    return took;
                };
                wire.exchange(&request).await;
                took.push(at.elapsed());
            }
        });
    }
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / PER_SECOND);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let begun = Instant::now();
    while begun.elapsed() < time {
        let at = ticks.tick().await.into_std();
        // The loop ends above, not because nobody listens.
        send.send((at, erase(server, &user(next())))).unwrap();
    }
    drop(send);
    erasing.join_all().await.concat()
}

fn erase(server: &Server, user: &str) -> Bytes {
    let path = format!("/api/context/{}", user.replace(' ', "%20"));
    request::delete(&path, &server.key)
}

fn mebibytes(bytes: u64) -> f64 {
    // Kibibytes of far more than a disk still fit.
    f64::from(u32::try_from(bytes >> 10).unwrap_or(u32::MAX)) / 1024.0
}
