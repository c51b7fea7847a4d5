//! Scaling: how the cost of an inject grows with the number of a user's facts and with the number
//! of users.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::data::{Data, FACTS_EACH, user};
use super::inject::BASE;
use super::{Bench, facts};
use crate::load::Requests;
use crate::request;
use crate::rounds::{self, Target};
use crate::server::Server;

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
    let injects = targets(bench, servers, injects);
    let title = "growth: inject of one user, in memory (SQLite, 16 connections)";
    rounds::compare(bench.plan, title, CONNECTIONS, &injects).await;
    print_sizes(servers.iter().map(|server| (server, "ada"))).await;

    let updates = targets(bench, servers, |server| {
        let requests = facts::eight(server, "ada");
        Arc::new(move |_, n| requests[n % requests.len()].clone())
    });
    let title = "growth: update of one user, two facts (SQLite, 1 connection)";
    rounds::compare(bench.plan, title, 1, &updates).await;

    let turns = targets(bench, servers, |server| {
        let told = request::inject(&server.key, "ada", BASE);
        let updates = facts::eight(server, "ada");
        Arc::new(move |_, n| match n % 2 {
            0 => updates[n / 2 % updates.len()].clone(),
            _ => told.clone(),
        })
    });
    let title = "growth: update and inject of one user by turns (SQLite, 1 connection)";
    rounds::compare(bench.plan, title, 1, &turns).await;
}

/// Every inject reads from the file.
async fn cold(bench: &Bench, servers: &[Server]) {
    let injects = targets(bench, servers, injects);
    let title = "growth: inject of one user, cold (SQLite, 16 connections)";
    rounds::compare(bench.plan, title, CONNECTIONS, &injects).await;

    let by_users = [
        (&servers[0], FEW_USERS),
        (&servers[2], bench.plan.many_users),
    ];
    let others = by_users.map(|(server, users)| {
        let name = format!("another of {users} users each time");
        Target::new(name, &server.process, others(server, users))
    });
    let title = format!(
        "growth: inject of user after user, {FACTS_EACH} facts each, cold (SQLite, 16 connections)"
    );
    rounds::compare(bench.plan, &title, CONNECTIONS, &others).await;
    let other = user(FEW_USERS / 2);
    print_sizes(by_users.map(|(server, _)| (server, &*other))).await;
}

/// The servers, named by what is in their files.
fn targets<'s>(
    bench: &Bench,
    servers: &'s [Server],
    requests: impl Fn(&Server) -> Requests,
) -> Vec<Target<'s>> {
    let target = |((facts, users), server): ((usize, usize), &'s Server)| {
        let name = format!("{facts} facts, {users} users");
        Target::new(name, &server.process, requests(server))
    };
    files(bench).into_iter().zip(servers).map(target).collect()
}

fn injects(server: &Server) -> Requests {
    let request = request::inject(&server.key, "ada", BASE);
    Arc::new(move |_, _| request.clone())
}

/// Each inject is about another user, until all were asked about.
fn others(server: &Server, users: usize) -> Requests {
    let key = server.key.clone();
    let next = AtomicUsize::new(0);
    Arc::new(move |_, _| {
        let n = next.fetch_add(1, Ordering::Relaxed);
        request::inject(&key, &user(n * STRIDE % users), BASE)
    })
}

/// What costs are compared of should be equally much.
async fn print_sizes(of: impl IntoIterator<Item = (&Server, &str)>) {
    let mut sizes = Vec::new();
    for (server, user) in of {
        let block = server.agent().await.block(user, BASE).await;
        sizes.push(block.len().to_string());
    }
    println!("\nTheir blocks: {} bytes.", sizes.join(", "));
}
