//! The cost of a request on Citus, in processor time of the server, of the coordinator and of the workers, by the
//! number of users and of shards.
//!
//! Some users are made by updates, and asked for. The others are copies of them.
//!
//! Everything runs on this one machine, so requests a second say nothing about more machines; what a
//! request costs each of them does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use ctxmem_test_postgres::CitusCluster;
use sqlx::{Connection as _, PgConnection};

use super::Bench;
use super::copies;
use super::data::{learn, user};
use super::facts::message;
use super::inject::BASE;
use crate::cpu;
use crate::load::{self, Requests, float};
use crate::report;
use crate::request;
use crate::rounds::Span;
use crate::server::Server;

const DATABASE: &str = "ctxmem";

const WORKERS: usize = 2;

/// How many there are in all, smallest number first.
const USERS: [usize; 2] = [100_000, 1_000_000];

const SHARDS: [usize; 2] = [32, 128];

const CONNECTIONS: usize = 16;

/// Nothing that is measured here is about flushes, and filling takes long with them. What machines do
/// of their own accord would be counted as requests' work.
const SETTINGS: [&str; 6] = [
    "fsync=off",
    "synchronous_commit=off",
    "max_wal_size=4GB",
    "autovacuum=off",
    "max_connections=300",
    "shared_buffers=1GB",
];

/// How many users are made by updates.
const REAL: usize = 2_000;

/// Steps through the users so that those who follow each other lie on different shards and pages.
const STRIDE: usize = 7_919;

type Call = fn(&str, usize) -> Bytes;

/// A turn's requests a second, and the processor time of each in microseconds.
struct Cost {
    per_second: f64,
    server: f64,
    coordinator: f64,
    workers: f64,
}

pub(super) async fn run(bench: &Bench) {
    println!("\n### Citus: processor time of a request, a coordinator and {WORKERS} workers\n");
    report::head(
        "users | shards | server at | call | a second | server µs | coordinator µs | workers µs",
    );
    for shards in SHARDS {
        let shard_count = format!("citus.shard_count={shards}");
        let settings = [&SETTINGS[..], &[&*shard_count]].concat();
        let cluster = CitusCluster::start(WORKERS, &settings);
        cluster.create_database(DATABASE).await;
        with_shards(bench, &cluster, shards).await;
    }
}

async fn with_shards(bench: &Bench, cluster: &CitusCluster, shards: usize) {
    let urls = cluster.urls(DATABASE);
    // Nothing is kept in the server's memory: each inject is a statement.
    let flags = ["--cache-mib", "0"];
    let distribute = [&flags[..], &["--distribute"]].concat();
    let mut server = Server::on(&bench.server, &urls[0], &distribute);
    let filling = Arc::new(server);
    learn(&filling, CONNECTIONS, 0..REAL, |n| (user(n), message(n))).await;
    server = Arc::into_inner(filling).unwrap();
    let (mut stored, mut copied) = (REAL, 0);
    for users in USERS {
        let more = users / stored - 1;
        let mut connection = PgConnection::connect(&urls[0]).await.unwrap();
        copies::on_postgres(&mut connection, copied..copied + more).await;
        (stored, copied) = (users, copied + more);
        for (place, url) in [("the coordinator", &urls[0]), ("a worker", &urls[1])] {
            server = server.restart_at(url, &flags);
            let calls: [(&str, Call); 3] = [
                ("inject", inject),
                ("update", update),
                ("first update", first_update),
            ];
            for (name, call) in calls {
                let costs = measure(bench, &server, cluster, call).await;
                let of =
                    |figure: fn(&Cost) -> f64| report::span(Span::of(costs.iter().map(figure)), 0);
                println!(
                    "| {users} | {shards} | {place} | {name} | {} | {} | {} | {} |",
                    of(|cost| cost.per_second),
                    of(|cost| cost.server),
                    of(|cost| cost.coordinator),
                    of(|cost| cost.workers),
                );
            }
        }
    }
}

/// The costs of each round but the first, which warms up.
async fn measure(bench: &Bench, server: &Server, cluster: &CitusCluster, call: Call) -> Vec<Cost> {
    let key = server.key.clone();
    let requests: Requests =
        Arc::new(move |connection, n| call(&key, (n * CONNECTIONS + connection) * STRIDE % REAL));
    let mut costs = Vec::new();
    for _ in 0..=bench.plan.rounds {
        let before = used(server, cluster);
        let address = server.process.address();
        let driven = load::drive(address, CONNECTIONS, bench.plan.turn, &requests).await;
        let after = used(server, cluster);
        let each = |n: usize| {
            let used = after[n].saturating_sub(before[n]);
            used.as_secs_f64() * 1e6 / float(driven.count())
        };
        costs.push(Cost {
            per_second: driven.per_second(),
            server: each(0),
            coordinator: each(1),
            workers: each(2),
        });
    }
    costs.split_off(1)
}

/// The processor time that the server, the coordinator and all workers have used.
fn used(server: &Server, cluster: &CitusCluster) -> [Duration; 3] {
    let of = |node| cpu::of_family(cluster.node(node).server_id().unwrap());
    [server.process.cpu(), of(0), (1..=WORKERS).map(of).sum()]
}

fn inject(key: &str, n: usize) -> Bytes {
    request::inject(key, &user(n), BASE)
}

fn update(key: &str, n: usize) -> Bytes {
    // Which of the messages does not matter, so long as it is seldom what is known already.
    request::update(key, &user(n), &message(fastrand::usize(..1_000)))
}

/// Of somebody whom nobody knows yet.
fn first_update(key: &str, n: usize) -> Bytes {
    static NEXT: AtomicUsize = AtomicUsize::new(REAL);
    let user = user(NEXT.fetch_add(1, Ordering::Relaxed));
    request::update(key, &user, &message(n))
}
