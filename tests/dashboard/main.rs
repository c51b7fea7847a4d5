//! The pages in a real browser, on SQLite. `tests/dashboard_postgres.rs` is the same on
//! Postgres.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod suite;

/// The engine on which the suite runs.
const ENGINE: suite::support::Engine = suite::support::Engine::Sqlite;
