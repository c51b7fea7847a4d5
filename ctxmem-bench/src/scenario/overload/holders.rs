//! Clients that hold connections without reading, and what others notice of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use rustix::process::nice;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, Interest};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use super::{Answers, ask};
use crate::scenario::Bench;
use crate::server::Server;
use crate::{report, request};

/// Of each kind.
const HOLDERS: usize = 2_000;

const UNREAD: &str = "GET /style.css HTTP/1.1\r\nhost: x\r\n\r\n";

/// So many requests are answered with more than fits between the two sides.
const MORE_THAN_FITS: usize = 1_000;

const HALF_A_HEAD: &str = "GET /api/health HTTP/1.1\r\nhost: ";

pub(super) async fn run(bench: &Bench, server: &Arc<Server>) {
    println!(
        "\n### overload: beside {HOLDERS} clients that don't read and {HOLDERS} that don't finish a \
         head (SQLite)\n"
    );
    report::head(
        "they send | the last is cut off after s | others' p99 before ms | beside them | ×",
    );
    for unread in [
        Unread::AtOnce,
        Unread::WithoutEnd,
        Unread::WithoutEndFromElsewhere,
    ] {
        beside(bench, server, unread).await;
    }
    beside_busy_processors(bench, server).await;
}

/// How much somebody sends who doesn't read.
#[derive(Clone, Copy)]
enum Unread {
    /// What fills everything between the two sides, and then nothing more.
    AtOnce,
    /// As much as the connection takes, which keeps the processors busy on the clients' side too.
    WithoutEnd,
    /// The same by threads that take only what nobody else needs of the processors, as if they were those of
    /// another machine.
    WithoutEndFromElsewhere,
}

/// The health, which others ask for beside clients that don't read or don't finish their heads.
async fn beside(bench: &Bench, server: &Arc<Server>, unread: Unread) {
    let before = ask_apart(server, bench.plan.turn).await;
    let elsewhere = elsewhere();
    let mut holders = JoinSet::new();
    for _ in 0..HOLDERS {
        let address = server.process.address();
        let (reader, half) = (
            do_not_read(address.to_owned(), unread),
            do_not_finish(address.to_owned()),
        );
        if matches!(unread, Unread::WithoutEndFromElsewhere) {
            holders.spawn_on(reader, elsewhere.handle());
            holders.spawn_on(half, elsewhere.handle());
        } else {
            holders.spawn(reader);
            holders.spawn(half);
        }
    }
    let beside = ask_apart(server, Duration::from_secs(8)).await;
    let longest = holders.join_all().await.into_iter().max().unwrap();
    elsewhere.shutdown_background();
    let sent = match unread {
        Unread::AtOnce => format!("{MORE_THAN_FITS} requests at once"),
        Unread::WithoutEnd => "requests without end".to_owned(),
        Unread::WithoutEndFromElsewhere => "requests without end, as from elsewhere".to_owned(),
    };
    print_line(&sent, Some(longest), &before, &beside);
}

/// Threads that take only what nobody else needs of the processors.
fn elsewhere() -> Runtime {
    let last = || {
        nice(19).unwrap();
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .on_thread_start(last)
        .enable_all()
        .build();
    runtime.unwrap()
}

/// The same while every processor is busy with something else, as it is with the sending side of those who
/// send without end.
async fn beside_busy_processors(bench: &Bench, server: &Arc<Server>) {
    let before = ask_apart(server, bench.plan.turn).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let busy = std::thread::available_parallelism().unwrap().get();
    let busy: Vec<_> = (0..busy)
        .map(|_| {
            let is_over = Arc::clone(&is_over);
            std::thread::spawn(move || while !is_over.load(Ordering::Relaxed) {})
        })
        .collect();
    let beside = ask_apart(server, Duration::from_secs(8)).await;
    is_over.store(true, Ordering::Relaxed);
    for thread in busy {
        thread.join().unwrap();
    }
    print_line(
        "nothing, but the processors are busy",
        None,
        &before,
        &beside,
    );
}

fn print_line(sent: &str, held: Option<Duration>, before: &Answers, beside: &Answers) {
    let held = held.map(|held| format!("{:.1}", held.as_secs_f64()));
    println!(
        "| {sent} | {} | {:.1} | {:.1} | {:.2} |",
        held.unwrap_or_default(),
        before.p99() / 1e3,
        beside.p99() / 1e3,
        beside.p99() / before.p99(),
    );
}

/// Sends requests and reads no answer. Answers how long the server held on.
async fn do_not_read(address: String, unread: Unread) -> Duration {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let begun = Instant::now();
    match unread {
        Unread::AtOnce => {
            let _ = stream
                .write_all(UNREAD.repeat(MORE_THAN_FITS).as_bytes())
                .await;
            // What was answered makes it readable all the time.
            let _ = stream.ready(Interest::ERROR).await;
        }
        Unread::WithoutEnd | Unread::WithoutEndFromElsewhere => {
            while stream.write_all(UNREAD.as_bytes()).await.is_ok() {}
        }
    }
    begun.elapsed()
}

/// Sends the beginning of a head. Answers how long the server held on.
async fn do_not_finish(address: String) -> Duration {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let begun = Instant::now();
    let _ = stream.write_all(HALF_A_HEAD.as_bytes()).await;
    let mut nothing = [0; 64];
    while stream.read(&mut nothing).await.is_ok_and(|read| read > 0) {}
    begun.elapsed()
}

/// Asks for the health on a thread that no other client is on.
async fn ask_apart(server: &Arc<Server>, time: Duration) -> Answers {
    let server = Arc::clone(server);
    let asking = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime
            .unwrap()
            .block_on(ask(&server.process, 1, time, None, |_| healths()))
    });
    asking.await.unwrap()
}

fn healths() -> Vec<Bytes> {
    vec![request::get("/api/health")]
}
