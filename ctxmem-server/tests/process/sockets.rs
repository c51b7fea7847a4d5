//! Thousands of connections of clients that mean no good.

use std::process::Command;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::overload::{CLOSE, request};
use crate::process::{
    Home, ServerProcess, allow_many_sockets, assert_has, assert_lacks, browser, count, program,
};
use crate::scrape::{self, Scrape, metrics_url};

/// What ends at a deadline of ten seconds ends before this, however busy the machine is.
const SOON: Duration = Duration::from_mins(1);

const UNREAD: &str = "GET /style.css HTTP/1.1\r\nhost: x\r\n\r\n";

const HALF_A_HEAD: &str = "GET /api/health HTTP/1.1\r\nhost: ";

fn p99(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() * 99 / 100]
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_do_not_read_or_do_not_finish_their_heads_are_cut_off() {
    allow_many_sockets();
    let home = Home::new();
    let serving = home.serve("--rate-limit 0 --log error").await;
    let clients = count(200, 2_000);
    let before = p99(&mut healths(&serving, 200).await);
    let bad = (0..clients * 2)
        .map(|n| held_open(&serving, if n % 2 == 0 { UNREAD } else { HALF_A_HEAD }));
    let bad = join_all(bad);
    let good = healths(&serving, 200);
    let (held, mut beside) = tokio::time::timeout(SOON, async { tokio::join!(bad, good) })
        .await
        .expect("they are cut off");
    let longest = held.into_iter().max().unwrap();
    println!(
        "figure: {clients} clients that don't read and {clients} that don't finish a head: the last \
         cut off after {longest:.1?}; health of others p99 {:.1?} beside them, {before:.1?} before",
        p99(&mut beside)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn with_few_descriptors_and_many_sockets_health_and_administration_answer() {
    allow_many_sockets();
    let home = Home::new();
    let server = program();
    let script = format!("ulimit -n 256; exec '{server}' --listen 127.0.0.1:0 --json --log warn");
    let mut command = Command::new("bash");
    command.args(["-c", &script]).current_dir(home.path("."));
    let serving = home.start(command).await;
    let mut sockets = Vec::new();
    let mut slowest = Duration::ZERO;
    for _ in 0..10 {
        sockets.extend(join_all((0..count(100, 1_000)).map(|_| connect(&serving))).await);
        let health = healths(&serving, 1).await;
        slowest = slowest.max(health[0]);
        home.json(&["agent", "list"]);
    }
    println!(
        "figure: 256 descriptors, {} sockets: health in {slowest:.1?} at most",
        sockets.len()
    );
    // Nor do they hold up its end.
    let log = serving.stop().await;
    assert_has(
        &log,
        &["connections were refused", "allows fewer connections"],
    );
    assert_lacks(&log, &["could not be accepted"]);
}

/// As over a poor mobile connection, for longer than the time within which a client has to take some.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reads_slowly_gets_its_whole_answer() {
    const PROMPT: usize = 900_000;
    const A_SECOND: usize = 12 << 10;
    let home = Home::new();
    let serving = home.serve("").await;
    let prompt = "a".repeat(PROMPT);
    let body = format!(r#"{{"userId":"ada","basePrompt":"{prompt}"}}"#);
    let request = request("inject", serving.key(), &body, CLOSE);
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(8 << 10).unwrap();
    let address = serving.address().parse().unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let mut piece = vec![0; A_SECOND];
    for _ in 0..22 {
        let read = stream.read_exact(&mut piece).await;
        assert!(read.is_ok(), "cut off after {} bytes", answer.len());
        answer.extend_from_slice(&piece);
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    stream.read_to_end(&mut answer).await.unwrap();
    assert!(answer.len() > PROMPT, "{}", answer.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_connections_to_the_metrics_are_few_and_keep_nobody_out_for_long() {
    const SILENT: usize = 24;
    let home = Home::new();
    let serving = scrape::serve(&home, "").await;
    let address = metrics_url(&serving).strip_prefix("http://").unwrap();
    let address = address.strip_suffix("/metrics").unwrap();
    Scrape::of(&serving).await;
    let before = sockets(&serving);
    let silent = (0..SILENT).map(|_| TcpStream::connect(address));
    let silent = join_all(silent).await;
    assert!(silent.iter().all(Result::is_ok));
    // They are accepted one after the other, which takes less than a second.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let taken = sockets(&serving).saturating_sub(before);
    assert!((8..=16).contains(&taken), "{taken} connections are open");
    tokio::time::timeout(SOON, Scrape::of(&serving))
        .await
        .expect("those who say nothing are cut off");
}

/// How many sockets the server has open. Files of the database come and go.
fn sockets(serving: &ServerProcess) -> usize {
    let open = std::fs::read_dir(format!("/proc/{}/fd", serving.id())).unwrap();
    let leads_to = open.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
    leads_to
        .filter(|to| to.to_string_lossy().starts_with("socket:"))
        .count()
}

async fn connect(serving: &ServerProcess) -> TcpStream {
    TcpStream::connect(serving.address()).await.unwrap()
}

/// Sends this until nothing more fits, reads nothing, and answers how long the server held on.
async fn held_open(serving: &ServerProcess, text: &str) -> Duration {
    let mut stream = connect(serving).await;
    let began = Instant::now();
    if text == UNREAD {
        while stream.write_all(text.as_bytes()).await.is_ok() {}
    } else {
        let _ = stream.write_all(text.as_bytes()).await;
        let mut nothing = [0; 64];
        while stream.read(&mut nothing).await.is_ok_and(|bytes| bytes > 0) {}
    }
    began.elapsed()
}

/// How long the health takes, one call after the other.
async fn healths(serving: &ServerProcess, calls: usize) -> Vec<Duration> {
    let health = format!("{}/api/health", serving.url());
    let mut times = Vec::new();
    for _ in 0..calls {
        let began = Instant::now();
        let asking = browser().get(&health).timeout(Duration::from_secs(20));
        let answer = asking.send().await.unwrap();
        let (status, body) = (answer.status(), answer.text().await.unwrap());
        assert_eq!(status, 200, "{body}");
        times.push(began.elapsed());
    }
    times
}
