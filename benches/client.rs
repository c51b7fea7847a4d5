//! `cargo bench --bench client`
//!
//! Measures what the client adds to a request: the CPU time of `inject` compared with the same
//! request made with reqwest alone, in alternating rounds, against a server in another process.
//! Prints the ratio. Lower is better; 1 means that the client adds nothing.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints what it found, and fails where it can't"
)]

use std::process::{Command, Stdio};
use std::time::Duration;

use ctxmem_client::types::{InjectRequest, InjectResponse};
use ctxmem_client::{Client, UserId};
use rustix::time::{ClockId, clock_gettime};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Rounds, and calls in each. A test run only checks that the benchmark works.
const FULL: (usize, u32) = (21, 2_000);
const SHORT: (usize, u32) = (1, 10);

const BASE: &str = "You are a helpful assistant that answers questions about a product.";
const KEY: &str = "ctxm_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";

/// Set in the environment of the process that is the server.
const SERVER: &str = "CTXMEM_BENCH_SERVER";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if std::env::var_os(SERVER).is_some() {
        return serve().await;
    }
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let (rounds, calls) = if is_bench { FULL } else { SHORT };
    let mut server = Command::new(std::env::current_exe().unwrap())
        .env(SERVER, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    let stdout = server.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut url).unwrap();
    let url = url.trim();

    let user = UserId::new("3f0e0a52-6f0c-4f43-9f4c-2a1d1b7f9f10").unwrap();
    let client = Client::builder().base_url(url).api_key(KEY);
    let client = client.build().unwrap();
    let http = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let inject_url = format!("{url}/api/context/inject");

    let mut ratios = Vec::new();
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let start = cpu();
        for _ in 0..calls {
            let injected = client.inject(&user, BASE).await.unwrap();
            assert!(injected.is_enriched());
        }
        let with_client = cpu().abs_diff(start);
        let start = cpu();
        for _ in 0..calls {
            let injected = raw(&http, &inject_url, &user).await;
            assert!(injected.is_enriched(BASE));
        }
        let with_reqwest = cpu().abs_diff(start);
        // The first round warms up.
        if round > 0 {
            ratios.push(with_client.as_secs_f64() / with_reqwest.as_secs_f64());
            ours.push(micros_a_call(with_client, calls));
            bare.push(micros_a_call(with_reqwest, calls));
        }
    }
    server.kill().unwrap();
    server.wait().unwrap();

    println!("| inject | CPU µs a call (median) | ratio (median) | min | max |");
    println!("|---|---|---|---|---|");
    println!("| reqwest alone | {:.1} | 1.00 | | |", median(&mut bare));
    let ratio = median(&mut ratios);
    let (min, max) = (ratios[0], ratios[ratios.len() - 1]);
    println!(
        "| ctxmem-client | {:.1} | {ratio:.2} | {min:.2} | {max:.2} |",
        median(&mut ours)
    );
}

/// The same request with reqwest alone.
async fn raw(http: &reqwest::Client, url: &str, user: &UserId) -> InjectResponse {
    http.post(url)
        .bearer_auth(KEY)
        .timeout(Duration::from_millis(800))
        .json(&InjectRequest::new(user.clone(), BASE))
        .send()
        .await
        .unwrap()
        .error_for_status()
        .unwrap()
        .json()
        .await
        .unwrap()
}

fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap(),
        time.tv_nsec.try_into().unwrap(),
    )
}

fn micros_a_call(spent: Duration, calls: u32) -> f64 {
    spent.as_secs_f64() * 1e6 / f64::from(calls)
}

/// Sorts the numbers and returns the one in the middle.
fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Answers every request with the same enriched prompt of 3 KB.
async fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("http://{}", listener.local_addr().unwrap());
    let prompt = format!("System:\n{}\n\n{BASE}", "The user likes tea. ".repeat(140));
    let body = serde_json::json!({
        "injectedPrompt": prompt,
        "cacheHint": {
            "recommended": true,
            "retention": "24h",
            "reason": "The block stays the same until what is known of the user changes.",
            "providerParam": {"prompt_cache_retention": "24h"},
        },
    })
    .to_string();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: r-1\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer_all(stream, answer.clone()));
    }
}

async fn answer_all(stream: TcpStream, answer: String) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut stream = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            if line == "\r\n" {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok()?;
            }
        }
        stream.read_exact(&mut vec![0; length]).await.ok()?;
        stream.write_all(answer.as_bytes()).await.ok()?;
    }
}
