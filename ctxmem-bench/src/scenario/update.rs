//! update by rules with two facts, against a commit a request.

use ctxmem_test_postgres::Cluster;

use super::{Bench, facts};
use crate::baseline;
use crate::process::Process;
use crate::rounds::{self, Target};
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
    let server = Server::on(&bench.server, &ours.url("postgres"), &[]);
    // All updates are one agent's, and change the one row that its updates are counted in.
    let quota = ["--monthly-quota", "2000000000"];
    let limited = Server::on(&bench.server, &limited.url("postgres"), &quota);
    let servers = [("ctxmem", &server), ("… with a monthly quota", &limited)];
    let commit = baseline::start(&["postgres-commit", &theirs.url("postgres")]);
    let baseline = "four statements in a transaction";
    compare(bench, &servers, &commit, "Postgres", baseline).await;
}

async fn compare(
    bench: &Bench,
    servers: &[(&str, &Server)],
    commit: &Process,
    engine: &str,
    baseline: &str,
) {
    for connections in [1, 64] {
        let target = |name, process, server| {
            let users = (0..USERS).map(|user| format!("user-{user}"));
            Target::new(name, process, facts::updates(server, users, connections))
        };
        let mut targets = vec![target(baseline, commit, servers[0].1)];
        for (name, server) in servers {
            targets.push(target(*name, &server.process, server));
        }
        let title = format!("update, rules, two facts, {engine}, {connections} connections");
        rounds::compare(bench.plan, &title, connections, &targets).await;
    }
}
