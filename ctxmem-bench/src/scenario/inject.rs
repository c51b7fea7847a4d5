//! inject, warm, against a bare warp handler and one raw statement.

use std::sync::Arc;

use ctxmem_test_postgres::Cluster;

use super::{Bench, facts};
use crate::baseline;
use crate::load::Requests;
use crate::request;
use crate::rounds::{self, Target};
use crate::server::Server;

/// A base prompt of about 1 KB.
pub(super) const BASE: &str = include_str!("base_prompt.txt");

pub(super) async fn on_sqlite(bench: &Bench) {
    let server = Server::on_sqlite(&bench.server, &[]);
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("read.db").display());
    compare(bench, &server, "SQLite", &["sqlite-read", &url]).await;
}

pub(super) async fn on_postgres(bench: &Bench) {
    // With default settings: the server that tests share does not sync its writes.
    let (ours, theirs) = (Cluster::start(&[]), Cluster::start(&[]));
    let server = Server::on(&bench.server, &ours.url("postgres"), &[]);
    let reading = ["postgres-read", &theirs.url("postgres")];
    compare(bench, &server, "Postgres", &reading).await;
}

async fn compare(bench: &Bench, server: &Server, engine: &str, reading: &[&str]) {
    facts::teach(server, "ada").await;
    let bytes = server.agent().await.size_of_inject("ada", BASE).await;
    let bytes = bytes.to_string();
    let bare = baseline::start(&["bare", &bytes]);
    let reading = baseline::start(&[reading, &[&*bytes]].concat());
    let request = request::inject(&server.key, "ada", BASE);
    let requests: Requests = Arc::new(move |_, _| request.clone());
    let target = |name, process| Target::new(name, process, Arc::clone(&requests));
    for connections in [1, 64] {
        let targets = [
            target("bare warp", &bare),
            target("warp and one raw statement", &reading),
            target("ctxmem", &server.process),
        ];
        let title = format!("inject, warm, {engine}, {connections} connections, {bytes} bytes");
        rounds::compare(bench.plan, &title, connections, &targets).await;
    }
}
