//! Two builds of the server side by side: what a change costs.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use ctxmem_test_postgres::Cluster;

use super::inject::BASE;
use super::{Bench, facts};
use crate::load::Requests;
use crate::request;
use crate::rounds::{self, Target};
use crate::server::Server;

/// Users that take turns.
const USERS: usize = 1_024;

const CONNECTIONS: [usize; 2] = [1, 64];

/// Nothing is kept in memory: each inject reads.
const COLD: &[&str] = &["--cache-mib", "0"];

pub(super) async fn run(bench: &Bench, other: &Path) {
    let builds = [("the other build", other), ("this build", &*bench.server)];
    let servers = builds.map(|(name, binary)| (name, Server::on_sqlite(binary, &[])));
    compare(bench, "SQLite, warm", &servers).await;
    let cold = servers.map(|(name, server)| (name, server.restart(COLD)));
    compare_injects(bench, "SQLite, cold", &cold).await;
    // With default settings: the server that tests share does not sync its writes.
    let clusters = builds.map(|_| Cluster::start(&[]));
    let mut urls = clusters.iter().map(|cluster| cluster.url("postgres"));
    let servers = builds.map(|(name, binary)| {
        let url = urls.next().unwrap();
        (name, Server::on(binary, &url, &[]))
    });
    compare(bench, "Postgres", &servers).await;
}

async fn compare(bench: &Bench, on: &str, servers: &[(&str, Server); 2]) {
    for connections in CONNECTIONS {
        let title = format!("builds: update, rules, two facts, {on}, {connections} connections");
        measure(bench, &title, servers, connections, |server| {
            facts::updates(server, (0..USERS).map(user), connections)
        })
        .await;
    }
    compare_injects(bench, on, servers).await;
}

async fn compare_injects(bench: &Bench, on: &str, servers: &[(&str, Server); 2]) {
    let title = format!("builds: inject, {on}, 16 connections");
    measure(bench, &title, servers, 16, injects).await;
}

async fn measure(
    bench: &Bench,
    title: &str,
    servers: &[(&str, Server); 2],
    connections: usize,
    requests: impl Fn(&Server) -> Requests,
) {
    let targets = servers
        .each_ref()
        .map(|(name, server)| Target::new(*name, &server.process, requests(server)));
    rounds::compare(bench.plan, title, connections, &targets).await;
}

fn injects(server: &Server) -> Requests {
    let requests: Vec<Bytes> = (0..USERS)
        .map(|n| request::inject(&server.key, &user(n), BASE))
        .collect();
    Arc::new(move |connection, n| requests[(connection * 61 + n) % USERS].clone())
}

fn user(n: usize) -> String {
    format!("user-{n}")
}
