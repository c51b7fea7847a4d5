//! A long time under mixed load with everything turned on: what grows?
//!
//! Prompts, updates, reads, single facts, erasures and MCP, at a pace; beside them figures are read, the
//! settings are read again, and backups are made. The users are always the same, so that nothing but
//! the history should grow.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;
use warp::Filter as _;

use super::data::user;
use super::inject::BASE;
use super::{Bench, facts};
use crate::load::Wire;
use crate::server::Server;
use crate::{report, request};

const CONNECTIONS: usize = 16;

/// Each connection has as many users of its own.
const USERS_EACH: usize = 128;

/// Between two requests of a connection.
const PACE: Duration = Duration::from_millis(20);

/// A line of the table.
const LINES: u32 = 12;

const SCRAPE_EVERY: Duration = Duration::from_secs(5);

const BACKUP_EVERY: Duration = Duration::from_mins(2);

const RELOAD_EVERY: Duration = Duration::from_mins(1);

#[derive(Default)]
struct Counts {
    answers: AtomicU64,
    spans: AtomicU64,
    backups: AtomicU64,
    reloads: AtomicU64,
    scrapes: AtomicU64,
    /// Since the last line.
    slowest_scrape_micros: AtomicU64,
    rows: AtomicU64,
}

pub(super) async fn run(bench: &Bench) {
    let counts = Arc::new(Counts::default());
    let collector = collect(Arc::clone(&counts)).await;
    let figures = free_address().await;
    let flags = [
        "--mcp",
        "--otlp-url",
        &collector,
        "--metrics-listen",
        &figures,
    ];
    let server = Arc::new(Server::on_sqlite(&bench.server, &flags));
    println!("\n### soak: mixed load with everything on (SQLite)\n");
    report::head(
        "minute | answers | resident MiB | files open | threads | database, log and keys MiB | rows | \
         slowest scrape ms",
    );
    let mut load = JoinSet::new();
    for connection in 0..CONNECTIONS {
        let (server, counts) = (Arc::clone(&server), Arc::clone(&counts));
        load.spawn(converse(server, connection, counts));
    }
    load.spawn(scrape(figures, Arc::clone(&counts)));
    load.spawn(back_up(Arc::clone(&server), Arc::clone(&counts)));
    load.spawn(reload(Arc::clone(&server), Arc::clone(&counts)));
    let begun = Instant::now();
    let mut lines = tokio::time::interval(bench.plan.soak / LINES);
    for _ in 0..=LINES {
        tokio::select! {
            _ = lines.tick() => print_line(&server, &counts, begun.elapsed()),
            ended = load.join_next() => panic!("a part of the load ended: {ended:?}"),
        }
    }
    let done = |count: &AtomicU64| count.load(Ordering::Relaxed);
    println!(
        "\n{} batches of spans sent, {} backups, {} times settings read again, {} scrapes; every answer was a \
         success",
        done(&counts.spans),
        done(&counts.backups),
        done(&counts.reloads),
        done(&counts.scrapes),
    );
}

fn print_line(server: &Server, counts: &Counts, elapsed: Duration) {
    let scrape = counts.slowest_scrape_micros.swap(0, Ordering::Relaxed);
    println!(
        "| {} | {} | {:.1} | {} | {} | {} | {} | {}.{} |",
        elapsed.as_secs() / 60,
        counts.answers.load(Ordering::Relaxed),
        server.process.resident_kib() / 1024.0,
        server.process.open_files(),
        server.process.threads(),
        server.stored_bytes() >> 20,
        counts.rows.load(Ordering::Relaxed),
        scrape / 1_000,
        scrape / 100 % 10,
    );
}

/// What agents ask, one request after the other.
async fn converse(server: Arc<Server>, connection: usize, counts: Arc<Counts>) {
    let mut wire = server.wire().await;
    let mut pace = tokio::time::interval(PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for n in 0.. {
        pace.tick().await;
        let user = user(connection * USERS_EACH + n / 2 % USERS_EACH);
        let path = format!("/api/context/{}", user.replace(' ', "%20"));
        let key = &server.key;
        // A user is first met by an inject, which gives access.
        let request = match n % 200 {
            61 => request::get_with_key(&path, key),
            101 => request::get_with_key(&format!("{path}/facts"), key),
            141 => list_tools(key, &user),
            // A user of whom nobody speaks again, because erasing takes all access away.
            197 => request::update(key, &gone(connection, n), &facts::message(n)),
            199 => {
                let path = format!("/api/context/{}", gone(connection, n));
                request::delete(&path, key)
            }
            at if at % 2 == 0 => request::inject(key, &user, BASE),
            _ => request::update(key, &user, &facts::message(n / 3)),
        };
        wire.exchange(&request).await;
        counts.answers.fetch_add(1, Ordering::Relaxed);
    }
}

/// The user who is erased in this round of 200 requests.
fn gone(connection: usize, n: usize) -> String {
    format!("gone-{connection}-{}", n / 200)
}

fn list_tools(key: &str, user: &str) -> Bytes {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\
         x-ctxmem-user-id: {user}\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into()
}

/// Reads the figures as Prometheus does.
async fn scrape(address: String, counts: Arc<Counts>) {
    let mut wire = Wire::open(&address).await;
    let mut ticks = tokio::time::interval(SCRAPE_EVERY);
    loop {
        ticks.tick().await;
        let begun = Instant::now();
        let figures = wire.metrics().await;
        let took = u64::try_from(begun.elapsed().as_micros()).unwrap();
        let rows: f64 = figures
            .lines()
            .filter(|line| line.starts_with("ctxmem_stored_rows{"))
            .filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok())
            .sum();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count"
        )]
        counts.rows.store(rows as u64, Ordering::Relaxed);
        counts
            .slowest_scrape_micros
            .fetch_max(took, Ordering::Relaxed);
        counts.scrapes.fetch_add(1, Ordering::Relaxed);
    }
}

async fn back_up(server: Arc<Server>, counts: Arc<Counts>) {
    let mut ticks = tokio::time::interval(BACKUP_EVERY);
    loop {
        ticks.tick().await;
        let server = Arc::clone(&server);
        let backup = tokio::task::spawn_blocking(move || server.back_up());
        backup.await.unwrap();
        counts.backups.fetch_add(1, Ordering::Relaxed);
    }
}

async fn reload(server: Arc<Server>, counts: Arc<Counts>) {
    let mut ticks = tokio::time::interval(RELOAD_EVERY);
    loop {
        ticks.tick().await;
        server.process.signal("HUP");
        counts.reloads.fetch_add(1, Ordering::Relaxed);
    }
}

/// Takes in traces, and answers where.
async fn collect(counts: Arc<Counts>) -> String {
    let taken = warp::post().and(warp::body::bytes()).map(move |_| {
        counts.spans.fetch_add(1, Ordering::Relaxed);
        ""
    });
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(warp::serve(taken).incoming(listener).run());
    format!("http://{address}")
}

async fn free_address() -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    listener.local_addr().unwrap().to_string()
}
