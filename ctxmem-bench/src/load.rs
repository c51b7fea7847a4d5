//! Load on a server: connections, each of which sends a request as soon as it has read the
//! answer to the one before.

use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::request;

/// The request that a connection sends as its nth.
pub(crate) type Requests = Arc<dyn Fn(usize, usize) -> Bytes + Send + Sync>;

/// The latencies of one turn.
pub(crate) struct LoadResult {
    /// How long each request took, in microseconds, in ascending order.
    micros: Vec<u32>,
    elapsed: Duration,
}

impl LoadResult {
    pub(crate) fn count(&self) -> usize {
        self.micros.len()
    }

    pub(crate) fn per_second(&self) -> f64 {
        float(self.count()) / self.elapsed.as_secs_f64()
    }

    /// The latency, in microseconds, that this share of the requests did not exceed.
    pub(crate) fn percentile(&self, share: usize) -> f64 {
        percentile(&self.micros, share).map_or(f64::NAN, f64::from)
    }
}

/// What this share of figures in ascending order does not exceed.
pub(crate) fn percentile<T: Copy>(figures: &[T], share: usize) -> Option<T> {
    let at = figures.len().saturating_sub(1) * share / 100;
    figures.get(at).copied()
}

/// The figure of this name, labels included.
pub(crate) fn metric<T: FromStr>(figures: &str, name: &str) -> T {
    let mut lines = figures.lines().filter_map(|line| line.rsplit_once(' '));
    let found = lines.find(|(found, _)| *found == name);
    let value = found.and_then(|(_, value)| value.parse().ok());
    value.unwrap_or_else(|| panic!("the server's metrics have no {name}"))
}

/// A count as a float: far from where that loses anything.
pub(crate) fn float(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

/// Sends requests over this many connections for this long. Any answer but a 200 ends the run:
/// errors are fast and would look like speed.
pub(crate) async fn drive(
    address: &str,
    connections: usize,
    time: Duration,
    requests: &Requests,
) -> LoadResult {
    let begun = Instant::now();
    let mut driving = JoinSet::new();
    for connection in 0..connections {
        let mut wire = Wire::open(address).await;
        let requests = Arc::clone(requests);
        driving.spawn(async move {
            let mut micros = Vec::with_capacity(1 << 14);
            for n in 0.. {
                let request = requests(connection, n);
                let sent = Instant::now();
                wire.exchange(&request).await;
                micros.push(u32::try_from(sent.elapsed().as_micros()).unwrap_or(u32::MAX));
                if begun.elapsed() >= time {
                    break;
                }
            }
            micros
        });
    }
    let mut micros = driving.join_all().await.concat();
    let elapsed = begun.elapsed();
    micros.sort_unstable();
    LoadResult { micros, elapsed }
}

/// One keep-alive connection.
pub(crate) struct Wire {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Wire {
    pub(crate) async fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            read: vec![0; 64 << 10],
        }
    }

    /// The figures of a server for Prometheus.
    pub(crate) async fn metrics(&mut self) -> &str {
        let figures = self.exchange(&request::get("/metrics")).await;
        str::from_utf8(figures).unwrap()
    }

    /// Sends a request and answers the body of the answer, which must be a 200.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> &[u8] {
        let (status, body) = self.exchange_any(request).await;
        assert_eq!(status, "200", "{}", String::from_utf8_lossy(body));
        body
    }

    /// Sends a request and answers the status and the body of the answer.
    pub(crate) async fn exchange_any(&mut self, request: &[u8]) -> (&str, &[u8]) {
        self.stream.write_all(request).await.unwrap();
        let mut filled = 0;
        loop {
            let got = self.stream.read(&mut self.read[filled..]).await.unwrap();
            assert!(got > 0, "the server closed the connection");
            filled += got;
            let Some((head, body)) = split(&self.read[..filled]) else {
                continue;
            };
            if body.len() >= length(head) {
                let (from, to) = (filled - body.len(), filled);
                let status = str::from_utf8(&self.read["HTTP/1.1 ".len()..][..3]).unwrap();
                return (status, &self.read[from..to]);
            }
            if filled == self.read.len() {
                self.read.resize(filled * 2, 0);
            }
        }
    }
}

fn split(answer: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some((&answer[..end], &answer[end + 4..]))
}

fn length(head: &[u8]) -> usize {
    let head = std::str::from_utf8(head).unwrap();
    head.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map(|(_, value)| value.trim().parse().unwrap())
        .unwrap()
}
