//! The pages in a real browser, on Postgres: the suite of `tests/dashboard`.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

#[path = "dashboard/suite/mod.rs"]
mod suite;

/// The engine on which the suite runs.
const ENGINE: suite::support::Engine = suite::support::Engine::Postgres;
