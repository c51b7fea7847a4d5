//! The client against deployments that answer differently from our server, wrongly, or not at
//! all. `tests/contract` tests it against the real server.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod answers;
mod blocking;
mod cache_hint;
mod connections;
mod context;
mod documented;
mod durable;
mod errors;
mod every_call;
mod facts;
mod fake;
mod faults;
mod faulty;
mod grants;
mod health;
mod inject;
mod logs;
mod options;
mod problems;
mod published;
mod raw;
mod retries;
mod secrets;
mod sign_in_links;
mod support;
mod tracing;
mod transport;
mod turns;
mod update;
mod updates;
mod wire;
