//! The real client against the real server, one module a resource.
//!
//! `support` starts a server in the process, on a database of its own, with a clock that a
//! test can set. `raw` sends what the client refuses to send.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod account;
mod context;
mod demo;
mod errors;
mod grants;
mod health;
mod inject;
mod model;
mod quota;
mod races;
mod rate_limit;
mod sign_in;
mod support;
mod transport;
mod update;
mod user_ids;
