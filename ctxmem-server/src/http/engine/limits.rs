//! How much of the server's time and memory clients may use.

use std::time::Duration;

/// How much of the server's time and memory clients may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest body, in bytes. Forms of pages have smaller limits of their own.
    pub max_body_bytes: usize,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
    /// How long the request head may take to arrive; also how long a connection may idle.
    pub header_timeout: Duration,
    /// How long a client may take for 16 KiB of an answer.
    pub write_timeout: Duration,
    /// How long a request may take in total.
    pub request_timeout: Duration,
    /// How many connections may be open at once.
    pub max_connections: usize,
    /// How many clients beyond that are told so at the same time; others are disconnected.
    pub max_turned_away: usize,
    /// How long requests in progress may continue at shutdown.
    pub drain_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_body_bytes: 1 << 20,
            body_timeout: Duration::from_secs(10),
            header_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_mins(1),
            max_connections: 10_000,
            max_turned_away: 256,
            drain_timeout: Duration::from_secs(30),
        }
    }
}
