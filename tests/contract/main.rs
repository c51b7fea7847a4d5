//! The real client against the real server on SQLite. `tests/contract_postgres.rs` is the same
//! on Postgres; what a SQLite file holds is tested here only.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod files;
mod suite;

/// The engine on which the suite runs.
const ENGINE: suite::support::Engine = suite::support::Engine::Sqlite;
