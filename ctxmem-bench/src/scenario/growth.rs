//! Scaling: how the cost of an inject grows with the number of a user's facts and with the number
//! of users.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

use super::data::{Data, FACTS_EACH, user};
use super::inject::BASE;
use super::{Bench, facts};
use crate::load::Requests;
use crate::report;
use crate::request;
use crate::rounds::{Target, measure_in_turns};
use crate::server::{self, Server};

const CONNECTIONS: usize = 16;
const FEW_USERS: usize = 1_000;

/// Lists of any length.
const FLAGS: &[&str] = &["--facts-per-list", "0"];

/// The same, and nothing is kept in memory: each inject reads.
const COLD: &[&str] = &["--facts-per-list", "0", "--cache-mib", "0"];

/// Far from a power of two or ten, so that users who follow each other lie far apart.
const STRIDE: usize = 7_919;

pub(super) async fn run(bench: &Bench) {
    let mut servers = Vec::new();
    for (facts, users) in files(bench) {
        let data = Data { facts, users };
        servers.push(data.serve(bench, FLAGS).await);
    }
    warm(bench, &servers).await;
    let mut uncached = Vec::new();
    for server in servers {
        uncached.push(server.restart(COLD));
    }
    cold(bench, &uncached).await;
}

/// How many facts one user has, and how many users there are besides.
fn files(bench: &Bench) -> [(usize, usize); 3] {
    [
        (10, FEW_USERS),
        (10_000, FEW_USERS),
        (10, bench.plan.many_users),
    ]
}

/// Always the same user, so that the answer is in the cache.
async fn warm(bench: &Bench, servers: &[Server]) {
    let injects: Vec<Target<'_>> = named(bench, servers)
        .map(|(name, server)| target(name, server, injects(server, "ada")))
        .collect();
    let measured = measure_in_turns(bench.plan, CONNECTIONS, &injects).await;
    let title = "growth: inject of one user, in memory (SQLite, 16 connections)";
    report::against_first(title, &measured);
    print_sizes(servers.iter().map(|server| (server, "ada"))).await;

    let updates: Vec<Target<'_>> = named(bench, servers)
        .map(|(name, server)| {
            let requests = facts::eight(server, "ada");
            let requests = move |_, n: usize| requests[n % requests.len()].clone();
            target(name, server, Arc::new(requests))
        })
        .collect();
    let measured = measure_in_turns(bench.plan, 1, &updates).await;
    let title = "growth: update of one user, two facts (SQLite, 1 connection)";
    report::against_first(title, &measured);

    let turns: Vec<Target<'_>> = named(bench, servers)
        .map(|(name, server)| {
            let (told, updates) = (inject(&server.key, "ada"), facts::eight(server, "ada"));
            let requests = move |_, n: usize| match n % 2 {
                0 => updates[n / 2 % updates.len()].clone(),
                _ => told.clone(),
            };
            target(name, server, Arc::new(requests))
        })
        .collect();
    let measured = measure_in_turns(bench.plan, 1, &turns).await;
    let title = "growth: update and inject of one user by turns (SQLite, 1 connection)";
    report::against_first(title, &measured);
}

/// Every inject reads from the file.
async fn cold(bench: &Bench, servers: &[Server]) {
    let injects: Vec<Target<'_>> = named(bench, servers)
        .map(|(name, server)| target(name, server, injects(server, "ada")))
        .collect();
    let measured = measure_in_turns(bench.plan, CONNECTIONS, &injects).await;
    let title = "growth: inject of one user, cold (SQLite, 16 connections)";
    report::against_first(title, &measured);

    let by_users = [
        (&servers[0], FEW_USERS),
        (&servers[2], bench.plan.many_users),
    ];
    let others = by_users.map(|(server, users)| {
        let name = format!("another of {users} users each time");
        target(name, server, others(server, users))
    });
    let measured = measure_in_turns(bench.plan, CONNECTIONS, &others).await;
    let title = format!(
        "growth: inject of user after user, {FACTS_EACH} facts each, cold (SQLite, 16 connections)"
    );
    report::against_first(&title, &measured);
    let other = user(FEW_USERS / 2);
    print_sizes(by_users.map(|(server, _)| (server, &*other))).await;
}

/// The servers by what is in their files.
fn named<'s>(bench: &Bench, servers: &'s [Server]) -> impl Iterator<Item = (String, &'s Server)> {
    files(bench)
        .into_iter()
        .map(|(facts, users)| format!("{facts} facts, {users} users"))
        .zip(servers)
}

fn target(name: String, server: &Server, requests: Requests) -> Target<'_> {
    Target {
        name,
        process: &server.process,
        requests,
    }
}

/// The same inject each time.
fn injects(server: &Server, user: &str) -> Requests {
    let request = inject(&server.key, user);
    Arc::new(move |_, _| request.clone())
}

/// Each inject is about another user, until all were asked about.
fn others(server: &Server, users: usize) -> Requests {
    let key = server.key.clone();
    let next = AtomicUsize::new(0);
    Arc::new(move |_, _| {
        let n = next.fetch_add(1, Ordering::Relaxed);
        inject(&key, &user(n * STRIDE % users))
    })
}

fn inject(key: &str, user: &str) -> Bytes {
    request::post("/api/context/inject", key, &server::inject(user, BASE))
}

/// What costs are compared of should be equally much.
async fn print_sizes(of: impl IntoIterator<Item = (&Server, &str)>) {
    let mut sizes = Vec::new();
    for (server, user) in of {
        let block = server.block(&mut server.wire().await, user, BASE).await;
        sizes.push(block.len().to_string());
    }
    println!("\nTheir blocks: {} bytes.", sizes.join(", "));
}
