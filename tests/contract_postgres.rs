//! The real client against the real server on Postgres: the suite of `tests/contract`.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

#[path = "contract/suite/mod.rs"]
mod suite;

/// The engine on which the suite runs.
const ENGINE: suite::support::Engine = suite::support::Engine::Postgres;
