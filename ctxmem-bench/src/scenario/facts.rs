//! Facts to work with, and how costs grow with their number and with that of users.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, SqliteConnection};

use super::Bench;
use super::inject::BASE;
use crate::load::Requests;
use crate::report;
use crate::request;
use crate::rounds::{Target, play};
use crate::server::{self, Server};

/// Cities and editors that the rules know, by turns: every update changes two facts.
const CITIES: [&str; 8] = [
    "Lisbon", "Vienna", "Oslo", "Madrid", "Dublin", "Prague", "Athens", "Warsaw",
];
const EDITORS: [&str; 8] = [
    "Helix",
    "Zed",
    "Vim",
    "Emacs",
    "Neovim",
    "Kakoune",
    "Sublime Text",
    "Nano",
];

/// Lists of any length.
const UNBOUNDED: &[&str] = &["--facts-per-list", "0"];

/// A message that tells two facts, other ones each time.
pub(super) fn message(n: usize) -> String {
    let (city, editor) = (CITIES[n % 8], EDITORS[n % 8]);
    format!("I live in {city} now. I use {editor} as my editor.")
}

/// Some facts of a user, learned by updates: a block of about 2 KB.
pub(super) async fn teach(server: &Server, user: &str) {
    let mut wire = server.wire().await;
    for message in [
        "My name is Ada. I live in Lisbon. My time zone is Europe/Lisbon.",
        "I use Helix as my editor. I deploy to Fly.io. I use Postgres for my projects.",
        "I prefer Rust over Go. I know Kubernetes, Terraform and Python.",
        "Please keep your answers short and always use metric units.",
        "My manager is called Grace. My colleague Tim works on billing.",
        "I'm working on a parser for invoices. My deadline is Friday.",
        "We decided to use SQLite for the prototype last week.",
    ] {
        server.tell(&mut wire, user, message).await;
    }
}

/// Inject and update by the number of facts and users.
pub(super) async fn growth(bench: &Bench) {
    let few = server_with(bench, 10, 1_000).await;
    let facts = server_with(bench, 10_000, 1_000).await;
    let users = server_with(bench, 10, bench.plan.many_users).await;
    let many = format!("10 facts, {} users", bench.plan.many_users);
    let many: &'static str = Box::leak(many.into_boxed_str());
    let named = [
        ("10 facts, 1,000 users", &few),
        ("10,000 facts, 1,000 users", &facts),
        (many, &users),
    ];
    let injects = named.map(|(name, server)| {
        let body = server::inject("ada", BASE);
        let request = request::post("/api/context/inject", &server.key, &body);
        target(name, server, Arc::new(move |_, _| request.clone()))
    });
    let played = play(bench.plan, 16, &injects).await;
    report::against_first(
        "inject by the size of the data (SQLite, 16 connections)",
        &played,
    );
    let updates = named.map(|(name, server)| {
        let requests = eight(server, "ada");
        target(name, server, Arc::new(move |_, n| requests[n % 8].clone()))
    });
    let played = play(bench.plan, 1, &updates).await;
    report::against_first(
        "update of one user by the size of the data (SQLite, 1 connection)",
        &played,
    );
}

fn target<'s>(name: &'static str, server: &'s Server, requests: Requests) -> Target<'s> {
    Target {
        name,
        process: &server.process,
        requests,
    }
}

/// Updates of a user, each of which changes what the one before stored.
pub(super) fn eight(server: &Server, user: &str) -> [Bytes; 8] {
    std::array::from_fn(|n| {
        let body = server::update(user, &message(n));
        request::post("/api/context/update", &server.key, &body)
    })
}

/// A server on a file with so many facts of one user, and so many users.
pub(super) async fn server_with(bench: &Bench, facts: i64, users: i64) -> Server {
    let server = Server::on_sqlite(&bench.server, UNBOUNDED);
    teach(&server, "ada").await;
    server
        .restart(UNBOUNDED, async |file| fill(&file, facts, users).await)
        .await
}

/// Adds facts of the only user, as if learned, and users with ten facts each.
async fn fill(file: &Path, facts: i64, users: i64) {
    let mut db: SqliteConnection = SqliteConnectOptions::new()
        .filename(file)
        .connect()
        .await
        .unwrap();
    let agent: String = sqlx::query_scalar("SELECT id FROM agents")
        .fetch_one(&mut db)
        .await
        .unwrap();
    for sql in [
        "CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS
             (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000000 AND i < max($2, $3))
         SELECT i FROM n, (SELECT $1)",
        "INSERT INTO facts (user_key, scope, slot, name, value, source_type, agent_id, position,
                            first_stored_at, confirmed_at)
         SELECT user_key, 3, 'skill ' || i, NULL, 'skill number ' || i, 'observed', $1,
                1000 + i, 1700000000000 + i, 1700000000000 + i
         FROM users, temp.n WHERE user_id = 'ada' AND i <= $2 AND $3 > 0",
        "INSERT INTO users (user_key, user_id, epoch, next_position, last_updated)
         SELECT randomblob(32), 'user ' || i, 0, 10, 1700000000000 FROM temp.n
         WHERE i <= $3 AND $1 <> '' AND $2 > 0",
        "INSERT INTO grants (user_key, id, agent_id, scopes, made_by, created_at, latest)
         SELECT user_key, lower(hex(randomblob(16))), $1, 127, 'agent', 1700000000000, 1
         FROM users WHERE user_id <> 'ada' AND $2 > 0 AND $3 > 0",
        "INSERT INTO facts (user_key, scope, slot, name, value, source_type, agent_id, position,
                            first_stored_at, confirmed_at)
         SELECT user_key, 3, 'skill ' || i, NULL, 'skill number ' || i, 'observed', $1,
                i, 1700000000000, 1700000000000
         FROM users, temp.n WHERE user_id <> 'ada' AND i <= 10 AND $2 > 0 AND $3 > 0",
    ] {
        sqlx::query(sql)
            .bind(&agent)
            .bind(facts)
            .bind(users)
            .execute(&mut db)
            .await
            .unwrap();
    }
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(&mut db)
        .await
        .unwrap();
}
