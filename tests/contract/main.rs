//! The real client against the real server: on SQLite, or on the engine that `CTXMEM_TEST_ENGINE`
//! names. `files` is about what a SQLite file holds, whatever engine that is.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod files;
mod suite;
