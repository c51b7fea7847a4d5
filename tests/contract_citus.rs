//! The real client against the real server on Citus: the suite of `tests/contract`, on a database that
//! is distributed over two workers. The first server of a test is at a worker, the second at the
//! coordinator. `scripts/citus.sh` runs it.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

#[path = "contract/suite/mod.rs"]
mod suite;

/// The engine on which the suite runs.
const ENGINE: suite::support::Engine = suite::support::Engine::Citus;
