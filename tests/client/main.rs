//! The client against deployments that answer differently from our server, or wrongly, or
//! not at all. The real server is in `tests/contract`.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod answers;
mod cache_hint;
mod context;
mod errors;
mod grants;
mod health;
mod inject;
mod raw;
mod secrets;
mod support;
mod transport;
mod update;
mod wire;
