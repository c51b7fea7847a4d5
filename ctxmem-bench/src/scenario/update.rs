//! update by rules with two facts, against a commit a request.

use std::sync::Arc;

use bytes::Bytes;
use ctxmem_test_postgres::Cluster;

use super::{Bench, facts};
use crate::baseline;
use crate::process::Process;
use crate::report;
use crate::rounds::{Target, measure_in_turns};
use crate::server::Server;

/// Users that take turns, so that no two connections write of the same one at once.
const USERS: usize = 1_024;

pub(super) async fn on_sqlite(bench: &Bench) {
    let server = Server::on_sqlite(&bench.server, &[]);
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("commit.db").display());
    let commit = baseline::start(&["sqlite-commit", &url]);
    let servers = [("ctxmem", &server)];
    compare(bench, &servers, &commit, "SQLite", "a commit a request").await;
}

pub(super) async fn on_postgres(bench: &Bench) {
    // With default settings: the server that tests share does not sync its writes.
    let [ours, limited, theirs] = [(); 3].map(|()| Cluster::start(&[]));
    let server = Server::on_postgres(&bench.server, &ours.url("postgres"), &[]);
    // All updates are one agent's, and change the one row that its updates are counted in.
    let quota = ["--monthly-quota", "2000000000"];
    let limited = Server::on_postgres(&bench.server, &limited.url("postgres"), &quota);
    let servers = [("ctxmem", &server), ("… with a monthly quota", &limited)];
    let commit = baseline::start(&["postgres-commit", &theirs.url("postgres")]);
    compare(
        bench,
        &servers,
        &commit,
        "Postgres",
        "four statements in a transaction",
    )
    .await;
}

async fn compare(
    bench: &Bench,
    servers: &[(&str, &Server)],
    commit: &Process,
    engine: &str,
    baseline: &str,
) {
    let requests_to = |server| {
        let of_user = |user| facts::eight(server, &format!("user-{user}"));
        Arc::new((0..USERS).map(of_user).collect::<Vec<_>>())
    };
    let requests: Vec<_> = servers
        .iter()
        .map(|(_, server)| requests_to(server))
        .collect();
    for connections in [1, 64] {
        let target = |name: &str, process, requests: &Arc<Vec<[Bytes; 8]>>| {
            let requests = Arc::clone(requests);
            Target {
                name: name.to_owned(),
                process,
                requests: Arc::new(move |connection, n| {
                    let each = USERS / connections;
                    let user = connection * each + n % each;
                    requests[user][(n / each) % 8].clone()
                }),
            }
        };
        let mut targets = vec![target(baseline, commit, &requests[0])];
        for ((name, server), requests) in servers.iter().zip(&requests) {
            targets.push(target(name, &server.process, requests));
        }
        let measured = measure_in_turns(bench.plan, connections, &targets).await;
        let title = format!("update, rules, two facts, {engine}, {connections} connections");
        report::against_first(&title, &measured);
    }
}
